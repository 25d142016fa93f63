// One memory: its words, its strength over time, where it came from, what it replaced, when it was used and why, its history.
import { html, useState } from "../preact.js";
import { address, go } from "../router.js";
import { get, inRole, post, url } from "../api.js";
import { number, percent, t, time } from "../i18n.js";
import { toast } from "../live.js";
import { Busy, Button, Chips, EmptyState, Meter, Spark, Trouble, useAsked } from "../ui.js";
import { Facts, feelingWord, many, memoryPath, removed, subjectWord } from "./common.js";
import { Editor } from "./editor.js";
import { useFollowing } from "./list.js";

const FADING = 0.4; // below this it is said to be fading, as in the garden

export default function MemoryView({ role, info, rest }) {
  const id = rest.join("/");
  const asked = useAsked(async (signal) => {
    const [detail, history] = await Promise.all([get(memoryPath(role, id), { signal }), get(url(inRole(role, "/history"), { memory: id, limit: 50 }), { signal })]);
    return { detail, history: history.items };
  }, [role, id]);
  useFollowing(role, asked.again);
  if (asked.error?.code === "unknown_memory") return html`<h1 tabindex="-1">${t("memory.gone")}</h1><${Gone} role=${role} id=${id} again=${asked.again} />`;
  if (asked.error && !asked.value) return html`<${Trouble} error=${asked.error} again=${asked.again} />`;
  if (!asked.value) return html`<${Busy} />`;
  return html`<${Card} role=${role} info=${info} ...${asked.value} again=${asked.again} />`;
}

/** Deleted: its history is still there, and with it the way back. */
function Gone({ role, id, again }) {
  const history = useAsked(async (signal) => (await get(url(inRole(role, "/history"), { memory: id, limit: 50 }), { signal })).items, [role, id]);
  return html`<p><a href=${address("list", role)}>${t("memory.back")}</a></p>
    ${history.value?.length === 0 && html`<${EmptyState} title=${t("memory.never")} />`}
    ${history.value?.length > 0 && html`<${History} role=${role} lines=${history.value} again=${() => { history.again(); again(); }} />`}`;
}

function Card({ role, info, detail, history, again }) {
  const { memory } = detail;
  const [editing, setEditing] = useState(false);
  const bulk = async (op) => { await many(role, op, [memory.id]); again(); };
  const remove = async () => { await removed(role, memory); go("list", role); };
  return html`<p class="row apart"><a href=${address("list", role)}>← ${t("memory.back")}</a><a href=${`${address("garden", role)}?at=${encodeURIComponent(memory.id)}`}>${t("memory.in.garden")}</a></p>
    <h1 tabindex="-1" class="unseen">${t("memory.title")}: ${memory.content.slice(0, 80)}</h1>
    <article class="sheet"><p class="memory-text">${memory.content}</p><${Facts} memory=${memory} />
      <div class="row deeds-row"><${Button} kind="main" onClick=${() => setEditing(true)}>${t("edit")}<//>
        <${Button} aria-pressed=${memory.constant} onClick=${() => bulk(memory.constant ? "unpin" : "pin")}>${t(memory.constant ? "unpin" : "pin")}<//>
        <${Button} aria-pressed=${memory.locked} onClick=${() => bulk(memory.locked ? "unlock" : "lock")}>${t(memory.locked ? "unlock" : "lock")}<//>
        <${Button} onClick=${() => bulk(memory.archived ? "restore" : "archive")}>${t(memory.archived ? "restore" : "archive")}<//>
        <${Button} kind="danger" onClick=${remove}>${t("delete")}<//></div></article>
    <div class="columns"><div>
      <${Strength} detail=${detail} />
      <${Origin} role=${role} info=${info} detail=${detail} />
      <${Replaced} role=${role} title=${t("memory.replaced")} rows=${detail.replaced} />
      <${Replaced} role=${role} title=${t("memory.replaced.by")} rows=${detail.replaced_by} />
      <${History} role=${role} lines=${history} again=${again} />
    </div><div><${Values} memory=${memory} info=${info} /><${Injected} detail=${detail} /></div></div>
    ${editing && html`<${Editor} role=${role} memory=${memory} onClose=${() => setEditing(false)} onDone=${again} />`}`;
}

