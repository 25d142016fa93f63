// REST as the page asks it. Paths stand under /api; answers are JSON; every error is an ApiError that says what to do.
import { banner, connection, kept, store } from "./live.js";
import { language, t } from "./i18n.js";

const token = kept("token", ""); // only asked for on another machine; at home the page has its cookie
export const needsToken = store(false);

/** Whether the server takes this token; one that it takes is kept. */
export async function useToken(given) {
  if (!/^[!-~]+$/.test(given.trim())) return false; // a header takes nothing else
  const response = await reached("/api/token", { method: "POST", headers: { ...headers({}), authorization: `Bearer ${given.trim()}` } });
  if (response.status === 401) return false;
  token.set(given.trim());
  needsToken.set(false);
  return true;
}

/** A place without the part of the request that it stands in: people see fields, not requests. */
const plainPlace = (told) => told.replace(/^(body|query|path)\./, "");

/** {status, code, message, hint, where, all, current}; `missing`: this server has no such address yet. */
export class ApiError extends Error {
  constructor(status, told = {}, current) {
    super(told.message || t("error.status", { status }));
    this.name = "ApiError";
    Object.assign(this, { status, code: told.code || "unknown", hint: told.hint || "", where: plainPlace(told.where || ""), all: (told.all || []).map(plainPlace), current });
    this.missing = (status === 404 && told.code === "not_found") || status === 405;
    this.stale = status === 412;
  }
}

const headers = (more) => {
  const made = { "accept-language": language.get(), ...more };
  if (token.get()) made.authorization = `Bearer ${token.get()}`;
  return made;
};

async function reached(url, options) {
  try {
    const response = await fetch(url, { credentials: "same-origin", cache: "no-store", ...options });
    if (response.status === 401) needsToken.set(true);
    return response;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { code: "unreachable", message: t("error.unreachable"), hint: t("error.unreachable.hint") });
  }
}

/** One call; gives {body, etag}. */
export async function ask(method, path, body, { etag, signal, type } = {}) {
  const raw = body instanceof Blob;
  const sent = body === undefined ? undefined : raw ? body : JSON.stringify(body);
  const kind = body === undefined ? {} : { "content-type": type || (raw ? body.type || "application/octet-stream" : "application/json") };
  const call = `${method} ${path.split("?")[0]}`;
  const began = performance.now();
  const response = await reached(`/api${path}`, { method, signal, body: sent, headers: headers({ ...kind, ...(etag ? { "if-match": etag } : {}) }) });
  const answer = await read(response);
  if (!response.ok) throw Object.assign(new ApiError(response.status, answer?.error, answer?.current), { call });
  if (connection.get() === "off") wake();
  const told = banner.get();
  if (told?.call === call || (told?.code === "unreachable" && began > told.at)) banner.set(null); // an older answer proves nothing
  return { body: answer, etag: response.headers.get("etag") };
}

async function read(response) {
  const text = await response.text();
  try { return text ? JSON.parse(text) : null; } catch { return null; }
}

/** `options`: {etag} is sent as If-Match, {signal} stops the call. */
export const get = async (path, options) => (await ask("GET", path, undefined, options)).body;
/** The answer with its ETag: {body, etag}. */
export const tagged = (path, options) => ask("GET", path, undefined, options);
export const post = async (path, body = {}, options) => (await ask("POST", path, body, options)).body;
export const put = async (path, body, options) => (await ask("PUT", path, body, options)).body;
export const patch = async (path, body, options) => (await ask("PATCH", path, body, options)).body;
export const del = async (path, options) => (await ask("DELETE", path, undefined, options)).body;

/** A file: {blob, name}. */
export async function file(path, { signal } = {}) {
  const response = await reached(`/api${path}`, { signal, headers: headers({}) });
  if (!response.ok) throw new ApiError(response.status, (await read(response))?.error);
  const name = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get("content-disposition") ?? "");
  return { blob: await response.blob(), name: name ? decodeURIComponent(name[1]) : "" };
}

/** A path with a query; lists repeat their name, empty values are left out. */
export function url(path, query = {}) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined && one !== null && one !== "") search.append(name, one);
  const told = search.toString();
  return told ? `${path}?${told}` : path;
}

export const inRole = (role, path = "") => `/roles/${encodeURIComponent(role)}${path}`;

/** Every row of a paged list, page after page; `grow` hears the rows so far. */
export async function all(path, query = {}, { signal, grow } = {}) {
  const rows = [];
  for (let offset = 0; ; offset += 500) {
    const page = await get(url(path, { ...query, limit: 500, offset }), { signal });
    rows.push(...page.items);
    if (rows.length >= page.total || !page.items.length) return rows;
    grow?.(rows, page.total);
  }
}

// Events: one line to the server for all who listen, taken up again where it broke.
const listeners = new Set();
let running = false;
let last = "";
let wake = () => {}; // ends the pause before the line is taken up again: the server has answered something else

/** Hear what happens: call({kind, role, ...values}); kind "gap" means: look at everything anew. Gives what stops it. */
export function events(call, { role, kinds } = {}) {
  const one = (event) => {
    const fits = event.kind === "gap" || ((!role || !event.role || event.role === role) && (!kinds || kinds.includes(event.kind)));
    if (fits) call(event);
  };
  listeners.add(one);
  if (!running) listen();
  return () => listeners.delete(one);
}

async function listen() {
  running = true;
  let pause = 500;
  while (listeners.size) {
    let refused = false; // for want of the token, which is asked for: the server is there
    try {
      const response = await fetch("/api/events", { headers: headers(last ? { "last-event-id": last } : {}), cache: "no-store" });
      refused = response.status === 401;
      if (response.ok) {
        if (connection.get() === "off") {
          tell({ kind: "gap" });
          if (banner.get()?.code === "unreachable") banner.set(null);
        }
        connection.set("on");
        pause = 500;
        await drain(response.body.getReader());
      }
    } catch { /* the line broke: below */ }
    if (!leaving && !refused) connection.set("off");
    await new Promise((done) => { wake = done; setTimeout(done, pause); });
    pause = Math.min(pause * 2, 15000);
  }
  running = false;
}

let leaving = false;
addEventListener("pagehide", () => { leaving = true; });
addEventListener("pageshow", () => { leaving = false; });

async function drain(reader) {
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += decoder.decode(value, { stream: true });
    const blocks = rest.split("\n\n");
    rest = blocks.pop();
    blocks.forEach(block);
  }
}

function block(text) {
  const fields = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).trim();
  }
  if (fields.id) last = fields.id;
  if (!fields.event) return;
  let values = {};
  try { values = JSON.parse(fields.data || "{}"); } catch { /* an event without values */ }
  tell({ ...values, kind: fields.event });
}

const tell = (event) => { for (const call of [...listeners]) call(event); };
