// What fired with the parts of its score, entries by the pass that woke them, and what did not fire with the way in.
import { html, useEffect, useState } from "../preact.js";
import { get, inRole, post, url } from "../api.js";
import { number, t } from "../i18n.js";
import { announce } from "../live.js";
import { Busy, Button, Field, Meter, Trouble, useAsked, useQuiet } from "../ui.js";
import { Kind, many } from "./common.js";
import { Signed, ToMemory, applied, keepContents, useContents } from "./parts.js";

const LEFT_OUT = 30; // refusals whose way in is looked for at once
const ASKED = 20;

/** Memories that fire, in the order of their score, numbered as on the ruler. */
export function Fired({ role, items }) {
  if (!items.length) return html`<p class="soft">${t("play.fired.none")}</p>`;
  return html`<ol class="plain numbered">${items.map((one, place) => html`<li key=${one.id} data-id=${one.id}>
    <p class="wrapped"><span class=${`place ${one.type}`} aria-hidden="true">${place + 1}</span><${ToMemory} role=${role} id=${one.id}>${one.content}<//></p>
    <p class="facts-row"><${Kind} type=${one.type} /><span>${t("play.score", { score: number(one.score, 2) })}</span><span>${t("play.cost", { cost: number(one.cost) })}</span></p>
    <ul class="reasons">${one.why.map((reason) => html`<li key=${`${reason.by} ${reason.text}`}>${reason.text} ${reason.strength !== null && html`<${Meter} value=${reason.strength} label=${t("play.strength")} text=${number(reason.strength, 2)} />`}</li>`)}</ul>
    <details open=${place === 0}><summary class="small">${t("play.parts")}</summary><${Signed} most=${1} label=${t("play.parts")} rows=${[{ name: "relevance", text: t("play.relevance"), amount: one.relevance }, ...one.parts]} /></details></li>`)}</ol>`;
}

/** Entries that fire, by the pass over the books that woke them. */
export function Awake({ lore }) {
  if (!lore?.awake.length) return html`<p class="soft">${t("play.lore.none")}</p>`;
  const passes = [...new Set(lore.awake.map((one) => one.in_pass))].sort((one, other) => one - other);
  return html`<p class="small soft">${t("play.lore.budget", { used: number(lore.used), budget: number(lore.budget) })}${lore.overflowed ? ` · ${t("play.lore.full")}` : ""}</p>
    ${passes.map((pass) => html`<div key=${pass} class="pass" data-pass=${pass}><h3><span class="badge">${t("play.pass", { number: number(pass) })}</span> ${t(pass === 1 ? "play.pass.chat" : "play.pass.entries")}</h3>
      <ul class="plain">${lore.awake.filter((one) => one.in_pass === pass).map((one) => html`<li key=${one.id} data-id=${one.id}><strong>${one.title}</strong><p class="wrapped">${one.content}</p><p class="small soft">${one.why.text} · ${t("play.tokens", { count: number(one.tokens) })}</p></li>`)}</ul></div>`)}`;
}

/** The way in: the smallest change as a button, words for the message as another. */
function Way({ remedy, apply, say }) {
  if (!remedy) return null;
  const word = remedy.target === "message";
  if (word && !remedy.value) return html`<p class="small">${remedy.text}</p>`;
  return html`<div class="way"><span class="small">${t("play.remedy", { text: remedy.text })}</span>
    <${Button} kind="small" onClick=${word ? () => { say(String(remedy.value)); announce(t("play.said")); } : apply} aria-label=${word ? `${t("play.say")}: ${remedy.value}` : t("play.apply.this", { text: remedy.text })}>${t(word ? "play.say" : "play.apply")}<//></div>`;
}

/** Entries that do not fire. */
const Asleep = ({ role, lore, again, say }) => html`<ul class="plain missed" id="asleep">${lore.refused.map((one) => html`<li key=${one.id} data-id=${one.id}><div><strong>${one.title}</strong> <span class="small soft">${one.id}</span><p class="small soft">${one.text}</p></div>
  <${Way} remedy=${one.remedy} say=${say} apply=${() => applied(role, one.remedy, again)} /></li>`)}</ul>`;

