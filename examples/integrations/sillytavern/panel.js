// The drawer among the extensions: settings, how things stand, what the last turn was given and why, what was just learned.

import { button, el, field } from './dom.js';
import { asleep } from './find.js';
import * as memory from './memory.js';
import { Trouble, look, state } from './server.js';
import { change, settings, usualServer } from './settings.js';
import { way } from './who.js';
import { say } from './words.js';

const parts = {};

/** Put the drawer into the page. */
export function addPanel() {
    const modes = {
        auto: say('automatic'),
        proxy: say('through the proxy'),
        direct: say('without the proxy'),
        off: say('off'),
    };
    parts.status = el('div', { id: 'rolememory_status', className: 'rolememory-status', role: 'status' });
    parts.people = el('div', { id: 'rolememory_people', 'aria-live': 'polite' });
    parts.turn = el('div', { id: 'rolememory_turn' });
    parts.learned = el('div', { id: 'rolememory_learned', 'aria-live': 'polite' });
    const body = el(
        'div',
        { className: 'inline-drawer-content' },
        parts.status,
        parts.people,
        el('h4', { textContent: say('Remembered on the last turn') }),
        parts.turn,
        el('h4', { textContent: say('Just learned') }),
        parts.learned,
        el('h4', { textContent: say('Settings') }),
        field(say('Server'), textField('server', usualServer())),
        field(say('Token'), textField('token', '', 'password'), say('shown by `rolememory serve` at its first start; the file `.token` of the home folder')),
        field(say('Way'), choice('mode', modes), say('automatic: if the API leads to the proxy, the proxy remembers; else this page does')),
        field(say('Depth'), number('depth'), say('without the proxy: messages from the end')),
        field(say('Show what was learned'), checkbox('notices')),
    );
    const head = el(
        'div',
        { className: 'inline-drawer-toggle inline-drawer-header' },
        el('b', { textContent: 'rolememory' }),
        el('div', { className: 'inline-drawer-icon fa-solid fa-circle-chevron-down down' }),
    );
    parts.drawer = el('div', { id: 'rolememory_panel', className: 'inline-drawer rolememory' }, head, body);
    document.getElementById('extensions_settings2').append(parts.drawer);
    showStatus();
}

/** Open the extensions and this drawer. */
export function showPanel() {
    const menu = document.getElementById('rm_extensions_block');
    if (menu?.classList.contains('closedDrawer')) document.querySelector('#extensions-settings-button .drawer-toggle')?.click();
    const icon = parts.drawer.querySelector('.inline-drawer-icon');
    if (icon.classList.contains('down')) parts.drawer.querySelector('.inline-drawer-toggle').click();
    parts.drawer.scrollIntoView({ block: 'nearest' });
}

// ── settings ──

const kept = (name, read) => async (event) => {
    change(name, read(event.target));
    if (name === 'server' || name === 'token') memory.forgetNames();
    showStatus();
    if (settings().token.trim()) await look();
    showStatus();
};

const textField = (name, placeholder, type = 'text') =>
    el('input', { id: `rolememory_${name}`, className: 'text_pole', type, placeholder, value: settings()[name], autocomplete: 'off', onchange: kept(name, (one) => one.value.trim()) });

const number = (name) =>
    el('input', { id: `rolememory_${name}`, className: 'text_pole', type: 'number', min: 0, max: 99, value: settings()[name], onchange: kept(name, (one) => Math.max(0, Number(one.value) || 0)) });

const checkbox = (name) => el('input', { id: `rolememory_${name}`, type: 'checkbox', checked: settings()[name], onchange: kept(name, (one) => one.checked) });

function choice(name, words) {
    const options = Object.entries(words).map(([value, textContent]) => el('option', { value, textContent, selected: settings()[name] === value }));
    return el('select', { id: `rolememory_${name}`, className: 'text_pole', onchange: kept(name, (one) => one.value) }, ...options);
}

// ── how things stand ──

export function showStatus() {
    const [kind, text] = standing();
    parts.status.dataset.kind = kind;
    parts.status.textContent = text;
}

/** How things stand: a kind, and words. Claims nothing before the server has answered. */
export function standing() {
    const trouble = settings().token.trim() ? state() : null;
    const sleeps = asleep();
    if (sleeps) return ['bad', sleeps];
    if (trouble) return ['bad', trouble.message];
    if (trouble === undefined && way() !== 'off') return ['off', say('Asking the server ...')];
    const told = {
        off: ['off', say('Switched off here.')],
        proxy: settings().token.trim() ? ['good', say('The proxy remembers.')] : ['good', say('The proxy remembers. With the token, this panel shows what.')],
        direct: ['good', say('This page remembers, without the proxy.')],
    };
    return told[way()];
}

/** What a person asks for; where the server refuses, it says why. */
const act = (work) => async () => {
    try {
        await work();
    } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        toastr.warning(error.message, 'rolememory', { escapeHtml: true });
    }
};

