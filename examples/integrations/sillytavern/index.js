// rolememory for SillyTavern: tells the proxy whose turn it is, or asks for memory itself where no proxy stands before the model.

import { addCommands } from './commands.js';
import { find, tellAsleep } from './find.js';
import { hint, withHint } from './hint.js';
import * as memory from './memory.js';
import { addPanel, askToForget, learnedLines, showLearned, showPanel, showStatus, showStrangers, showTurn } from './panel.js';
import { keepRole, renamed } from './roles.js';
import { Trouble, follow, look, onState } from './server.js';
import { forget, settings } from './settings.js';
import { changed, clear, onRecalled, remember } from './turns.js';
import { way, who } from './who.js';

const AGAIN_MS = 5000;
let line = null; // the open line of events

globalThis.rolememoryInterceptor = async (chat, _contextSize, _abort, type) => {
    await find();
    await remember(chat, type);
    if (type !== 'quiet') tellAsleep();
};

/** Fill in whose turn it is, as the request goes out. */
function said(data) {
    if (way() !== 'proxy' || data.chat_completion_source !== 'custom') return;
    const person = who(data.char_name);
    if (!person) return;
    const last = SillyTavern.getContext().chat.length - 1;
    data.custom_include_body = withHint(data.custom_include_body, hint(person, data.type, last));
}

/** Do it where the server can be asked; what fails stands on the status line. */
async function quietly(work) {
    if (!settings().token.trim() || way() === 'off') return;
    try {
        await work();
    } catch (error) {
        if (!(error instanceof Trouble)) console.warn('rolememory:', error);
    }
}

const refreshTurn = () => quietly(async () => showTurn(await memory.lastTurn()));

const refreshLearned = () => quietly(async () => showLearned(await memory.learned(learnedLines)));

let asked = Promise.resolve(); // one after the other, so that what came first is not shown last

const refreshPeople = () => (asked = asked.then(() => quietly(async () => showStrangers(await memory.strangers()))));

/** Not waited for: a question that stands open holds nothing up. */
function chatDeleted(title) {
    quietly(async () => {
        const chats = await memory.chatsTitled(title);
        if (chats.length) await askToForget(title, chats);
    });
}

async function opened() {
    clear();
    await find();
    const person = who();
    if (person) await quietly(() => keepRole(person));
    memory.news();
    showTurn(null);
    await refreshLearned();
    await refreshTurn();
    await refreshPeople();
    showStatus();
}

/** Hear of what is learned for as long as the page is open; a broken line is taken up again. */
async function listen() {
    line?.abort();
    line = new AbortController();
    const { signal } = line;
    while (!signal.aborted && settings().token.trim() && way() !== 'off') {
        if (await look()) await follow(signal, heard).catch(() => {});
        await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
}

function heard(kind) {
    if (['role', 'open'].includes(kind)) memory.forgetNames(); // one may be deleted, and another take its place
    memory.news();
    if (['learned', 'memory', 'chat', 'open'].includes(kind)) refreshLearned();
    if (['turn', 'open'].includes(kind)) refreshTurn();
    if (['chat', 'memory', 'open'].includes(kind)) refreshPeople();
}

/** The API may lead elsewhere now. */
async function sought() {
    await find();
    showStatus();
}

function begin() {
    const { eventSource, eventTypes: on } = SillyTavern.getContext();
    addPanel();
    addCommands(showPanel, refreshLearned);
    onState(showStatus);
    onRecalled((_, answer) => showTurn(answer));
    eventSource.on(on.CHAT_COMPLETION_SETTINGS_READY, said);
    for (const event of [on.CHAT_CHANGED, on.PERSONA_CHANGED]) eventSource.on(event, opened);
    eventSource.on(on.CHARACTER_RENAMED, renamed);
    eventSource.on(on.PERSONA_RENAMED, ({ oldName, newName }) => quietly(() => memory.personaRenamed(oldName, newName)));
    for (const event of [on.CHAT_DELETED, on.GROUP_CHAT_DELETED]) eventSource.on(event, chatDeleted);
    for (const event of [on.GENERATION_ENDED, on.GENERATION_STOPPED]) eventSource.on(event, clear);
    for (const event of [on.MESSAGE_RECEIVED, on.MESSAGE_SWIPED, on.MESSAGE_EDITED, on.MESSAGE_DELETED, on.MESSAGE_SWIPE_DELETED]) eventSource.on(event, changed);
    for (const name of ['token', 'server', 'mode']) document.getElementById(`rolememory_${name}`).addEventListener('change', listen);
    for (const event of [on.CHATCOMPLETION_SOURCE_CHANGED, on.MAIN_API_CHANGED, on.ONLINE_STATUS_CHANGED]) eventSource.on(event, sought);
    sought();
    listen();
}

/** SillyTavern's "clean extension data". */
export function clean() {
    line?.abort();
    clear();
    forget();
}

begin();
