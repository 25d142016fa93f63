// Statistics with plots: how a role's memory grew, what its turns take and cost, which strategies wake memories, how the caches do.
import { html, useState } from "../preact.js";
import { get, inRole } from "../api.js";
import { date, number, percent, t, time } from "../i18n.js";
import { kept } from "../live.js";
import { Bars, Busy, Field, Trouble, useAsked } from "../ui.js";
import { TYPES } from "./common.js";
import { useFollowing } from "./list.js";
import "./parts.js";

const [WIDE, HIGH] = [600, 150];

export function Statistics({ list }) {
  const [chosen, choose] = useState(() => kept("role", "").get()); // the one last looked at
  const role = (list.find((one) => one.id === chosen) ?? list[0])?.id;
  if (!role) return html`<section class="sheet"><p class="soft">${t("figures.none")}</p></section>`;
  return html`${list.length > 1 && html`<${Field} as="select" label=${t("figures.of")} value=${role} onInput=${choose} options=${list.map((one) => [one.id, one.name])} />`}<${Plots} key=${role} role=${role} />`;
}

function Plots({ role }) {
  const found = useAsked((signal) => Promise.all([get(inRole(role, "/figures"), { signal }), get(inRole(role, "/stats"), { signal })]), [role]);
  useFollowing(role, found.again, ["memory", "learned", "turn", "chat"]);
  if (found.error && !found.value) return html`<${Trouble} error=${found.error} again=${found.again} />`;
  if (!found.value) return html`<${Busy} />`;
  const [figures, stats] = found.value;
  const { turns } = figures;
  return html`<section class="sheet" aria-labelledby="grown"><h2 id="grown">${t("figures.grown")}</h2>
      <ul class="counts">${[["total", stats.total], ["archived", stats.archived], ["chats", stats.chats], ["turns", stats.turns], ["core", stats.core]].map(([name, value]) => html`<li key=${name}>${t(`figures.${name}`)} <strong>${number(value)}</strong></li>`)}</ul>
      ${figures.grown.length > 1 ? html`<${Grown} rows=${figures.grown} />` : html`<p class="soft">${t("figures.grown.none")}</p>`}</section>
    <section class="sheet" aria-labelledby="woken"><h2 id="woken">${t("figures.strategies")}</h2><p class="small soft">${t("figures.turns.since", { count: number(turns.length) })}</p>
      ${Object.keys(figures.strategies).length > 0 ? html`<${Bars} label=${t("figures.strategies")} rows=${Object.entries(figures.strategies).map(([name, value]) => ({ name: strategyWord(name), value, text: number(value) }))} />` : html`<p class="soft">${t("figures.turns.none")}</p>`}</section>
    <div class="pair"><section class="sheet" aria-labelledby="latency"><h2 id="latency">${t("figures.latency")}</h2><${Columns} turns=${turns} value=${(one) => one.ms} text=${(value) => `${number(value, 1)} ms`} label=${t("figures.latency")} /></section>
    <section class="sheet" aria-labelledby="budget"><h2 id="budget">${t("figures.budget")}</h2><${Columns} turns=${turns} value=${(one) => one.cost} text=${(value) => `${number(value)} ${t(`figures.unit.${figures.unit}`)}`} label=${t("figures.budget")} limit=${figures.limit} /></section></div>
    <section class="sheet" aria-labelledby="caches"><h2 id="caches">${t("figures.caches")}</h2><${Caches} caches=${figures.caches} /></section>`;
}

const strategyWord = (name) => { const told = t(`strategy.${name}`); return told === `strategy.${name}` ? name : told; };

/** Memories by type over time, as layers. */
function Grown({ rows }) {
  const from = Date.parse(rows[0].at);
  const span = Date.parse(rows.at(-1).at) - from || 1;
  const x = (row) => (WIDE * (Date.parse(row.at) - from)) / span;
  const sum = (row, kinds) => kinds.reduce((all, kind) => all + (row.by_type[kind] ?? 0), 0);
  const top = Math.max(sum(rows.at(-1), TYPES), 1);
  const y = (value) => HIGH - (HIGH * value) / top;
  const layer = (place) => [...rows.map((row) => `${x(row).toFixed(1)},${y(sum(row, TYPES.slice(0, place + 1))).toFixed(1)}`), ...[...rows].reverse().map((row) => `${x(row).toFixed(1)},${y(sum(row, TYPES.slice(0, place))).toFixed(1)}`)].join(" ");
  const there = TYPES.filter((kind) => sum(rows.at(-1), [kind]));
  const told = t("figures.grown.label", { from: date(rows[0].at), to: date(rows.at(-1).at), what: there.map((kind) => `${t(`type.${kind}`)} ${number(sum(rows.at(-1), [kind]))}`).join(", ") });
  return html`<figure><svg class="layers" viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label=${told}>${TYPES.map((kind, place) => html`<polygon key=${kind} class=${kind} points=${layer(place)} />`)}</svg>
    <div class="ticks" aria-hidden="true"><span>${date(rows[0].at)}</span><span>${date(rows.at(-1).at)}</span></div>
    <ul class="legend">${there.map((kind) => html`<li key=${kind}><span class=${`dot ${kind}`} aria-hidden="true"></span> ${t(`type.${kind}`)} ${number(sum(rows.at(-1), [kind]))}</li>`)}</ul></figure>`;
}

/** One column for each turn; the middle and the most in words; `limit` as a line. */
function Columns({ turns, value, text, label, limit }) {
  if (!turns.length) return html`<p class="soft">${t("figures.turns.none")}</p>`;
  const values = turns.map(value);
  const sorted = [...values].sort((one, other) => one - other);
  const most = sorted.at(-1);
  const top = Math.max(limit && limit < 3 * most ? limit : most, 1e-9);
  const step = WIDE / Math.max(values.length, 30);
  const told = t("figures.turns.label", { middle: text(sorted[Math.floor(sorted.length / 2)]), most: text(most), count: number(values.length) });
  return html`<figure><svg class="layers" viewBox=${`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label=${`${label}: ${told}`}>${values.map((one, place) => html`<rect key=${place} class="meter-fill" x=${place * step + step * 0.1} width=${step * 0.8} y=${HIGH - (HIGH * one) / top} height=${(HIGH * one) / top}><title>${time(turns[place].at)} · ${text(one)}</title></rect>`)}</svg>
    <figcaption class="small soft">${told}${limit ? ` · ${t("figures.limit", { limit: text(limit) })}` : ""}</figcaption></figure>`;
}

const share = (part, whole) => (whole ? `${number(part)} / ${number(whole)} (${percent(part / whole)})` : "—");

const Caches = ({ caches }) => html`<dl class="facts"><dt>${t("figures.cache.blocks")}</dt><dd>${share(caches.blocks_same, caches.blocks)}<p class="hint">${t("figures.cache.blocks.hint")}</p></dd>
  <dt>${t("figures.cache.questions")}</dt><dd>${share(caches.questions_known, caches.questions_known + caches.questions)}<p class="hint">${t("figures.cache.questions.hint")}</p></dd>
  <dt>${t("figures.cache.vectors")}</dt><dd>${share(caches.vectors, caches.memories)}<p class="hint">${t("figures.cache.vectors.hint")}</p></dd></dl>`;
