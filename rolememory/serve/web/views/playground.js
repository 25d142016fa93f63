// Try a message: what fires and why, what it costs, what does not fire and the smallest change that would let it in. Nothing here counts as a turn.
import { html, useEffect, useMemo, useState } from "../preact.js";
import { get, inRole, post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { Busy, Button, EmptyState, Field, Trouble, useAsked, useQuiet } from "../ui.js";
import { Kind } from "./common.js";
import { useFollowing } from "./list.js";
import { Signed, ToMemory, applied, keepContents, start, useContents } from "./parts.js";

const NEWEST = 200; // messages of a chat that are taken along
const LEFT_OUT = 30; // refusals whose way in is looked for at once
const ASKED = 20;
const KINDS = ["memory", "learned", "chat", "settings", "role", "worldbook"];

export default function Playground({ role, info, query }) {
  const [now, set] = useState({ text: query.text || "", chat: query.chat || "", user: "", limit: "" });
  const put = (name) => (value) => set((all) => ({ ...all, [name]: value }));
  const chats = useAsked((signal) => get(url(inRole(role, "/chats"), { limit: 200 }), { signal }), [role]);
  const before = useAsked((signal) => (now.chat ? said(role, now.chat, signal) : Promise.resolve(null)), [role, now.chat]);
  const quiet = useQuiet(now, 250);
  const asked = useMemo(() => turnOf(quiet, before.value), [quiet, before.value]);
  const answer = useAsked((signal) => (asked ? turned(role, asked, signal) : Promise.resolve(null)), [role, asked]);
  useFollowing(role, answer.again, KINDS);
  return html`<h1 tabindex="-1">${t("play.title", { name: info.name })}</h1><p class="soft">${t("play.intro")}</p>
    <${Scene} now=${now} put=${put} chats=${chats.value?.items ?? []} before=${before} />
    ${answer.error && html`<${Trouble} error=${answer.error} again=${answer.again} />`}
    ${!asked && html`<${EmptyState} title=${t("play.empty")} text=${t("play.empty.hint")} />`}
    ${asked && !answer.value && !answer.error && html`<${Busy} />`}
    ${asked && answer.value && html`<${Outcome} role=${role} asked=${asked} answer=${answer.value} again=${answer.again} />`}`;
}

/** What stands in a chat, as a frontend would send it. */
async function said(role, chat, signal) {
  const found = await get(url(inRole(role, `/chats/${encodeURIComponent(chat)}`), { newest: true, limit: NEWEST }), { signal });
  const messages = found.items.reverse().map((one) => ({ role: one.role, content: one.raw || one.text, ...(one.name ? { name: one.name } : {}) }));
  return { chat, messages, unseen: found.total - messages.length, user: found.chat.user };
}

/** The turn to ask about; null while there is nothing to ask. */
function turnOf({ text, chat, user, limit }, before) {
  const known = chat && before?.chat === chat ? before : null;
  if (chat && !known) return null;
  const messages = [...(known?.messages ?? []), ...(text.trim() ? [{ role: "user", content: text }] : [])];
  if (!messages.length) return null;
  const whose = user.trim() || known?.user;
  const most = limit === "" ? NaN : Math.trunc(Number(limit));
  return { messages, lore: true, ...(chat ? { chat, unseen: known.unseen } : {}), ...(whose ? { user: whose } : {}), ...(most >= 0 ? { budget: { max_total_length: most } } : {}) };
}

async function turned(role, asked, signal) {
  const [why, sent] = await Promise.all([
    post(inRole(role, "/explain"), { ...asked, remedies: false }, { signal }),
    post(inRole(role, "/recall"), { ...asked, dry_run: true, with_messages: true }, { signal }),
  ]);
  return { why, sent };
}

const Scene = ({ now, put, chats, before }) => html`<div class="sheet">
  <${Field} as="textarea" label=${t("play.message")} hint=${t("play.message.hint")} value=${now.text} onInput=${put("text")} rows="3" />
  <div class="grid">
    <${Field} as="select" label=${t("play.chat")} value=${now.chat} onInput=${put("chat")} hint=${before.value ? t("play.chat.taken", { count: number(before.value.messages.length) }) : ""}
      options=${[["", t("play.chat.none")], ...chats.map((one) => [one.id, start(one.title || one.id)])]} />
    <${Field} label=${t("play.user")} hint=${t("play.user.hint")} value=${now.user} onInput=${put("user")} autocomplete="off" />
    <${Field} type="number" min="0" label=${t("play.limit")} hint=${t("play.limit.hint")} value=${now.limit} onInput=${put("limit")} />
  </div>
  ${before.error && html`<${Trouble} error=${before.error} again=${before.again} />`}
</div>`;

function Outcome({ role, asked, answer, again }) {
  const { why, sent } = answer;
  return html`${why.closed && html`<p class="trouble">${t("play.closed", { why: why.closed })}</p>`}
    <p class="soft small" id="play-told">${t("play.told", { fired: number(why.items.length), lore: number(why.lore?.awake.length ?? 0), left: number(why.rows.length), ms: number(why.ms, 1) })}${why.intent && ` · ${t("play.intent", { intent: why.intent })}`} · ${t("play.meaning", { state: why.meaning || "—" })}</p>
    <${Ruler} budget=${why.budget} items=${why.items} />
    <div class="columns">
      <section class="sheet" aria-labelledby="fired"><h2 id="fired">${t("play.fired")}</h2><${Fired} role=${role} items=${why.items} /></section>
      <section class="sheet" aria-labelledby="lore"><h2 id="lore">${t("play.lore")}</h2><${Lore} role=${role} lore=${why.lore} again=${again} /></section>
    </div>
    <section class="sheet" aria-labelledby="missed"><h2 id="missed">${t("play.missed")}</h2><${Missed} role=${role} asked=${asked} why=${why} again=${again} /></section>
    <section class="sheet" aria-labelledby="sent"><h2 id="sent">${t("play.sent")}</h2><${Sent} sent=${sent} /></section>
    ${why.notes.length > 0 && html`<ul class="soft small">${why.notes.map((note) => html`<li key=${note}>${note}</li>`)}</ul>`}`;
}

/** The budget as a ruler: a piece for each line, then what holds them together. */
function Ruler({ budget, items }) {
  const used = budget.unit === "tokens" ? budget.tokens : budget.characters;
  const whole = Math.max(budget.limit, used, 1);
  let at = 0;
  const pieces = items.map((one) => { const piece = { id: one.id, x: at, width: one.cost }; at += one.cost; return piece; });
  const told = t("play.budget", { used: number(used), limit: number(budget.limit), unit: t(`unit.${budget.unit}`) });
  return html`<div class="sheet"><svg class="ruler" viewBox=${`0 0 ${whole} 10`} preserveAspectRatio="none" role="img" aria-label=${told}>
    ${pieces.map((one) => html`<rect key=${one.id} class="piece" x=${one.x} width=${one.width} height="10" />`)}
    ${used > at && html`<rect class="frame" x=${at} width=${used - at} height="10" />`}
    ${used > budget.limit && html`<rect class="over" x=${budget.limit} width=${used - budget.limit} height="10" />`}</svg>
    <p class="small">${told}</p></div>`;
}

function Fired({ role, items }) {
  if (!items.length) return html`<p class="soft">${t("play.fired.none")}</p>`;
  return html`<ol class="plain">${items.map((one, place) => html`<li key=${one.id} data-id=${one.id}>
    <p class="wrapped"><${ToMemory} role=${role} id=${one.id}>${one.content}<//></p>
    <p class="facts-row"><${Kind} type=${one.type} /><span>${t("play.score", { score: number(one.score, 3) })}</span><span>${t("play.cost", { cost: number(one.cost) })}</span></p>
    <ul class="small">${one.why.map((reason) => html`<li key=${`${reason.by} ${reason.text}`}>${reason.text}${reason.strength !== null && ` (${number(reason.strength, 2)})`}</li>`)}</ul>
    <details open=${place === 0}><summary class="small">${t("play.parts")}</summary><${Signed} label=${t("play.parts")} rows=${[{ name: "relevance", text: t("play.relevance"), amount: one.relevance }, ...one.parts]} /></details></li>`)}</ol>`;
}

const ways = (remedy, apply) => remedy && html`<p class="row small"><span>${t("play.remedy", { text: remedy.text })}</span>
  ${apply && remedy.target !== "message" && html`<${Button} kind="small" onClick=${apply} aria-label=${t("play.apply.this", { text: remedy.text })}>${t("play.apply")}<//>`}</p>`;

/** Entries that fire, and candidates that lost. */
export function Lore({ role, lore, again }) {
  if (!lore || !(lore.awake.length || lore.refused.length)) return html`<p class="soft">${t("play.lore.none")}</p>`;
  return html`<p class="small soft">${t("play.lore.budget", { used: number(lore.used), budget: number(lore.budget) })}${lore.overflowed && ` · ${t("play.lore.full")}`}</p>
    <ul class="plain">${lore.awake.map((one) => html`<li key=${one.id}><strong>${one.title}</strong><p class="wrapped">${one.content}</p><p class="small soft">${one.why.text} · ${t("play.tokens", { count: number(one.tokens) })}</p></li>`)}
      ${lore.refused.map((one) => html`<li key=${one.id} class="away"><strong>${one.id}</strong><p class="small">${one.text}</p>
        ${ways(one.remedy, one.remedy?.target === "settings" && (() => applied(role, one.remedy, again)))}</li>`)}</ul>`;
}

/** What did not fire: what was woken and left out, and memories that are looked for. Their ways in come a moment later. */
function Missed({ role, asked, why, again }) {
  const [q, setQ] = useState("");
  const words = useQuiet(q, 250);
  const found = useAsked((signal) => get(url(inRole(role, "/memories"), { q: words, limit: ASKED, sort: "-created" }), { signal }), [role, words, why]);
  useEffect(() => keepContents(role, found.value?.items ?? []), [found.value]);
  const fired = new Set(why.items.map((one) => one.id));
  const left = why.rows.slice(0, LEFT_OUT).map((one) => one.id);
  const ids = [...new Set([...left, ...(found.value?.items ?? []).map((one) => one.id)])].filter((id) => !fired.has(id));
  const quiet = useQuiet(ids.join("\n"), 300);
  const told = useAsked((signal) => (quiet ? post(inRole(role, "/explain"), { ...asked, ids: quiet.split("\n"), remedies: true }, { signal }) : Promise.resolve(null)), [role, asked, quiet]);
  const rows = new Map([...why.rows, ...(told.value?.rows ?? [])].filter((row) => !row.injected).map((row) => [row.id, row]));
  const shown = (words ? ids.filter((id) => (found.value?.items ?? []).some((one) => one.id === id)) : ids).map((id) => rows.get(id)).filter(Boolean);
  const content = useContents(role, shown.map((row) => row.id));
  return html`<${Field} type="search" label=${t("play.look")} hint=${t("play.look.hint")} value=${q} onInput=${setQ} autocomplete="off" />
    ${told.error && html`<${Trouble} error=${told.error} again=${told.again} />`}
    ${(told.busy || found.busy) && html`<${Busy} text=${t("play.looking")} />`}
    ${!shown.length && !told.busy && !found.busy && html`<p class="soft">${t("play.missed.none")}</p>`}
    <ul class="plain" id="missed-rows">${shown.map((row) => html`<li key=${row.id} data-id=${row.id}><p class="wrapped"><${ToMemory} role=${role} id=${row.id}>${content(row.id)}<//></p>
      ${row.reasons.map((reason) => html`<p key=${reason.text} class="small soft">${reason.text}</p>`)}
      ${ways(row.remedy, () => applied(role, row.remedy, again))}</li>`)}</ul>`;
}

/** The messages as they would go out, what was put in marked. */
const Sent = ({ sent }) => html`<p class="small soft">${t("play.sent.size", { characters: number(sent.characters), tokens: number(sent.tokens) })}</p>
  ${(sent.messages ?? []).map((one, place) => html`<div key=${place} class=${`prompt ${one.role}`}><p class="who">${t(`speaker.${one.role}`)}${one.name && ` · ${one.name}`}</p><p class="wrapped"><${Marked} text=${one.content} part=${sent.text} /></p></div>`)}`;

function Marked({ text, part }) {
  const at = part ? text.indexOf(part) : -1;
  return at < 0 ? text : html`${text.slice(0, at)}<mark>${part}</mark>${text.slice(at + part.length)}`;
}
