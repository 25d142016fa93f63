// The chats of a role: what was said in which versions, what was learned from it, and which chats know of one another.
import { html, useState } from "../preact.js";
import { address, go } from "../router.js";
import { all, del, get, inRole, patch, put, url } from "../api.js";
import { number, t, time } from "../i18n.js";
import { toast } from "../live.js";
import { Busy, Button, Confirm, Dialog, EmptyState, Field, Table, Trouble, useAsked } from "../ui.js";
import { speaker } from "./common.js";
import { useFollowing } from "./list.js";
import { Parting, inBranches, usePartings } from "./branches.js";
import { Chapters } from "./chapters.js";
import { Pages, ToMemory } from "./parts.js";
import { Puzzles } from "./puzzles.js";

const PART = 50;
const MODES = ["on", "here", "read_only", "off"];
export const storyName = (story) => (story === "own" ? t("story.own") : story || t("story.shared"));
export const chatPath = (role, id) => inRole(role, `/chats/${encodeURIComponent(id)}`);
export const titleOf = (chat) => chat.title || chat.id || t("chats.unnamed");

export default function Chats({ role, info, rest, query }) {
  return rest.length ? html`<${One} key=${rest.join("/")} role=${role} info=${info} id=${rest.join("/")} />` : html`<${List} role=${role} info=${info} query=${query} />`;
}

function List({ role, info, query }) {
  const [now, set] = useState({ archived: "no", user: query.user || "", offset: 0 });
  const path = url(inRole(role, "/chats"), { archived: now.archived, user: now.user, limit: PART, offset: now.offset });
  const page = useAsked((signal) => get(path, { signal }), [path]);
  useFollowing(role, page.again, ["chat"]);
  const put = (changes) => set((all) => ({ ...all, offset: 0, ...changes }));
  return html`<h1 tabindex="-1">${t("chats.title")}</h1><p class="soft">${t("chats.intro")}</p>
    <${Puzzles} role=${role} info=${info} />
    <div class="row end"><${Field} label=${t("chats.user")} value=${now.user} onInput=${(user) => put({ user })} autocomplete="off" />
      <${Field} as="select" label=${t("chats.which")} value=${now.archived} onInput=${(archived) => put({ archived })} options=${["no", "yes", "all"].map((one) => [one, t(`chats.archived.${one}`)])} />
      <${Living} role=${role} user=${now.user} done=${page.again} /></div>
    ${page.error && html`<${Trouble} error=${page.error} again=${page.again} />`}
    ${!page.value && !page.error && html`<${Busy} />`}
    ${page.value && !page.value.items.length && html`<${EmptyState} title=${t("chats.none")} text=${t("chats.none.hint")} />`}
    ${page.value?.items.length > 0 && html`<div class="stack"><${Table} caption=${t("chats.title")} rows=${inBranches(page.value.items)} columns=${columns(role, page.value.items)} /></div>
      <${Pages} page=${page.value} label=${t("chats.title")} go=${(offset) => set((all) => ({ ...all, offset }))} />`}`;
}

/** Whether chats share one life, where nobody put them into a story: of one user, or of those without a name. */
function Living({ role, user, done }) {
  const path = inRole(role, "/stories/default");
  const found = useAsked((signal) => get(url(path, { user }), { signal }), [path, user]);
  const choose = async (stories) => { await put(path, { user, stories }); toast(t("chats.changed")); found.again(); done(); };
  return found.value && html`<${Field} as="select" label=${user ? t("story.living.of", { user }) : t("story.living")} value=${found.value.stories} options=${["one", "each"].map((one) => [one, t(`story.${one}`)])} onInput=${choose} />`;
}

/** The chat that a branch left, by its name where that is at hand. */
const Trunk = ({ role, chat, among }) => html`<a href=${address("chats", role, chat.branch_of)}>${titleOf(among?.find((one) => one.id === chat.branch_of) ?? { id: chat.branch_of })}</a>`;