/** The age at which too little will be left, or null where it never comes to that. */
function fadesAt({ points, age }) {
  const ahead = points.filter(([at]) => at >= age);
  const below = ahead.findIndex(([, left]) => left < FADING);
  if (below < 1) return null;
  const [[from, high], [to, low]] = [ahead[below - 1], ahead[below]];
  return from + ((high - FADING) / (high - low || 1)) * (to - from);
}

/** The curve: what time has left, when it was used, and what is to come. */
function Strength({ detail }) {
  const { fading, uses, injections } = detail;
  const unit = (value, digits = 1) => t(`unit.${fading.unit}`, { count: number(value, digits) });
  const told = fading.fades ? t("strength.fades", { now: percent(fading.now), half: unit(fading.half_life), share: percent(fading.share) }) : t("strength.stays");
  const end = fading.fades ? fadesAt(fading) : null;
  return html`<section class="sheet"><h2>${t("strength.title")}</h2>
    <${Spark} points=${fading.points} now=${fading.age} nowLabel=${t("strength.now", { age: unit(fading.age) })} marks=${uses.map((use) => use.age)} label=${`${t("strength.title")}: ${told}`} />
    <p class="row apart soft small"><span>${t("strength.told")}</span><span>${t("strength.ahead", { age: unit(fading.points.at(-1)?.[0] ?? 0, 0) })}</span></p>
    <p>${told} ${end !== null && t("strength.forecast", { level: percent(FADING), age: unit(end - fading.age, 0) })} ${fading.fades && fading.now < FADING && t("strength.faded", { now: percent(fading.now) })}</p>
    <p>${uses.length ? html`${t("strength.uses", { count: number(uses.length), last: time(uses[0].at), heard: number(uses.filter((use) => use.referenced).length) })} <span class="soft">${t("strength.uses.mark")}</span>` : injections.length ? t("strength.uses.since", { count: number(injections.length) }) : t("strength.unused")}</p></section>`;
}

const Origin = ({ role, info, detail }) => html`<section class="sheet"><h2>${t("origin.title")}</h2>
  ${!detail.evidence.length && html`<p>${t(`origin.${detail.memory.source}`)}</p>`}
  ${detail.evidence.map((one) => html`<div class=${one.stands ? "" : "gone"} key=${one.chat + one.version + one.quote}>
    ${one.answers && html`<p class="soft">${t("origin.answers")} <q>${one.answers}</q></p>`}
    <blockquote><${Quoted} text=${one.text || one.quote} quote=${one.quote} /></blockquote>
    <p class="soft">${[{ assistant: info.name, user: detail.memory.user || t("subject.user") }[one.speaker] ?? one.speaker, one.at && time(one.at), one.title || one.chat].filter(Boolean).join(" · ")}${!one.stands && html` · <strong>${t("origin.gone")}</strong>`}
      ${one.text && html` · <a href=${address("chats", role, one.chat)}>${t("origin.chat")}</a>`}</p></div>`)}</section>`;

/** A message with the quoted sentence marked in it. */
function Quoted({ text, quote }) {
  const at = quote ? text.indexOf(quote) : -1;
  return at < 0 ? text : html`${text.slice(0, at)}<mark>${quote}</mark>${text.slice(at + quote.length)}`;
}

const Replaced = ({ role, title, rows }) => rows.length > 0 && html`<section class="sheet"><h2>${title}</h2><ul>${rows.map((one) => html`<li key=${one.id}>
  <a href=${address("memory", role, one.id)}>${one.content}</a> <span class="soft">${one.created && time(one.created)} ${one.archived && t("archived")}</span></li>`)}</ul></section>`;

const Row = ({ name, children }) => html`<dt>${t(`field.${name}`)}</dt><dd>${children}</dd>`;

