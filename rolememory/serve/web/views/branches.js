// Chats that were forked from one another: in a list under the one they left, in a chat at the message where they part.
import { html } from "../preact.js";
import { address } from "../router.js";
import { all, inRole } from "../api.js";
import { t } from "../i18n.js";
import { useAsked } from "../ui.js";

const FOLLOWED = 12; // branches whose parting is looked for
const path = (role, id) => inRole(role, `/chats/${encodeURIComponent(id)}`);
const name = (chat) => chat.title || chat.id || t("chats.unnamed");

/** Rows in the order of the list, each branch under the chat it left: [{...chat, depth}]. */
export function inBranches(chats) {
  const here = new Set(chats.map((one) => one.id));
  const under = (id, depth) => chats.filter((one) => one.branch_of === id && one.id !== id).flatMap((one) => [{ ...one, depth }, ...under(one.id, depth + 1)]);
  const roots = chats.filter((one) => !one.branch_of || !here.has(one.branch_of)).flatMap((one) => [{ ...one, depth: 0 }, ...under(one.id, 1)]);
  const shown = new Set(roots.map((one) => one.id));
  return [...roots, ...chats.filter((one) => !shown.has(one.id)).map((one) => ({ ...one, depth: 0 }))];
}

/** Where this chat and others part: version of the last message both have -> [{chat, from}]. */
export function usePartings(role, chat) {
  const found = useAsked(async (signal) => {
    const chats = await all(inRole(role, "/chats"), { archived: "all" }, { signal });
    const near = chats.filter((one) => one.id === chat.branch_of || one.branch_of === chat.id).slice(0, FOLLOWED);
    if (!near.length) return { near, at: new Map() };
    const [own, ...others] = await Promise.all([chat, ...near].map((one) => all(path(role, one.id), {}, { signal })));
    const at = new Map();
    near.forEach((one, place) => {
      const theirs = new Set(others[place].map((message) => message.version));
      const last = own.filter((message) => theirs.has(message.version)).at(-1);
      if (last) at.set(last.version, [...(at.get(last.version) ?? []), { chat: one, from: one.id === chat.branch_of }]);
    });
    return { near, at };
  }, [role, chat.id, chat.updated]);
  return found.value ?? { near: [], at: new Map() };
}

/** The line between messages where chats part. */
export const Parting = ({ role, partings }) => partings && html`<ul class="parting">${partings.map(({ chat, from }) => html`<li key=${chat.id}><span aria-hidden="true">↳</span> ${t(from ? "chats.parts.from" : "chats.parts.to")} <a href=${address("chats", role, chat.id)}>${name(chat)}</a></li>`)}</ul>`;
