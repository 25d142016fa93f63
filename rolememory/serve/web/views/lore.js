// Lorebooks and the card of a role: what stands in them, which entries a text wakes, bringing files in and taking them out.
import { html, useRef, useState } from "../preact.js";
import { get, inRole, patch, post, url } from "../api.js";
import { language, load, number, t } from "../i18n.js";
import { toast } from "../live.js";
import { Busy, Button, Chips, Dialog, Field, Trouble, useAsked, useId, useQuiet } from "../ui.js";
import { useFollowing } from "./list.js";
import { Shelves } from "./entries.js";
import { Lore } from "./firing.js";

const FORMAT = "rolememory-role"; // what an export calls itself
const SHOWN = 100; // entries of a book that are drawn at once

export default function Books({ role, info }) {
  const found = useAsked((signal) => get(inRole(role, "/export"), { signal }), [role]);
  const [bring, setBring] = useState(null);
  useFollowing(role, found.again, ["memory", "role", "worldbook"]);
  const whole = found.value;
  return html`<h1 tabindex="-1">${t("lore.title", { name: info.name })}</h1>
    <${Drop} role=${role} info=${info} onFile=${setBring} />
    ${info.problems.length > 0 && html`<div class="trouble"><strong>${t("lore.problems")}</strong><ul>${info.problems.map((one) => html`<li key=${one}>${one}</li>`)}</ul></div>`}
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}${!whole && !found.error && html`<${Busy} />`}
    ${whole && html`<${Own} whole=${whole} info=${info} />`}<${Linked} role=${role} info=${info} /><${Trial} role=${role} />
    <${Shelves} role=${role} />
    ${bring && html`<${Bring} role=${role} file=${bring} onClose=${() => setBring(null)} onDone=${found.again} />`}`;
}

// Bringing in

/** A file as the import takes it: {document, kind}. Whatever it is goes in byte for byte. */
async function opened(file, role, name) {
  const text = /\.(json|lorebook|ya?ml)$/i.test(file.name) ? await file.text() : "";
  let read = null;
  try { read = JSON.parse(text); } catch { /* not JSON: a picture, or lines of another kind */ }
  if (read?.format === FORMAT) return { kind: "role", document: read };
  if (["episodic", "semantic", "traits", "goals"].some((one) => Array.isArray(read?.[one]))) return { kind: "memories", document: read };
  const packed = { base64: await base64(file) };
  const card = /\.(png|apng|charx)$/i.test(file.name) || /^chara_card/.test(read?.spec ?? "");
  const ending = file.name.slice(file.name.lastIndexOf(".")).toLowerCase();
  const files = card ? { card: { [`card${ending}`]: packed } } : { worldbooks: { [plain(file.name)]: packed } };
  return { kind: card ? "card" : "book", document: { format: FORMAT, version: 1, role: { id: role, name }, memory: { version: 1 }, ...files } };
}

