// A whole life of SillyTavern: named by its folder or handed over from the browser, looked at first, then brought.
import { html, useEffect, useState } from "../preact.js";
import { reload } from "../router.js";
import { ask, del, events, get, post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { announce, fail } from "../live.js";
import { Button, Copy, Field, Meter } from "../ui.js";

const UNDER = "/import/sillytavern";
const KINDS = { characters: ".png", chats: ".jsonl", "group chats": ".jsonl", groups: ".json", worlds: ".json" };
const ALONE = "settings.json";
const AT_ONCE = 4; // files on their way

/** The files of one user's data, by their path in it; of several users the one with most. */
export function gathered(files) {
  const users = new Map();
  for (const file of files) {
    const parts = (file.webkitRelativePath || file.name).split("/");
    const at = parts.findIndex((part, place) => (part in KINDS && parts.length > place + 1 && file.name.toLowerCase().endsWith(KINDS[part])) || (part === ALONE && place === parts.length - 1));
    if (at < 0) continue;
    const user = parts.slice(0, at).join("/");
    if (!users.has(user)) users.set(user, new Map());
    users.get(user).set(parts.slice(at).join("/"), file);
  }
  const weight = (found) => [...found.keys()].filter((path) => path !== ALONE).length;
  return [...users.values()].sort((one, other) => weight(other) - weight(one))[0] ?? new Map();
}

async function handedOver(files, told) {
  await del(`${UNDER}/files`);
  const rest = [...files];
  let done = 0;
  const carry = async () => {
    for (let next = rest.shift(); next; next = rest.shift()) {
      const [path, file] = next;
      await ask("PUT", url(`${UNDER}/files`, { path }), file, { type: "application/octet-stream" });
      told(++done / files.size);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, carry));
}

/** `onMade` gets the first role that came; `onBring` is called while an import runs. */
export function Tavern({ onMade, onBring }) {
  const [path, setPath] = useState("");
  const [found, setFound] = useState(null); // what there is
  const [sent, setSent] = useState(null); // 0..1 while files are handed over
  const [wrong, setWrong] = useState("");
  const [state, setState] = useState(null); // how the import stands
  const going = (now) => { setState(now); onBring(); };
  useEffect(() => { follow((now) => now.state === "running" && going(now)); return events(() => follow(setState, onMade), { kinds: ["import"] }); }, []);
  const attempt = async (call) => {
    setWrong("");
    setFound(null);
    try { await call(); } catch (error) { setWrong([error.message, error.hint].filter(Boolean).join(" — ")); } finally { setSent(null); }
  };
  const look = (given) => attempt(async () => { const seen = await post(`${UNDER}/look`, given); setFound({ ...seen, given }); announce(t("tavern.found")); });
  const named = () => (path.trim() ? look({ path: path.trim() }) : setWrong(t("tavern.path.missing")));
  const chosen = (event) => {
    const files = gathered(event.target.files);
    event.target.value = "";
    if (!files.size) return setWrong(t("tavern.files.none"));
    attempt(async () => { setSent(0); await handedOver(files, setSent); await look({}); });
  };
  const bring = async (stories) => { going(await post(UNDER, { ...found.given, stories })); setFound(null); };
  const running = state?.state === "running";
  return html`<section class="tavern"><h3>${t("tavern.title")}</h3><p>${t("tavern.what")}</p>
    ${!running && html`<form class="row end" onSubmit=${(event) => event.preventDefault()}><div class="grow"><${Field} label=${t("tavern.path")} aria-describedby="tavern-path-hint" placeholder="SillyTavern/data/default-user" value=${path} onInput=${(value) => { setPath(value); setWrong(""); }} autocomplete="off" spellcheck="false" /></div><${Button} type="submit" onClick=${named}>${t("tavern.look")}<//></form>
      <p class="hint" id="tavern-path-hint">${t("tavern.path.hint")}</p>
      <div class="field"><label for="tavern-files">${t("tavern.files")}</label><input id="tavern-files" type="file" multiple onChange=${chosen} ...${{ webkitdirectory: true }} /></div>`}
    ${sent !== null && html`<p role="status"><${Meter} value=${sent} label=${t("tavern.sending")} text=${t("tavern.sent", { part: number(sent * 100) })} /></p>`}
    ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
    ${found && html`<${Found} found=${found} other=${(profile) => look({ ...found.given, profile })} bring=${bring} />`}
    ${state && state.state !== "none" && html`<${Going} state=${state} />`}
    <details><summary>${t("tavern.terminal")}</summary><${Copy} text=${'rolememory import sillytavern "SillyTavern/data/default-user"'} /></details></section>`;
}

/** Ask how the import stands; at its end the roles are here. */
async function follow(set, onMade) {
  try {
    const state = await get(UNDER);
    set(state);
    if (!onMade || state.state === "running" || state.state === "none") return;
    await reload();
    if (state.roles.length) onMade(state.roles[0].id);
    announce(t(`tavern.${state.state}`));
  } catch (error) { fail(error); }
}

const PARTS = ["characters", "lorebooks", "personas", "chats"];

function Found({ found, other, bring }) {
  const [stories, setStories] = useState({}); // by avatar, where not each chat is to be its own
  const due = PARTS.reduce((sum, one) => sum + found[one].due, 0);
  return html`<div class="sheet" id="tavern-found"><p><strong>${t("tavern.found")}</strong></p>
    ${found.profiles.length > 1 && html`<${Field} as="select" label=${t("tavern.profile")} value=${found.profile} onInput=${other} options=${found.profiles.map((one) => [one, one])} />`}
    <dl class="facts">${PARTS.filter((one) => found[one].all).map((one) => html`<dt key=${one}>${t(`tavern.${one}`)}</dt><dd>${number(found[one].all)} ${found[one].due < found[one].all && html`<span class="soft">(${t("tavern.due", { count: number(found[one].due) })})</span>`}</dd>`)}</dl>
    ${found.roles.length > 0 && html`<p class="soft">${found.roles.slice(0, 12).join(" · ")}${found.roles.length > 12 && " …"}</p>`}
    ${found.many.length > 0 && html`<details open id="tavern-stories"><summary>${t("tavern.many")}</summary><p class="hint">${t("tavern.many.hint")}</p>${found.many.map((one) => html`<${Field} key=${one.avatar} as="select" label=${t("tavern.many.of", { name: one.name, count: number(one.chats) })} value=${stories[one.avatar] ?? "each"} options=${["each", "one"].map((how) => [how, t(`tavern.stories.${how}`)])} onInput=${(how) => setStories((all) => ({ ...all, [one.avatar]: how }))} />`)}</details>`}
    <${Problems} rows=${found.problems} />
    ${due ? html`<${Button} kind="main" onClick=${() => bring(stories)}>${t("tavern.bring")}<//>` : html`<p>${t("tavern.nothing")}</p>`} <p class="hint">${t("tavern.hint")}</p></div>`;
}

function Going({ state }) {
  const running = state.state === "running";
  return html`<div class="sheet" id="tavern-going"><p role="status"><strong>${t(`tavern.${state.state}`)}</strong> ${running && html`<${Meter} value=${state.total ? state.done / state.total : 0} label=${t("tavern.running")} text=${t("tavern.part", { done: number(state.done), total: number(state.total) })} /> <span class="soft">${state.now}</span>`}</p>
    ${!running && html`<p>${t("tavern.sum", { roles: number(state.roles.length), chats: number(state.chats), messages: number(state.messages), learned: number(state.learned + state.summaries) })}</p>`}
    <${Problems} rows=${state.problems} />
    ${running && html`<${Button} onClick=${() => del(UNDER)}>${t("tavern.stop")}<//>`}</div>`;
}

const Problems = ({ rows }) => rows.length > 0 && html`<details><summary>${t("tavern.problems", { count: number(rows.length) })}</summary><ul>${rows.map((one) => html`<li key=${one}>${one}</li>`)}</ul></details>`;
