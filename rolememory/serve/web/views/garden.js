// The garden: every memory of a role as a point; near in meaning stands near. A list says the same in words.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../preact.js";
import { address, go } from "../router.js";
import { date, number, percent, t } from "../i18n.js";
import { fail } from "../live.js";
import { Busy, Button, EmptyState, Field, Meter, Trouble, useAsked, useQuiet } from "../ui.js";
import { FEELINGS, Facts, TYPES, feelingWord, many, removed } from "./common.js";
import { Editor } from "./editor.js";
import { AHEAD, FADING, KINDS, STEPS, grown, hue, joined, mapped, newestFirst, planted, says, staged, strength, useFreshness, useTimes } from "./garden_data.js";
import { Ground } from "./garden_ground.js";
import { useFollowing } from "./list.js";

const LISTED = 100;
const CUT = 90; // characters of another memory's words
const DEEDS = { e: "edit", p: "pin", a: "archive", Delete: "delete" };

export default function Garden({ role, query }) {
  const took = useRef(0);
  const asked = useAsked(async (signal) => { const begun = performance.now(); const found = await grown(role, signal); took.current = performance.now() - begun; return found; }, [role]);
  const map = useAsked((signal) => mapped(role, signal), [role]);
  const data = useMemo(() => asked.value && map.value && planted(asked.value, map.value), [asked.value, map.value]);
  const [adding, setAdding] = useState(false);
  const [wanted, setWanted] = useState(query.at ?? null);
  const again = () => { asked.again(); map.again(); };
  useFollowing(role, again, undefined, took);
  const made = (memory) => { setWanted(memory.id); again(); };
  return html`<div class="row apart"><h1 tabindex="-1">${t("garden.title")}</h1><${Button} kind="main" onClick=${() => setAdding(true)}>${t("garden.add")}<//></div>
    ${asked.error && !asked.value && html`<${Trouble} error=${asked.error} again=${again} />`}
    ${!data && !asked.error && html`<div class="ground waiting"><${Busy} text=${asked.value && t("garden.laying", { count: number(asked.value.length) })} /></div>`}
    ${data?.memories.length === 0 && html`<${EmptyState} title=${t("garden.empty")} text=${t("garden.empty.hint")}><a class="button" href=${address("welcome")}>${t("garden.start")}</a><//>`}
    ${data?.memories.length > 0 && html`<${Plot} role=${role} data=${data} again=${again} chosen=${wanted} choose=${setWanted} first=${query.at} />`}
    ${adding && html`<${Editor} role=${role} onClose=${() => setAdding(false)} onDone=${made} />`}`;
}

function usePalette(box) {
  const [palette, set] = useState(null);
  useLayoutEffect(() => {
    const read = () => {
      const style = getComputedStyle(box.current ?? document.body);
      const of = (name) => style.getPropertyValue(`--${name}`).trim();
      const dark = document.documentElement.dataset.theme === "dark" || (document.documentElement.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
      set({ dark, ...Object.fromEntries([...TYPES, "ink", "soft", "accent", "sheet"].map((name) => [name, of(name)])) });
    };
    read();
    const system = matchMedia("(prefers-color-scheme: dark)");
    const watcher = new MutationObserver(read);
    watcher.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    system.addEventListener("change", read);
    return () => { watcher.disconnect(); system.removeEventListener("change", read); };
  }, []);
  return palette;
}

/** What came since the last look: {ids, at}; nothing at the first. */
function useBorn(data) {
  const before = useRef(null);
  return useMemo(() => {
    const ids = before.current ? data.memories.filter((one) => !before.current.has(one.id)).map((one) => one.id) : [];
    before.current = data.every;
    return ids.length && ids.length < LISTED ? { ids, at: performance.now() } : null;
  }, [data.memories]);
}

function Plot({ role, data, again, chosen, choose, first }) {
  const [by, setBy] = useState("type");
  const [step, setStep] = useState(STEPS);
  const [q, setQ] = useState("");
  const [as, setAs] = useState("map");
  const [only, setOnly] = useState("all"); // all, fading
  const [lines, setLines] = useState(new Set(KINDS));
  const [editing, setEditing] = useState(null);
  const box = useRef(null);
  const palette = usePalette(box);
  const times = useTimes(data.memories);
  const fresh = useFreshness(role, data, times, step);
  const born = useBorn(data);
  const wanted = useQuiet(q.trim().toLowerCase(), 150);
  const at = times.at(step);
  const known = useMemo(() => data.memories.filter((one) => times.known(one, at)), [data, at]);
  const fading = useMemo(() => known.filter((one) => strength(fresh, one) < FADING), [known, fresh]);
  const shown = only === "all" ? known : fading;
  const ghosts = useMemo(() => (only === "all" && lines.has("supersedes") ? data.memories.filter((one) => times.ghost(one, at)) : []), [data, at, only, lines]);
  const scene = useMemo(() => palette && staged(data, shown, ghosts, { by, wanted, lines, palette, fresh }), [data, shown, ghosts, by, wanted, lines, palette, fresh]);
  const memory = data.every.get(chosen);
  const moment = worded(times, step, fresh);
  const told = t("garden.told", { at: moment, count: number(known.length), fading: number(fading.length) });
  const act = (id, key) => { const deed = DEEDS[key]; if (deed) done(role, data.every.get(id), deed, setEditing, again).catch(fail); return !!deed; };
  const turn = (kind) => (on) => setLines((now) => new Set(KINDS.filter((one) => (one === kind ? on : now.has(one)))));
  return html`<div ref=${box}>
    <div class="garden-tools"><${Field} type="search" label=${t("garden.search")} value=${q} onInput=${setQ} autocomplete="off" />
      <${Field} as="select" label=${t("garden.colour")} value=${by} onInput=${setBy} options=${[["type", t("field.type")], ["feeling", t("field.emotions")]]} />
      <${Field} as="select" label=${t("garden.only")} value=${only} onInput=${setOnly} options=${[["all", t("garden.only.all")], ["fading", t("garden.only.fading")]]} />
      <div class="row pair" role="group" aria-label=${t("garden.as")}><${Button} aria-pressed=${as === "map"} onClick=${() => setAs("map")}>${t("garden.map")}<//><${Button} aria-pressed=${as === "list"} onClick=${() => setAs("list")}>${t("garden.list")}<//></div></div>
    <div class="timeline"><${Field} type="range" min="0" max=${STEPS + AHEAD} step="1" label=${`${t("garden.time")}: ${moment}`} aria-valuetext=${moment} value=${step} onInput=${(value) => setStep(Number(value))} />
      <${Button} kind="small" disabled=${step === STEPS} onClick=${() => setStep(STEPS)}>${t("garden.to.now")}<//></div>
    <p id="garden-told" class="soft" role="status">${told}</p>
    <div class="columns garden-columns"><div>
      ${as === "map" && !scene && html`<div class="ground waiting"></div>`}
      ${as === "map" && scene && html`<${Ground} scene=${scene} chosen=${chosen} choose=${choose} act=${act} open=${(id) => go("memory", role, id)} label=${`${t("garden.map.label")} ${told}`} centred=${first} born=${born} />
        <${Legend} by=${by} shown=${shown} data=${data} palette=${palette} lines=${lines} turn=${turn} />`}
      ${as === "list" && html`<${InWords} role=${role} shown=${shown} wanted=${wanted} fresh=${fresh} choose=${choose} chosen=${chosen} />`}
    </div><aside class=${`sheet ${memory ? "picked" : ""}`} aria-label=${t("garden.chosen")}>${memory
      ? html`<${Picked} key=${memory.id} role=${role} memory=${memory} data=${data} light=${strength(fresh, memory)} choose=${choose} edit=${() => setEditing(memory)} again=${again} />`
      : html`<p class="soft">${t("garden.choose")}</p>`}</aside></div>
    ${editing && html`<${Editor} role=${role} memory=${editing} onClose=${() => setEditing(null)} onDone=${again} />`}</div>`;
}

/** The slider's moment in words. */
function worded(times, step, fresh) {
  if (step === STEPS) return t("garden.now");
  if (step < STEPS) return date(new Date(times.at(step)));
  return t("garden.ahead", { age: t(`unit.${fresh.unit}`, { count: number(times.ahead(step) * fresh.half_life, 0) }) });
}

async function done(role, memory, deed, edit, again) {
  if (deed === "edit") return edit(memory);
  if (deed === "delete") await removed(role, memory);
  else if (deed === "pin") await many(role, memory.constant ? "unpin" : "pin", [memory.id]);
  else await many(role, "archive", [memory.id]);
  return again();
}

const counted = (shown, of) => shown.reduce((found, one) => found.set(of(one), (found.get(of(one)) ?? 0) + 1), new Map());

function Legend({ by, shown, data, palette, lines, turn }) {
  const feeling = (memory) => memory.emotions.find((one) => FEELINGS.includes(one)) ?? "";
  const counts = counted(shown, by === "type" ? (one) => one.type : feeling);
  const rows = by === "type" ? TYPES.map((one) => [one, t(`type.${one}`), palette[one]]) : [...FEELINGS.map((one) => [one, feelingWord(one), hue(one, palette.dark)]), ["", t("none"), palette.soft]];
  return html`<ul class="legend">${rows.filter(([name]) => counts.get(name)).map(([name, word, colour]) => html`<li key=${name}><span class="dot" style=${{ color: colour }} aria-hidden="true"></span> ${word} <span class="soft">${number(counts.get(name))}</span></li>`)}</ul>
    ${data.edges.length > 0 && html`<div class="row lines" role="group" aria-label=${t("garden.lines")}>${KINDS.filter((kind) => data.edges.some((edge) => edge.kind === kind)).map((kind) => html`<${Field} key=${kind} as="check" label=${html`<span class=${`stroke ${kind}`} aria-hidden="true"></span> ${t(`line.${kind}`)}`} value=${lines.has(kind)} onInput=${turn(kind)} />`)}</div>`}
    <p class="hint">${t({ meaning: "garden.near", words: "garden.near.words" }[data.by] ?? "garden.groups")} ${t("garden.bright")}</p>`;
}

/** The same in words. */
function InWords({ role, shown, wanted, fresh, choose, chosen }) {
  const [count, setCount] = useState(LISTED);
  const rows = useMemo(() => (wanted ? shown.filter((one) => says(one, wanted)) : shown).slice().sort(newestFirst), [shown, wanted]);
  if (!rows.length) return html`<${EmptyState} title=${t("garden.nothing")} />`;
  return html`<ol class="memories">${rows.slice(0, count).map((one) => html`<li key=${one.id} class=${one.id === chosen ? "chosen-row" : ""}><div class="grow"><a class="said" href=${address("memory", role, one.id)} onFocus=${() => choose(one.id)}>${cut(one.content, 400)}</a><${Facts} memory=${one} /></div>
    <${Meter} value=${strength(fresh, one)} label=${t("garden.strength")} text=${percent(strength(fresh, one))} /></li>`)}</ol>
    ${rows.length > count && html`<${Button} onClick=${() => setCount(count + LISTED)}>${t("garden.more", { count: number(rows.length - count) })}<//>`}`;
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most)}…` : text);

