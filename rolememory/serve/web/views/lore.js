// Lorebooks and the card of a role: bringing files in, what stands in them, and which entries a text wakes.
import { html, useState } from "../preact.js";
import { all, inRole, patch, post } from "../api.js";
import { language, load, t } from "../i18n.js";
import { toast } from "../live.js";
import { Button, Chips, Field, Trouble, useAsked, useQuiet } from "../ui.js";
import { useFollowing } from "./list.js";
import { Bring, Drop } from "./bringing.js";
import { Shelves } from "./entries.js";
import { CardOf } from "./card.js";
import { Lore } from "./firing.js";

export default function Books({ role, info }) {
  const [bring, setBring] = useState(null);
  const found = useAsked((signal) => all("/books", {}, { signal }), [role]);
  useFollowing(role, found.again, ["role", "worldbook"]);
  const done = () => { setBring(null); found.again(); };
  return html`<h1 tabindex="-1">${t("lore.title", { name: info.name })}</h1>
    <${Drop} onFile=${setBring} />
    ${info.problems.length > 0 && html`<div class="trouble"><strong>${t("lore.problems")}</strong><ul>${info.problems.map((one) => html`<li key=${one}>${one}</li>`)}</ul></div>`}
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}
    <${Shelves} role=${role} info=${info} found=${found} />
    <${Linked} role=${role} info=${info} books=${found.value ?? []} />
    <${CardOf} role=${role} info=${info} />
    <${Trial} role=${role} />
    ${bring && html`<${Bring} key=${bring.name} role=${role} info=${info} file=${bring} books=${found.value ?? []} onClose=${() => setBring(null)} onDone=${done} />`}`;
}

/** Books of the home that this role uses. */
function Linked({ role, info, books }) {
  const [name, setName] = useState("");
  const free = books.filter((one) => one.shelf === "shared" && !info.worldbooks.includes(one.id));
  const set = async (worldbooks) => {
    const before = info.worldbooks;
    await patch(inRole(role), { worldbooks }, { etag: info.etag });
    setName("");
    toast(t("lore.linked.changed"), () => patch(inRole(role), { worldbooks: before }));
  };
  return html`<section class="sheet" aria-labelledby="linked"><h2 id="linked">${t("lore.linked")}</h2><p class="small soft">${t("lore.linked.hint")}</p>
    ${info.worldbooks.length > 0 ? html`<${Chips} items=${info.worldbooks} label=${t("lore.linked")} onRemove=${(one) => set(info.worldbooks.filter((other) => other !== one))} />` : html`<p class="soft">${t("lore.linked.none")}</p>`}
    ${free.length > 0 && html`<div class="row end"><div class="grow"><${Field} as="select" label=${t("lore.link.name")} value=${name} onInput=${setName} options=${[["", "—"], ...free.map((one) => [one.id, one.name || one.id])]} /></div>
      <${Button} disabled=${!name} onClick=${() => set([...info.worldbooks, name])}>${t("lore.link")}<//></div>`}</section>`;
}

/** Which entries a text wakes, live. */
function Trial({ role }) {
  const tongue = language.use();
  const [text, set] = useState("");
  const quiet = useQuiet(text, 250);
  const asked = useAsked(async (signal) => {
    if (!quiet.trim()) return null;
    await load("playground");
    return post(inRole(role, "/explain"), { messages: [{ role: "user", content: quiet }], lore: true, asleep: true, remedies: false }, { signal });
  }, [role, quiet, tongue]);
  useFollowing(role, asked.again, ["role", "memory", "worldbook", "settings"]);
  return html`<section class="sheet" aria-labelledby="trial"><h2 id="trial">${t("lore.trial")}</h2>
    <${Field} as="textarea" label=${t("lore.trial.text")} value=${text} onInput=${set} rows="3" />
    ${asked.error && html`<${Trouble} error=${asked.error} again=${asked.again} />`}
    <div id="lore-told" aria-live="polite">${asked.value && html`<${Lore} role=${role} lore=${asked.value.lore} again=${asked.again} say=${(words) => set((before) => `${before.trimEnd()} ${words}`)} />`}</div></section>`;
}
