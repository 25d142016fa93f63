// What was learned and waits for a word, and what was learned lately.
import { html, useRef, useState } from "../preact.js";
import { address } from "../router.js";
import { get, inRole, post, url } from "../api.js";
import { number, percent, t, time } from "../i18n.js";
import { announce, toast } from "../live.js";
import { Busy, Button, Chips, Dialog, EmptyState, Field, Trouble, Words, useAsked } from "../ui.js";
import { Kind, TYPES, told } from "./common.js";
import { useFollowing } from "./list.js";
import { Pages, ToMemory, start, useContents } from "./parts.js";

const PART = 50;
const LINES = 200; // of the history that are looked through
const LEARNERS = ["user", "learn", "model", "infer", "review"];

export default function Review({ role, info }) {
  return html`<h1 tabindex="-1">${t("review.title")}</h1><p class="soft">${t("review.intro", { name: info.name })}</p>
    <${Queue} role=${role} /><${Learned} role=${role} /><${Queue} role=${role} refused />`;
}

/** What waits for a word, or what was refused lately: the same can be done with both. */
function Queue({ role, refused }) {
  const [offset, setOffset] = useState(0);
  const [mended, setMended] = useState(null);
  const page = useAsked((signal) => get(url(inRole(role, "/review"), { limit: PART, offset, ...(refused ? { refused } : {}) }), { signal }), [role, offset]);
  useFollowing(role, page.again);
  const content = useContents(role, (page.value?.items ?? []).flatMap((one) => one.against));
  const after = (text) => { announce(text); if (offset && page.value?.items.length === 1) setOffset(Math.max(offset - PART, 0)); page.again(); };
  const accept = async (one, fields) => { const made = await post(inRole(role, "/review/accept"), { id: one.id, ...(fields ? { fields } : {}) }); after(t("review.accepted")); await told(role, t("review.accepted"), made.id); };
  const reject = async (ids) => { await post(inRole(role, "/review/reject"), { ids }); after(t("review.rejected", { count: ids.length })); toast(t("review.rejected", { count: number(ids.length) })); };
  if (page.error && !page.value) return html`<${Trouble} error=${page.error} again=${page.again} />`;
  if (!page.value) return html`<${Busy} />`;
  if (!page.value.total && refused) return null;
  if (!page.value.total) return html`<${EmptyState} title=${t("review.none")} text=${t("review.none.hint")} />`;
  return html`<h2>${t(refused ? "review.refused" : "review.waits", { count: number(page.value.total) })}</h2><p class="hint" id=${refused ? "refused-keys" : "review-keys"}>${refused && t("review.refused.hint")} ${t("review.keys")}</p>
    <div class="sheet"><${Drafts} role=${role} refused=${refused} items=${page.value.items} content=${content} accept=${accept} mend=${setMended} reject=${reject} /></div>
    <${Pages} page=${page.value} label=${t(refused ? "review.refused.label" : "review.title")} go=${setOffset} />
    ${mended && html`<${Mend} one=${mended} onClose=${() => setMended(null)} onDone=${(fields) => accept(mended, fields)} />`}`;
}

