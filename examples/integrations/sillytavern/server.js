// Asking the server. Nothing here ever breaks a turn: what fails is a value of `Trouble`, told on the status line.

import { server, settings } from './settings.js';
import { say } from './words.js';

export const TURN_MS = 1500;
export const MODEL_MS = 240_000; // a model that writes may think for minutes
const USUAL_MS = 8000;
const listeners = new Set();
let trouble = null;
let answered = ''; // of whom this is known

/** Why the server did not do as asked; `code` for us, the message for a person. */
export class Trouble extends Error {
    constructor(code, message) {
        super(message);
        this.code = code;
    }
}

/** Be told whenever the server comes or goes. */
export function onState(listener) {
    listeners.add(listener);
}

/** The server and the token. */
const whom = () => `${server()} ${settings().token.trim()}`;

/** What is wrong now; null when the last question was answered, undefined while none was with this server and token. */
export const state = () => (answered === whom() ? trouble : undefined);

function settle(now, asked) {
    const changed = answered !== asked || trouble?.code !== now?.code;
    [trouble, answered] = [now, asked];
    if (changed) listeners.forEach((one) => one(now));
}

/** One question under /api; throws `Trouble`. `signal` ends it early. */
export async function ask(method, path, body = undefined, { ms = USUAL_MS, signal = null } = {}) {
    const asked = whom();
    if (!settings().token.trim()) throw told(new Trouble('no_token', say('Paste the token: `rolememory serve` shows it at its first start, later it stands in the file `.token` of the home folder.')), asked);
    const limit = AbortSignal.timeout(ms);
    let answer;
    try {
        answer = await fetch(`${server()}/api${path}`, {
            method,
            headers: headers(body),
            body: body === undefined ? undefined : JSON.stringify(body),
            signal: signal ? AbortSignal.any([limit, signal]) : limit,
            credentials: 'omit',
            cache: 'no-store',
        });
    } catch (error) {
        throw told(limit.aborted || signal?.aborted ? slow(signal) : await missing(signal), asked);
    }
    return read(answer, asked);
}

const headers = (body) => ({
    Authorization: `Bearer ${settings().token.trim()}`,
    'Accept-Language': SillyTavern.getContext().getCurrentLocale() || 'en',
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
});

async function read(answer, asked) {
    const value = await answer.json().catch(() => null);
    if (answer.ok) {
        settle(null, asked);
        return value;
    }
    const fault = value?.error ?? {};
    if (answer.status === 401) throw told(new Trouble('token', say('The server does not know this token. Copy it again from the file `.token` of the home folder.')), asked);
    throw new Trouble(fault.code ?? String(answer.status), [fault.message, fault.hint].filter(Boolean).join(' · ') || `HTTP ${answer.status}`);
}

/** It took too long: for a turn that waits, or for whoever looks. */
const slow = (turn) => new Trouble('slow', turn ? say('The server took too long; the turn went on without memory.') : say('The server takes long to answer; try again in a moment.'));

/** A page is not told why a question failed; a blind one tells whether anybody is there at all. */
async function missing(signal) {
    try {
        await fetch(`${server()}/healthz`, { mode: 'no-cors', cache: 'no-store', signal: AbortSignal.any([AbortSignal.timeout(1000), ...(signal ? [signal] : [])]) });
        return new Trouble('origin', say('The server runs but does not let this page ask. Write `allowed_origins = ["{0}"]` under [serve] in rolememory.toml.', location.origin));
    } catch {
        return new Trouble('away', say('Nobody answers at {0}. Start `rolememory serve`; chatting goes on without memory meanwhile.', server()));
    }
}

function told(now, asked) {
    settle(now, asked);
    return now;
}

/** Whether the server is there and lets us in. */
export async function look() {
    try {
        await ask('GET', '/roles?limit=1', undefined, { ms: 3000 });
        return true;
    } catch (error) {
        if (!(error instanceof Trouble)) throw error;
        return false;
    }
}

/** Events of the server until `signal` says stop; `told(kind, values)` for each. Ends quietly when the line breaks. */
export async function follow(signal, heard) {
    const answer = await fetch(`${server()}/api/events`, { headers: headers(), signal, credentials: 'omit' });
    if (!answer.ok) return;
    heard('open', {}); // what happened while nobody listened is asked for
    let rest = '';
    for await (const part of pieces(answer.body.pipeThrough(new TextDecoderStream()))) {
        const blocks = (rest + part).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) tell(block, heard);
    }
}

async function* pieces(stream) {
    const reader = stream.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
}

function tell(block, heard) {
    const fields = Object.fromEntries(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]));
    if (fields.event) heard(fields.event, JSON.parse(fields.data || '{}'));
}
