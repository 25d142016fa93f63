// The first steps: a role (new, from a card, from SillyTavern), a first memory, the first recall, and the address for the frontend.
import { html, useState } from "../preact.js";
import { address, reload, role as looked, roles } from "../router.js";
import { get, inRole, post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { announce, toast } from "../live.js";
import { Button, Copy, Field, Meter, useAsked } from "../ui.js";
import { saved } from "./common.js";
import { Offer } from "./ladder.js";
import { Unasked, useLatest } from "./people.js";
import { Tavern } from "./tavern.js";

export default function Welcome() {
  const list = roles.use() ?? [];
  const chosen = looked.use(); // the same as in the header
  const here = list.find((one) => one.id === chosen) ?? list[0];
  const [bringing, setBringing] = useState(false); // what an import says stays in sight when its first role comes
  return html`<h1 tabindex="-1">${t("welcome.title")}</h1><p>${t("welcome.what")}</p><${Unasked} />
    <ol class="steps">
      <li class="sheet"><h2>${t("welcome.role")}</h2>${list.length > 0 && html`<p>${t("welcome.have", { count: number(list.length) })}</p>
        <div class="row">${list.slice(0, 12).map((one) => html`<${Button} key=${one.id} aria-pressed=${one.id === here?.id} onClick=${() => looked.set(one.id)}>${one.name}<//>`)}</div>`}
        <details open=${bringing || !list.length}><summary hidden=${!list.length}>${t("welcome.another")}</summary><${Ways} onMade=${looked.set} onBring=${() => setBringing(true)} /></details></li>
      <li class="sheet"><h2>${t("welcome.memory")}</h2>${here ? html`<${First} role=${here} key=${here.id} />` : html`<p class="soft">${t("welcome.after")}</p>`}</li>
      <li class="sheet"><h2>${t("welcome.frontend")}</h2><${Frontend} here=${here} /></li>
    </ol>`;
}

const Ways = ({ onMade, onBring }) => html`<div class="grid ways"><${NewRole} onMade=${onMade} /><${FromFile} onMade=${onMade} onBring=${onBring} /></div><${Tavern} onMade=${onMade} onBring=${onBring} />`;

function NewRole({ onMade }) {
  const [name, setName] = useState("");
  const [wrong, setWrong] = useState("");
  const make = async (event) => {
    event?.preventDefault();
    if (!name.trim()) return setWrong(t("welcome.name.missing"));
    const made = await post("/roles", { name: name.trim() });
    await reload();
    setName("");
    onMade(made.id);
    toast(t("welcome.made", { name: made.name }));
  };
  return html`<form onSubmit=${(event) => event.preventDefault()}><h3>${t("welcome.new")}</h3><${Field} label=${t("welcome.name")} value=${name} error=${wrong} onInput=${(value) => { setName(value); setWrong(""); }} autocomplete="off" />
    <${Button} kind="main" type="submit" onClick=${make}>${t("welcome.make")}<//></form>`;
}

/** A card (PNG, JSON, CHARX), or what `rolememory export` wrote. A role of that name may be there already: then one is asked. */
function FromFile({ onMade, onBring }) {
  const [told, setTold] = useState(null);
  const [name, setName] = useState("");
  const take = async (file, query) => {
    onBring();
    setTold({ text: t("busy") });
    try {
      const made = await brought(file, query);
      await reload();
      onMade(made.role);
      setTold({ text: [t("welcome.brought", { name: made.name }), ...made.problems, ...(made.everywhere ?? []).map((one) => t("welcome.card.everywhere", one))].join(" · ") });
    } catch (error) {
      const there = error.code === "exists" ? error.current : null; // then what to do stands on the buttons
      setTold({ wrong: true, text: error.missing ? t("welcome.card.missing") : named(file, [error.message, there ? "" : error.hint].filter(Boolean).join(" — ")), file, there });
    }
  };
  const chosen = (event) => { const file = event.target.files[0]; event.target.value = ""; if (file) take(file, {}); };
  return html`<div><h3>${t("welcome.card")}</h3><div class="field"><label for="card-file">${t("welcome.card.file")}</label><input id="card-file" type="file" accept=".png,.json,.charx,image/png,application/json" onChange=${chosen} /></div>
    ${told && html`<p role=${told.wrong ? "alert" : "status"} class=${told.wrong ? "wrong" : ""}>${told.text}</p>`}
    ${told?.there?.changed?.length > 0 && html`<p>${t("welcome.card.changed")}</p><ul>${told.there.changed.map((one) => html`<li key=${one.field}>${one.field}: ${one.before || "–"} → ${one.after || "–"}</li>`)}</ul>`}
    ${told?.there && html`<${Button} onClick=${() => take(told.file, { into: told.there.role })}>${t("welcome.card.update", { name: told.there.name })}<//>
      <${Field} label=${t("welcome.card.other")} value=${name} onInput=${setName} /><${Button} disabled=${!name.trim()} onClick=${() => take(told.file, { name: name.trim() })}>${t("welcome.make")}<//>`}
    <p class="hint">${t("welcome.card.hint")}</p></div>`;
}

/** What is wrong, with the file that it is about. */
const named = (file, text) => (text.startsWith(file.name) ? text : `${file.name}: ${text}`);

async function brought(file, query) {
  const document = await exported(file);
  if (document) return post("/roles/import", document);
  return post(url("/cards", { filename: file.name, ...query }), file, { type: "application/octet-stream" });
}

/** The file as a document of ours, or null when it is a card. */
async function exported(file) {
  if (!file.name.toLowerCase().endsWith(".json")) return null;
  let read;
  try { read = JSON.parse(await file.text()); } catch { return null; }
  return read && typeof read === "object" && (read.format === "rolememory-role" || read.memories || read.episodic || read.semantic || read.traits || read.goals) ? read : null;
}


/** Tell the role something, ask, and see what comes to mind and why. */
function First({ role }) {
  const [text, setText] = useState("");
  const [question, setQuestion] = useState("");
  const [kept, setKept] = useState(role.memories > 0);
  const [turn, setTurn] = useState(null);
  const user = useLatest(role.id).value;
  const keep = async () => { if (!text.trim()) return; await saved(role.id, null, { content: text.trim() }); setKept(true); setText(""); };
  const ask = async () => {
    if (!question.trim()) return;
    const told = await post(inRole(role.id, "/recall"), { messages: [{ role: "user", content: question.trim() }], ...(user ? { user } : {}), dry_run: true });
    setTurn(told);
    announce(t("welcome.recalled", { count: number(told.items.length) }));
  };
  return html`<p>${t("welcome.memory.hint", { name: role.name })}</p>
    <form onSubmit=${(event) => event.preventDefault()}><${Field} as="textarea" rows="2" label=${t("welcome.tell")} placeholder=${t("welcome.tell.example")} value=${text} onInput=${setText} /><${Button} type="submit" onClick=${keep} kind=${kept ? "" : "main"}>${t("welcome.keep")}<//></form>
    <form onSubmit=${(event) => event.preventDefault()}><${Field} label=${t("welcome.ask")} placeholder=${t("welcome.ask.example")} hint=${user ? t("people.assumed", { user }) : ""} value=${question} onInput=${setQuestion} /><${Button} type="submit" onClick=${ask} kind=${kept ? "main" : ""}>${t("welcome.recall")}<//></form>
    ${turn && html`<div class="turn" id="recalled">${turn.items.length ? html`<p><strong>${t("welcome.recalled", { count: number(turn.items.length) })}</strong></p><ul>${turn.items.map((one) => html`<li key=${one.id}><a href=${address("memory", role.id, one.id)}>${one.content}</a> <${Meter} value=${one.score} label=${t("score")} text=${number(one.score, 2)} /><p class="soft">${one.why.map((why) => why.text).join(" · ")}</p></li>`)}</ul>` : html`<p>${t("welcome.nothing")}</p>`}
      <p class="row"><a class="button" href=${address("garden", role.id)}>${t("welcome.garden")}</a></p></div>`}`;
}

function Distils({ role }) {
  const learning = useAsked((signal) => get(inRole(role, "/learning"), { signal }), [role]);
  return learning.value?.offered ? html`<${Offer} onDone=${learning.again} />` : null;
}

function Frontend({ here }) {
  const settings = useAsked((signal) => get("/settings?prefix=serve.upstream", { signal }), []);
  const upstream = settings.value?.items.find((one) => one.key === "serve.upstream")?.value;
  return html`<p>${t("welcome.url")}</p><${Copy} text=${`${location.origin}/v1`} />
    ${here && html`<p>${t("welcome.url.role", { name: here.name })}</p><${Copy} text=${`${location.origin}/r/${here.id}/v1`} />`}
    ${upstream === "" && html`<p class="trouble">${t("welcome.upstream")} <a href=${`${address("settings")}?q=serve.upstream`}>${t("welcome.upstream.set")}</a></p>`}
    ${upstream && html`<p>${t("welcome.upstream.is")} <code>${upstream}</code></p>`}
    ${here && html`<${Distils} role=${here.id} key=${here.id} />`}`;
}
