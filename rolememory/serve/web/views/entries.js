// The books of a role: their entries, an editor that says what is wrong while somebody types, and files to carry away.
import { html, useState } from "../preact.js";
import { del, file, get, patch, post, url } from "../api.js";
import { language, number, t } from "../i18n.js";
import { toast } from "../live.js";
import { Busy, Button, Chips, Dialog, EmptyState, Field, Trouble, useAsked, useQuiet } from "../ui.js";
import { Findings } from "./bringing.js";
import { SaveAs } from "./carrying.js";
import { useFollowing } from "./list.js";
import { ofBook, start } from "./parts.js";
import { Faults, Tests } from "./proofs.js";

const SHOWN = 100; // entries of a book that are drawn at once
const PLAIN = ["comment", "content", "keys", "secondary_keys", "selective_logic", "constant", "enabled"];
const MORE = { insertion_order: "number", position: ["before", "after", "an_top", "an_bottom", "depth", "em_top", "em_bottom"], depth: "number", role: ["system", "user", "assistant"], probability: "number", group: "text", sticky: "number", cooldown: "number", delay: "number", exclude_recursion: "check", prevent_recursion: "check" };
const FIELDS = [...PLAIN, ...Object.keys(MORE)];
const BLANK = { comment: "", content: "", keys: [], secondary_keys: [], selective_logic: "and_any", constant: false, enabled: true, insertion_order: 100, position: "before", depth: 4, role: "system", probability: 100, group: "", sticky: 0, cooldown: 0, delay: 0, exclude_recursion: false, prevent_recursion: false };
const LOGIC = ["and_any", "and_all", "not_any", "not_all"];
const ofEntry = (book, uid) => ofBook(book, `/entries/${encodeURIComponent(uid)}`);

/** The books of a role and the shared ones it uses. */
export function Shelves({ role, info, found }) {
  const [name, setName] = useState("");
  const mine = (found.value ?? []).filter((one) => one.shelf === role || info.worldbooks.includes(one.id) && one.shelf === "shared");
  const begin = async () => { await post(`/books/${encodeURIComponent(role)}`, { name: name.trim(), language: language.get() }); toast(t("lore.begun", { name: name.trim() })); setName(""); found.again(); };
  return html`<section class="sheet" aria-labelledby="shelves"><h2 id="shelves">${t("lore.books")}</h2>
    ${found.busy && !found.value && html`<${Busy} />`}
    ${found.value && !mine.length && html`<${EmptyState} title=${t("lore.own.none")} text=${t("lore.own.none.hint")} />`}
    ${mine.map((book) => html`<${Book} key=${`${book.shelf} ${book.id}`} role=${role} book=${book} />`)}
    <form class="row end" onSubmit=${(event) => event.preventDefault()}><div class="grow"><${Field} label=${t("lore.begin.name")} aria-describedby="begin-hint" value=${name} onInput=${setName} maxlength="200" autocomplete="off" /></div><${Button} type="submit" disabled=${!name.trim()} onClick=${begin}>${t("lore.begin")}<//></form><p class="hint" id="begin-hint">${t("lore.begin.hint")}</p></section>`;
}

const PARTS = ["entries", "faults", "tests", "save"];

function Book({ role, book }) {
  const [open, setOpen] = useState(false);
  const [part, setPart] = useState("entries");
  const [edited, edit] = useState(null); // an entry, {} for a new one
  const lint = useAsked((signal) => (open ? get(ofBook(book, "/lint"), { signal }) : Promise.resolve(null)), [open, book.etag]);
  const look = async (uid) => edit((await get(ofEntry(book, uid))).entry);
  const wrong = lint.value ? lint.value.errors + lint.value.warnings : 0;
  return html`<details class="shelved" data-book=${book.id} onToggle=${(event) => setOpen(event.target.open)}><summary><strong>${book.name || book.id}</strong> <span class="soft small">${t("lore.entries", { count: number(book.entries) })}${book.shelf === "shared" ? ` · ${t("lore.shared")}` : ""}</span></summary>
    ${book.problems.map((one) => html`<p key=${one} class="wrong">${one}</p>`)}
    ${open && html`<div class="row parts" role="group" aria-label=${book.name || book.id}>${PARTS.map((one) => html`<${Button} key=${one} kind="small" aria-pressed=${part === one} onClick=${() => setPart(one)}>${t(`lore.part.${one}`)}${one === "faults" && wrong ? ` (${number(wrong)})` : ""}<//>`)}</div>
      ${part === "entries" && html`<${Entries} book=${book} edit=${edit} />`}
      ${part === "faults" && html`<${Faults} found=${lint} choose=${look} />`}
      ${part === "tests" && html`<${Tests} book=${book} />`}
      ${part === "save" && html`<${SaveAs} path=${ofBook(book)} kind="books" name=${book.id} />`}`}
    ${edited && html`<${Editor} key=${edited.uid ?? ""} book=${book} entry=${edited} onClose=${() => edit(null)} onDone=${lint.again} />`}</details>`;
}