function Picked({ role, memory, data, light, choose, edit, again }) {
  const act = (deed) => () => done(role, memory, deed, edit, again);
  const others = useMemo(() => joined(data, memory.id).slice(0, 8), [data, memory.id]);
  return html`<div class="row apart"><strong class="soft small">${t("garden.chosen")}</strong><${Button} kind="small quiet" aria-label=${t("close")} onClick=${() => choose(null)}>✕<//></div>
    <p class="memory-text">${cut(memory.content, 600)}</p><${Facts} memory=${memory} />
    <p class="row"><span class="soft">${t("garden.strength")}</span> <${Meter} value=${light} label=${t("garden.strength")} text=${percent(light)} /></p>
    <div class="row deeds-row"><a class="button main" href=${address("memory", role, memory.id)}>${t("garden.open")}</a><${Button} onClick=${edit}>${t("edit")}<//>
      <${Button} aria-pressed=${memory.constant} onClick=${act("pin")}>${t(memory.constant ? "unpin" : "pin")}<//>
      <${Button} onClick=${act("archive")}>${t("archive")}<//><${Button} kind="danger" onClick=${act("delete")}>${t("delete")}<//></div>
    ${others.length > 0 && html`<h3>${t("garden.joined")}</h3><ul class="joined">${others.map((one) => html`<li key=${one.memory.id}><span class="soft small">${t(`joined.${one.kind}`)}</span>
      <button type="button" class="as-link" onClick=${() => choose(one.memory.id)}>${cut(one.memory.content, CUT)}</button></li>`)}</ul>`}`;
}
