// Words by language: t("list.title", {count: 3}). The shell's words stand in i18n/{zh,en}.json, a view's in i18n/<view>.{zh,en}.json.
import { kept } from "./live.js";

const own = navigator.language?.toLowerCase().startsWith("zh") ? "zh" : "en";
export const language = kept("language", own);
const words = { zh: {}, en: {} };
const loaded = new Map();

/** Load a view's words (or the shell's: "") in the language of now; once. */
export function load(view = "") {
  const name = `${view ? `${view}.` : ""}${language.get()}`;
  if (!loaded.has(name)) loaded.set(name, fetched(name, language.get()));
  return loaded.get(name);
}

async function fetched(name, tongue) {
  const response = await fetch(`/web/i18n/${name}.json`).catch(() => null);
  if (response?.ok) Object.assign(words[tongue], await response.json());
  else loaded.delete(name);
}

/** The words for a key, values put in for {name}, {name:message|messages} by whether it is 1; the key itself where nobody wrote any. */
export function t(key, values = {}) {
  const found = words[language.get()][key] ?? key;
  return found.replace(/\{(\w+)(?::([^|}]*)\|([^}]*))?\}/g, (whole, name, one, many) => (one === undefined ? values[name] ?? whole : String(values[name]) === "1" ? one : many));
}

/** Whether a key has words. */
export const has = (key) => key in words[language.get()];

/** One of {zh, en}. */
export const pick = (both) => both[language.get()] ?? both.en;

const locale = () => (language.get() === "zh" ? "zh-CN" : "en-GB");
export const number = (value, digits = 0) => new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(value);
export const percent = (value) => new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(value);
const moment = (value, options) => (value ? new Intl.DateTimeFormat(locale(), options).format(new Date(value)) : "—");
export const date = (value) => moment(value, { dateStyle: "medium" });
export const time = (value) => moment(value, { dateStyle: "medium", timeStyle: "short" });
