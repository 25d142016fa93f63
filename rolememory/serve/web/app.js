// The shell: header, navigation, the view of the address, and everything the page says to its reader.
import { Component, html, render, useEffect, useRef, useState } from "./preact.js";
import { events, needsToken, useToken } from "./api.js";
import { language, load, pick, t } from "./i18n.js";
import { announce, banner, clear, connection, dismiss, fail, kept, spoken, toasts } from "./live.js";
import { address, go, reload, role, roles } from "./router.js";
import { Busy, Button, Dialog, Field, Link, Trouble } from "./ui.js";
import { views } from "./views/index.js";

const theme = kept("theme", "auto");

/** {path, role, rest, query} of the address. A view about a role without one in the address gets the last or the first. */
function place(hash = location.hash) {
  const [path, search] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  const view = views.find((one) => one.path === parts[0]);
  const found = view?.role ? parts[1] || "" : "";
  return { path: parts[0], view, role: found, rest: parts.slice(view?.role ? 2 : 1).filter(Boolean), query: Object.fromEntries(new URLSearchParams(search)) };
}

function usePlace() {
  const [now, set] = useState(place());
  useEffect(() => {
    const moved = () => set(place());
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  return now;
}

const names = new Map(); // of every role that was here while the page is open
const known = (list, wanted) => list.find((one) => one.id === wanted || one.name === wanted);

/** Where to go when the address names nothing that is there. */
function settled(at, list) {
  const first = known(list, role.get()) || list[0];
  if (!at.view) return list.length ? address("garden", first.id) : address("welcome");
  if (at.view.role && !at.role) return first ? address(at.path, first.id) : address("welcome");
  return null;
}

function App() {
  const at = usePlace();
  const list = roles.use();
  const tongue = language.use();
  role.use();
  const [ready, setReady] = useState("");
  useEffect(() => { load().then(() => setReady(tongue)); document.documentElement.lang = tongue === "zh" ? "zh-CN" : "en"; }, [tongue]);
  useEffect(() => { reload(); return events(reload, { kinds: ["role"] }); }, []);
  useEffect(() => {
    const to = list && settled(at, list);
    if (to) location.replace(to);
    for (const one of list ?? []) names.set(one.id, one.name);
    if (list && at.role && known(list, at.role)) role.set(known(list, at.role).id);
  }, [at, list]);
  if (!ready || !list) return html`<p class="busy">…</p>`;
  const here = known(list, at.role);
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>${t("skip")}</a>
    <${Header} at=${at} here=${here || known(list, role.get()) || list[0]} list=${list} />
    <${Banner} />
    <main id="main" tabindex="-1"><${Stage} at=${at} here=${here} tongue=${ready} /></main>
    <${Toasts} /><${Spoken} /><${Key} />`;
}

function Header({ at, here, list }) {
  const [open, setOpen] = useState(false);
  const menu = useRef(null);
  useEffect(() => setOpen(false), [at]);
  const away = (event) => { if (event.key === "Escape" && open) { setOpen(false); menu.current.focus(); } };
  return html`<header class="top" onKeyDown=${away}>
    <a class="brand" href=${here ? address("garden", here.id) : address("welcome")}><img src="/web/icon.svg" alt="" width="24" height="24" /><span>rolememory</span></a>
    <button type="button" class="button menu" ref=${menu} aria-expanded=${open} aria-controls="nav" onClick=${() => setOpen(!open)}>${t("menu")}</button>
    <div class="tools"><${RoleSwitch} at=${at} here=${here} list=${list} /><${Tongues} /><${Themes} /></div>
    <nav id="nav" class=${open ? "open" : ""} aria-label=${t("nav")}><ul>${views.filter((view) => !view.hidden && (!view.role || here)).map((view) => html`<li key=${view.path}>
      <a href=${view.role ? address(view.path, here.id) : address(view.path)} aria-current=${at.path === view.path ? "page" : undefined}>${pick(view.label)}</a></li>`)}</ul></nav>
  </header>`;
}

function RoleSwitch({ at, here, list }) {
  if (!list.length) return null;
  const to = (event) => go(at.view?.role && !at.view.hidden ? at.path : "garden", event.target.value);
  return html`<label class="switch"><span class="unseen">${t("role")}</span>
    <select value=${here?.id} onChange=${to} id="role">${list.map((one) => html`<option key=${one.id} value=${one.id} selected=${one.id === here?.id}>${one.name}</option>`)}</select></label>`;
}

const Tongues = () => html`<button type="button" class="button quiet" id="language" lang=${language.get() === "zh" ? "en" : "zh-CN"}
  onClick=${() => language.set(language.get() === "zh" ? "en" : "zh")}>${language.get() === "zh" ? "English" : "中文"}</button>`;

const THEMES = ["auto", "light", "dark"];
function Themes() {
  const now = theme.use();
  useEffect(() => { if (now === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = now; }, [now]);
  const next = () => { const chosen = THEMES[(THEMES.indexOf(now) + 1) % 3]; theme.set(chosen); announce(t(`theme.${chosen}`)); };
  return html`<button type="button" class="button quiet" id="theme" onClick=${next} title=${t(`theme.${now}`)} aria-label=${t(`theme.${now}`)}>${{ auto: "◐", light: "☀", dark: "☾" }[now]}</button>`;
}

/** A view that fails says so and leaves the rest of the page alone. */
class Fence extends Component {
  constructor(props) { super(props); this.state = { error: null }; }
  static getDerivedStateFromError(error) { return { error }; }
  componentDidCatch(error) { console.error(error); }
  render({ children }, { error }) {
    return error ? html`<${Trouble} error=${{ message: t("view.failed"), hint: String(error.message || error) }} again=${() => this.setState({ error: null })} />` : children;
  }
}

function Stage({ at, here, tongue }) {
  const [view, setView] = useState(null);
  const path = at.view?.path;
  useEffect(() => {
    if (!at.view) return undefined;
    let current = true;
    Promise.all([at.view.load(), load(path)]).then(
      ([module]) => current && setView({ path, tongue, View: module.default }),
      (error) => current && (setView(null), fail({ message: t("view.failed"), hint: String(error.message || error) })),
    );
    return () => { current = false; };
  }, [path, tongue]);
  useEffect(() => {
    clear();
    document.title = `${at.view ? pick(at.view.label) : ""}${here ? ` · ${here.name}` : ""} · rolememory`;
    const heading = document.querySelector("main h1");
    if (view && document.activeElement !== document.body && !document.activeElement?.closest(".tools,.dialog")) (heading || document.getElementById("main")).focus?.();
  }, [path, here?.id, at.rest.join("/"), view?.path]);
  if (!view || view.path !== path || view.tongue !== tongue) return html`<${Busy} />`;
  if (at.view.role && !here) return at.role ? html`<${Trouble} error=${{ message: t("role.unknown", { name: names.get(at.role) ?? at.role }), hint: t("role.unknown.hint") }} />` : html`<${Busy} />`;
  return html`<${Fence} key=${`${path}/${here?.id ?? ""}`}><${view.View} role=${here?.id} info=${here} rest=${at.rest} query=${at.query} /><//>`;
}

function Banner() {
  const told = banner.use();
  const line = connection.use();
  if (line === "off" && !told) return html`<div class="banner off" role="status">${t("connection.off")}</div>`;
  if (!told) return null;
  return html`<div class="banner" role="alert"><div>
    <strong>${told.message}</strong>${told.where && html` <code>${told.where}</code>`}
    ${told.hint && html`<p>${told.hint}</p>`}
    ${told.all.length > 1 && html`<ul>${told.all.map((one) => html`<li>${one}</li>`)}</ul>`}</div>
    ${told.again && html`<${Button} onClick=${() => { clear(); return told.again(); }}>${t("again")}<//>`}
    <${Button} kind="quiet" aria-label=${t("close")} onClick=${clear}>✕<//></div>`;
}

const takeBack = async (one) => { dismiss(one.id); await one.undo(); announce(t("undone")); };
const WRITES = "input:not([type=checkbox],[type=range]),textarea,select"; // there Ctrl+Z takes back what was typed

addEventListener("keydown", (event) => {
  const last = toasts.get().findLast((one) => one.undo);
  if (!last || event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.target.closest?.(WRITES)) return;
  event.preventDefault();
  takeBack(last);
});

const Toasts = () => html`<div class="toasts">${toasts.use().map((one) => html`<div class="toast" key=${one.id}><span>${one.text}</span>
  ${one.undo && html`<${Button} title="Ctrl+Z" onClick=${() => takeBack(one)}>${t("undo")}<//>`}
  <${Button} kind="quiet" aria-label=${t("close")} onClick=${() => dismiss(one.id)}>✕<//></div>`)}</div>`;

const Spoken = () => html`<div class="unseen" role="status" aria-live="polite" id="spoken">${spoken.use()}</div>`;

/** On another machine the page asks for the token once. */
function Key() {
  const wanted = needsToken.use();
  const [given, set] = useState("");
  const [wrong, setWrong] = useState("");
  if (!wanted) return null;
  const enter = async () => { if (await useToken(given)) location.reload(); else setWrong(t("token.wrong")); };
  return html`<${Dialog} title=${t("token.title")} onClose=${() => needsToken.set(false)} actions=${html`<${Button} kind="main" onClick=${enter}>${t("token.enter")}<//>`}>
    <p>${t("token.why")}</p><form onSubmit=${(event) => { event.preventDefault(); enter(); }}><${Field} label=${t("token")} type="password" autocomplete="off" value=${given} error=${wrong} onInput=${(value) => { set(value); setWrong(""); }} /></form><//>`;
}

addEventListener("unhandledrejection", (event) => { fail(event.reason); event.preventDefault(); });
render(html`<${App} />`, document.getElementById("app"));
