// What people do with memories: write, find, pin, edit, forget, take back. The panel and the commands both go through here.

import { forget as forgetRoles, madeRole, news as newsOfRoles, roleOf, under } from './roles.js';
import { MODEL_MS, Trouble, ask } from './server.js';
import { settled } from './turns.js';
import { listeners, way, who } from './who.js';

const part = encodeURIComponent;
const LEARNERS = new Set(['user', 'learn', 'model', 'infer']);

/** The character that is open now and its role's id; null where there is none. */
export async function here() {
    const person = who();
    const id = person && (await roleOf(person));
    return id ? { person, id } : null;
}

export async function remember(text) {
    const person = who();
    return ask('POST', under(await madeRole(person), 'memories'), { content: text, user: person.user });
}

/** Memories that hold these words; all of them without words. Only what this persona may see. */
export async function find(words, limit = 50) {
    const open = await here();
    if (!open) return [];
    const found = await ask('GET', `${under(open.id, 'memories')}?counts=yes&sort=-created&limit=${limit}&q=${part(words)}`);
    const names = await namesOf(open.person.user);
    return found.items.filter((one) => one.user === null || names.includes(one.user));
}

/** What the character would remember of this; the turn does not count. */
export async function recall(text) {
    const { person, id } = (await here()) ?? {};
    if (!id) return [];
    const answer = await ask('POST', under(id, 'recall'), { messages: [{ role: 'user', content: text }], user: person.user, dry_run: true });
    return answer.items;
}

/**
 * End a chapter of the open chat behind its newest message; the new ones, and what kept the model from telling more. Null where
 * the server does not know the character.
 */
export async function endChapter(title) {
    await settled();
    const { person, id } = (await here()) ?? {};
    return id ? ask('POST', under(id, 'chapters'), { chat: person.chat, title }, { ms: MODEL_MS }) : null;
}

export const change = (id, memory, fields) => ask('PATCH', under(id, 'memories', memory), fields);
export const forget = (id, memory) => ask('DELETE', under(id, 'memories', memory));
export const undo = (id, txn) => ask('POST', under(id, 'undo'), { txn });
export const forgetNames = forgetRoles;
export const news = newsOfRoles;

/** New names that nobody was asked about: `[{name, person}]`, each with the person it may be. */
export const strangers = async () => (await ask('GET', '/links')).unasked;
export const areOne = (person, name) => ask('POST', '/links', { names: [person, name] });
export const areTwo = (name) => ask('DELETE', `/links/${part(name)}`);

/** A persona got another name: what was told under the old one is known under it, unless the new one is somebody's already. */
export async function personaRenamed(before, now) {
    if ((await isKnown(before)) && !(await isKnown(now))) await areOne(before, now);
}

async function isKnown(name) {
    try {
        return Boolean(await ask('GET', `/users/${part(name)}`));
    } catch (error) {
        if (error instanceof Trouble && error.code === 'unknown_name') return false;
        throw error;
    }
}

/** What is remembered of the chats with this title: each with the role and the name of one who was there. */
export async function chatsTitled(title) {
    const found = [];
    for (const { person } of listeners()) {
        const id = await roleOf(person);
        const { items } = id ? await ask('GET', `${under(id, 'chats')}?limit=200&user=${part(person.user)}`) : { items: [] };
        found.push(...items.filter((one) => one.title === title).map((one) => ({ id, chat: one.id, name: person.role })));
    }
    return found;
}

/** Delete a chat with what was learned from it. */
export const forgetChat = ({ id, chat }) => ask('DELETE', `${under(id, 'chats', chat)}?memories=delete`);

/** Every name of the person who plays under this one. */
async function namesOf(user) {
    const { linked } = await ask('GET', '/links');
    return linked.find((names) => names.includes(user)) ?? [user];
}

/** The last turn of this chat that went through the server. */
export async function lastTurn() {
    const open = await here();
    if (!open || way() === 'off') return null;
    const turns = await ask('GET', `${under(open.id, 'turns')}?limit=20`);
    return turns.items.find((one) => one.chat === open.person.chat) ?? null;
}

let scene = ''; // who was open when it was last looked at
let stood = new Map(); // and where the history of each stood then
let looking = Promise.resolve();

/**
 * What was learned, changed and removed since it was last looked at; `anew` when others were open then; `gone`: those of `shown()`
 * that count no more. One look after the other: two at once would tell of the same line twice.
 */
export function learned(shown) {
    const look = () => sinceThen(shown);
    looking = looking.then(look, look);
    return looking;
}

async function sinceThen(shown) {
    const person = who();
    const open = await here();
    const lines = open ? (await ask('GET', `${under(open.id, 'history')}?limit=50`)).items : [];
    const anew = sceneOf(person) !== scene;
    if (anew) stood = new Map();
    scene = sceneOf(person);
    const key = person ? `${person.avatar}\n${person.role}` : '';
    const before = stood.get(key);
    stood.set(key, Math.max(before ?? 0, ...lines.map((one) => one.seq))); // of a role that is made later everything is new
    const fresh = lines.filter((one) => before !== undefined && one.seq > before).reverse();
    const names = fresh.length ? await namesOf(open.person.user) : [];
    const gone = open && shown().length ? await withdrawn(open) : [];
    return { anew, gone, added: fresh.filter((one) => isLearned(one, names)).map((one) => told(one, open)), later: fresh.filter((one) => one.op !== 'add') };
}

/** Memories that count no more: their messages are gone, or others took their place. */
const withdrawn = async (open) => (await ask('GET', `${under(open.id, 'memories')}?counts=no&sort=-created&limit=200`)).items.map((one) => one.id);

const sceneOf = (person) => (person ? JSON.stringify([person.group.length ? person.group : [person.avatar, person.role], person.user]) : '');
const isLearned = (line, names) => line.op === 'add' && LEARNERS.has(line.actor) && isOf(names, line) && line.fields.content?.[1];
const told = (line, open) => ({ role: open.id, memory: line.id, txn: line.txn, text: String(line.fields.content[1]), quote: String(line.fields.evidence?.[1]?.[0]?.quote ?? '') });

/** Whether a line of the history is to be seen by the person of these names. */
const isOf = (names, line) => [undefined, null, ...names].includes(line.fields.user?.[1]);
