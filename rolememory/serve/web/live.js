// Values that several parts of the page share, and what the page tells its reader: toasts, spoken words, the banner.
import { useEffect, useState } from "./preact.js";

/** A value others can watch: get(), set(value or value => value), use() inside a component, watch(call) -> stop. */
export function store(value) {
  const calls = new Set();
  const watch = (call) => { calls.add(call); return () => calls.delete(call); };
  const set = (next) => {
    const made = typeof next === "function" ? next(value) : next;
    if (made === value) return;
    value = made;
    for (const call of [...calls]) call(value);
  };
  const use = () => {
    const [, draw] = useState(0);
    useEffect(() => {
      const seen = value;
      const stop = watch(() => draw((count) => count + 1));
      if (seen !== value) draw((count) => count + 1);
      return stop;
    }, []);
    return value;
  };
  return { get: () => value, set, watch, use };
}

/** A store that survives closing the page. */
export function kept(name, otherwise) {
  const key = `rolememory.${name}`;
  const read = () => { try { return localStorage.getItem(key) ?? otherwise; } catch { return otherwise; } };
  const made = store(read());
  made.watch((value) => { try { localStorage.setItem(key, value); } catch { /* a private window keeps nothing */ } });
  return made;
}

export const toasts = store([]);
export const spoken = store("");
export const banner = store(null);
export const connection = store("on"); // on, off

let count = 0;
const TOAST_MS = 9000;

/** Say something in passing; `undo` (async) adds a button that takes it back. */
export function toast(text, undo) {
  const id = ++count;
  toasts.set((all) => [...all.slice(-2), { id, text, undo }]);
  announce(text);
  setTimeout(() => dismiss(id), undo ? TOAST_MS * 2 : TOAST_MS);
  return id;
}

export const dismiss = (id) => toasts.set((all) => all.filter((one) => one.id !== id));

/** Let a screen reader say it; nothing is shown. */
export function announce(text) {
  spoken.set("");
  setTimeout(() => spoken.set(text), 50);
}

/** Show an error on the banner: what happened, what to do. `again` adds a button. It goes when the same call goes well. */
export function fail(error, again) {
  if (error?.name === "AbortError" || error?.status === 401) return; // without the token: a dialog asks for it
  banner.set({ at: performance.now(), message: error?.message || String(error), hint: error?.hint || "", where: error?.where || "", all: error?.all || [], code: error?.code, call: error?.call, again });
}

export const clear = () => banner.set(null);
