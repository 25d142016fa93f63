// Whose memories these are: the people a home knows, which chats share what they tell, and forgetting one of them for good.
import { html, useState } from "../preact.js";
import { address } from "../router.js";
import { all, del, get, inRole, post, url } from "../api.js";
import { number, t, time } from "../i18n.js";
import { toast } from "../live.js";
import { Busy, Button, Confirm, Dialog, EmptyState, Field, Table, Trouble, useAsked } from "../ui.js";
import { useFollowing } from "./list.js";
import { Pages, Typed } from "./parts.js";
import { Linking, Unasked, unlinked } from "./people.js";

const PART = 50;
const nameOf = (story) => story || t("story.shared");

export default function Users({ role, info }) {
  return html`<h1 tabindex="-1">${t("users.title")}</h1><p class="soft">${t("users.intro")}</p><${People} role=${role} /><${Lines} role=${role} info=${info} />`;
}

function People({ role }) {
  const [offset, setOffset] = useState(0);
  const [gone, setGone] = useState(null);
  const [linking, setLinking] = useState(null);
  const page = useAsked((signal) => get(url("/users", { limit: PART, offset }), { signal }), [offset]);
  useFollowing(role, page.again);
  const forget = async () => {
    const done = await del(`/users/${encodeURIComponent(gone.user)}`);
    toast(t("users.forgotten", { user: gone.user, count: number(done.roles.reduce((sum, one) => sum + one.memories, 0)) }));
    const left = done.roles.flatMap((one) => one.left);
    page.again();
    if (left.length) throw Object.assign(new Error(t("users.left")), { all: left });
  };
  return html`<${Unasked} onDone=${page.again} /><section class="sheet" aria-labelledby="people"><h2 id="people">${t("users.people")}</h2>
    ${page.error && html`<${Trouble} error=${page.error} again=${page.again} />`}${!page.value && !page.error && html`<${Busy} />`}
    ${page.value && !page.value.total && html`<${EmptyState} title=${t("users.none")} text=${t("users.none.hint")} />`}
    ${page.value?.items.length > 0 && html`<div class="stack"><${Table} caption=${t("users.people")} rows=${page.value.items} rowKey=${(one) => one.user} columns=${columns(role, setGone, setLinking, page)} /></div>
      <${Pages} page=${page.value} label=${t("users.people")} go=${setOffset} />`}
    ${linking && html`<${Linking} person=${linking} onDone=${page.again} onClose=${() => setLinking(null)} />`}
    ${gone && html`<${Typed} title=${t("users.forget")} word=${gone.user} yes=${t("users.forget.yes")} onYes=${forget} onClose=${() => setGone(null)}>
      <p>${t("users.forget.sure", { user: gone.user, memories: number(gone.memories), chats: number(gone.chats), roles: number(gone.roles.length) })}</p>
      <ul>${gone.roles.map((one) => html`<li key=${one.role}>${t("users.in", { name: one.name, memories: number(one.memories + one.archived), chats: number(one.chats), waiting: number(one.waiting) })}</li>`)}</ul><//>`}</section>`;
}

