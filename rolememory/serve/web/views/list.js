// All memories of a role: find, sort, choose, change many at once. Changes from elsewhere show up by themselves.
import { html, useCallback, useEffect, useRef, useState } from "../preact.js";
import { address } from "../router.js";
import { all, events, get, inRole, url } from "../api.js";
import { number, t } from "../i18n.js";
import { announce, fail } from "../live.js";
import { Busy, Button, Confirm, Dialog, EmptyState, Field, Trouble, Words, useAsked, useQuiet } from "../ui.js";
import { FEELINGS, Facts, SOURCES, TYPES, feelingWord, many } from "./common.js";
import { Editor } from "./editor.js";

const PART = 100;
const NONE = { q: "", type: "", source: "", tag: "", feeling: "", archived: "no", counts: "all", from: "", to: "", sort: "-created" };
const ORDERS = ["-created", "created", "-weight", "-salience", "-priority", "content", "file"];

const asked = ({ from, to, ...rest }) => ({ ...rest, from: from && `${from}T00:00:00Z`, to: to && `${to}T23:59:59Z` });
const narrowed = (wanted) => Object.keys(NONE).some((name) => !["sort"].includes(name) && wanted[name] !== NONE[name]);

export default function List({ role, query }) {
  const [wanted, setWanted] = useState({ ...NONE, ...Object.fromEntries(Object.entries(query).filter(([name]) => name in NONE)) });
  const [offset, setOffset] = useState(0);
  const [chosen, setChosen] = useState(new Set());
  const [open, setOpen] = useState(null); // {kind: new | edit | many | delete, memory}
  const quiet = useQuiet(wanted);
  const path = url(inRole(role, "/memories"), { ...asked(quiet), limit: PART, offset });
  const page = useAsked((signal) => get(path, { signal }), [path]);
  const stats = useAsked((signal) => get(inRole(role, "/stats"), { signal }), [role]);
  useFollowing(role, page.again);
  useEffect(() => { if (page.value) announce(t("list.found", { count: number(page.value.total) })); }, [page.value?.total]);
  const set = (changes) => { setWanted((now) => ({ ...now, ...changes })); setOffset(0); };
  const items = page.value?.items ?? [];
  const pick = useCallback((id, on) => setChosen((now) => { const next = new Set(now); if (on) next.add(id); else next.delete(id); return next; }), []);
  const bulk = async (op, ids, fields) => { try { await many(role, op, ids, fields); setChosen(new Set()); page.again(); } catch (error) { fail(error); } };
  const everything = async () => setChosen(new Set((await all(inRole(role, "/memories"), asked(quiet))).map((one) => one.id)));
  const act = (memory, deed) => {
    if (deed === "edit") setOpen({ kind: "edit", memory });
    else if (deed === "delete") bulk("delete", [memory.id]);
    else if (deed === "archive") bulk(memory.archived ? "restore" : "archive", [memory.id]);
    else if (deed === "pin") bulk(memory.constant ? "unpin" : "pin", [memory.id]);
  };
  return html`<div class="row apart"><h1 tabindex="-1">${t("list.title")}</h1><${Button} kind="main" onClick=${() => setOpen({ kind: "new" })}>${t("list.add")}<//></div>
    <${Filters} wanted=${wanted} set=${set} tags=${Object.keys(stats.value?.tags ?? {})} />
    ${page.error && !page.value && html`<${Trouble} error=${page.error} again=${page.again} />`}
    ${!page.value && !page.error && html`<${Busy} />`}
    ${page.value && html`<${Chosen} chosen=${chosen} setChosen=${setChosen} items=${items} total=${page.value.total} everything=${everything} bulk=${bulk} setOpen=${setOpen} />`}
    ${page.value && !items.length && html`<${EmptyState} title=${t(narrowed(wanted) ? "list.nothing" : "list.empty")} text=${t(narrowed(wanted) ? "list.nothing.hint" : "list.empty.hint")}>
      ${narrowed(wanted) && html`<${Button} onClick=${() => set(NONE)}>${t("list.clear")}<//>`}<//>`}
    ${items.length > 0 && html`<${Rows} role=${role} items=${items} chosen=${chosen} pick=${pick} act=${act} />`}
    ${page.value && page.value.total > PART && html`<${Pages} page=${page.value} go=${(to) => { setOffset(to); document.getElementById("main").focus(); scrollTo(0, 0); }} />`}
    ${(open?.kind === "new" || open?.kind === "edit") && html`<${Editor} role=${role} memory=${open.memory} onClose=${() => setOpen(null)} onDone=${page.again} />`}
    ${open?.kind === "many" && html`<${ManyFields} count=${chosen.size} onClose=${() => setOpen(null)} onDone=${(fields) => bulk("edit", [...chosen], fields)} />`}
    ${open?.kind === "delete" && html`<${Confirm} title=${t("list.delete", { count: number(chosen.size) })} text=${t("list.delete.sure")} yes=${t("delete")}
      onYes=${() => bulk("delete", [...chosen])} onClose=${() => setOpen(null)} />`}`;
}

/** Ask anew when memories of this role change anywhere; a burst is one. `took.current`: ms that asking takes, so that it is not asked more often than it can answer. */
export function useFollowing(role, again, kinds = ["memory", "learned", "chat"], took = null) {
  const call = useRef(again);
  call.current = again;
  useEffect(() => {
    let timer = 0;
    const stop = events((event) => { clearTimeout(timer); if (event.deleted) return; timer = setTimeout(() => call.current(), Math.max(150, took?.current ?? 0)); }, { role, kinds });
    return () => { clearTimeout(timer); stop(); };
  }, [role]);
}

function Filters({ wanted, set, tags }) {
  const any = t("any");
  const one = (name, options, label = t(`filter.${name}`)) => html`<${Field} as="select" label=${label} value=${wanted[name]} onInput=${(value) => set({ [name]: value })} options=${options} />`;
  const more = ["source", "tag", "feeling", "archived", "counts", "from", "to"].some((name) => wanted[name] !== NONE[name]);
  return html`<div class="sheet filters" role="search"><div class="row end">
      <div class="grow"><${Field} type="search" label=${t("list.search")} value=${wanted.q} onInput=${(q) => set({ q })} autocomplete="off" /></div>
      ${one("type", [["", any], ...TYPES.map((name) => [name, t(`type.${name}`)])])}
      ${one("sort", ORDERS.map((name) => [name, t(`sort.${name}`)]))}
    </div>
    <details open=${more}><summary>${t("list.more")}</summary><div class="grid">
      ${one("source", [["", any], ...SOURCES.map((name) => [name, t(`source.${name}`)])])}
      ${one("tag", [["", any], ...[...new Set([...tags, wanted.tag].filter(Boolean))].map((name) => [name, name])])}
      ${one("feeling", [["", any], ...FEELINGS.map((name) => [name, feelingWord(name)])])}
      ${one("archived", [["no", t("archived.no")], ["yes", t("archived.yes")], ["all", t("archived.all")]])}
      ${one("counts", [["all", any], ["yes", t("counts.yes")], ["no", t("counts.no")]])}
      <${Field} type="date" label=${t("filter.from")} value=${wanted.from} onInput=${(from) => set({ from })} />
      <${Field} type="date" label=${t("filter.to")} value=${wanted.to} onInput=${(to) => set({ to })} />
    </div></details></div>`;
}

function Chosen({ chosen, setChosen, items, total, everything, bulk, setOpen }) {
  const ids = [...chosen];
  const whole = items.length > 0 && items.every((one) => chosen.has(one.id));
  const turn = (on) => setChosen(on ? new Set(items.map((one) => one.id)) : new Set());
  return html`<div class="row chosen" role="toolbar" aria-label=${t("list.chosen.tools")}>
    ${items.length > 0 && html`<${Field} as="check" label=${t("list.choose.page")} value=${whole} onInput=${turn} />`}
    <span class="soft" id="found">${t("list.found", { count: number(total) })}</span>
    ${chosen.size > 0 && html`<strong>${t("list.chosen", { count: number(chosen.size) })}</strong>
      ${whole && total > items.length && chosen.size < total && html`<${Button} kind="small" onClick=${everything}>${t("list.choose.all", { count: number(total) })}<//>`}
      <${Button} kind="small" onClick=${() => setOpen({ kind: "many" })}>${t("edit")}<//>
      <${Button} kind="small" onClick=${() => bulk("pin", ids)}>${t("pin")}<//>
      <${Button} kind="small" onClick=${() => bulk("archive", ids)}>${t("archive")}<//>
      <${Button} kind="small" onClick=${() => bulk("restore", ids)}>${t("restore")}<//>
      <${Button} kind="small danger" onClick=${() => (ids.length > 1 ? setOpen({ kind: "delete" }) : bulk("delete", ids))}>${t("delete")}<//>
      <${Button} kind="small quiet" onClick=${() => setChosen(new Set())}>${t("list.choose.none")}<//>`}
  </div>`;
}

const DEEDS = { e: "edit", p: "pin", a: "archive", Delete: "delete" };

function Rows({ role, items, chosen, pick, act }) {
  const box = useRef(null);
  const held = useRef(null); // the row of the last key: once it is gone, the one in its place gets the focus
  useEffect(() => {
    if (!held.current || items.some((memory) => memory.id === held.current.id)) return;
    const place = Math.min(held.current.place, items.length - 1);
    held.current = null;
    if (document.activeElement === document.body) box.current.querySelector(`li[data-row="${place}"] a`)?.focus();
  }, [items]);
  const keys = (event) => {
    const row = event.target.closest("li[data-row]");
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const memory = items[Number(row.dataset.row)];
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    const other = step && box.current.querySelector(`li[data-row="${Number(row.dataset.row) + step}"] a`);
    if (step) { if (other) other.focus(); }
    else if (event.key === "x") pick(memory.id, !chosen.has(memory.id));
    else if (DEEDS[event.key]) { held.current = { id: memory.id, place: Number(row.dataset.row) }; act(memory, DEEDS[event.key]); }
    else return;
    event.preventDefault();
  };
  return html`<p class="hint" id="list-keys">${t("list.keys")}</p>
    <ol class="memories" ref=${box} onKeyDown=${keys} aria-describedby="list-keys">${items.map((memory, place) => html`<${Row} key=${memory.id} role=${role} place=${place} memory=${memory} chosen=${chosen.has(memory.id)} pick=${pick} act=${act} />`)}</ol>`;
}

function Row({ role, memory, place, chosen, pick, act }) {
  return html`<li data-row=${place} data-id=${memory.id} class=${`${memory.archived || memory.superseded_by ? "dim" : ""} ${chosen ? "chosen-row" : ""}`}>
    <input type="checkbox" checked=${chosen} aria-label=${t("list.choose", { text: memory.content.slice(0, 60) })} onChange=${(event) => pick(memory.id, event.target.checked)} />
    <div class="grow"><a class="said" href=${address("memory", role, memory.id)}>${memory.content.length > 400 ? `${memory.content.slice(0, 400)}…` : memory.content}</a><${Facts} memory=${memory} /></div>
    <div class="deeds"><${Button} kind="small quiet" onClick=${() => act(memory, "edit")} aria-label=${`${t("edit")}: ${memory.content.slice(0, 60)}`}>${t("edit")}<//>
      <${Button} kind="small quiet" aria-pressed=${memory.constant} onClick=${() => act(memory, "pin")} aria-label=${`${t("pin")}: ${memory.content.slice(0, 60)}`}>${t("pin")}<//></div></li>`;
}

function Pages({ page, go: to }) {
  const { offset, total, limit } = page;
  return html`<nav class="row pages" aria-label=${t("list.pages")}>
    <${Button} disabled=${offset === 0} onClick=${() => to(Math.max(offset - limit, 0))}>${t("list.before")}<//>
    <span>${t("list.part", { from: number(offset + 1), to: number(Math.min(offset + limit, total)), total: number(total) })}</span>
    <${Button} disabled=${offset + limit >= total} onClick=${() => to(offset + limit)}>${t("list.after")}<//></nav>`;
}

/** What all chosen ones get; only what is switched on is changed. */
function ManyFields({ count, onClose, onDone }) {
  const [now, set] = useState({});
  const given = Object.keys(now);
  const put = (name) => (value) => set((all) => ({ ...all, [name]: value }));
  const turn = (name, first) => (on) => set((all) => { const { [name]: _, ...rest } = all; return on ? { ...rest, [name]: first } : rest; });
  const on = (name) => given.includes(name);
  return html`<${Dialog} title=${t("many.title", { count: number(count) })} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//>
    <${Button} kind="main" disabled=${!given.length} onClick=${async () => { await onDone(now); onClose(); }}>${t("save")}<//>`}>
    <p class="hint">${t("many.hint")}</p>
    <${Field} as="check" label=${t("field.tags")} value=${on("tags")} onInput=${turn("tags", [])} />
    ${on("tags") && html`<${Words} label=${t("many.tags")} value=${now.tags} onInput=${put("tags")} />`}
    <${Field} as="check" label=${t("field.emotions")} value=${on("emotions")} onInput=${turn("emotions", [])} />
    ${on("emotions") && html`<${Words} label=${t("many.emotions")} hint=${FEELINGS.join(", ")} value=${now.emotions} onInput=${put("emotions")} />`}
    <${Field} as="check" label=${t("field.priority")} value=${on("priority")} onInput=${turn("priority", 50)} />
    ${on("priority") && html`<${Field} type="number" min="0" max="100" label=${t("many.priority")} value=${now.priority} onInput=${(value) => put("priority")(Number(value))} />`}
    <${Field} as="check" label=${t("field.locked")} value=${on("locked")} onInput=${turn("locked", true)} />
    ${on("locked") && html`<${Field} as="select" label=${t("many.locked")} value=${String(now.locked)} options=${[["true", t("yes")], ["false", t("no")]]} onInput=${(value) => put("locked")(value === "true")} />`}
  <//>`;
}