const plain = (name) => name.replace(/[/\\:*?"<>|\u0000-\u001f]/g, "_").replace(/^\.+/, "");

const base64 = (file) => new Promise((done, failed) => {
  const reader = new FileReader();
  reader.onload = () => done(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.onerror = () => failed(reader.error);
  reader.readAsDataURL(file);
});

function Drop({ role, info, onFile }) {
  const [over, setOver] = useState(false);
  const input = useRef(null);
  const id = useId();
  const taken = async (file) => file && onFile({ name: file.name, ...(await opened(file, role, info.name)) });
  const dropped = (event) => { event.preventDefault(); setOver(false); return taken(event.dataTransfer.files[0]); };
  return html`<div class=${`drop ${over ? "over" : ""}`} onDragOver=${(event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${dropped}>
    <p><label for=${id}>${t("lore.drop")}</label></p>
    <input type="file" id=${id} ref=${input} accept=".json,.lorebook,.yaml,.yml,.png,.apng,.charx" onChange=${(event) => { const [file] = event.target.files; event.target.value = ""; return taken(file); }} />
    <p class="hint">${t("lore.drop.hint")}</p></div>`;
}

/** What an import would do, before it does it. */
function Bring({ role, file, onClose, onDone }) {
  const [prefer, setPrefer] = useState("theirs");
  const path = (dry) => url("/roles/import", { into: role, prefer, dry_run: dry });
  const would = useAsked((signal) => post(path(true), file.document, { signal }), [file, prefer]);
  const go = async () => { const done = await post(path(false), file.document); toast(t("lore.brought", { name: file.name })); if (done.problems.length) throw Object.assign(new Error(t("lore.problems")), { all: done.problems }); };
  const bring = async () => { try { await go(); } finally { onClose(); onDone(); } };
  const told = would.value;
  return html`<${Dialog} title=${t(`lore.bring.${file.kind}`)} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//>
    <${Button} kind="main" disabled=${!told || would.busy} onClick=${bring}>${t("lore.bring")}<//>`}>
    <p><code>${file.name}</code></p>
    <${Field} as="select" label=${t("lore.prefer")} value=${prefer} onInput=${setPrefer} options=${[["theirs", t("lore.prefer.theirs")], ["ours", t("lore.prefer.ours")]]} />
    ${would.error && html`<${Trouble} error=${would.error} />`}${would.busy && html`<${Busy} />`}
    ${told && !would.error && html`<ul id="would"><li>${t("lore.would.memories", { added: number(told.added.length), changed: number(told.changed.length), kept: number(told.kept.length) })}</li>
      ${told.files.map((one) => html`<li key=${one}>${t("lore.would.write", { name: one })}</li>`)}${told.files_kept.map((one) => html`<li key=${one}>${t("lore.would.keep", { name: one })}</li>`)}
      ${told.problems.map((one) => html`<li key=${one} class="wrong">${one}</li>`)}</ul>`}<//>`;
}

// What is there

function save(name, value) {
  const bytes = value?.base64 === undefined || Object.keys(value).length > 1 ? new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`) : Uint8Array.from(atob(value.base64), (one) => one.charCodeAt(0));
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([bytes])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Entries as frontends write them: a list, or a table by number. */
function entriesOf(book) {
  const found = book?.entries ?? book?.data?.character_book?.entries ?? book?.character_book?.entries;
  return found && typeof found === "object" ? Object.values(found).filter((one) => one && typeof one === "object") : null;
}

function Own({ whole, info }) {
  const books = Object.entries(whole.worldbooks);
  const cards = Object.entries(whole.card);
  return html`<section class="sheet" aria-labelledby="own"><h2 id="own">${t("lore.own")}</h2>
      ${!books.length && html`<p class="soft">${t("lore.own.none")}</p>`}${books.map(([name, book]) => html`<${Book} key=${name} name=${name} book=${book} />`)}</section>
    <section class="sheet" aria-labelledby="card"><h2 id="card">${t("lore.card")}</h2>${!cards.length && html`<p class="soft">${t("lore.card.none")}</p>`}
      ${cards.map(([name, card]) => html`<${Book} key=${name} name=${name} book=${card} />`)}
      <div class="row"><${Button} onClick=${() => save(`${plain(info.name)}.json`, whole)}>${t("lore.export.role")}<//></div></section>`;
}

function Book({ name, book }) {
  const entries = entriesOf(book);
  return html`<details class="book"><summary><strong>${name}</strong> <span class="soft small">${entries ? t("lore.entries", { count: number(entries.length) }) : t("lore.closed")}</span></summary>
    <div class="row"><${Button} kind="small" aria-label=${`${t("lore.export")}: ${name}`} onClick=${() => save(name, book)}>${t("lore.export")}<//></div>
    ${entries && html`<ul class="plain">${entries.slice(0, SHOWN).map((one, place) => html`<${Entry} key=${place} one=${one} />`)}</ul>${entries.length > SHOWN && html`<p class="soft">${t("lore.more", { count: number(entries.length - SHOWN) })}</p>`}`}</details>`;
}

const words = (value) => (Array.isArray(value) ? value.map(String) : typeof value === "string" ? value.split(",").map((one) => one.trim()) : []).filter(Boolean);

function Entry({ one }) {
  const keys = words(one.keys ?? one.key);
  const off = one.disable === true || one.enabled === false;
  return html`<li class=${off ? "away" : ""}><strong>${String(one.comment || one.name || one.displayName || keys[0] || "—")}</strong>${one.constant === true && html` <span class="chip">${t("lore.constant")}</span>`}${off && html` <span class="chip">${t("lore.off")}</span>`}
    <${Chips} items=${[...new Set([...keys, ...words(one.secondary_keys ?? one.keysecondary)])]} label=${t("lore.keys")} /><p class="wrapped">${String(one.content ?? one.text ?? "")}</p></li>`;
}

/** Books of the home that this role uses. */
function Linked({ role, info }) {
  const [name, setName] = useState("");
  const set = async (worldbooks) => { await patch(inRole(role), { worldbooks }, { etag: info.etag }); setName(""); toast(t("lore.linked.changed")); };
  return html`<section class="sheet" aria-labelledby="linked"><h2 id="linked">${t("lore.linked")}</h2><p class="small soft">${t("lore.linked.hint")}</p>
    ${info.worldbooks.length > 0 ? html`<${Chips} items=${info.worldbooks} label=${t("lore.linked")} onRemove=${(one) => set(info.worldbooks.filter((other) => other !== one))} />` : html`<p class="soft">${t("lore.linked.none")}</p>`}
    <div class="row end"><div class="grow"><${Field} label=${t("lore.link.name")} value=${name} onInput=${setName} autocomplete="off" /></div><${Button} disabled=${!name.trim()} onClick=${() => set([...info.worldbooks, name.trim()])}>${t("lore.link")}<//></div></section>`;
}

/** Which entries a text wakes, live. */
function Trial({ role }) {
  const tongue = language.use();
  const [text, set] = useState("");
  const quiet = useQuiet(text, 250);
  const asked = useAsked(async (signal) => {
    if (!quiet.trim()) return null;
    await load("playground");
    return post(inRole(role, "/explain"), { messages: [{ role: "user", content: quiet }], lore: true, remedies: false }, { signal });
  }, [role, quiet, tongue]);
  useFollowing(role, asked.again, ["role", "memory", "worldbook", "settings"]);
  return html`<section class="sheet" aria-labelledby="trial"><h2 id="trial">${t("lore.trial")}</h2>
    <${Field} as="textarea" label=${t("lore.trial.text")} value=${text} onInput=${set} rows="3" />
    ${asked.error && html`<${Trouble} error=${asked.error} again=${asked.again} />`}
    <div id="lore-told" aria-live="polite">${asked.value && html`<${Lore} role=${role} lore=${asked.value.lore} again=${asked.again} />`}</div></section>`;
}
