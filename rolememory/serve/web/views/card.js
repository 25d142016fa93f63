// The card of a role: who it says the character is, what is wrong with it, and carrying it away.
import { html, useState } from "../preact.js";
import { del, get, inRole, post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { toast } from "../live.js";
import { go, reload, roles } from "../router.js";
import { Busy, Button, Chips, Dialog, Field, Trouble, useAsked } from "../ui.js";
import { Findings } from "./bringing.js";
import { SaveAs, kept } from "./carrying.js";
import { useFollowing } from "./list.js";

const TEXTS = ["description", "personality", "scenario", "mes_example", "system_prompt", "post_history_instructions", "creator_notes"];

export function CardOf({ role, info }) {
  const [deleting, setDeleting] = useState(false);
  const found = useAsked((signal) => Promise.all([get(inRole(role, "/card"), { signal }), get(inRole(role, "/card/lint"), { signal })]), [role, info.etag]);
  useFollowing(role, found.again, ["role", "worldbook"]);
  const [card, lint] = found.value ?? [];
  const save = async () => kept(new Blob([`${JSON.stringify(await get(inRole(role, "/export")), null, 2)}\n`], { type: "application/json" }), `${info.name.replace(/[/\\:*?"<>|\u0000-\u001f]/g, "_")}.json`);
  return html`<section class="sheet" aria-labelledby="card"><h2 id="card">${t("lore.card")}</h2>
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}${!found.value && !found.error && html`<${Busy} />`}
    ${card && !info.card && html`<p class="soft">${t("lore.card.none")}</p>`}
    ${card && info.card && html`<${Face} role=${role} info=${info} card=${card} />
      <details><summary>${t("lore.card.faults", { count: number(lint.items.length) })}</summary><${Findings} items=${lint.items} /></details>`}
    ${card && html`<${SaveAs} path=${inRole(role, "/card")} kind="cards" name=${info.card ?? `${info.name}.json`} />`}
    <div class="row"><${Button} onClick=${save}>${t("lore.export.role")}<//><span class="small soft">${t("lore.export.role.hint")}</span></div>
    <div class="row"><${Button} kind="danger" onClick=${() => setDeleting(true)}>${t("lore.delete.role")}<//></div>
    ${deleting && html`<${Deleting} role=${role} name=${info.name} save=${save} onClose=${() => setDeleting(false)} />`}</section>`;
}

/** The question before a role is deleted: what goes, a copy first, whether anything is to stay. A toast brings it back. */
function Deleting({ role, name, save, onClose }) {
  const [forGood, setForGood] = useState(false);
  const found = useAsked((signal) => get(inRole(role), { signal }), [role]);
  const back = async () => { await post(`/deleted-roles/${encodeURIComponent(role)}/restore`); await reload(); go("lore", role); };
  const gone = async () => {
    await del(url(inRole(role), { for_good: forGood || undefined }));
    roles.set(roles.get().filter((one) => one.id !== role)); // so that no view asks about it any more
    go("welcome");
    toast(t("lore.deleted.role", { name }), forGood ? undefined : back);
  };
  const had = found.value;
  return html`<${Dialog} title=${t("lore.delete.role.of", { name })} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//>
    <${Button} kind="danger" disabled=${!had} onClick=${gone}>${t(forGood ? "lore.delete.role.for.good" : "delete")}<//>`}>
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}
    ${had && html`<p>${t("lore.delete.role.goes", { memories: number(had.memories + had.archived), chats: number(had.chats) })}</p>`}
    <div class="row"><${Button} onClick=${save}>${t("lore.export.role")}<//><span class="small soft">${t("lore.export.role.hint")}</span></div>
    <${Field} as="check" label=${t("lore.delete.role.nothing")} hint=${t(forGood ? "lore.delete.role.never" : "lore.delete.role.kept")} value=${forGood} onInput=${setForGood} />
  <//>`;
}

function Face({ role, info, card }) {
  const [broken, setBroken] = useState(false);
  const picture = /\.a?png$/i.test(info.card) && !broken;
  return html`<div class="face">${picture && html`<img src=${`/api${inRole(role, "/picture")}`} alt=${t("lore.card.picture", { name: card.name })} width="120" onError=${() => setBroken(true)} />`}
    <div><p><strong>${card.name}</strong>${card.creator && ` · ${card.creator}`} <span class="soft small">${card.format} ${card.spec}</span></p>
      <${Chips} items=${[...new Set(card.tags)]} label=${t("lore.card.tags")} />
      <p class="small soft">${t("lore.card.has", { greetings: number(card.greetings.length), entries: number(card.entries) })}</p>
      ${card.problems.map((one) => html`<p key=${one} class="wrong">${one}</p>`)}
      ${TEXTS.filter((name) => card.fields[name]).map((name) => html`<details key=${name}><summary>${t(`card.${name}`)}</summary><p class="wrapped">${card.fields[name]}</p></details>`)}
      ${card.greetings.length > 0 && html`<details><summary>${t("card.greetings")}</summary>${card.greetings.map((one, place) => html`<blockquote key=${place} class="wrapped">${one}</blockquote>`)}</details>`}</div></div>`;
}
