// Every setting with what it does, its default, its value now and where that comes from; changed live. Presets and models stand beside it.
import { html, useEffect, useMemo, useRef, useState } from "../preact.js";
import { address, roles } from "../router.js";
import { events, get, inRole, patch, url } from "../api.js";
import { t } from "../i18n.js";
import { fail, toast } from "../live.js";
import { Busy, Button, Field, Trouble, Words, useAsked, useId } from "../ui.js";
import { State } from "./ladder.js";

const UNSET = "unset";

/** What may be written there, out of the words the server says it with: {kind, choices, unset}. */
export function shape(type) {
  const choices = [...type.matchAll(/"([^"]*)"/g)].map((one) => one[1]).filter((one) => one !== UNSET);
  const unset = type.includes(`"${UNSET}"`);
  if (type.startsWith("true")) return { kind: "switch", unset };
  if (type.startsWith("list")) return { kind: choices.length ? "some" : "words", choices, unset };
  if (choices.length) return { kind: "one", choices, unset };
  if (type.includes("number")) return { kind: "number", whole: type.startsWith("whole"), unset };
  return { kind: type === "table" ? "table" : "text", unset };
}

const PARTS = ["", "presets", "models"];

export default function SettingsView({ rest, query }) {
  const list = roles.use() ?? [];
  const part = PARTS.includes(rest[0]) ? rest[0] : "";
  return html`<h1 tabindex="-1">${t("settings.title")}</h1>
    <nav class="row parts" aria-label=${t("settings.title")}>${PARTS.map((one) => html`<a key=${one} class="button small" href=${one ? address("settings", one) : address("settings")} aria-current=${part === one ? "page" : undefined}>${t(`settings.part.${one || "every"}`)}</a>`)}</nav>
    ${part === "" && html`<${Every} list=${list} query=${query} />`}
    ${part === "presets" && html`<${Presets} />`}
    ${part === "models" && html`<${State} list=${list} />`}`;
}

function Every({ list, query }) {
  const [scope, setScope] = useState(query.role ?? "");
  const asked = useAsked((signal) => get(url("/settings", { role: scope }), { signal }), [scope]);
  useEffect(() => events(asked.again, { kinds: ["settings", "role"] }), []);
  const save = (row) => (value) => changed(scope, row, value, asked.again);
  return html`<section class="sheet"><h2>${t("settings.every")}</h2><p class="small soft">${t("settings.file")}</p>
    ${list.length > 0 && html`<${Field} as="select" label=${t("settings.for")} hint=${t("settings.for.hint")} value=${scope} onInput=${setScope} options=${[["", t("settings.for.all")], ...list.map((one) => [one.id, one.name])]} />`}
    ${asked.error && !asked.value && html`<${Trouble} error=${asked.error} again=${asked.again} />`}
    ${!asked.value && !asked.error && html`<${Busy} />`}
    ${asked.value && html`<${Table} settings=${asked.value} save=${save} scope=${scope} search=${query.q ?? ""} />`}</section>`;
}

/** Write one value: into rolememory.toml, or into the role's own settings. null gives the default back. False when it was refused. */
async function changed(scope, row, value, again) {
  const write = (one) => (scope ? patch(inRole(scope), { settings: { [row.key]: one } }) : patch("/settings", { values: { [row.key]: one } }));
  try {
    await write(value);
    const before = row.source && !(scope && !row.source.includes("role.json")) ? row.value : null;
    toast(t("settings.saved", { key: row.key }), async () => { await write(before); again(); });
    again();
    return true;
  } catch (error) { fail(error); return false; }
}

function Table({ settings, save, scope, search }) {
  const [q, setQ] = useState(search);
  const [only, setOnly] = useState(false);
  const wanted = q.trim().toLowerCase();
  const fits = (row) => row.key !== "preset" && (!only || row.source) && (!wanted || `${row.key} ${row.en} ${row.zh}`.toLowerCase().includes(wanted));
  const groups = useMemo(() => {
    const found = new Map();
    for (const row of settings.items.filter(fits)) { const name = row.key.includes(".") ? row.key.split(".")[0] : ""; found.set(name, [...(found.get(name) ?? []), row]); }
    return [...found];
  }, [settings, wanted, only]);
  return html`${settings.problem && html`<${Trouble} error=${{ message: settings.problem, hint: t("settings.problem") }} />`}
    ${settings.notes.map((note) => html`<p class="hint">${note}</p>`)}
    <div class="row end"><div class="grow"><${Field} type="search" label=${t("settings.search")} value=${q} onInput=${setQ} /></div><${Field} as="check" label=${t("settings.changed")} value=${only} onInput=${setOnly} /></div>
    ${!groups.length && html`<p role="status">${t("settings.nothing")}</p>`}
    ${groups.map(([name, rows]) => html`<details key=${name || "-"} class="group" open=${wanted || only ? true : undefined}><summary><strong>${name || t("settings.general")}</strong> ${name && html`<span class="soft">${t(`settings.of.${name}`)}</span>`}
      <span class="soft"> · ${rows.length}${rows.some((row) => row.source) ? ` · ${t("settings.some", { count: rows.filter((row) => row.source).length })}` : ""}</span></summary>
      ${rows.map((row) => html`<${Setting} key=${`${scope}/${row.key}/${JSON.stringify(row.value)}`} row=${row} save=${save(row)} />`)}</details>`)}`;
}

const plain = (value) => (value === null || value === undefined ? t("settings.unset") : typeof value === "object" || value === "" ? JSON.stringify(value) : String(value));

