// What is wrong with a book, whether it does what is expected of it, and what nobody tests.
import { html, useEffect, useState } from "../preact.js";
import { post, put, tagged, url } from "../api.js";
import { number, percent, t } from "../i18n.js";
import { announce, toast } from "../live.js";
import { Busy, Button, Field, Trouble, useAsked } from "../ui.js";
import { Findings } from "./bringing.js";
import { ofBook } from "./parts.js";

const TRIED = 50; // small faults that are put in, one by one

export function Faults({ found, choose }) {
  if (found.error) return html`<${Trouble} error=${found.error} again=${found.again} />`;
  if (!found.value) return html`<${Busy} />`;
  const { items, errors, warnings, notes } = found.value;
  return html`<div class="row apart"><p>${t("lore.faults", { errors: number(errors), warnings: number(warnings), notes: number(notes) })}</p><${Button} kind="small" onClick=${found.again}>${t("lore.faults.again")}<//></div><${Findings} items=${items} choose=${choose} />`;
}

/** The expectations beside a book: written, played, and measured. */
export function Tests({ book, choose }) {
  const asked = useAsked((signal) => tagged(ofBook(book, "/tests"), { signal }), [book.shelf, book.id]);
  const [text, setText] = useState("");
  const [run, setRun] = useState(null);
  const [cover, setCover] = useState(null);
  useEffect(() => { if (asked.value) setText(asked.value.body.text); }, [asked.value]);
  const play = async () => { const told = await post(ofBook(book, "/tests/run"), { text }); setRun(told); announce(t("lore.tests.told", { passed: number(told.passed), failed: number(told.failed) })); };
  const measure = async () => setCover(await post(url(ofBook(book, "/tests/coverage"), { limit: TRIED }), { text }));
  const save = async () => { const made = await put(ofBook(book, "/tests"), { text }, { etag: asked.value.etag }); asked.set({ body: made, etag: made.etag }); toast(t("lore.tests.saved")); };
  if (asked.error && !asked.value) return html`<${Trouble} error=${asked.error} again=${asked.again} />`;
  if (!asked.value) return html`<${Busy} />`;
  const none = !text.trim();
  return html`<p class="small soft">${t("lore.tests.hint")}</p>
    <${Field} as="textarea" label=${t("lore.tests.text")} value=${text} onInput=${setText} rows=${Math.min(Math.max(text.split("\n").length, 4), 18)} spellcheck="false" placeholder=${t("lore.tests.example")} />
    <div class="row"><${Button} kind="main small" disabled=${none} onClick=${play}>${t("lore.tests.run")}<//><${Button} kind="small" disabled=${none} onClick=${measure}>${t("lore.tests.cover")}<//><${Button} kind="small" disabled=${text === asked.value.body.text} onClick=${save}>${t("save")}<//></div>
    ${run && html`<div id="run"><p><strong class=${run.failed ? "wrong" : ""}>${t("lore.tests.told", { passed: number(run.passed), failed: number(run.failed) })}</strong></p>
      <ul class="plain cases">${run.cases.map((one) => html`<li key=${one.name} class=${one.passed ? "passed" : "failed"}><span class="badge">${t(one.passed ? "lore.test.passed" : "lore.test.failed")}</span> ${one.name}${one.failures.map((why) => html`<p key=${why} class="small wrong">${why}</p>`)}</li>`)}</ul></div>`}
    ${cover && html`<${Coverage} cover=${cover} choose=${choose} />`}`;
}

const Coverage = ({ cover, choose }) => html`<div id="coverage"><h3>${t("lore.cover")}</h3>
  <p>${t("lore.cover.noticed", { noticed: number(cover.noticed), tried: number(cover.tried), share: percent(cover.score) })}</p>
  ${cover.silent.length > 0 && html`<p>${t("lore.cover.silent")}</p><ul class="chips">${cover.silent.map((uid) => html`<li key=${uid} class="chip"><button type="button" class="linkish" onClick=${() => choose(uid)}>${uid}</button></li>`)}</ul>`}
  ${Object.keys(cover.keys).length > 0 && html`<p>${t("lore.cover.keys")}</p><ul>${Object.entries(cover.keys).map(([uid, keys]) => html`<li key=${uid}>${uid}: ${keys.join(", ")}</li>`)}</ul>`}
  ${cover.survivors.length > 0 && html`<details><summary>${t("lore.cover.survived", { count: number(cover.survivors.length) })}</summary><ul>${cover.survivors.map((one) => html`<li key=${`${one.uid} ${one.field} ${one.change} ${one.value}`}><em>${one.title}</em> · <code>${one.field}</code>: ${one.was || "—"} → ${one.value || "—"}</li>`)}</ul></details>`}</div>`;