function Entries({ book, edit }) {
  const [offset, setOffset] = useState(0);
  const page = useAsked((signal) => get(url(ofBook(book, "/entries"), { limit: SHOWN, offset }), { signal }), [book.shelf, book.id, book.etag, offset]);
  useFollowing(undefined, page.again, ["worldbook"]);
  const remove = async (entry) => {
    const before = await file(ofBook(book, "/export"));
    await del(ofEntry(book, entry.uid), { etag: entry.etag });
    page.again();
    toast(t("lore.removed", { title: start(entry.title) }), async () => { await post(url(`/books/${encodeURIComponent(book.shelf)}/import`, { name: book.id, replace: true }), before.blob, { type: "application/octet-stream" }); page.again(); });
  };
  if (page.error && !page.value) return html`<${Trouble} error=${page.error} again=${page.again} />`;
  if (!page.value) return html`<${Busy} />`;
  const { items, total } = page.value;
  return html`<p><${Button} kind="main small" onClick=${() => edit({})}>${t("lore.add")}<//></p>
    <ul class="plain missed">${items.map((one) => html`<li key=${one.uid} data-uid=${one.uid} class=${one.enabled ? "" : "away"}><div><strong>${one.title}</strong>${one.constant && html` <span class="badge">${t("lore.constant")}</span>`}${!one.enabled && html` <span class="badge">${t("lore.off")}</span>`}
      <${Chips} items=${[...new Set([...one.keys, ...one.secondary_keys])]} label=${t("lore.keys")} /><p class="wrapped">${one.content}</p>
      <p class="facts-row"><span>${MORE.position.includes(one.target) ? t(`entry.position.${one.target}`) : one.target}</span><span>${t("lore.tokens", { count: number(one.tokens) })}</span></p></div>
      <div class="row"><${Button} kind="small" aria-label=${`${t("lore.edit")}: ${start(one.title)}`} onClick=${() => edit(one)}>${t("edit")}<//>
        <${Button} kind="small quiet" aria-label=${`${t("delete")}: ${start(one.title)}`} onClick=${() => remove(one)}>${t("delete")}<//></div></li>`)}</ul>
    ${total > SHOWN && html`<div class="row"><${Button} disabled=${!offset} onClick=${() => setOffset(offset - SHOWN)}>${t("pages.before")}<//><span>${number(offset + 1)}–${number(Math.min(offset + SHOWN, total))} / ${number(total)}</span><${Button} disabled=${offset + SHOWN >= total} onClick=${() => setOffset(offset + SHOWN)}>${t("pages.after")}<//></div>`}`;
}

/** What differs from how it was. */
const changes = (before, now) => Object.fromEntries(FIELDS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name])).map((name) => [name, now[name]]));

/** Words one per line: a key may hold a comma. */
function Lines({ label, value, onInput }) {
  const [text, set] = useState(value.join("\n"));
  const heard = (given) => { set(given); onInput(given.split("\n").map((one) => one.trim()).filter(Boolean)); };
  return html`<${Field} as="textarea" label=${label} value=${text} onInput=${heard} rows="2" />`;
}

function Editor({ book, entry, onClose, onDone }) {
  const fresh = entry.uid === undefined;
  const before = fresh ? BLANK : entry;
  const [now, set] = useState(before);
  const put = (name) => (value) => set((all) => ({ ...all, [name]: value }));
  const quiet = useQuiet(now, 300);
  const send = (fields, dry, options) => (fresh ? post(url(ofBook(book, "/entries"), { dry_run: dry }), fields, options) : patch(url(ofEntry(book, entry.uid), { dry_run: dry }), fields, options));
  const lint = useAsked((signal) => send(changes(before, quiet), true, { signal }), [quiet]);
  const save = async () => { await send(changes(before, now), undefined, fresh ? {} : { etag: entry.etag }); toast(t("lore.saved")); onClose(); onDone(); };
  const more = (name, kind) => (Array.isArray(kind) ? { as: "select", options: kind.map((one) => [one, t(`entry.${name}.${one}`)]) } : kind === "check" ? { as: "check" } : { type: kind });
  const read = (name, kind) => (value) => put(name)(kind === "number" ? (value === "" ? 0 : Number(value)) : value);
  return html`<${Dialog} title=${t(fresh ? "lore.add" : "lore.edit")} onClose=${onClose} wide actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" disabled=${!Object.keys(changes(before, now)).length} onClick=${save}>${t("save")}<//>`}>
    <${Field} label=${t("lore.name")} value=${now.comment} onInput=${put("comment")} /><${Field} as="textarea" label=${t("lore.content")} value=${now.content} onInput=${put("content")} rows="6" />
    <${Lines} label=${t("lore.keys.lines")} value=${now.keys} onInput=${put("keys")} />
    <div class="row"><${Field} as="check" label=${t("lore.constant.long")} value=${now.constant} onInput=${put("constant")} /><${Field} as="check" label=${t("lore.on")} value=${now.enabled} onInput=${put("enabled")} /></div>
    <details><summary>${t("editor.more")}</summary><${Lines} label=${t("lore.keys.second")} value=${now.secondary_keys} onInput=${put("secondary_keys")} />
      <${Field} as="select" label=${t("field.selective_logic")} value=${now.selective_logic} onInput=${put("selective_logic")} options=${LOGIC.map((one) => [one, t(`logic.${one}`)])} />
      <div class="grid">${Object.entries(MORE).map(([name, kind]) => html`<${Field} key=${name} label=${t(`entry.${name}`)} value=${now[name] ?? ""} onInput=${read(name, kind)} ...${more(name, kind)} />`)}</div></details>
    <div aria-live="polite" id="lint">${lint.error && html`<${Trouble} error=${lint.error} />`}${lint.value && !lint.error && html`<${Findings} items=${lint.value.findings} />`}</div><//>`;
}

