// The garden: every memory of a role as a point; near in meaning stands near. A list says the same in words.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../preact.js";
import { address, go } from "../app.js";
import { all, get, inRole } from "../api.js";
import { date, number, percent, t } from "../i18n.js";
import { announce } from "../live.js";
import { Busy, Button, EmptyState, Field, Trouble, useAsked, useQuiet } from "../ui.js";
import { FEELINGS, Facts, TYPES, feelingWord, many } from "./common.js";
import { Editor } from "./editor.js";
import { Camera, draw } from "./garden_canvas.js";
import { Grid, ahead, fitted, grouped } from "./garden_layout.js";
import { useFollowing } from "./list.js";

const FADING = 0.4; // below this strength a memory is said to be fading
const STEPS = 200; // of the time slider
const LISTED = 100;
const HUES = { joy: 45, trust: 95, fear: 275, surprise: 190, sadness: 220, disgust: 75, anger: 5, anticipation: 28, love: 335, longing: 300, shame: 15, calm: 165 };

/** {memories, places: Map id -> [x, y], strengths: Map, links, byMeaning}; the map of the server, or our own grouping while there is none. */
async function planted(role, signal) {
  const [memories, map] = await Promise.all([all(inRole(role, "/memories"), { archived: "no" }, { signal }), mapped(role, signal)]);
  const own = grouped(memories);
  const places = map.places.size ? fitted(new Map(memories.map((one) => [one.id, map.places.get(one.id) ?? own.get(one.id)]))) : own;
  return { memories, ...map, places, byMeaning: map.places.size > 0 && map.meaning };
}

async function mapped(role, signal) {
  try {
    const map = await get(inRole(role, "/map"), { signal });
    const rows = (map.points ?? map.items ?? []).filter((one) => Number.isFinite(one.x) && Number.isFinite(one.y));
    return { places: new Map(rows.map((one) => [one.id, [one.x, one.y]])), strengths: new Map(rows.map((one) => [one.id, one.strength ?? one.freshness])), links: map.links ?? [], meaning: map.by !== "groups" };
  } catch (error) {
    if (!error.missing && error.status !== 404) throw error;
    return { places: new Map(), strengths: new Map(), links: [], meaning: false };
  }
}

export default function Garden({ role, query }) {
  const asked = useAsked((signal) => planted(role, signal), [role]);
  useFollowing(role, asked.again);
  if (asked.error && !asked.value) return html`<h1 tabindex="-1">${t("garden.title")}</h1><${Trouble} error=${asked.error} again=${asked.again} />`;
  if (!asked.value) return html`<h1 tabindex="-1">${t("garden.title")}</h1><${Busy} />`;
  if (!asked.value.memories.length) return html`<h1 tabindex="-1">${t("garden.title")}</h1><${EmptyState} title=${t("garden.empty")} text=${t("garden.empty.hint")}><a class="button main" href=${address("welcome")}>${t("garden.start")}</a><//>`;
  return html`<${Plot} role=${role} data=${asked.value} again=${asked.again} first=${query.at} />`;
}

const when = (memory) => (memory.created ? Date.parse(memory.created) : -Infinity);

/** The moments the slider stands for, and which memories were known then. */
function useTimes(memories) {
  return useMemo(() => {
    const times = memories.map(when).filter(Number.isFinite).sort((a, b) => a - b);
    const [from, to] = [times[0] ?? Date.now(), Math.max(Date.now(), times.at(-1) ?? 0)];
    const replaced = new Map();
    for (const one of memories) for (const id of one.supersedes) if (one.counts) replaced.set(id, Math.min(replaced.get(id) ?? Infinity, when(one)));
    return { at: (step) => (step >= STEPS ? Infinity : from + ((to - from) * step) / STEPS), known: (one, at) => when(one) <= at && !(replaced.get(one.id) <= at) };
  }, [memories]);
}

/** How strong a memory is now, 0..1: what the server says of its freshness, and its weight. */
const strength = (data, memory) => Math.min(1, ((data.strengths.get(memory.id) ?? 1) * memory.weight_now) / (memory.weight_now > 1 ? memory.weight_now : 1));

function colourOf(memory, by, colours, dark) {
  if (by === "type") return colours[memory.type];
  const feeling = memory.emotions.find((one) => one in HUES);
  return feeling ? `hsl(${HUES[feeling]} 70% ${dark ? 68 : 42}%)` : colours.soft;
}

