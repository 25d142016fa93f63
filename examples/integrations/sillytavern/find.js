// Where the server is: where the user said, else where the API leads, whatever the port; and why nothing is remembered, if so.

import { server, settings, foundAt } from './settings.js';
import { state } from './server.js';
import { api, way } from './who.js';
import { say } from './words.js';

const LOOK_MS = 1000;
const NEAR = /^(localhost|.*\.local|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|\[::1\]|[^.]+)$/;
let known = null; // the API's address at which it was found
let told = ''; // what was said last

/** Look whether the API leads to our server. Asks only this machine and its network; what was found is kept until the API changes. */
export async function find() {
    const url = api();
    if (settings().server.trim() || (known !== null && known === url)) return;
    known = null;
    foundAt('');
    for (const address of addresses(url)) {
        if (!(await isOurs(address))) continue;
        known = url;
        foundAt(address);
        return;
    }
}

/** The address as SillyTavern knows it, and as this browser may: its 127.0.0.1 is the machine that serves the page. */
function addresses(url) {
    let there;
    try {
        there = new URL(url);
    } catch {
        return [];
    }
    if (!NEAR.test(there.hostname) && there.hostname !== location.hostname) return [];
    const here = location.hostname.includes(':') && !location.hostname.startsWith('[') ? `[${location.hostname}]` : location.hostname;
    const port = there.port ? `:${there.port}` : '';
    return [...new Set([`${there.protocol}//${here}${port}`, there.origin])];
}

async function isOurs(address) {
    try {
        const answer = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(LOOK_MS), credentials: 'omit', cache: 'no-store' });
        return answer.ok && (await answer.json()).name === 'rolememory';
    } catch {
        return false;
    }
}

/** Why nothing is remembered though nobody switched it off; '' while it is awake. */
export function asleep() {
    if (way() !== 'direct') return '';
    const trouble = settings().token.trim() ? state()?.message : say('Paste the token, or let the API lead to the server.');
    if (!trouble) return '';
    return say('Asleep, nothing is remembered: the API does not lead to the server ({0}). {1}', server(), trouble);
}

/** Say so, once for each reason. */
export function tellAsleep() {
    const why = asleep();
    if (why && why !== told) toastr.warning(why, 'rolememory', { escapeHtml: true, timeOut: 10000 });
    told = why;
}