const Values = ({ memory, info }) => html`<section class="sheet"><h2>${t("memory.values")}</h2><dl class="facts">
  <${Row} name="subject">${subjectWord(memory, info)}<//>
  <${Row} name="keys">${memory.keys.length ? html`<${Chips} items=${memory.keys} label=${t("field.keys")} />` : t("none")}<//>
  <${Row} name="emotions">${memory.emotions.length ? html`<${Chips} items=${memory.emotions.map(feelingWord)} label=${t("field.emotions")} />` : t("none")}<//>
  <${Row} name="topics">${memory.topics.length ? html`<${Chips} items=${memory.topics} label=${t("field.topics")} />` : t("none")}<//>
  <${Row} name="salience"><${Meter} value=${memory.salience} label=${t("field.salience")} text=${percent(memory.salience)} /><//>
  <${Row} name="weight_now"><${Meter} value=${memory.weight_now / 2} label=${t("field.weight_now")} text=${number(memory.weight_now, 2)} /><//>
  <${Row} name="priority">${memory.priority}<//>
  <${Row} name="confidence"><${Meter} value=${memory.confidence} label=${t("field.confidence")} text=${percent(memory.confidence)} /><//>
  <${Row} name="user">${memory.user ?? t("shared")}<//>
  ${memory.created && html`<${Row} name="created">${time(memory.created)}<//>`}
  ${memory.written && html`<${Row} name="written">${time(memory.written)}<//>`}
  ${memory.expires && html`<${Row} name="expires">${time(memory.expires)}<//>`}
  <dt>id</dt><dd><code>${memory.id}</code></dd>
  ${Object.entries(memory.extra).map(([name, value]) => html`<dt key=${name}>${name}</dt><dd><code>${JSON.stringify(value)}</code></dd>`)}
</dl></section>`;

const Injected = ({ detail }) => html`<section class="sheet"><h2>${t("injected.title")}</h2>
  ${!detail.injections.length && html`<p>${detail.uses.length ? t("injected.earlier", { last: time(detail.uses[0].at) }) : t("injected.never")}</p>`}
  ${detail.injections.slice(0, 5).map((one) => html`<div key=${one.at + one.chat}><h3>${time(one.at)} · <${Meter} value=${one.score} label=${t("score")} text=${number(one.score, 2)} /></h3>
    <ul>${one.why.map((why) => html`<li>${why.text} ${why.strength !== null && html`<span class="soft">(${number(why.strength, 2)})</span>`}</li>`)}</ul></div>`)}</section>`;

const short = (value) => { const text = typeof value === "string" ? value : JSON.stringify(value); return text && text.length > 200 ? `${text.slice(0, 200)}…` : text; };
const known = (key, otherwise) => { const told = t(key); return told === key ? otherwise : told; };

/** Every recorded change, newest first, each with its way back. */
function History({ role, lines, again }) {
  const undo = (line) => async () => {
    const done = await post(inRole(role, "/undo"), { txn: line.txn });
    toast(t("history.undone", { count: number(done.changed.length) }), done.txn && (async () => { await post(inRole(role, "/undo"), { txn: done.txn }); again(); }));
    again();
  };
  return html`<section class="sheet"><h2>${t("history.title")}</h2>${!lines.length && html`<p>${t("history.none")}</p>`}
    <ol class="history">${lines.map((line) => html`<li key=${line.seq}><div class="row apart"><span><strong>${known(`op.${line.op}`, line.op)}</strong> · ${time(line.at)} · ${known(`actor.${line.actor}`, line.actor)}${line.reason && ` · ${line.reason}`}</span>
      <${Button} kind="small" onClick=${undo(line)} aria-label=${`${t("undo")}: ${known(`op.${line.op}`, line.op)}, ${time(line.at)}`}>${t("undo")}<//></div>
      ${line.op === "set" && html`<ul class="soft">${Object.entries(line.fields).map(([name, [before, after]]) => html`<li key=${name}>${known(`field.${name}`, name)}: <del>${short(before)}</del> → <ins>${short(after)}</ins></li>`)}</ul>`}</li>`)}</ol></section>`;
}