function usePalette(box) {
  const [palette, set] = useState(null);
  useLayoutEffect(() => {
    const read = () => {
      const style = getComputedStyle(box.current ?? document.body);
      const of = (name) => style.getPropertyValue(`--${name}`).trim();
      const dark = document.documentElement.dataset.theme === "dark" || (document.documentElement.dataset.theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
      set({ dark, ...Object.fromEntries([...TYPES, "ink", "soft", "accent"].map((name) => [name, of(name)])) });
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

function Plot({ role, data, again, first }) {
  const [by, setBy] = useState("type");
  const [step, setStep] = useState(STEPS);
  const [q, setQ] = useState("");
  const [as, setAs] = useState("map");
  const [only, setOnly] = useState("all"); // all, fading
  const [chosen, setChosen] = useState(first ?? null);
  const [editing, setEditing] = useState(false);
  const box = useRef(null);
  const palette = usePalette(box);
  const times = useTimes(data.memories);
  const wanted = useQuiet(q.trim().toLowerCase(), 150);
  const at = times.at(step);
  const shown = useMemo(() => data.memories.filter((one) => times.known(one, at) && (only === "all" || strength(data, one) < FADING)), [data, at, only]);
  const fading = useMemo(() => shown.filter((one) => strength(data, one) < FADING).length, [shown]);
  const scene = useMemo(() => palette && staged(data, shown, by, wanted, palette), [data, shown, by, wanted, palette]);
  const memory = shown.find((one) => one.id === chosen);
  const moment = step >= STEPS ? t("garden.now") : date(new Date(at));
  const told = t("garden.told", { at: moment, count: number(shown.length), fading: number(fading) });
  return html`<div ref=${box}><div class="row apart"><h1 tabindex="-1">${t("garden.title")}</h1>
      <div class="row" role="group" aria-label=${t("garden.as")}><${Button} aria-pressed=${as === "map"} onClick=${() => setAs("map")}>${t("garden.map")}<//><${Button} aria-pressed=${as === "list"} onClick=${() => setAs("list")}>${t("garden.list")}<//></div></div>
    <div class="row end garden-tools"><div class="grow"><${Field} type="search" label=${t("garden.search")} value=${q} onInput=${setQ} /></div>
      <${Field} as="select" label=${t("garden.colour")} value=${by} onInput=${setBy} options=${[["type", t("field.type")], ["feeling", t("field.emotions")]]} />
      <${Field} as="select" label=${t("garden.only")} value=${only} onInput=${setOnly} options=${[["all", t("garden.only.all")], ["fading", t("garden.only.fading")]]} /></div>
    <${Field} type="range" min="0" max=${STEPS} step="1" label=${`${t("garden.time")}: ${moment}`} aria-valuetext=${moment} value=${step} onInput=${(value) => setStep(Number(value))} />
    <p id="garden-told" role="status">${told}</p>
    <div class="columns garden-columns"><div>
      ${as === "map" && scene && html`<${Ground} scene=${scene} chosen=${chosen} choose=${setChosen} open=${(id) => go("memory", role, id)} label=${`${t("garden.map.label")} ${told}`} centred=${first} />
        <${Legend} by=${by} shown=${shown} data=${data} palette=${palette} />`}
      ${as === "list" && html`<${Words} role=${role} shown=${shown} wanted=${wanted} data=${data} choose=${setChosen} chosen=${chosen} />`}
    </div><aside class="sheet" aria-label=${t("garden.chosen")}>${memory ? html`<${Picked} role=${role} memory=${memory} light=${strength(data, memory)} edit=${() => setEditing(true)} again=${again} />` : html`<p class="soft">${t("garden.choose")}</p>`}</aside></div>
    ${editing && memory && html`<${Editor} role=${role} memory=${memory} onClose=${() => setEditing(false)} onDone=${again} />`}</div>`;
}

const says = (memory, wanted) => `${memory.content} ${memory.keys.join(" ")} ${memory.tags.join(" ")} ${memory.topics.join(" ")}`.toLowerCase().includes(wanted);

/** What is drawn. What a search does not find is dimmed, not taken away. */
function staged(data, shown, by, wanted, palette) {
  const points = shown.map((memory) => {
    const [x, y] = data.places.get(memory.id);
    const found = !wanted || says(memory, wanted);
    return { id: memory.id, text: memory.content, x, y, found, colour: colourOf(memory, by, palette, palette.dark), light: found ? strength(data, memory) : 0, size: 3 + 3 * memory.salience + (memory.constant ? 2 : 0) };
  });
  const known = new Map(points.map((one) => [one.id, one]));
  const every = new Map(data.memories.map((one) => [one.id, one]));
  const lines = [];
  const join = (from, to, kind) => { if (known.has(from) && known.has(to)) lines.push([known.get(from), known.get(to), kind]); };
  for (const one of shown) for (const id of one.supersedes) if (every.has(id)) join(one.id, id, "supersedes");
  for (const link of data.links) join(link.from ?? link.a ?? link[0], link.to ?? link.b ?? link[1], link.kind ?? "link");
  return { points, lines, known, grid: new Grid(points), ink: palette.ink, accent: palette.accent };
}

const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function Ground({ scene, chosen, choose, open, label, centred }) {
  const canvas = useRef(null);
  const camera = useMemo(() => new Camera(), []);
  const [hovered, setHovered] = useState(null);
  const frame = useRef(0);
  const now = useRef({});
  now.current = { scene, chosen: scene.known.get(chosen), hovered };
  const paint = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => canvas.current && draw(canvas.current, camera, { ...now.current.scene, chosen: now.current.chosen, hovered: now.current.hovered?.point }));
  };
  useEffect(paint, [scene, chosen, hovered]);
  useEffect(() => { const point = scene.known.get(centred); if (point) { camera.zoom = 4; camera.centre(point); paint(); } }, []);
  useLayoutEffect(() => sized(canvas.current, camera, paint), []);
  useLayoutEffect(() => pointed(canvas.current, camera, paint, { point: (px, py) => under(camera, now.current.scene, px, py), hover: setHovered, choose: (point) => { choose(point?.id ?? null); } }), []);
  const keys = (event) => {
    const { scene: { points }, chosen: here } = now.current;
    const by = DIRECTIONS[event.key];
    if (by && event.shiftKey) camera.pan(-60 * by[0], -60 * by[1]);
    else if (by) {
      const next = here ? ahead(points, here, by) : scene.grid.nearest(camera.x, camera.y, 1);
      if (next) { choose(next.id); announce(next.text); if (!camera.sees(next)) camera.centre(next); }
    } else if (event.key === "+" || event.key === "=") camera.zoomAt(camera.width / 2, camera.height / 2, 1.4);
    else if (event.key === "-") camera.zoomAt(camera.width / 2, camera.height / 2, 1 / 1.4);
    else if (event.key === "0") camera.reset();
    else if (event.key === "Enter" && here) open(here.id);
    else if (event.key === "Escape") choose(null);
    else return;
    event.preventDefault();
    paint();
  };
  const zoom = (factor) => () => { camera.zoomAt(camera.width / 2, camera.height / 2, factor); paint(); };
  return html`<div class="ground"><canvas ref=${canvas} tabindex="0" role="application" aria-label=${label} aria-describedby="garden-keys" onKeyDown=${keys} data-points=${scene.points.length}></canvas>
    ${hovered && html`<div class="tip" style=${{ left: `${Math.min(hovered.px, camera.width - 220)}px`, top: `${hovered.py + 16}px` }}>${hovered.point.text.slice(0, 160)}</div>`}
    <div class="zoom"><${Button} kind="small" aria-label=${t("garden.in")} onClick=${zoom(1.5)}>+<//><${Button} kind="small" aria-label=${t("garden.out")} onClick=${zoom(1 / 1.5)}>−<//><${Button} kind="small" aria-label=${t("garden.whole")} onClick=${() => { camera.reset(); paint(); }}>⤢<//></div></div>
    <p class="hint" id="garden-keys">${t("garden.keys")}</p>`;
}

/** The point under the pointer, in reach of a finger. */
function under(camera, scene, px, py) {
  const [x, y] = camera.toWorld(px, py);
  return scene.grid.nearest(x, y, 14 / camera.scale);
}

/** Keep the canvas as large as it is shown. Gives what stops it. */
function sized(canvas, camera, paint) {
  const watcher = new ResizeObserver(() => {
    const { width, height } = canvas.getBoundingClientRect();
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    camera.size(width, height);
    paint();
  });
  watcher.observe(canvas);
  return () => watcher.disconnect();
}

/** Drag pans, wheel and two fingers zoom, a press chooses. Gives what stops it. */
function pointed(canvas, camera, paint, on) {
  const down = new Map();
  let moved = 0;
  const place = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const press = (event) => { canvas.setPointerCapture(event.pointerId); down.set(event.pointerId, place(event)); moved = 0; };
  const move = (event) => {
    const [px, py] = place(event);
    const before = down.get(event.pointerId);
    if (!before) { const point = on.point(px, py); canvas.style.cursor = point ? "pointer" : "grab"; on.hover(point ? { point, px, py } : null); return; }
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) camera.zoomAt((px + other[0]) / 2, (py + other[1]) / 2, gap([px, py], other) / (gap(before, other) || 1));
    else camera.pan(px - before[0], py - before[1]);
    moved += Math.abs(px - before[0]) + Math.abs(py - before[1]);
    down.set(event.pointerId, [px, py]);
    paint();
  };
  const lift = (event) => { if (down.delete(event.pointerId) && moved < 6 && event.type === "pointerup") on.choose(on.point(...place(event))); };
  const wheel = (event) => { event.preventDefault(); camera.zoomAt(...place(event), Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015))); paint(); };
  const away = () => on.hover(null);
  const heard = { pointerdown: press, pointermove: move, pointerup: lift, pointercancel: lift, pointerleave: away, wheel };
  for (const [name, call] of Object.entries(heard)) canvas.addEventListener(name, call, { passive: false });
  return () => { for (const [name, call] of Object.entries(heard)) canvas.removeEventListener(name, call); };
}

