// A turn to look at: the budget as a ruler, the prompt as it goes out, and the turns that really went through this server.
import { html, useState } from "../preact.js";
import { get, inRole, url } from "../api.js";
import { number, t, time } from "../i18n.js";
import { Trouble, useAsked } from "../ui.js";
import { speaker } from "./common.js";
import { Fired } from "./firing.js";
import { useFollowing } from "./list.js";
import { start } from "./parts.js";

const TAIL = 4; // messages of the user's chat that are always shown
const TURNS = 8;
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

/** The budget as a ruler: a numbered piece for each line, then what holds them together; lore has a ruler of its own. */
export function Ruler({ budget, items, lore }) {
  const used = budget.unit === "tokens" ? budget.tokens : budget.characters;
  const whole = Math.max(budget.limit, used, 1);
  const pieces = items.map((one, place) => ({ id: one.id, kind: `piece ${one.type}`, size: one.cost, text: place + 1, title: one.content }));
  const lines = items.reduce((sum, one) => sum + one.cost, 0);
  const frame = { id: "frame", kind: "frame", size: Math.max(used - lines, 0), title: t("play.frame") };
  const told = t("play.budget", { used: number(used), limit: number(budget.limit), unit: t(`unit.${budget.unit}`) });
  const awake = (lore?.awake ?? []).map((one, place) => ({ id: one.id, kind: "piece entry", size: one.tokens, text: place + 1, title: one.title }));
  return html`<div class="sheet rulers"><${Scale} label=${told} whole=${whole} over=${used > budget.limit} pieces=${[...pieces, frame]} />
    ${awake.length > 0 && html`<${Scale} label=${t("play.budget.lore", { used: number(lore.used), limit: number(lore.budget) })} whole=${Math.max(lore.budget, lore.used, 1)} over=${lore.overflowed} pieces=${awake} />`}</div>`;
}

function Scale({ label, whole, over, pieces }) {
  const rest = Math.max(whole - pieces.reduce((sum, one) => sum + one.size, 0), 0);
  return html`<figure><figcaption class="small">${label}</figcaption>
    <div class=${`ruler ${over ? "over" : ""}`} role="img" aria-label=${label}>${pieces.filter((one) => one.size > 0).map((one) => html`<span key=${one.id} class=${one.kind} title=${start(one.title ?? "", 120)} style=${{ flexGrow: one.size }}>${one.size > whole / 40 ? one.text : null}</span>`)}<span style=${{ flexGrow: rest }}></span></div>
    <div class="ticks" aria-hidden="true">${QUARTERS.map((part) => html`<span key=${part}>${number(Math.round(whole * part))}</span>`)}</div></figure>`;
}

/** The messages as they would go out: what was put in is marked, the middle of a long chat folded. */
export function Sent({ asked, sent, info }) {
  const [all, setAll] = useState(false);
  const own = new Set(asked.messages.map((one) => `${one.role} ${one.content}`));
  const rows = (sent.messages ?? []).map((one, place) => ({ ...one, place, ours: !own.has(`${one.role} ${one.content}`) }));
  const tail = rows.filter((one) => !one.ours).at(-TAIL)?.place ?? 0;
  const shown = rows.filter((one) => all || one.ours || one.place >= tail);
  const folded = rows.length - shown.length;
  return html`<p class="small soft">${t("play.sent.size", { characters: number(sent.characters), tokens: number(sent.tokens) })}</p>
    ${shown.map((one, at) => html`${folded > 0 && one.place > (shown[at - 1]?.place ?? -1) + 1 && html`<p key=${`gap ${one.place}`}><button type="button" class="button small" onClick=${() => setAll(true)}>${t("play.sent.folded", { count: number(one.place - (shown[at - 1]?.place ?? -1) - 1) })}</button></p>`}
      <div key=${one.place} class=${`prompt ${one.role}`}><p class="who">${speaker(one, info, asked.user)} ${one.ours && html`<span class="badge">${t("play.sent.ours")}</span>`}</p><p class="wrapped"><${Marked} text=${one.content} part=${sent.text} /></p></div>`)}`;
}

function Marked({ text, part }) {
  const at = part ? text.indexOf(part) : -1;
  return at < 0 ? text : html`${text.slice(0, at)}<mark>${part}</mark>${text.slice(at + part.length)}`;
}

/** What really went out, newest first: for the question why the character said what it said. */
export function RealTurns({ role }) {
  const page = useAsked((signal) => get(url(inRole(role, "/turns"), { limit: TURNS }), { signal }), [role]);
  useFollowing(role, page.again, ["turn"]);
  const rows = page.value?.items ?? [];
  return html`<section class="sheet" aria-labelledby="real"><h2 id="real">${t("play.real")}</h2><p class="soft small">${t("play.real.hint")}</p>
    ${page.error && html`<${Trouble} error=${page.error} again=${page.again} />`}
    ${page.value && !rows.length && html`<p class="soft">${t("play.real.none")}</p>`}
    ${rows.map((one) => html`<${Real} key=${`${one.at} ${one.chat}`} role=${role} one=${one} />`)}</section>`;
}

function Real({ role, one }) {
  const [open, setOpen] = useState(false);
  return html`<details class="real" onToggle=${(event) => setOpen(event.target.open)}><summary><time datetime=${one.at}>${time(one.at)}</time> · ${t("play.real.row", { memories: number(one.recalled), entries: number(one.lore.length), ms: number(one.ms, 1) })}
      <span class="soft small">${[one.user, one.chat && start(one.chat, 40), one.kind !== "normal" && t(`turn.${one.kind}`)].filter(Boolean).join(" · ")}</span></summary>
    ${open && html`<${Fired} role=${role} items=${one.items} />${one.lore.length > 0 && html`<h3>${t("play.lore")}</h3><ul class="small">${one.lore.map((entry) => html`<li key=${entry.id}><strong>${entry.title}</strong> · ${entry.why.text}</li>`)}</ul>`}
      <h3>${t("play.real.text")}</h3>${one.text ? html`<pre>${one.text}</pre>` : html`<p class="soft">${t("play.real.empty")}</p>`}`}</details>`;
}
