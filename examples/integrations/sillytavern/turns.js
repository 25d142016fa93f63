// "Direct": the proxy does not stand before the model, so this page asks for memory before a turn and tells of it afterwards.

import { madeRole, roleOf, under } from './roles.js';
import { TURN_MS, Trouble, ask } from './server.js';
import { settings } from './settings.js';
import { listeners, others, visible, way, who } from './who.js';

const [KEY, ALWAYS] = ['rolememory', 'rolememory_always'];
const [IN_PROMPT, IN_CHAT, SYSTEM] = [0, 1, 0];
const WITHOUT_MEMORY = ['quiet'];
const SETTLED_MS = 150;

let waiting = null;
let queue = Promise.resolve();
const begun = new Set(); // chats that were told of: from then on also that their last user message is gone
let begunAs = 'normal'; // what kind of turn the newest reply is
let heard = () => {};

/** Be told `(person, answer)` when something was recalled on a turn. */
export function onRecalled(listener) {
    heard = listener;
}

/** Which chat it is and who is there. */
const scene = (person) => ({ chat: person.chat, user: person.user, present: [person.user], members: others(person) });

/** Before a turn: what the character remembers goes in at the set depth. Never takes longer than `TURN_MS`, never fails. */
export async function remember(chat, type) {
    clear();
    if (!WITHOUT_MEMORY.includes(type)) begunAs = kind(type);
    const person = who();
    if (way() !== 'direct' || !person || WITHOUT_MEMORY.includes(type) || !settings().token.trim()) return;
    try {
        await recall(chat, type, person, { ms: TURN_MS, signal: AbortSignal.timeout(TURN_MS) });
    } catch (error) {
        if (!(error instanceof Trouble)) console.warn('rolememory: no memory on this turn', error);
    }
}

async function recall(chat, type, person, how) {
    const id = await roleOf(person, how);
    if (!id) return;
    const messages = visible(chat, person.group.length > 0);
    const answer = await ask('POST', under(id, 'recall'), { messages, ...scene(person), kind: kind(type) }, how);
    const parts = answer.parts ?? [{ position: 'depth', text: [answer.persona, answer.story, answer.scene, answer.text].filter(Boolean).join('\n\n') }];
    const text = (near) => parts.filter((part) => (part.position === 'depth') === near).map((part) => part.text).join('\n\n');
    SillyTavern.getContext().setExtensionPrompt(ALWAYS, text(false), IN_PROMPT, 0, false, SYSTEM);
    SillyTavern.getContext().setExtensionPrompt(KEY, text(true), IN_CHAT, settings().depth, false, SYSTEM);
    heard(person, answer);
}

const kind = (type) => ({ swipe: 'swipe', regenerate: 'regenerate', continue: 'continue', append: 'continue', impersonate: 'impersonate' })[type] ?? 'normal';

/** A prompt stays for whatever is generated next until it is taken away. */
export function clear() {
    for (const key of [KEY, ALWAYS]) SillyTavern.getContext().setExtensionPrompt(key, '', IN_CHAT, 0, false, SYSTEM);
}

const generating = () => Boolean(document.body.dataset.generating);

/** The visible chat is another one: tell the server once it has settled. While a reply is being written it has not. */
export function changed() {
    clearTimeout(waiting);
    waiting = null; // what is called off ends, else `settled` would wait for it for ever
    if (way() !== 'direct' || !settings().token.trim()) return;
    waiting = setTimeout(() => {
        if (generating()) return changed();
        waiting = null;
        queue = queue.then(observe, observe);
    }, SETTLED_MS);
}

/** Resolves when everything that was to be told has been. */
export async function settled() {
    while (waiting) await new Promise((done) => setTimeout(done, SETTLED_MS));
    await queue;
}

async function observe() {
    const context = SillyTavern.getContext();
    const told = listeners().map((one) => ({ ...one, messages: visible(context.chat, one.person.group.length > 0) }));
    for (const { person, spoke, messages } of told) {
        if (begun.has(person.chat) || messages.some((one) => one.role === 'user')) await tell(person, spoke, messages);
    }
    begunAs = 'normal';
}

/** What was said, to one who heard it. A role is made when it first speaks. */
async function tell(person, spoke, messages) {
    try {
        const id = spoke ? await madeRole(person) : await roleOf(person);
        if (!id) return;
        const again = ['swipe', 'regenerate', 'continue'].includes(begunAs) ? begunAs : 'normal';
        await ask('POST', under(id, 'observe'), { messages, ...scene(person), kind: again, title: person.title.slice(0, 500) });
        begun.add(person.chat);
    } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        console.warn(`rolememory: this turn was not kept: ${error.message}`);
    }
}
