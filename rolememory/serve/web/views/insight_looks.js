// What asks for a decision: silent memories, missing keys; and the themes. Every deed says what it did and can be taken back.
import { html, useState } from "../preact.js";
import { address } from "../router.js";
import { patch } from "../api.js";
import { date, number, t } from "../i18n.js";
import { Button } from "../ui.js";
import { memoryPath, told } from "./common.js";
import { ToMemory, start } from "./parts.js";

const LISTED = 12; // memories of a theme that are shown at once

/** `found`: the answer of /insight; `contents`: Map id -> text; `again` asks anew. */
export function Looks({ role, found, contents, again }) {
  const add = async (memory, key) => { await patch(memoryPath(role, memory.id), { keys: [...memory.keys, key] }, { etag: memory.etag }); again(); await told(role, t("insight.key.added", { key }), memory.id); };
  return html`<${Part} name="silent" count=${found.quiet.length}><ul class="plain">${found.quiet.map((one) => html`<li key=${one.memory.id}><${Said} role=${role} memory=${one.memory} />
      <p class="small soft">${t("insight.silent.turns", { count: number(one.turns) })} ${one.why.text}</p><${Keys} one=${one} add=${add} /></li>`)}</ul><//>
    <${Part} name="bare" count=${found.lacking.length}><ul class="plain">${found.lacking.map((one) => html`<li key=${one.memory.id}><${Said} role=${role} memory=${one.memory} /><${Keys} one=${one} add=${add} /></li>`)}</ul><//>
    <${Part} name="themes" count=${found.themes.length}><p class="hint">${t(`insight.themes.${found.by}`)} ${t("insight.themes.alone", { count: number(found.alone) })} <a href=${address("garden", role)}>${t("insight.garden")}</a></p>
      ${found.themes.map((one) => html`<${Theme} key=${one.ids[0]} role=${role} theme=${one} contents=${contents} />`)}<//>`;
}

const Part = ({ name, count, children }) => html`<section class="sheet" aria-labelledby=${name}><h2 id=${name} tabindex="-1">${t(`insight.${name}`)} ${count > 0 && html`<span class="soft">${number(count)}</span>`}</h2>
  ${count ? children : html`<p class="soft">${t(`insight.${name}.none`)}</p>`}</section>`;

const Said = ({ role, memory }) => html`<p class="wrapped"><${ToMemory} role=${role} id=${memory.id}>${memory.content}<//> ${memory.created && html`<span class="small soft">${date(memory.created)}</span>`}</p>`;

const Keys = ({ one, add }) => one.keys.length > 0 && html`<div class="row" role="group" aria-label=${`${t("insight.keys")}: ${start(one.memory.content)}`}><span class="small soft">${t("insight.keys")}</span>
  ${one.keys.map((key) => html`<${Button} key=${key} kind="small" aria-label=${t("insight.key.add", { key })} onClick=${() => add(one.memory, key)}>+ ${key}<//>`)}</div>`;

function Theme({ role, theme, contents }) {
  const [most, more] = useState(LISTED);
  return html`<details class="shelved"><summary><strong>${theme.name.join(" · ") || t("insight.themes.unnamed")}</strong> <span class="soft">${number(theme.ids.length)}</span></summary>
    <ul class="plain">${theme.ids.slice(0, most).map((id) => html`<li key=${id}><${ToMemory} role=${role} id=${id}>${contents.get(id) ?? id}<//></li>`)}</ul>
    ${theme.ids.length > most && html`<${Button} kind="small" onClick=${() => more(most + 5 * LISTED)}>${t("insight.more", { count: number(theme.ids.length - most) })}<//>`}</details>`;
}
