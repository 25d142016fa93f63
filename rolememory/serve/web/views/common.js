// What the views about memories share: changing with undo, the look of one memory in a row, the words of its values.
import { html } from "../preact.js";
import { del, get, inRole, patch, post, url } from "../api.js";
import { date, number, t } from "../i18n.js";
import { toast } from "../live.js";

export const TYPES = ["episodic", "semantic", "trait", "goal"];
export const SOURCES = ["manual", "user_input", "summary", "inference", "ai_output"];
export const FEELINGS = ["joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation", "love", "longing", "shame", "calm"];
export const feelingWord = (name) => { const told = t(`feeling.${name}`); return told === `feeling.${name}` ? name : told; };

export const memoryPath = (role, id) => inRole(role, `/memories/${encodeURIComponent(id)}`);

/** Take a change back; without `txn` nothing is offered. */
const back = (role, txn) => txn && (() => post(inRole(role, "/undo"), { txn }));

const newest = async (role, id) => (await get(url(inRole(role, "/history"), { memory: id, limit: 1 }))).items[0]?.txn;

/** Say what was done, with its way back. */
export async function told(role, text, id, txn) {
  toast(text, back(role, txn ?? (id && (await newest(role, id).catch(() => null)))));
}

/** One operation on many, all or none. */
export async function many(role, op, ids, fields) {
  const done = await post(inRole(role, "/memories/bulk"), { op, ids, ...(fields ? { fields } : {}) });
  await told(role, t(`done.${op}`, { count: number(done.changed) }), null, done.txn);
  return done;
}

/** Write a new memory or change one (as it was seen: `memory.etag`). Raises ApiError; `stale` when it changed meanwhile. */
export async function saved(role, memory, fields) {
  const made = memory ? await patch(memoryPath(role, memory.id), fields, { etag: memory.etag }) : await post(inRole(role, "/memories"), fields);
  await told(role, t(memory ? "done.edit" : "done.add", { count: 1 }), made.id);
  return made;
}

export async function removed(role, memory) {
  const done = await del(memoryPath(role, memory.id), { etag: memory.etag });
  await told(role, t("done.delete", { count: 1 }), null, done.txn);
}

export const subjectWord = ({ subject, user }, info) => (!subject ? info?.name || t("subject.role") : subject === "user" ? user || t("subject.user") : subject);

/** Who says a message: by name where one is known. */
export const speaker = ({ role, name }, info, user) => name || { assistant: info?.name, user }[role] || t(`speaker.${role}`);

/** Its type as a coloured dot with a word. */
export const Kind = ({ type }) => html`<span class="kind"><span class=${`dot ${type}`} aria-hidden="true"></span> ${t(`type.${type}`)}</span>`;

/** What stands under a memory's text in a list. */
export const Facts = ({ memory }) => html`<span class="soft facts-line"><${Kind} type=${memory.type} />
  ${memory.created && html`<span>${date(memory.created)}</span>`}
  <span>${t(`source.${memory.source}`)}</span>
  ${memory.subject && html`<span>${t("about", { name: subjectWord(memory) })}</span>`}
  ${memory.constant && html`<span class="badge">${t("pinned")}</span>`}
  ${memory.locked && html`<span class="badge">${t("locked")}</span>`}
  ${memory.archived && html`<span class="badge">${t("archived")}</span>`}
  ${!memory.counts && html`<span class="badge">${t("withdrawn")}</span>`}
  ${memory.superseded_by && html`<span class="badge">${t("superseded")}</span>`}
  ${memory.emotions.slice(0, 3).map((one) => html`<span key=${one} class="chip">${feelingWord(one)}</span>`)}
  ${memory.tags.slice(0, 5).map((one) => html`<span key=${one} class="chip">#${one}</span>`)}</span>`;
