// Files that come in: dropped or chosen, looked at first, then taken as a card, a lorebook, or an export of ours.
import { html, useRef, useState } from "../preact.js";
import { go } from "../router.js";
import { post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { fail, toast } from "../live.js";
import { Busy, Button, Chips, Dialog, Field, Trouble, useAsked, useId } from "../ui.js";

const FORMAT = "rolememory-role"; // what an export calls itself
const RAW = { type: "application/octet-stream" };
const KINDS = ".json,.lorebook,.png,.apng,.charx";
const stem = (name) => name.replace(/\.[^.]*$/, "");

export function Drop({ onFile }) {
  const [over, setOver] = useState(false);
  const input = useRef(null);
  const id = useId();
  const dropped = (event) => { event.preventDefault(); setOver(false); const [file] = event.dataTransfer.files; if (file) onFile(file); };
  const chosen = (event) => { const [file] = event.target.files; event.target.value = ""; if (file) onFile(file); };
  return html`<div class=${`drop ${over ? "over" : ""}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${dropped}>
    <p><label for=${id}>${t("lore.drop")}</label></p>
    <input type="file" id=${id} ref=${input} accept=${KINDS} onChange=${chosen} />
    <p class="hint">${t("lore.drop.hint")}</p></div>`;
}

/** What a file is: {kind: role | memories | card | book | none, ...}; nothing is kept yet. */
async function looked(file, role, signal) {
  const ours = await exported(file);
  if (ours) return { kind: ours.format === FORMAT ? "role" : "memories", document: ours };
  const seen = await post(url("/files/look", { filename: file.name }), file, { ...RAW, signal });
  return seen.kind === "card" ? { kind: "card", ...seen.card } : seen;
}

/** The file as a document of ours, or null. */
async function exported(file) {
  if (!/\.json$/i.test(file.name)) return null;
  let read;
  try { read = JSON.parse(await file.text()); } catch { return null; }
  const known = read?.format === FORMAT || ["episodic", "semantic", "traits", "goals"].some((one) => Array.isArray(read?.[one]));
  return known ? read : null;
}

/** A file that came: what it is and what taking it would do, before it is done. */
export function Bring({ role, info, file, books, onClose, onDone }) {
  const told = useAsked((signal) => looked(file, role, signal), [file]);
  const shared = { role, info, file, books, onClose, onDone, told: told.value };
  if (told.value?.kind === "card") return html`<${BringCard} ...${shared} />`;
  if (told.value?.kind === "book") return html`<${BringBook} ...${shared} />`;
  if (told.value && told.value.kind !== "none") return html`<${BringExport} ...${shared} />`;
  return html`<${Dialog} title=${t("lore.bring")} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("close")}<//>`}><p><code>${file.name}</code></p>
    ${told.error && html`<${Trouble} error=${told.error} />`}${told.value && html`<${Trouble} error=${{ message: t("lore.bring.unknown"), hint: told.value.why }} />`}${told.busy && html`<${Busy} />`}<//>`;
}

const Ask = ({ kind, file, yes, go: take, busy, onClose, children }) => html`<${Dialog} title=${t(`lore.bring.${kind}`)} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//>
  <${Button} kind="main" disabled=${busy} onClick=${take}>${yes ?? t("lore.bring")}<//>`}><p><code>${file.name}</code></p>${children}<//>`;

function BringCard({ role, info, file, told, onClose, onDone }) {
  const { card, items } = told;
  const [now, set] = useState({ as: "card", replace: false });
  const put = (name) => (value) => set((before) => ({ ...before, [name]: value }));
  const take = async () => {
    if (now.as === "book") { await bookOf(role, file, { name: stem(file.name), replace: now.replace }); return onDone(); }
    const to = now.as === "new" ? { name: card.name } : { into: role };
    const done = await post(url("/cards", { filename: file.name, replace_books: now.replace, ...to }), file, RAW);
    toast(t("lore.brought", { name: done.name }));
    if (done.problems.length) fail(Object.assign(new Error(t("lore.problems")), { all: done.problems, hint: done.problems.join(" · ") }));
    onDone();
    if (now.as === "new") go("lore", done.role);
  };
  const ways = [["card", t("lore.as.card", { name: info.name })], ["new", t("lore.as.new", { name: card.name })], ...(card.book !== null ? [["book", t("lore.as.book")]] : [])];
  return html`<${Ask} kind="card" file=${file} go=${take} onClose=${onClose}>
    <p id="would"><strong>${card.name || "—"}</strong>${card.creator && ` · ${card.creator}`} · ${t("lore.card.has", { greetings: number(card.greetings.length), entries: number(card.entries) })}</p>
    <${Chips} items=${[...new Set(card.tags)].slice(0, 12)} label=${t("lore.card.tags")} />
    <${Field} as="select" label=${t("lore.as")} value=${now.as} onInput=${put("as")} options=${ways} />
    ${now.as === "card" && card.name && card.name !== info.name && html`<p class="hint">${t("lore.as.other", { card: card.name, role: info.name })}</p>`}
    ${card.entries > 0 && html`<${Field} as="check" label=${t("lore.card.replace")} value=${now.replace} onInput=${put("replace")} />`}
    <${Findings} items=${items} /><//>`;
}

