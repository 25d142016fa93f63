// What the user chose. Kept in SillyTavern's settings, so that it is the same in each of its browsers.

const KEY = 'rolememory';
const USUAL = { server: '', token: '', mode: 'auto', depth: 1, notices: true };

/** The settings, with what is unset filled in. */
export function settings() {
    const all = SillyTavern.getContext().extensionSettings;
    const own = (all[KEY] ??= {});
    for (const [name, value] of Object.entries(USUAL)) own[name] ??= value;
    return own;
}

export function change(name, value) {
    settings()[name] = value;
    SillyTavern.getContext().saveSettingsDebounced();
}

/** The server's address: on a phone 127.0.0.1 is the phone, so the machine that serves this page is asked. */
export function server() {
    return (settings().server.trim() || usualServer()).replace(/\/+$/, '').replace(/\/v1$/, '');
}

export const usualServer = () => `http://${location.hostname.includes(':') ? `[${location.hostname}]` : location.hostname}:8787`;
