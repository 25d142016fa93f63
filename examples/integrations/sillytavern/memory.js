// What people do with memories: write, find, pin, edit, forget, take back. The panel and the commands both go through here.

import { forget as forgetRoles, madeRole, news as newsOfRoles, roleOf, under } from './roles.js';
import { ask } from './server.js';
import { way, who } from './who.js';

const part = encodeURIComponent;
const LEARNERS = new Set(['learn', 'model', 'infer']);

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
    return found.items.filter((one) => one.user === null || one.user === open.person.user);
}

/** What the character would remember of this; the turn does not count. */
export async function recall(text) {
    const { person, id } = (await here()) ?? {};
    if (!id) return [];
    const answer = await ask('POST', under(id, 'recall'), { messages: [{ role: 'user', content: text }], user: person.user, dry_run: true });
    return answer.items;
}

export const change = (id, memory, fields) => ask('PATCH', under(id, 'memories', memory), fields);
export const forget = (id, memory) => ask('DELETE', under(id, 'memories', memory));
export const undo = (id, txn) => ask('POST', under(id, 'undo'), { txn });
export const forgetNames = forgetRoles;
export const news = newsOfRoles;

/** The last turn of this chat that went through the server. */
export async function lastTurn() {
    const open = await here();
    if (!open || way() === 'off') return null;
    const turns = await ask('GET', `${under(open.id, 'turns')}?limit=20`);
    return turns.items.find((one) => one.chat === open.person.chat) ?? null;
}

/** What was learned since the line `after` of the history; newest last. Without `after` only where the history stands. */
export async function learned(after) {
    const open = await here();
    if (!open) return { lines: [], at: after };
    const { items } = await ask('GET', `${under(open.id, 'history')}?limit=50`);
    const at = Math.max(after ?? 0, ...items.map((one) => one.seq));
    const fresh = items.filter((one) => after !== null && one.seq > after && one.op === 'add' && LEARNERS.has(one.actor) && isOf(open.person, one));
    const told = fresh.reverse().map((one) => ({ role: open.id, memory: one.id, txn: one.txn, text: String(one.fields.content?.[1] ?? '') }));
    return { lines: told.filter((one) => one.text), at };
}

/** Whether a line of the history is this persona's to see. */
const isOf = (person, line) => [undefined, null, person.user].includes(line.fields.user?.[1]);
