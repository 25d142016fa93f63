// What the user chose. Kept in SillyTavern's settings, so that it is the same in each of its browsers.

const KEY = 'rolememory';
const USUAL = { server: '', token: '', mode: 'auto', depth: 1, notices: true };

/** The settings, with what is unset filled in. */
export const settings = () => ({ ...USUAL, ...SillyTavern.getContext().extensionSettings[KEY] });

export function change(name, value) {
    const { extensionSettings, saveSettingsDebounced } = SillyTavern.getContext();
    (extensionSettings[KEY] ??= {})[name] = value;
    saveSettingsDebounced();
}

/** Nothing of ours stays in SillyTavern's settings. */
export function forget() {
    delete SillyTavern.getContext().extensionSettings[KEY];
}

let found = ''; // where the server was found, while none is set

/** The server was found there; '' = nowhere. */
export function foundAt(address) {
    found = address;
}

/** The server's address: on a phone 127.0.0.1 is the phone, so the machine that serves this page is asked. */
export function server() {
    return (settings().server.trim() || found || usualServer()).replace(/\/+$/, '').replace(/\/v1$/, '');
}

export const usualServer = () => `http://${location.hostname.includes(':') ? `[${location.hostname}]` : location.hostname}:8787`;