const columns = (role, chats) => [
  { key: "title", label: t("chats.name"), cell: (chat) => html`${chat.depth > 0 && html`<span class="branch" style=${{ paddingLeft: `${Math.min(chat.depth, 4) - 1}rem` }} aria-hidden="true">↳ </span>`}<a href=${address("chats", role, chat.id)}>${titleOf(chat)}</a>${chat.archived && html` <span class="chip">${t("chats.away")}</span>`}` },
  { key: "user", label: t("chats.user"), cell: (chat) => chat.user ?? "—" },
  { key: "messages", label: t("chats.messages"), cell: (chat) => number(chat.messages) },
  { key: "mode", label: t("chats.mode"), cell: (chat) => t(`mode.${chat.mode}`) },
  { key: "story", label: t("chats.story"), cell: (chat) => storyName(chat.story) },
  { key: "branch", label: t("chats.branch"), cell: (chat) => (chat.branch_of ? html`<${Trunk} role=${role} chat=${chat} among=${chats} />` : "—") },
  { key: "latest", label: t("chats.latest"), cell: (chat) => time(chat.latest) },
];

function One({ role, info, id }) {
  const [offset, setOffset] = useState(0);
  const page = useAsked((signal) => get(url(chatPath(role, id), { newest: true, limit: PART, offset }), { signal }), [role, id, offset]);
  useFollowing(role, page.again);
  if (page.error && !page.value) return html`<h1 tabindex="-1">${id}</h1><${Trouble} error=${page.error} again=${page.again} />`;
  if (!page.value) return html`<${Busy} />`;
  const { chat, items, total } = page.value;
  return html`<p><a href=${address("chats", role)}>${t("chats.back")}</a></p><h1 tabindex="-1">${titleOf(chat)}</h1>
    <${About} role=${role} chat=${chat} done=${page.again} />
    <${Chapters} role=${role} chat=${chat} />
    <h2>${t("chats.said", { count: number(total) })}</h2>
    ${!items.length && html`<p class="soft">${t("chats.empty")}</p>`}
    <${Said} role=${role} info=${info} chat=${chat} items=${[...items].reverse()} />
    <${Pages} page=${page.value} label=${t("chats.parts")} go=${(to) => { setOffset(to); scrollTo(0, 0); }} />`;
}

/** The messages, and between them where other chats part from this one. */
function Said({ role, info, chat, items }) {
  const { at } = usePartings(role, chat);
  return items.map((one) => html`<${Message} key=${one.version} role=${role} who=${speaker(one, info, chat.user)} one=${one} /><${Parting} key=${`${one.version} parts`} role=${role} partings=${at.get(one.version)} />`);
}