function Setting({ row, save }) {
  return html`<div class="setting"><${Control} row=${row} save=${save} />
    <p class="hint">${t("settings.default")}: <code>${plain(row.default)}</code> · ${row.source ? html`${t("settings.source")}: <code>${row.source}</code> ` : t("settings.is.default")}
    ${row.source && html`<${Button} kind="small quiet" onClick=${() => save(null)} aria-label=${t("settings.reset.one", { key: row.key })}>${t("settings.reset")}<//>`}</p></div>`;
}

/** The control that fits; what is typed is written when the field is left or Enter is pressed. */
function Control({ row, save }) {
  const { kind, choices, unset, whole } = shape(row.type);
  const [now, set] = useState(row.value);
  const common = { label: row.key, hint: row.about };
  const sent = useRef(row.value); // Enter writes, and leaving the field afterwards must not write again
  useEffect(() => { // what was taken back before it was ever shown; what is being typed stays
    if (JSON.stringify(now) !== JSON.stringify(sent.current)) return;
    sent.current = row.value;
    set(row.value);
  }, [row]);
  const ready = async () => {
    if (JSON.stringify(now) === JSON.stringify(sent.current)) return;
    sent.current = now;
    if (!(await save(now))) { sent.current = row.value; set(row.value); }
  };
  const typed = { onBlur: ready, onKeyDown: (event) => event.key === "Enter" && ready() };
  if (kind === "switch" && !unset) return html`<${Field} as="check" ...${common} value=${now} onInput=${(on) => { set(on); save(on); }} />`;
  if (kind === "switch" || kind === "one") {
    const options = [...(unset ? [["", t("settings.unset")]] : []), ...(kind === "one" ? choices.map((one) => [one, one]) : [["true", t("yes")], ["false", t("no")]])];
    const read = (text) => (text === "" ? null : kind === "one" ? text : text === "true");
    return html`<${Field} as="select" ...${common} value=${now === null ? "" : String(now)} options=${options} onInput=${(text) => { set(read(text)); save(read(text)); }} />`;
  }
  if (kind === "some") return html`<${Some} row=${row} choices=${choices} save=${save} />`;
  if (kind === "words") return html`<div onFocusOut=${ready}><${Words} ...${common} value=${now ?? []} onInput=${set} /></div>`;
  if (kind === "table") return html`<p><strong>${row.key}</strong></p><p class="hint">${row.about}</p><p class="hint">${t("settings.table")}</p>`;
  if (kind === "number") return html`<${Field} type="number" step=${whole ? 1 : "any"} ...${common} value=${now ?? ""} placeholder=${unset ? t("settings.unset") : ""} onInput=${(text) => set(text === "" ? null : Number(text))} ...${typed} />`;
  return html`<${Field} ...${common} value=${now ?? ""} placeholder=${unset ? t("settings.unset") : ""} onInput=${(text) => set(unset && text === "" ? null : text)} ...${typed} />`;
}

function Some({ row, choices, save }) {
  const id = useId();
  const turn = (one) => (on) => save(choices.filter((other) => (other === one ? on : row.value.includes(other))));
  return html`<fieldset aria-describedby=${id}><legend>${row.key}</legend><p class="hint" id=${id}>${row.about}</p>
    <div class="row">${choices.map((one) => html`<${Field} key=${one} as="check" label=${one} value=${row.value.includes(one)} onInput=${turn(one)} />`)}</div></fieldset>`;
}

function Presets() {
  const asked = useAsked((signal) => get("/settings/presets", { signal }), []);
  useEffect(() => events(asked.again, { kinds: ["settings"] }), []);
  const preset = asked.value?.items.find((one) => one.chosen)?.name;
  const choose = (name) => () => changed("", { key: "preset", value: preset, source: "file" }, name, asked.again);
  if (asked.error) return html`<section class="sheet"><h2>${t("presets.title")}</h2><${Trouble} error=${asked.error} again=${asked.again} /></section>`;
  return html`<section class="sheet"><h2>${t("presets.title")}</h2><p>${t("presets.hint")}</p>
    <ul class="presets">${asked.value?.items.map((one) => html`<li key=${one.name} class=${one.name === preset ? "chosen-row" : ""}><div class="row apart"><strong>${one.name}${one.own ? ` · ${t("presets.own")}` : ""}</strong>
      ${one.name === preset ? html`<span class="badge">${t("presets.chosen")}</span>` : html`<${Button} kind="small" onClick=${choose(one.name)} aria-label=${t("presets.choose.one", { name: one.name })}>${t("presets.choose")}<//>`}</div>
      <${About} lines=${told(one.about)} />
      ${Object.keys(one.values).length > 0 && html`<details><summary>${t("presets.differs", { count: Object.keys(one.values).length })}</summary><ul>${Object.entries(one.values).map(([key, value]) => html`<li key=${key}><code>${key} = ${plain(value)}</code></li>`)}</ul></details>`}</li>`)}</ul></section>`;
}

/** Of the words at a preset's head those in the reader's language, where there are such. */
function told(about) {
  const chinese = (line) => /[\u4e00-\u9fff]/.test(line);
  const mine = about.filter((line) => chinese(line) === (t("settings.language") === "zh"));
  return mine.length ? mine : about;
}

/** Lines that begin with a dash are a list, the others sentences. */
function About({ lines }) {
  const points = lines.filter((line) => line.startsWith("- "));
  return html`<p class="soft">${lines.filter((line) => !points.includes(line)).join(" ")}</p>${points.length > 0 && html`<ul class="soft small">${points.map((line) => html`<li key=${line}>${line.slice(2)}</li>`)}</ul>`}`;
}