// ── new names ──

/** A new name is asked about once; until then, and after a no, it stands apart. */
export function showStrangers(unasked) {
    parts.people.replaceChildren(...unasked.map(question));
}

function question({ name, person }) {
    const answer = (text, work) => el('button', { type: 'button', className: 'menu_button rolememory-answer', textContent: text, onclick: act(async () => showStrangers((await work()).unasked)) });
    return el(
        'div',
        { className: 'rolememory-line' },
        el('div', { textContent: say('Is {0} the same person as {1}?', name, person) }),
        el('small', { textContent: say('Yes: what was told under either name is known under both. Until you answer, and after a no, {0} stands apart.', name) }),
        el('div', { className: 'rolememory-buttons' }, answer(say('Yes, one person'), () => memory.areOne(person, name)), answer(say('No, somebody else'), () => memory.areTwo(name))),
    );
}

// ── chats that are deleted ──

/** A chat was deleted here: ask whether those who remember it shall forget it too. */
export async function askToForget(title, chats) {
    const { Popup, POPUP_TYPE } = SillyTavern.getContext();
    const names = chats.map((one) => one.name).join(', ');
    const text = el('div', { textContent: say('{0}: what was said in the deleted chat “{1}” is still remembered. Forget it too, with what was learned from it?', names, title) });
    const answers = { okButton: say('Forget'), cancelButton: say('Keep') };
    const forgets = await new Popup(text, POPUP_TYPE.CONFIRM, '', answers).show();
    if (forgets) await act(() => Promise.all(chats.map(memory.forgetChat)))();
}

// ── the last turn ──

export function showTurn(turn) {
    const items = turn?.items ?? [];
    parts.turn.replaceChildren(...(items.length ? items.map(recalled) : [el('small', { textContent: say('Nothing.') })]));
}

const recalled = (item) =>
    el('div', { className: 'rolememory-line' }, el('div', { textContent: item.content }), el('small', { textContent: item.why.map((one) => one.text).join(' · ') }));

// ── what was learned ──

const SHOWN = 12;

/** Each line once, newest first, with what can be done about it; what became of it elsewhere shows here too. */
export function showLearned({ anew, added, later, gone }) {
    if (anew) parts.learned.replaceChildren();
    for (const line of settings().notices ? added : []) {
        rowThatSays(line.text)?.remove(); // said again: the newer one stands for both
        parts.learned.prepend(learnedLine(line));
    }
    while (parts.learned.childElementCount > SHOWN) parts.learned.lastElementChild.remove();
    for (const line of later) became(rowOf(line.id), line);
    for (const id of gone) rowOf(id)?.remove();
}

/** The memories that are shown as just learned. */
export const learnedLines = () => rows().map((row) => row.dataset.memory);

const rows = () => [...parts.learned.children];
const rowOf = (id) => rows().find((row) => row.dataset.memory === id);
const rowThatSays = (text) => rows().find((row) => row.querySelector('.rolememory-text').textContent === text);

function became(row, { op, fields }) {
    if (op === 'remove') row?.remove();
    if (op !== 'set' || !row) return;
    if (fields.content) row.querySelector('.rolememory-text').textContent = fields.content[1];
    if (fields.constant) row.classList.toggle('rolememory-pinned', Boolean(fields.constant[1]));
}

function learnedLine(line) {
    const text = el('div', { textContent: line.text, className: 'rolememory-text' });
    const row = el('div', { className: 'rolememory-line rolememory-learned', 'data-memory': line.memory }, text);
    if (line.quote && line.quote !== line.text) row.append(el('small', { textContent: say('Learned from: “{0}”', line.quote) }));
    row.append(
        el(
            'div',
            { className: 'rolememory-buttons' },
            button(say('Take back'), 'fa-rotate-left', act(() => takeBack(line))),
            button(say('Pin: always in the prompt'), 'fa-thumbtack', act(async () => (await memory.change(line.role, line.memory, { constant: true }), row.classList.add('rolememory-pinned')))),
            button(say('Edit'), 'fa-pencil', act(() => edit(line, text))),
            button(say('Forget'), 'fa-trash-can', act(async () => (await memory.forget(line.role, line.memory), row.remove()))),
        ),
    );
    return row;
}

/** What was learned in one go is taken back in one go. */
async function takeBack(line) {
    const { changed } = await memory.undo(line.role, line.txn);
    for (const one of changed) if (one.did === 'removed') rowOf(one.id)?.remove();
}

async function edit(line, text) {
    const { Popup } = SillyTavern.getContext();
    const written = await Popup.show.input(say('Edit'), null, text.textContent, { rows: 4 });
    if (!written || written === text.textContent) return;
    const made = await memory.change(line.role, line.memory, { content: String(written) });
    text.textContent = made.content;
    const again = await Popup.show.confirm(say('Corrected'), say('Have the last reply written again with it?'));
    if (again) document.getElementById('option_regenerate')?.click();
}
