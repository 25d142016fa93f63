// The chapters of a chat: what a model told of it, each with its messages a click away; one is ended or told anew here.
import { html, useState } from "../preact.js";
import { del, get, inRole, post, url } from "../api.js";
import { t, time } from "../i18n.js";
import { toast } from "../live.js";
import { memoryPath } from "./common.js";
import { Busy, Button, Dialog, Field, Trouble, useAsked } from "../ui.js";
import { useFollowing } from "./list.js";
import { ToMemory } from "./parts.js";

/** The section of a chat's page. */
export function Chapters({ role, chat }) {
  const path = inRole(role, "/chapters");
  const [busy, setBusy] = useState("");
  const [ending, setEnding] = useState(false);
  const found = useAsked((signal) => get(url(path, { chat: chat.id }), { signal }), [path, chat.id]);
  useFollowing(role, found.again, ["memory", "learned"]);
  const ask = async (what, rest, body) => {
    setBusy(what);
    try {
      const told = await post(`${path}${rest}`, body);
      toast(told.notes[0] ?? t("chapters.told"));
    } finally { setBusy(""); found.again(); }
  };
  const remove = async (one) => { await del(memoryPath(role, one.id)); toast(t("chapters.removed"), async () => { await post(inRole(role, "/undo"), {}); found.again(); }); found.again(); };
  if (found.error && !found.value) return html`<${Trouble} error=${found.error} again=${found.again} />`;
  const items = found.value?.items ?? [];
  return html`<section class="sheet" aria-labelledby="chapters"><h2 id="chapters">${t("chapters.title")}</h2><p class="hint">${t("chapters.intro")}</p>
    ${!found.value && html`<${Busy} />`}
    <ol>${items.map((one) => html`<li key=${one.id} data-id=${one.id}><p><${ToMemory} role=${role} id=${one.id}>${one.chapter.title || t("chapters.untitled")}<//></p>
      <p class="facts-row soft small">${[one.chapter.time, one.chapter.place].filter(Boolean).join(" · ")}<time datetime=${one.created}>${time(one.created)}</time><span>${(one.chapter.people ?? []).join(", ")}</span></p>
      <p class="wrapped">${one.content}</p>
      <div class="row"><${Button} kind="small" disabled=${Boolean(busy)} onClick=${() => ask(one.id, "/retell", { ids: [one.id] })}>${t("chapters.again")}<//>
        <${Button} kind="small danger" onClick=${() => remove(one)}>${t("chapters.remove")}<//></div></li>`)}</ol>
    <div class="row"><${Button} disabled=${Boolean(busy)} onClick=${() => setEnding(true)}>${t("chapters.end")}<//></div>
    ${ending && html`<${Ending} onClose=${() => setEnding(false)} onDone=${(title) => ask("end", "", { chat: chat.id, title })} />`}</section>`;
}

function Ending({ onClose, onDone }) {
  const [title, set] = useState("");
  const end = () => { onClose(); return onDone(title); };
  return html`<${Dialog} title=${t("chapters.end")} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" onClick=${end}>${t("chapters.end")}<//>`}>
    <${Field} label=${t("chapters.name")} hint=${t("chapters.name.hint")} value=${title} onInput=${set} maxlength="60" /><//>`;
}