/** Entries of the books, awake and asleep, for a trial of the books alone. */
export const Lore = ({ role, lore, again, say }) => html`<${Awake} lore=${lore} />${lore?.refused.length > 0 && html`<details><summary>${t("play.asleep")}</summary><${Asleep} role=${role} lore=${lore} again=${again} say=${say} /></details>`}`;

/** What did not fire: what was woken and left out, and memories that are looked for. Their ways in come a moment later. */
export function Missed({ role, asked, why, again, say, speak }) {
  const [q, setQ] = useState("");
  const words = useQuiet(q, 250);
  const found = useAsked((signal) => get(url(inRole(role, "/memories"), { q: words, limit: ASKED, sort: "-created", archived: "all" }), { signal }), [role, words, why]);
  const listed = found.value?.items ?? [];
  useEffect(() => keepContents(role, listed), [found.value]);
  const fired = new Set(why.items.map((one) => one.id));
  const left = why.rows.slice(0, LEFT_OUT).map((one) => one.id);
  const ids = [...new Set([...left, ...listed.map((one) => one.id)])].filter((id) => !fired.has(id));
  const quiet = useQuiet(ids.join("\n"), 300);
  const told = useAsked((signal) => post(inRole(role, "/explain"), { ...asked, lore: true, ids: quiet ? quiet.split("\n") : [], remedies: true, asleep: true }, { signal }), [role, asked, quiet, why]);
  const rows = new Map([...why.rows, ...(told.value?.rows ?? [])].filter((row) => !row.injected).map((row) => [row.id, row]));
  const shown = (words ? ids.filter((id) => listed.some((one) => one.id === id)) : ids).map((id) => rows.get(id)).filter(Boolean);
  const content = useContents(role, shown.map((row) => row.id));
  const owner = new Map(listed.map((one) => [one.id, one.user]));
  const near = new Set(left);
  const part = (some) => html`<ul class="plain missed">${some.map((row) => html`<${Left} key=${row.id} role=${role} row=${row} text=${content(row.id)} owner=${owner.get(row.id)} again=${again} say=${say} speak=${speak} />`)}</ul>`;
  const [close, far] = [shown.filter((row) => near.has(row.id)), shown.filter((row) => !near.has(row.id))];
  return html`<${Field} type="search" label=${t("play.look")} hint=${t("play.look.hint")} value=${q} onInput=${setQ} autocomplete="off" />
    ${told.error && html`<${Trouble} error=${told.error} again=${told.again} />`}
    ${(told.busy || found.busy) && html`<${Busy} text=${t("play.looking")} />`}
    ${!shown.length && !told.busy && !found.busy && html`<p class="soft">${t("play.missed.none")}</p>`}
    <div id="missed-rows">${close.length > 0 && html`<h3>${t("play.missed.close")}</h3>${part(close)}`}
      ${far.length > 0 && html`<h3>${t("play.missed.far")}</h3>${part(far)}`}</div>
    ${told.value?.lore?.refused.length > 0 && html`<h3>${t("play.asleep")}</h3><${Asleep} role=${role} lore=${told.value.lore} again=${again} say=${say} />`}`;
}

/** One memory that does not fire. */
function Left({ role, row, text, owner, again, say, speak }) {
  const pin = async () => { await many(role, "pin", [row.id]); again(); };
  const other = row.gate === "other_user" && owner;
  return html`<li data-id=${row.id}><div><p class="wrapped"><${ToMemory} role=${role} id=${row.id}>${text}<//></p>
      ${row.reasons.map((reason) => html`<p key=${reason.text} class="small soft">${reason.text}</p>`)}</div>
    ${other ? html`<div class="way"><span class="small">${t("play.belongs", { user: owner })}</span><${Button} kind="small" onClick=${() => speak(owner)} aria-label=${t("play.speak.as", { user: owner })}>${t("play.speak")}<//></div>`
      : row.remedy ? html`<${Way} remedy=${row.remedy} say=${say} apply=${() => applied(role, row.remedy, again)} />`
      : row.gate && html`<div class="way"><${Button} kind="small" onClick=${pin} aria-label=${`${t("pin")}: ${text}`}>${t("pin")}<//></div>`}</li>`;
}
