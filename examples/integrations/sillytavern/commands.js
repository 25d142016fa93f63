// /memory, /remember, /forget, /recall, /chapter. Each also gives its result to the next command of a pipe.

import * as memory from './memory.js';
import { Trouble } from './server.js';
import { who } from './who.js';
import { say } from './words.js';

/** Add the commands; `show` opens the panel, `refresh` brings it up to date. */
export function addCommands(show, refresh) {
    const rows = [
        ['memory', say('Show what the character remembers; with words, what it knows of them.'), false, (text) => known(text, show)],
        ['chapter', say('End a chapter of the story here; with words, its title.'), false, chapter],
        ['remember', say('Tell the character something to keep.'), true, (text) => remember(text, refresh)],
        ['forget', say('Forget the one memory that holds these words.'), true, (text) => forget(text, refresh)],
        ['recall', say('Show what the character would recall of these words.'), true, recall],
    ];
    for (const [name, helpString, needsText, work] of rows) add(name, helpString, needsText, work);
}

function add(name, helpString, needsText, work) {
    const { SlashCommandParser, SlashCommand, SlashCommandArgument, ARGUMENT_TYPE } = SillyTavern.getContext();
    const argument = SlashCommandArgument.fromProps({ description: say('text'), typeList: [ARGUMENT_TYPE.STRING], isRequired: needsText });
    SlashCommandParser.addCommandObject(
        SlashCommand.fromProps({
            name,
            helpString: escaped(helpString),
            returns: say('text'),
            unnamedArgumentList: [argument],
            callback: (_, text) => carefully(() => work(String(text ?? '').trim())),
        }),
    );
}

/** Help is HTML there. */
const escaped = (text) => text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);

async function carefully(work) {
    try {
        if (!who()) return tell(say('Open a chat with a character first.'), 'warning');
        memory.news(); // a turn just now may have made the character known
        return await work();
    } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        return tell(error.message, 'warning');
    }
}

/** Say it to the person; text, never HTML. */
function tell(message, how = 'info') {
    toastr[how](message, 'rolememory', { escapeHtml: true, timeOut: 10000, messageClass: 'toast-message rolememory-told' });
    return message;
}

const lines = (memories) => memories.map((one) => one.content).join('\n');

async function known(text, show) {
    const found = await memory.find(text);
    if (!text) show();
    return tell(found.length ? lines(found) : say('Nothing yet.'));
}

async function remember(text, refresh) {
    if (!text) return tell(say('Write what to remember: /remember text'), 'warning');
    const made = await memory.remember(text);
    await refresh();
    tell(say('Remembered: {0}', made.content));
    return made.content;
}

async function forget(text, refresh) {
    if (!text) return tell(say('Write words of the memory: /forget text'), 'warning');
    const found = await memory.find(text, 6);
    if (found.length !== 1) return tell(found.length ? say('Several memories hold these words; write more of one:\n{0}', lines(found)) : say('No memory holds these words.'), 'warning');
    const { id } = await memory.here();
    await memory.forget(id, found[0].id);
    await refresh();
    tell(say('Forgotten: {0}', found[0].content));
    return found[0].content;
}

async function recall(text) {
    if (!text) return tell(say('Write what to think of: /recall text'), 'warning');
    const items = await memory.recall(text);
    return tell(items.length ? lines(items) : say('Nothing comes to mind.'));
}

async function chapter(title) {
    const told = await memory.endChapter(title).catch(slowly);
    if (!told) return tell(say('The server does not know this character yet; say something first.'), 'warning');
    const { items, notes } = told;
    if (!items.length) return tell([say('The chapter ends here; it is written once a model can write it.'), ...notes].join('\n'));
    return tell(items.map((one) => `${one.chapter.title}\n${one.content}`).join('\n\n'));
}

/** What the model still writes is kept; nobody waits for it any longer. */
function slowly(error) {
    if (error.code !== 'slow') throw error;
    return { items: [], notes: [] };
}
