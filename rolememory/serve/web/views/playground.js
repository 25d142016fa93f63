// Try a message: what fires and why, what it costs, what does not fire and the smallest change that would include it. Nothing here counts as a turn.
import { html, useMemo, useState } from "../preact.js";
import { get, inRole, post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { Busy, EmptyState, Field, Trouble, useAsked, useQuiet } from "../ui.js";
import { useFollowing } from "./list.js";
import { Awake, Fired, Missed } from "./firing.js";
import { RealTurns, Ruler, Sent } from "./turns.js";
import { start } from "./parts.js";
import { useLatest } from "./people.js";

const NEWEST = 200; // messages of a chat that are taken along
const KINDS = ["memory", "learned", "chat", "settings", "role", "worldbook"];

export default function Playground({ role, info, query }) {
  const [now, set] = useState({ text: query.text || "", chat: query.chat || "", user: query.user || "", limit: "" });
  const put = (name) => (value) => set((all) => ({ ...all, [name]: value }));
  const chats = useAsked((signal) => get(url(inRole(role, "/chats"), { limit: 200 }), { signal }), [role]);
  const before = useAsked((signal) => (now.chat ? said(role, now.chat, signal) : Promise.resolve(null)), [role, now.chat]);
  const latest = useLatest(role);
  const assumed = now.chat ? before.value?.user : latest.value;
  const quiet = useQuiet(now, 250);
  const known = latest.value !== undefined || !latest.busy;
  const asked = useMemo(() => (known ? turnOf(quiet, before.value, assumed) : null), [quiet, before.value, known, assumed]);
  const answer = useAsked((signal) => (asked ? turned(role, asked, signal) : Promise.resolve(null)), [role, asked]);
  useFollowing(role, answer.again, KINDS);
  const say = (words) => set((all) => ({ ...all, text: `${all.text.trimEnd()} ${words}`.trimStart() }));
  return html`<h1 tabindex="-1">${t("play.title", { name: info.name })}</h1><p class="soft">${t("play.intro")}</p>
    <${Scene} now=${now} assumed=${assumed} put=${put} chats=${chats.value?.items ?? []} before=${before} />
    ${answer.error && html`<${Trouble} error=${answer.error} again=${answer.again} />`}
    ${!asked && !now.chat && html`<${EmptyState} title=${t("play.empty")} text=${t("play.empty.hint")} />`}
    ${asked && !answer.value && !answer.error && html`<${Busy} />`}
    ${asked && answer.value && html`<${Outcome} role=${role} info=${info} asked=${asked} answer=${answer.value} again=${answer.again} say=${say} speak=${put("user")} />`}
    <${RealTurns} role=${role} />`;
}

/** What stands in a chat, as a frontend would send it. */
async function said(role, chat, signal) {
  const found = await get(url(inRole(role, `/chats/${encodeURIComponent(chat)}`), { newest: true, limit: NEWEST }), { signal });
  const messages = found.items.reverse().map((one) => ({ role: one.role, content: one.raw || one.text, ...(one.name ? { name: one.name } : {}) }));
  return { chat, messages, unseen: found.total - messages.length, user: found.chat.user };
}

/** The turn to ask about, from whom it is assumed to be; null while there is nothing to ask. */
function turnOf({ text, chat, user, limit }, before, assumed) {
  const known = chat && before?.chat === chat ? before : null;
  if (chat && !known) return null;
  const messages = [...(known?.messages ?? []), ...(text.trim() ? [{ role: "user", content: text }] : [])];
  if (!messages.length) return null;
  const whose = user.trim() || assumed;
  const most = limit === "" ? NaN : Math.trunc(Number(limit));
  return { messages, ...(chat ? { chat, unseen: known.unseen } : {}), ...(whose ? { user: whose } : {}), ...(most >= 0 ? { budget: { max_total_length: most } } : {}) };
}

async function turned(role, asked, signal) {
  const [why, sent] = await Promise.all([
    post(inRole(role, "/explain"), { ...asked, lore: true, remedies: false }, { signal }),
    post(inRole(role, "/recall"), { ...asked, dry_run: true, with_messages: true }, { signal }),
  ]);
  return { why, sent };
}

const Scene = ({ now, assumed, put, chats, before }) => html`<div class="sheet">
  <${Field} as="textarea" label=${t("play.message")} hint=${t("play.message.hint")} value=${now.text} onInput=${put("text")} rows="3" />
  <div class="grid">
    <${Field} as="select" label=${t("play.chat")} value=${now.chat} onInput=${put("chat")} hint=${before.value ? t("play.chat.taken", { count: number(before.value.messages.length) }) : ""}
      options=${[["", t("play.chat.none")], ...chats.map((one) => [one.id, start(one.title || one.id || t("play.chat.unnamed"))])]} />
    <${Field} label=${t("play.user")} hint=${assumed ? t("people.assumed", { user: assumed }) : t("play.user.hint")} placeholder=${assumed || ""} value=${now.user} onInput=${put("user")} autocomplete="off" />
    <${Field} type="number" min="0" label=${t("play.limit")} hint=${t("play.limit.hint")} value=${now.limit} onInput=${put("limit")} />
  </div>
  ${before.error && html`<${Trouble} error=${before.error} again=${before.again} />`}
</div>`;

/** A section that is opened by who asks for it. */
function Folded({ id, title, children }) {
  const [open, setOpen] = useState(false);
  return html`<section class="sheet" aria-labelledby=${id}><details onToggle=${(event) => setOpen(event.target.open)}><summary><h2 id=${id}>${title}</h2></summary>${open && children}</details></section>`;
}

function Outcome({ role, info, asked, answer, again, say, speak }) {
  const { why, sent } = answer;
  const lore = why.lore?.awake.length ?? 0;
  return html`${why.closed && html`<p class="trouble">${t("play.closed", { why: why.closed })}</p>`}
    <ul class="counts" id="play-told">
      <li>${t("play.count.memories")} <strong>${number(why.items.length)}</strong></li><li>${t("play.count.lore")} <strong>${number(lore)}</strong></li><li>${t("play.count.left")} <strong>${number(why.rows.length)}</strong></li>
      <li class="soft small">${number(why.ms, 1)} ms${why.intent && ` · ${t("play.intent", { intent: t(`intent.${why.intent}`) })}`} · ${t("play.meaning", { state: t(`meaning.${why.meaning || "absent"}`) })}</li></ul>
    <${Ruler} budget=${why.budget} items=${why.items} lore=${why.lore} />
    <div class=${lore ? "columns" : ""}>
      <section class="sheet" aria-labelledby="fired"><h2 id="fired">${t("play.fired")}</h2><${Fired} role=${role} items=${why.items} /></section>
      <section class="sheet" aria-labelledby="lore"><h2 id="lore">${t("play.lore")}</h2><${Awake} lore=${why.lore} /></section>
    </div>
    <${Folded} id="missed" title=${t("play.missed")}><${Missed} role=${role} asked=${asked} why=${why} again=${again} say=${say} speak=${speak} /><//>
    <section class="sheet" aria-labelledby="sent"><h2 id="sent">${t("play.sent")}</h2><${Sent} asked=${asked} sent=${sent} info=${info} /></section>
    ${why.notes.length > 0 && html`<ul class="soft small">${why.notes.map((note) => html`<li key=${note}>${note}</li>`)}</ul>`}`;
}
