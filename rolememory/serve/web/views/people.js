// Several names of one person: a new one is asked about once, until then it stands apart; links are made and undone at any time.
import { html, useEffect, useState } from "../preact.js";
import { all, del, events, get, inRole, post, url } from "../api.js";
import { t } from "../i18n.js";
import { toast } from "../live.js";
import { Button, Dialog, Field, useAsked } from "../ui.js";

const parted = (name) => del(`/links/${encodeURIComponent(name)}`);

/** From now on both are one person; the toast has a way back. */
async function linked(person, name, again) {
  await post("/links", { names: [person, name] });
  toast(t("people.linked", { person, name }), async () => { await parted(name); again(); });
  again();
}

/** Let a name be a person of its own again. */
export async function unlinked(name, again) {
  await parted(name);
  toast(t("people.apart", { name }));
  again();
}

/** Who a question of nobody in particular is from: who spoke with the role last, else the only person it knows, else "". */
export function useLatest(role) {
  const found = useAsked((signal) => latest(role, signal), [role]);
  useEffect(() => events(found.again, { role, kinds: ["chat", "memory", "import"] }), [role]);
  return found;
}

async function latest(role, signal) {
  const chats = await get(url(inRole(role, "/chats"), { limit: 20 }), { signal });
  const spoke = chats.items.find((one) => one.user);
  if (spoke) return spoke.user;
  const known = (await all("/users", {}, { signal })).filter((one) => one.roles.some((where) => where.role === role));
  return known.length === 1 ? known[0].user : "";
}

/** Nothing where nobody has to be asked about. */
export function Unasked({ onDone = () => {} }) {
  const found = useAsked((signal) => get("/links", { signal }), []);
  useEffect(() => events(found.again, { kinds: ["chat", "memory"] }), []);
  const done = () => { found.again(); onDone(); };
  return (found.value?.unasked ?? []).map(({ name, person }) => html`<section class="sheet" key=${name} aria-label=${t("people.ask", { name, person })}>
    <h2>${t("people.ask", { name, person })}</h2><p class="soft">${t("people.why", { name, person })}</p>
    <div class="row"><${Button} kind="main" onClick=${() => linked(person, name, done)}>${t("people.yes")}<//><${Button} onClick=${() => unlinked(name, done)}>${t("people.no")}<//></div></section>`);
}

/** Which other person this one is. */
export function Linking({ person, onDone, onClose }) {
  const others = useAsked(async (signal) => (await all("/users", {}, { signal })).map((one) => one.user).filter((one) => one !== person), []);
  const [chosen, set] = useState(null);
  const name = chosen ?? others.value?.[0];
  const go = async () => { await linked(person, name, onDone); onClose(); };
  return html`<${Dialog} title=${t("people.link.title", { person })} onClose=${onClose} actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" disabled=${!name} onClick=${go}>${t("people.link")}<//>`}>
    <p>${t("people.link.hint")}</p>${others.value && html`<${Field} as="select" label=${t("people.other")} value=${name} onInput=${set} options=${others.value.map((one) => [one, one])} />`}<//>`;
}