const bookOf = async (role, file, query) => {
  const done = await post(url(`/books/${encodeURIComponent(role)}/import`, { filename: file.name, ...query }), file, RAW);
  toast(t("lore.brought", { name: done.name || done.id }));
};

function BringBook({ role, file, books, told, onClose, onDone }) {
  const [name, setName] = useState(stem(file.name));
  const [replace, setReplace] = useState(false);
  const there = books.some((one) => one.shelf === role && stem(one.id) === name.trim());
  const take = async () => { await bookOf(role, file, { name: name.trim(), replace: there && replace }); onDone(); };
  return html`<${Ask} kind="book" file=${file} go=${take} busy=${!name.trim() || (there && !replace)} onClose=${onClose}>
    <p id="would"><strong>${told.book.name || file.name}</strong> · ${told.book.format} · ${t("lore.entries", { count: number(told.book.entries) })}</p>
    ${told.book.everywhere.map((one) => html`<p key=${`${one.entry} ${one.key}`} class="wrong">${t("lore.everywhere", one)}</p>`)}
    ${told.book.problems.map((one) => html`<p key=${one} class="wrong">${one}</p>`)}
    <${Field} label=${t("lore.book.name")} value=${name} onInput=${setName} maxlength="200" autocomplete="off" />
    ${there && html`<${Field} as="check" label=${t("lore.book.replace")} hint=${t("lore.book.there")} value=${replace} onInput=${setReplace} />`}<//>`;
}

function BringExport({ role, file, told, onClose, onDone }) {
  const [prefer, setPrefer] = useState("theirs");
  const path = (dry) => url("/roles/import", { into: role, prefer, dry_run: dry });
  const would = useAsked((signal) => post(path(true), told.document, { signal }), [file, prefer]);
  const take = async () => {
    const done = await post(path(false), told.document);
    toast(t("lore.brought", { name: file.name }));
    if (done.problems.length) fail(Object.assign(new Error(t("lore.problems")), { hint: done.problems.join(" · ") }));
    onDone();
  };
  const row = would.value;
  return html`<${Ask} kind=${told.kind} file=${file} go=${take} busy=${!row || would.busy} onClose=${onClose}>
    <${Field} as="select" label=${t("lore.prefer")} value=${prefer} onInput=${setPrefer} options=${[["theirs", t("lore.prefer.theirs")], ["ours", t("lore.prefer.ours")]]} />
    ${would.error && html`<${Trouble} error=${would.error} />`}${would.busy && html`<${Busy} />`}
    ${row && !would.error && html`<ul id="would"><li>${t("lore.would.memories", { added: number(row.added.length), changed: number(row.changed.length), kept: number(row.kept.length) })}</li>
      ${row.files.map((one) => html`<li key=${one}>${t("lore.would.write", { name: one })}</li>`)}${row.files_kept.map((one) => html`<li key=${one}>${t("lore.would.keep", { name: one })}</li>`)}
      ${row.problems.map((one) => html`<li key=${one} class="wrong">${one}</li>`)}</ul>`}<//>`;
}

/** Faults of a card, a book or an entry; `choose` makes those of entries into buttons. */
export function Findings({ items, choose }) {
  if (!items.length) return html`<p class="soft">${t("lore.clean")}</p>`;
  return html`<ul class="findings">${items.map((one) => html`<li key=${`${one.code} ${one.uid} ${one.field} ${one.why}`} class=${one.severity}><strong>${t(`severity.${one.severity}`)}</strong> ${one.title && (choose ? html`<button type="button" class="linkish" onClick=${() => choose(one.uid)}>${one.title}</button>` : html`<em>${one.title}</em>`)} ${one.why}${one.write && html`<span class="soft remedy">→ ${one.write}</span>`}</li>`)}</ul>`;
}
