// Which role of the server a character is: found by its card, else by its name; made when it first speaks.

import { Trouble, ask } from './server.js';

const known = new Map();
const moved = new Map(); // card file now -> before, of characters that were renamed
const nobody = new Set(); // names the server did not know when it was last asked
let heardOf = 0; // how often there was news: what was asked before it is not to be kept
const CARD = /\.(png|charx|json)$/i;
const part = encodeURIComponent;

export function forget() {
    known.clear();
    news();
}

/** Something new stands on the server: ask again about those it did not know. */
export function news() {
    heardOf += 1;
    nobody.clear();
}

/** The role's id, or null while the server knows none. */
export async function roleOf({ role, avatar }, how = {}) {
    const key = `${avatar}\n${role}`;
    if (known.has(key)) return known.get(key);
    if (nobody.has(key)) return null;
    const asked = heardOf;
    const found = (avatar && (await look(avatar, how))) || (await look(role, how));
    if (!found || isOther(found, avatar)) {
        if (asked === heardOf) nobody.add(key);
        return null;
    }
    known.set(key, found.id);
    return found.id;
}

/** The role's id; a new role when there is none. */
export async function madeRole(person) {
    news();
    const id = await roleOf(person);
    if (id) return id;
    const made = await ask('POST', '/roles', { name: person.role, aliases: person.avatar ? [person.avatar] : [] });
    known.set(`${person.avatar}\n${person.role}`, made.id);
    return made.id;
}

/** A character got another name, and with it another card file: whose role it is, is told once it is opened again. */
export function renamed(before, now) {
    moved.set(now, before);
}

/** Give the role of a character that was renamed its new name; the old one stays among its others. */
export async function keepRole({ role, avatar }) {
    const before = moved.get(avatar);
    if (!before) return;
    const found = (await look(before)) || (await look(before.replace(CARD, '')));
    moved.delete(avatar);
    if (!found || isOther(found, before)) return;
    const others = found.aliases.filter((one) => one !== before && one !== role);
    await ask('PATCH', `/roles/${part(found.id)}`, { name: role, aliases: [...new Set([...others, found.name, avatar])] });
    forget();
}

async function look(name, how) {
    try {
        return await ask('GET', `/roles/${part(name)}`, undefined, how);
    } catch (error) {
        if (error instanceof Trouble && error.code === 'unknown_role') return null;
        throw error;
    }
}

/** Another card of the same name. */
function isOther(found, avatar) {
    const cards = found.aliases.filter((one) => CARD.test(one));
    return avatar && cards.length > 0 && !cards.includes(avatar);
}

/** A path of a role's. */
export const under = (id, ...rest) => `/roles/${[id, ...rest].map(part).join('/')}`;
