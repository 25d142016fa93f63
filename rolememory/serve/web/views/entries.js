// Lorebooks over REST: every book a role uses, its entries, and an editor that is told what is wrong while somebody types.
import { html, useState } from "../preact.js";
import { all, get, patch, url } from "../api.js";
import { number, t } from "../i18n.js";
import { toast } from "../live.js";
import { Busy, Button, Chips, Dialog, Field, Trouble, useAsked, useQuiet } from "../ui.js";
import { useFollowing } from "./list.js";
import { start } from "./parts.js";

const SHOWN = 100; // entries of a book that are drawn at once
const FIELDS = ["comment", "content", "keys", "secondary_keys", "constant", "enabled", "insertion_order"];
const ofBook = (book, path = "") => `/books/${encodeURIComponent(book.shelf)}/${encodeURIComponent(book.id)}${path}`;
const ofEntry = (book, entry) => ofBook(book, `/entries/${encodeURIComponent(entry.uid)}`);
let paths = null; // which addresses this server has, asked once

const offered = async () => {
  paths ??= get("/openapi.json").then((told) => "/api/books" in told.paths, () => { paths = null; return false; });
  return paths;
};

/** The books of a role and the shared ones it uses; nothing but a line where this server cannot tell. */
export function Shelves({ role }) {
  const found = useAsked(async (signal) => ((await offered()) ? all("/books", {}, { signal }) : null), [role]);
  useFollowing(role, found.again, ["role", "worldbook"]);
  const mine = (found.value ?? []).filter((one) => one.shelf === role || one.linked_by.includes(role));
  return html`<section class="sheet" aria-labelledby="shelves"><h2 id="shelves">${t("lore.edit.title")}</h2>
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}${found.busy && !found.value && html`<${Busy} />`}
    ${found.value === null && html`<p class="soft">${t("lore.lint")}: ${t("missing")}</p>`}
    ${found.value && !mine.length && html`<p class="soft">${t("lore.own.none")}</p>`}
    ${mine.map((book) => html`<${Book} key=${`${book.shelf} ${book.id}`} role=${role} book=${book} />`)}</section>`;
}

function Book({ role, book }) {
  const [open, setOpen] = useState(false);
  return html`<details class="shelved" onToggle=${(event) => setOpen(event.target.open)}><summary><strong>${book.name || book.id}</strong> <span class="soft small">${t("lore.entries", { count: number(book.entries) })}${book.shelf === "shared" && ` · ${t("lore.shared")}`}</span></summary>
    ${book.problems.map((one) => html`<p key=${one} class="wrong">${one}</p>`)}${open && html`<${Entries} role=${role} book=${book} />`}</details>`;
}

function Entries({ role, book }) {
  const [chosen, choose] = useState(null);
  const page = useAsked((signal) => get(url(ofBook(book, "/entries"), { limit: SHOWN }), { signal }), [book.shelf, book.id, book.etag]);
  useFollowing(role, page.again, ["worldbook"]);
  if (page.error && !page.value) return html`<${Trouble} error=${page.error} again=${page.again} />`;
  if (!page.value) return html`<${Busy} />`;
  return html`<ul class="plain">${page.value.items.map((one) => html`<li key=${one.uid} class=${one.enabled ? "" : "away"}><strong>${one.title}</strong>${!one.enabled && html` <span class="chip">${t("lore.off")}</span>`}
      <${Chips} items=${[...new Set([...one.keys, ...one.secondary_keys])]} label=${t("lore.keys")} /><p class="wrapped">${one.content}</p>
      <${Button} kind="small" aria-label=${`${t("lore.edit")}: ${start(one.title)}`} onClick=${() => choose(one)}>${t("lore.edit")}<//></li>`)}</ul>
    ${page.value.total > SHOWN && html`<p class="soft">${t("lore.more", { count: number(page.value.total - SHOWN) })}</p>`}
    ${chosen && html`<${Editor} book=${book} entry=${chosen} onClose=${() => choose(null)} onDone=${page.again} />`}`;
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
  const [now, set] = useState(entry);
  const put = (name) => (value) => set((before) => ({ ...before, [name]: value }));
  const quiet = useQuiet(now, 300);
  const lint = useAsked((signal) => patch(url(ofEntry(book, entry), { dry_run: true }), changes(entry, quiet), { signal }), [quiet]);
  const save = async () => { await patch(ofEntry(book, entry), changes(entry, now), { etag: entry.etag }); toast(t("lore.saved")); onClose(); onDone(); };
  return html`<${Dialog} title=${t("lore.edit")} onClose=${onClose} wide actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" disabled=${!Object.keys(changes(entry, now)).length} onClick=${save}>${t("save")}<//>`}>
    <${Field} label=${t("lore.name")} value=${now.comment} onInput=${put("comment")} /><${Field} as="textarea" label=${t("lore.content")} value=${now.content} onInput=${put("content")} rows="6" />
    <${Lines} label=${t("lore.keys.lines")} value=${now.keys} onInput=${put("keys")} /><${Lines} label=${t("lore.keys.second")} value=${now.secondary_keys} onInput=${put("secondary_keys")} />
    <div class="row"><${Field} as="check" label=${t("lore.constant")} value=${now.constant} onInput=${put("constant")} /><${Field} as="check" label=${t("lore.on")} value=${now.enabled} onInput=${put("enabled")} /></div>
    <div aria-live="polite" id="lint">${lint.error && html`<${Trouble} error=${lint.error} />`}
      ${lint.value && !lint.value.findings.length && html`<p class="soft">${t("lore.clean")}</p>`}
      <ul>${(lint.value?.findings ?? []).map((one) => html`<li key=${`${one.code} ${one.field} ${one.why}`} class=${one.severity === "error" ? "wrong" : ""}><strong>${t(`severity.${one.severity}`)}</strong> ${one.why} ${one.write}</li>`)}</ul></div><//>`;
}