function Drafts({ role, refused, items, content, accept, mend, reject }) {
  const box = useRef(null);
  const keys = (event) => {
    const row = event.target.closest("li[data-row]");
    if (!row || event.ctrlKey || event.metaKey || event.altKey || event.target !== row) return;
    const one = items[Number(row.dataset.row)];
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step) box.current.querySelector(`li[data-row="${Number(row.dataset.row) + step}"]`)?.focus();
    else if (event.key === "a") accept(one);
    else if (event.key === "e") mend(one);
    else if (event.key === "Delete") reject([one.id]);
    else return;
    event.preventDefault();
  };
  return html`<ol class="plain" ref=${box} onKeyDown=${keys} aria-describedby=${refused ? "refused-keys" : "review-keys"} id=${refused ? "refused" : "waiting"}>${items.map((one, place) => html`<li key=${one.id} data-row=${place} data-id=${one.id} tabindex="0">
    <p class="wrapped"><strong>${one.content}</strong></p>
    <p class="facts-row"><${Kind} type=${one.type} />${one.user && html`<span>${t("review.of", { user: one.user })}</span>`}<span>${t("review.sure", { share: percent(one.confidence) })}</span>${one.at && html`<time datetime=${one.at}>${time(one.at)}</time>`}</p>
    <p class="small">${one.reason.text}</p><p class="small soft">${one.found_by.text}</p>
    ${one.evidence.map((support) => html`<blockquote key=${`${support.chat} ${support.version}`} class="small">${support.quote} ${support.chat && html`<a href=${address("chats", role, support.chat)}>${t("review.chat")}</a>`}</blockquote>`)}
    ${one.against.length > 0 && html`<div class="small"><strong>${t(refused ? "review.beside" : "review.against")}</strong><ul>${one.against.map((id) => html`<li key=${id}><${ToMemory} role=${role} id=${id}>${content(id)}<//></li>`)}</ul></div>`}
    <${Chips} items=${[...new Set([...one.keys, ...one.tags])]} label=${t("review.words")} />
    <div class="row"><${Button} kind="main small" onClick=${() => accept(one)} aria-label=${`${t("review.accept")}: ${start(one.content)}`}>${t("review.accept")}<//>
      <${Button} kind="small" onClick=${() => mend(one)} aria-label=${`${t("review.mend")}: ${start(one.content)}`}>${t("review.mend")}<//>
      <${Button} kind="small danger" onClick=${() => reject([one.id])} aria-label=${`${t("review.reject")}: ${start(one.content)}`}>${t("review.reject")}<//></div></li>`)}</ol>`;
}

/** The draft in other words, before it becomes a memory. */
function Mend({ one, onClose, onDone }) {
  const [now, set] = useState({ content: one.content, keys: one.keys, tags: one.tags });
  const put = (name) => (value) => set((all) => ({ ...all, [name]: value }));
  const save = async () => { await onDone(now); onClose(); };
  return html`<${Dialog} title=${t("review.mend")} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//>
    <${Button} kind="main" disabled=${!now.content.trim()} onClick=${save}>${t("review.accept")}<//>`}>
    <${Field} as="textarea" label=${t("review.text")} value=${now.content} onInput=${put("content")} />
    <${Words} label=${t("review.keywords")} value=${now.keys} onInput=${put("keys")} /><${Words} label=${t("review.tags")} value=${now.tags} onInput=${put("tags")} /><//>`;
}

/** What became a memory by learning, newest first, each change with its way back. */
function Learned({ role }) {
  const lines = useAsked((signal) => get(url(inRole(role, "/history"), { limit: LINES }), { signal }), [role]);
  useFollowing(role, lines.again);
  const lately = lines.value?.items ?? [];
  const last = new Map([...lately].reverse().map((one) => [one.id, one.op])); // what came of it since
  const rows = lately.filter((one) => one.op === "add" && LEARNERS.includes(one.actor) && last.get(one.id) !== "remove").slice(0, PART);
  const replaced = (one) => one.fields.supersedes?.[1] ?? [];
  const content = useContents(role, rows.flatMap(replaced));
  const undo = async (one) => { await post(inRole(role, "/undo"), { txn: one.txn }); toast(t("review.undone")); lines.again(); };
  const together = (one) => rows.filter((other) => other.txn === one.txn).length;
  return html`<section class="sheet" aria-labelledby="lately"><h2 id="lately">${t("review.lately")}</h2>
    ${lines.error && html`<${Trouble} error=${lines.error} again=${lines.again} />`}
    ${lines.value && !rows.length && html`<p class="soft">${t("review.lately.none")}</p>`}
    <ul class="plain" id="learned">${rows.map((one, place) => html`<li key=${one.seq}>
      <p class="wrapped"><${ToMemory} role=${role} id=${one.id}>${one.fields.content?.[1] ?? one.id}<//></p>
      <p class="facts-row">${one.fields.type?.[1] && html`<${Kind} type=${one.fields.type[1]} />`}<span>${t(`learner.${one.actor}`)}</span><time datetime=${one.at}>${time(one.at)}</time></p><p class="small soft">${one.reason}</p>
      ${replaced(one).length > 0 && html`<div class="small"><strong>${t("review.replaced")}</strong><ul>${replaced(one).map((id) => html`<li key=${id}><${ToMemory} role=${role} id=${id}>${content(id)}<//></li>`)}</ul></div>`}
      ${rows[place + 1]?.txn !== one.txn && html`<${Button} kind="small" onClick=${() => undo(one)}>${together(one) > 1 ? t("review.undo.all", { count: number(together(one)) }) : t("review.undo")}<//>`}</li>`)}</ul></section>`;
}