const gap = ([ax, ay], [bx, by]) => Math.hypot(ax - bx, ay - by);

function Legend({ by, shown, data, palette }) {
  const rows = by === "type" ? TYPES.map((one) => [t(`type.${one}`), shown.filter((memory) => memory.type === one).length, palette[one]])
    : [...FEELINGS.map((one) => [feelingWord(one), shown.filter((memory) => memory.emotions[0] === one).length, `hsl(${HUES[one]} 70% ${palette.dark ? 68 : 42}%)`]), [t("none"), shown.filter((memory) => !memory.emotions.length).length, palette.soft]];
  return html`<ul class="legend">${rows.filter(([, count]) => count).map(([name, count, colour]) => html`<li key=${name}><span class="dot" style=${{ color: colour }} aria-hidden="true"></span> ${name} <span class="soft">${number(count)}</span></li>`)}</ul>
    <p class="hint">${t(data.byMeaning ? "garden.near" : "garden.groups")} ${t(data.strengths.size ? "garden.bright" : "garden.bright.weight")}</p>`;
}

/** The same in words. */
function Words({ role, shown, wanted, data, choose, chosen }) {
  const [count, setCount] = useState(LISTED);
  const rows = useMemo(() => (wanted ? shown.filter((one) => says(one, wanted)) : shown).slice().sort((a, b) => when(b) - when(a)), [shown, wanted]);
  return html`<ol class="memories">${rows.slice(0, count).map((one) => html`<li key=${one.id} class=${one.id === chosen ? "chosen-row" : ""}><div class="grow"><a class="said" href=${address("memory", role, one.id)} onFocus=${() => choose(one.id)}>${one.content}</a><${Facts} memory=${one} /></div>
    <span class="soft">${percent(strength(data, one))}</span></li>`)}</ol>
    ${rows.length > count && html`<${Button} onClick=${() => setCount(count + LISTED)}>${t("garden.more", { count: number(rows.length - count) })}<//>`}`;
}

const Picked = ({ role, memory, light, edit, again }) => html`<p class="memory-text">${memory.content}</p><${Facts} memory=${memory} />
  <p class="soft">${t("garden.strength", { value: percent(light) })}</p>
  <div class="row deeds-row"><a class="button main" href=${address("memory", role, memory.id)}>${t("garden.open")}</a><${Button} onClick=${edit}>${t("edit")}<//>
    <${Button} aria-pressed=${memory.constant} onClick=${async () => { await many(role, memory.constant ? "unpin" : "pin", [memory.id]); again(); }}>${t(memory.constant ? "unpin" : "pin")}<//></div>`;