function About({ role, chat, done }) {
  const [open, setOpen] = useState("");
  const lines = useAsked((signal) => all(inRole(role, "/stories"), {}, { signal }), [role]);
  const chats = useAsked((signal) => all(inRole(role, "/chats"), { archived: "all" }, { signal }), [role, chat.id]);
  const branches = (chats.value ?? []).filter((one) => one.branch_of === chat.id);
  const change = async (fields, text) => {
    const before = { ...chat, story: chat.chosen ? chat.story : "default" };
    const back = Object.fromEntries(Object.keys(fields).map((name) => [name, before[name]]));
    await patch(chatPath(role, chat.id), fields, { etag: chat.etag });
    done();
    toast(text, async () => { await patch(chatPath(role, chat.id), back); done(); });
  };
  const names = [...new Set(["", "own", ...(chat.chosen ? [chat.story] : []), ...(lines.value ?? []).map((one) => one.name)])];
  const stories = [["default", chat.chosen ? t("story.default") : t("story.default.is", { story: storyName(chat.story) })], ...names.map((one) => [one, storyName(one)])];
  return html`<div class="sheet"><dl class="facts">
      <dt>${t("chats.id")}</dt><dd><code>${chat.id}</code></dd><dt>${t("chats.user")}</dt><dd>${chat.user ?? "—"}</dd>
      <dt>${t("chats.created")}</dt><dd>${time(chat.created)}</dd><dt>${t("chats.updated")}</dt><dd>${time(chat.updated)}</dd>
      ${chat.branch_of && html`<dt>${t("chats.branch")}</dt><dd><${Trunk} role=${role} chat=${chat} among=${chats.value} /></dd>`}
      ${branches.length > 0 && html`<dt>${t("chats.branches")}</dt><dd>${branches.map((one) => html`<a key=${one.id} href=${address("chats", role, one.id)}>${titleOf(one)}</a> `)}</dd>`}</dl>
    <div class="grid"><${Field} as="select" label=${t("chats.mode")} hint=${t(`mode.${chat.mode}.hint`)} value=${chat.mode} options=${MODES.map((one) => [one, t(`mode.${one}`)])}
        onInput=${(mode) => change({ mode }, t("chats.changed"))} />
      <${Field} as="select" label=${t("chats.story")} hint=${t("chats.story.hint")} value=${chat.chosen ? chat.story : "default"} options=${stories}
        onInput=${(story) => change({ story }, t("chats.changed"))} /></div>
    <div class="row"><${Button} onClick=${() => setOpen("rename")}>${t("chats.rename")}<//>
      <${Button} onClick=${() => change({ archived: !chat.archived }, t(chat.archived ? "chats.brought" : "chats.put"))}>${t(chat.archived ? "chats.bring" : "chats.archive")}<//>
      <a class="button" href=${`${address("playground", role)}?chat=${encodeURIComponent(chat.id)}`}>${t("chats.try")}</a>
      <${Button} kind="danger" onClick=${() => setOpen("remove")}>${t("chats.remove")}<//></div>
    ${open === "rename" && html`<${Rename} chat=${chat} onClose=${() => setOpen("")} onDone=${(title) => change({ title }, t("chats.renamed"))} />`}
    ${open === "remove" && html`<${Remove} role=${role} chat=${chat} onClose=${() => setOpen("")} />`}</div>`;
}

function Rename({ chat, onClose, onDone }) {
  const [title, set] = useState(chat.title);
  const save = async () => { await onDone(title); onClose(); };
  return html`<${Dialog} title=${t("chats.rename")} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" onClick=${save}>${t("save")}<//>`}>
    <${Field} label=${t("chats.name")} hint=${t("chats.rename.hint")} value=${title} onInput=${set} maxlength="500" /><//>`;
}

function Remove({ role, chat, onClose }) {
  const [forget, set] = useState(false);
  const remove = async () => { await del(url(chatPath(role, chat.id), { memories: forget ? "delete" : "keep" })); toast(t("chats.removed")); go("chats", role); };
  return html`<${Confirm} title=${t("chats.remove")} yes=${t("chats.remove")} onYes=${remove} onClose=${onClose}
    text=${html`${t("chats.remove.sure", { name: titleOf(chat) })}<${Field} as="check" label=${t("chats.remove.memories")} hint=${t("chats.remove.hint")} value=${forget} onInput=${set} />`} />`;
}

const Message = ({ role, who, one }) => html`<article class=${`message ${one.role}`} data-version=${one.version}>
  <p class="facts-row"><span class="who">${who}</span><time datetime=${one.at}>${time(one.at)}</time></p>
  <p class="wrapped">${one.text}</p>
  ${one.raw && one.raw !== one.text && html`<details class="small"><summary>${t("chats.raw")}</summary><pre>${one.raw}</pre></details>`}
  ${one.others.length > 0 && html`<details class="small"><summary>${t("chats.others", { count: number(one.others.length) })}</summary><ul class="plain">${one.others.map((other) => html`<li key=${other.version} class="wrapped">${other.text}</li>`)}</ul></details>`}
  ${one.learned.length > 0 && html`<div class="taught small"><strong>${t("chats.learned")}</strong><ul>${one.learned.map((memory) => html`<li key=${memory.id}><${ToMemory} role=${role} id=${memory.id}>${memory.content}<//>${memory.archived && html` <span class="chip">${t("chats.memory.away")}</span>`}</li>`)}</ul></div>`}
</article>`;
