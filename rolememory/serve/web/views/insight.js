// A role in figures, and what in it asks for a look. Every figure is counted from what the server tells; what it cannot tell is said to be missing.
import { html } from "../preact.js";
import { all, get, inRole, url } from "../api.js";
import { date, has, number, t } from "../i18n.js";
import { Bars, Busy, Trouble, useAsked } from "../ui.js";
import { useFollowing } from "./list.js";
import { Looks } from "./insight_looks.js";
import { ToMemory, keepContents, useContents } from "./parts.js";

const TURNS = 200; // newest turns that are looked at
const ROWS = 30; // of a list that are shown
const BINS = 24;

export default function Insight({ role, info }) {
  const stats = useAsked((signal) => get(inRole(role, "/stats"), { signal }), [role]);
  const found = useAsked((signal) => looked(role, signal), [role]);
  useFollowing(role, () => { stats.again(); found.again(); });
  return html`<h1 tabindex="-1">${t("insight.title", { name: info.name })}</h1>
    ${stats.error && html`<${Trouble} error=${stats.error} again=${stats.again} />`}${!stats.value && !stats.error && html`<${Busy} />`}
    ${stats.value && html`<${Figures} stats=${stats.value} />`}
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}${!found.value && !found.error && html`<${Busy} />`}
    ${found.value && html`<${Looks} role=${role} found=${found.value.insight} contents=${found.value.contents} again=${found.again} /><${Replaced} role=${role} memories=${found.value.memories} /><${Plots} found=${found.value} />`}`;
}

/** Memories, what stands out among them, and the newest turns. */
async function looked(role, signal) {
  const [memories, insight, turns] = await Promise.all([
    all(inRole(role, "/memories"), { archived: "no" }, { signal }),
    get(inRole(role, "/insight"), { signal }),
    get(url(inRole(role, "/turns"), { limit: TURNS }), { signal }),
  ]);
  keepContents(role, memories);
  return { memories, insight, turns: turns.items, woken: woken(turns.items), contents: new Map(memories.map((one) => [one.id, one.content])) };
}

const FACTS = ["total", "archived", "core", "characters", "bytes_on_disk", "chats", "turns", "embedded"];
const rowsOf = (counts, word = (name) => name) => Object.entries(counts).filter(([, value]) => value).sort((one, other) => other[1] - one[1]).slice(0, 12).map(([name, value]) => ({ name: word(name), value, text: number(value) }));
const TYPE = { traits: "trait", goals: "goal" };

function Figures({ stats }) {
  const plots = [
    ["type", rowsOf(stats.by_type, (name) => t(`type.${TYPE[name] ?? name}`))], ["source", rowsOf(stats.by_source, (name) => t(`source.${name}`))],
    ["user", rowsOf(stats.by_user, (name) => name || t("insight.shared"))], ["tags", rowsOf(stats.tags)],
  ];
  return html`<section class="sheet" aria-labelledby="figures"><h2 id="figures">${t("insight.figures")}</h2>
    <dl class="facts">${FACTS.map((name) => html`<dt>${t(`figure.${name}`)}</dt><dd>${number(stats[name])}</dd>`)}<dt>${t("figure.meaning")}</dt><dd>${t(`meaning.${stats.meaning}`)}</dd></dl>
    <div class="grid">${plots.filter(([, rows]) => rows.length).map(([name, rows]) => html`<div key=${name}><h3>${t(`insight.by.${name}`)}</h3><${Bars} label=${t(`insight.by.${name}`)} rows=${rows} /></div>`)}</div></section>`;
}

/** How many recalled memories each strategy woke. */
function woken(turns) {
  const counts = {};
  for (const item of turns.flatMap((turn) => turn.items)) for (const one of item.why) counts[one.by] = (counts[one.by] ?? 0) + 1;
  return rowsOf(counts, (name) => (has(`strategy.${name}`) ? t(`strategy.${name}`) : name));
}

function Plots({ found }) {
  const told = found.memories.filter((one) => one.created).map((one) => Date.parse(one.created)).sort((one, other) => one - other);
  const turns = [...found.turns].reverse();
  return html`<section class="sheet" aria-labelledby="plots"><h2 id="plots">${t("insight.plots")}</h2>
    ${told.length > 0 && html`<h3>${t("plot.told")}</h3><${Plot} bars=${binned(told)} label=${t("plot.told.label", { from: date(told[0]), to: date(told.at(-1)), count: number(told.length) })} ends=${[date(told[0]), date(told.at(-1))]} />`}
    ${turns.length > 0 ? [["ms", "plot.ms"], ["recalled", "plot.recalled"]].map(([name, key]) => { const values = turns.map((one) => one[name]); const top = Math.max(...values);
      return html`<div key=${name}><h3>${t(key)}</h3><${Plot} bars=${values} label=${t("plot.turns.label", { what: t(key), count: number(values.length), most: number(top, 1), middle: number(median(values), 1) })} ends=${[t("plot.oldest"), t("plot.newest")]} /></div>`; })
      : html`<p class="soft">${t("insight.turns.none")}</p>`}
    ${found.woken.length > 0 && html`<h3>${t("insight.strategies")}</h3><${Bars} label=${t("insight.strategies")} rows=${found.woken} />`}</section>`;
}

const median = (values) => { const sorted = [...values].sort((one, other) => one - other); return sorted[Math.floor(sorted.length / 2)]; };

/** How many moments fall into each of equal spans. */
function binned(moments) {
  const [from, span] = [moments[0], moments.at(-1) - moments[0] || 1];
  const bins = new Array(BINS).fill(0);
  for (const at of moments) bins[Math.min(Math.floor(((at - from) / span) * BINS), BINS - 1)] += 1;
  return bins;
}

/** Upright bars with what they say in words below. */
function Plot({ bars, label, ends }) {
  const top = Math.max(...bars, 1e-9);
  const step = 600 / Math.max(bars.length, BINS);
  return html`<figure><svg class="plot" viewBox="0 0 600 120" role="img" aria-label=${label}><line x1="0" x2="600" y1="100" y2="100" />
    ${bars.map((value, place) => html`<rect x=${place * step + step * 0.1} width=${step * 0.8} y=${100 - (92 * value) / top} height=${(92 * value) / top} />`)}
    <text x="0" y="115">${ends[0]}</text><text x=${Math.max(step * bars.length, 120)} y="115" text-anchor="end">${ends[1]}</text></svg><figcaption class="small soft">${label}</figcaption></figure>`;
}

/** What newer memories replaced. */
function Replaced({ role, memories }) {
  const rows = memories.filter((one) => one.superseded_by);
  const content = useContents(role, rows.slice(0, ROWS).map((one) => one.superseded_by));
  return html`<section class="sheet" aria-labelledby="replaced"><h2 id="replaced">${t("insight.replaced")}</h2><${Some} rows=${rows} none=${t("insight.replaced.none")} row=${(one) => html`<${ToMemory} role=${role} id=${one.id}>${one.content}<//>
      <p class="small soft">${t("insight.replaced.by", { text: content(one.superseded_by) })}</p>`} /></section>`;
}

const Some = ({ rows, none, row }) => (rows.length ? html`<ul class="plain">${rows.slice(0, ROWS).map((one) => html`<li key=${one.id}>${row(one)}</li>`)}</ul>
  ${rows.length > ROWS && html`<p class="small soft">${t("insight.more", { count: number(rows.length - ROWS) })}</p>`}` : html`<p class="soft">${none}</p>`);
