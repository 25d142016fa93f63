// What the views about turns, chats, people and books share.
import { html, useEffect, useState } from "../preact.js";
import { address } from "../router.js";
import { get, inRole, post } from "../api.js";
import { number, t } from "../i18n.js";
import { toast } from "../live.js";
import { Button, Dialog, Field } from "../ui.js";
import { memoryPath } from "./common.js";

/** The beginning of a text, for labels. */
export const start = (text, most = 60) => (text.length > most ? `${text.slice(0, most)}…` : text);

/** A path of a book. */
export const ofBook = (book, path = "") => `/books/${encodeURIComponent(book.shelf)}/${encodeURIComponent(book.id)}${path}`;

/** A link to a memory's card. */
export const ToMemory = ({ role, id, children }) => html`<a href=${address("memory", role, id)}>${children}</a>`;

const known = new Map(); // "role id" -> content

/** Remember what memories say, from a list that was asked anyway. */
export const keepContents = (role, memories) => { for (const one of memories) known.set(`${role} ${one.id}`, one.content); };

/** What memories say, by id; asks for those that nobody saw yet. An id that is gone stands for itself. */
export function useContents(role, ids) {
  const [, draw] = useState(0);
  const missing = ids.filter((id) => !known.has(`${role} ${id}`));
  useEffect(() => {
    if (!missing.length) return;
    const ask = (id) => get(memoryPath(role, id)).then((one) => known.set(`${role} ${id}`, one.memory.content), () => known.set(`${role} ${id}`, id));
    Promise.all(missing.map(ask)).then(() => draw((count) => count + 1));
  }, [role, missing.join(" ")]);
  return (id) => known.get(`${role} ${id}`) ?? id;
}

/** Amounts that add or take away, as bars: [{name, amount, text}]. From the left, or from a middle line where some take away. */
export function Signed({ rows, label, most = Math.max(...rows.map((row) => Math.abs(row.amount)), 1e-9) }) {
  const low = rows.some((row) => row.amount < 0) ? -100 : 0;
  const width = (amount) => (100 * Math.min(Math.abs(amount), most)) / most;
  return html`<table class="bars signed"><caption class="unseen">${label}</caption><tbody>${rows.map((row) => html`<tr key=${row.name}>
    <th scope="row">${row.text || row.name}</th>
    <td><svg viewBox=${`${low} 0 ${100 - low} 10`} preserveAspectRatio="none" aria-hidden="true"><rect class="meter-back" x=${low} width=${100 - low} y="1" height="8" />
      <rect class=${row.amount < 0 ? "less" : "meter-fill"} y="1" height="8" x=${row.amount < 0 ? -width(row.amount) : 0} width=${width(row.amount)} />${low < 0 && html`<line x1="0" x2="0" y2="10" class="middle" />`}</svg></td>
    <td class="figure">${row.amount > 0 ? "+" : ""}${number(row.amount, 3)}</td></tr>`)}</tbody></table>`;
}

/** Make the change a refusal told of, with a way back. `again` asks anew. */
export async function applied(role, remedy, again) {
  const own = remedy.target === "settings" ? overridden((await get(inRole(role))).settings, remedy.field) : null;
  const done = await post(inRole(role, "/apply"), remedy);
  const before = remedy.target === "settings" ? own : done.before;
  const back = remedy.target !== "memory"
    ? () => post(inRole(role, "/apply"), { target: remedy.target, id: remedy.id, field: remedy.field, value: before })
    : done.txn && (() => post(inRole(role, "/undo"), { txn: done.txn }));
  again();
  toast(t("applied", { text: remedy.text || remedy.field }), back && (async () => { await back(); again(); }));
}

/** What the role itself says of a setting; null where it says nothing. */
function overridden(tree, field) {
  const inner = field.split(".").reduce((found, part) => found?.[part], tree);
  return tree?.[field] ?? inner ?? null;
}

/** A question before something final: the name must be typed. */
export function Typed({ title, word, yes, onYes, onClose, children }) {
  const [given, set] = useState("");
  const go = async () => { await onYes(); onClose(); };
  return html`<${Dialog} title=${title} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//>
    <${Button} kind="danger" disabled=${given.trim() !== word.trim()} onClick=${go}>${yes}<//>`}>
    ${children}<${Field} label=${t("type.word", { word })} value=${given} onInput=${set} autocomplete="off" spellcheck="false" /><//>`;
}

/** Ways through a paged list. `go` gets the new offset. */
export function Pages({ page, go, label }) {
  const { offset, total, limit } = page;
  if (total <= limit && !offset) return null;
  return html`<nav class="row pages" aria-label=${label}>
    <${Button} disabled=${offset === 0} onClick=${() => go(Math.max(offset - limit, 0))}>${t("pages.before")}<//>
    <span>${t("pages.part", { from: number(offset + 1), to: number(Math.min(offset + limit, total)), total: number(total) })}</span>
    <${Button} disabled=${offset + limit >= total} onClick=${() => go(offset + limit)}>${t("pages.after")}<//></nav>`;
}