const columns = (role, forget, link, page) => [
  { key: "user", label: t("users.name"), cell: (one) => html`<strong>${one.user}</strong>` },
  { key: "names", label: t("users.also"), cell: (one) => html`<ul class="plain">${one.names.slice(1).map((name) => html`<li key=${name} class="row">${name} <${Button} kind="small" aria-label=${t("users.unlink.one", { name })} onClick=${() => unlinked(name, page.again)}>${t("users.unlink")}<//></li>`)}</ul>
    ${page.value.total > 1 && html`<${Button} kind="small" aria-label=${t("people.link.title", { person: one.user })} onClick=${() => link(one.user)}>${t("people.link")}<//>`}` },
  { key: "memories", label: t("users.memories"), cell: (one) => number(one.memories) },
  { key: "chats", label: t("users.chats"), cell: (one) => (one.roles.some((where) => where.role === role && where.chats) ? html`<a href=${`${address("chats", role)}?user=${encodeURIComponent(one.user)}`} aria-label=${t("users.chats.of", { user: one.user })}>${number(one.chats)}</a>` : number(one.chats)) },
  { key: "roles", label: t("users.roles"), cell: (one) => one.roles.map((where) => where.name).join(", ") },
  { key: "forget", label: t("users.do"), cell: (one) => html`<${Button} kind="small danger" aria-label=${t("users.forget.one", { user: one.user })} onClick=${() => forget(one)}>${t("users.forget.yes")}<//>` },
];

/** The stories of a role, each with its chats; forking and merging. */
function Lines({ role, info }) {
  const [open, setOpen] = useState(null); // {kind: fork | merge, line}
  const found = useAsked((signal) => Promise.all([all(inRole(role, "/stories"), {}, { signal }), all(inRole(role, "/chats"), { archived: "all" }, { signal })]), [role]);
  useFollowing(role, found.again, ["chat"]);
  const [lines, chats] = found.value ?? [[], []];
  const line = open?.line;
  const merge = async (name, into) => { await post(inRole(role, "/stories/merge"), { name, into }); toast(t("lines.merged", { name: nameOf(name), into: nameOf(into) })); found.again(); };
  const fork = async (given) => { await post(inRole(role, "/stories"), given); toast(t("lines.forked", { name: given.name })); found.again(); };
  return html`<section class="sheet" aria-labelledby="lines"><h2 id="lines">${t("lines.title", { name: info.name })}</h2><p class="soft small">${t("lines.intro")}</p>
    ${found.error && html`<${Trouble} error=${found.error} again=${found.again} />`}${!found.value && !found.error && html`<${Busy} />`}
    <ul class="plain" id="stories">${lines.map((one) => html`<li key=${one.name}><h3>${nameOf(one.name)}</h3>
      <p class="facts-row">${one.name && html`<span>${one.of === null ? t("lines.empty") : t("lines.of", { of: nameOf(one.of), at: time(one.at) })}</span>`}
        ${one.merged.length > 0 && html`<span>${t("lines.also", { names: one.merged.map(nameOf).join(", ") })}</span>`}</p>
      <${OnLine} role=${role} chats=${chats.filter((chat) => chat.story === one.name)} />
      <div class="row"><${Button} kind="small" aria-label=${`${t("lines.fork")}: ${nameOf(one.name)}`} onClick=${() => setOpen({ kind: "fork", line: one })}>${t("lines.fork")}<//>
        ${lines.length > 1 && html`<${Button} kind="small" aria-label=${`${t("lines.merge")}: ${nameOf(one.name)}`} onClick=${() => setOpen({ kind: "merge", line: one })}>${t("lines.merge")}<//>`}</div></li>`)}
      ${chats.some((chat) => chat.story === "own") && html`<li key="own"><h3>${t("lines.own")}</h3><${OnLine} role=${role} chats=${chats.filter((chat) => chat.story === "own")} /></li>`}</ul>
    ${open?.kind === "fork" && html`<${Fork} line=${line} onDone=${fork} onClose=${() => setOpen(null)} />`}
    ${open?.kind === "merge" && html`<${Merge} line=${line} others=${lines.filter((one) => one.name !== line.name)} onDone=${merge} onClose=${() => setOpen(null)} />`}</section>`;
}

const OnLine = ({ role, chats }) => (chats.length ? html`<ul class="small">${chats.slice(0, 100).map((chat) => html`<li key=${chat.id}><a href=${address("chats", role, chat.id)}>${chat.title || chat.id}</a>${chat.user && ` · ${chat.user}`}${chat.mode !== "on" && ` · ${t(`mode.${chat.mode}`)}`}</li>`)}
  ${chats.length > 100 && html`<li>${t("lines.more", { count: number(chats.length - 100) })}</li>`}</ul>` : html`<p class="small soft">${t("lines.none")}</p>`);

function Fork({ line, onDone, onClose }) {
  const [now, set] = useState({ name: "", empty: false, at: "" });
  const put = (name) => (value) => set((before) => ({ ...before, [name]: value }));
  const go = async () => { await onDone({ name: now.name.trim(), of: now.empty ? null : line.name, ...(now.at ? { at: new Date(now.at).toISOString() } : {}) }); onClose(); };
  return html`<${Dialog} title=${t("lines.fork.title", { name: nameOf(line.name) })} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" disabled=${!now.name.trim()} onClick=${go}>${t("lines.fork")}<//>`}>
    <${Field} label=${t("lines.name")} value=${now.name} onInput=${put("name")} maxlength="200" />
    <${Field} type="datetime-local" label=${t("lines.at")} hint=${t("lines.at.hint")} value=${now.at} onInput=${put("at")} disabled=${now.empty} />
    <${Field} as="check" label=${t("lines.start")} value=${now.empty} onInput=${put("empty")} /><//>`;
}

function Merge({ line, others, onDone, onClose }) {
  const [into, set] = useState(others[0].name);
  const [sure, setSure] = useState(false);
  if (sure) return html`<${Confirm} title=${t("lines.merge")} text=${t("lines.merge.sure", { name: nameOf(line.name), into: nameOf(into) })} yes=${t("lines.merge")} onYes=${() => onDone(line.name, into)} onClose=${onClose} />`;
  return html`<${Dialog} title=${t("lines.merge.title", { name: nameOf(line.name) })} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" onClick=${() => setSure(true)}>${t("lines.merge")}<//>`}>
    <${Field} as="select" label=${t("lines.into")} value=${into} onInput=${set} options=${others.map((one) => [one.name, nameOf(one.name)])} /><//>`;
}
