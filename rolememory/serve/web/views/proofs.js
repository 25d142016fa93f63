// What is wrong with a book, and whether it does what is expected of it.
import { html, useLayoutEffect, useState } from "../preact.js";
import { post, put, tagged } from "../api.js";
import { number, t } from "../i18n.js";
import { announce, toast } from "../live.js";
import { Busy, Button, Field, Trouble, useAsked } from "../ui.js";
import { Findings } from "./bringing.js";
import { ofBook } from "./parts.js";

export function Faults({ found, choose }) {
  if (found.error) return html`<${Trouble} error=${found.error} again=${found.again} />`;
  if (!found.value) return html`<${Busy} />`;
  const { items, errors, warnings } = found.value;
  return html`<div class="row apart"><p>${t("lore.faults", { errors: number(errors), warnings: number(warnings) })}</p><${Button} kind="small" onClick=${found.again}>${t("lore.faults.again")}<//></div><${Findings} items=${items} choose=${choose} />`;
}

/** The expectations beside a book: written and played. */
export function Tests({ book }) {
  const asked = useAsked((signal) => tagged(ofBook(book, "/tests"), { signal }), [book.shelf, book.id]);
  const [text, setText] = useState("");
  const [run, setRun] = useState(null);
  useLayoutEffect(() => { if (asked.value) setText(asked.value.body.text); }, [asked.value]);
  const play = async () => { const told = await post(ofBook(book, "/tests/run"), { text }); setRun(told); announce(t("lore.tests.told", { passed: number(told.passed), failed: number(told.failed) })); };
  const save = async () => { const made = await put(ofBook(book, "/tests"), { text }, { etag: asked.value.etag }); asked.set({ body: made, etag: made.etag }); toast(t("lore.tests.saved")); };
  if (asked.error && !asked.value) return html`<${Trouble} error=${asked.error} again=${asked.again} />`;
  if (!asked.value) return html`<${Busy} />`;
  const none = !text.trim();
  return html`<p class="small soft">${t("lore.tests.hint")}</p>
    <${Field} as="textarea" label=${t("lore.tests.text")} value=${text} onInput=${setText} rows=${Math.min(Math.max(text.split("\n").length, 4), 18)} spellcheck="false" placeholder=${t("lore.tests.example")} />
    <div class="row"><${Button} kind="main small" disabled=${none} onClick=${play}>${t("lore.tests.run")}<//><${Button} kind="small" disabled=${text === asked.value.body.text} onClick=${save}>${t("save")}<//></div>
    ${run && html`<div id="run"><p><strong class=${run.failed ? "wrong" : ""}>${t("lore.tests.told", { passed: number(run.passed), failed: number(run.failed) })}</strong></p>
      <ul class="plain cases">${run.cases.map((one) => html`<li key=${one.name} class=${one.passed ? "passed" : "failed"}><span class="badge">${t(one.passed ? "lore.test.passed" : "lore.test.failed")}</span> ${one.name}${one.failures.map((why) => html`<p key=${why} class="small wrong">${why}</p>`)}</li>`)}</ul></div>`}`;
}
