// What the garden shows: the memories, what joins them as the server tells it, and how strong each is at a moment.
import { useMemo } from "../preact.js";
import { all, get, inRole, url } from "../api.js";
import { useAsked, useQuiet } from "../ui.js";
import { Grid, grouped } from "./garden_layout.js";

export const FADING = 0.4; // below this strength a memory is said to be fading
export const STEPS = 200; // of the time slider, from the first memory to now
export const AHEAD = 40; // further steps, into what will be
export const LIVES = 2; // half-lives that these stand for
export const KINDS = ["supersedes", "together", "alike"];
export const HUES = { joy: 45, trust: 95, fear: 275, surprise: 190, sadness: 220, disgust: 75, anger: 5, anticipation: 28, love: 335, longing: 300, shame: 15, calm: 165 };

const NOTHING = { by: "", edges: [], themes: [] };

/** {memories, every, places: Map id -> [x, y], edges, themes, by}: those of one theme stand together. */
export const planted = (memories, map) => ({ ...map, memories, places: grouped(memories, map.themes), every: new Map(memories.map((one) => [one.id, one])) });

export const grown = (role, signal) => all(inRole(role, "/memories"), { archived: "no" }, { signal });

/** Which memories belong together and what joins them, as the server says; a garden without that is better than none. */
export async function mapped(role, signal) {
  try { return await get(inRole(role, "/map"), { signal }); } catch (error) {
    if (error.name === "AbortError" || error.status === 401) throw error;
    return NOTHING;
  }
}

const when = (memory) => (memory.created ?? memory.written ? Date.parse(memory.created ?? memory.written) : -Infinity);
export const newestFirst = (one, other) => (when(other) > when(one) ? 1 : when(other) < when(one) ? -1 : 0);

/** The moments the slider stands for, and which memories were known then. */
export function useTimes(memories) {
  return useMemo(() => {
    const times = memories.map(when).filter(Number.isFinite);
    const now = Date.now();
    const from = times.reduce((least, one) => Math.min(least, one), now);
    const replaced = new Map();
    for (const one of memories) for (const id of one.supersedes) if (one.counts) replaced.set(id, Math.min(replaced.get(id) ?? Infinity, when(one)));
    return {
      at: (step) => (step >= STEPS ? Infinity : from + ((now - from) * step) / STEPS),
      ahead: (step) => (Math.max(step - STEPS, 0) / AHEAD) * LIVES,
      known: (one, at) => when(one) <= at && !(replaced.get(one.id) <= at),
      ghost: (one, at) => when(one) <= at && replaced.get(one.id) <= at, // was known, until something newer took its place
    };
  }, [memories]);
}

/** How fresh the memories are at a moment of the slider: {values, unit, half_life}; the last answer stands until the next. */
export function useFreshness(role, data, times, step) {
  const quiet = useQuiet(step, 120);
  const at = times.at(quiet);
  const path = url(inRole(role, "/fading"), Number.isFinite(at) ? { at: new Date(at).toISOString() } : { ahead: times.ahead(quiet) || "" });
  const asked = useAsked((signal) => get(path, { signal }), [path, data]);
  return asked.value ?? NEW;
}
const NEW = { values: {}, unit: "turns", half_life: 1 };

/** How strong a memory is, 0..1: what time left of it, and its weight as far as that takes away. */
export const strength = (fresh, memory) => (fresh.values[memory.id] ?? 1) * Math.min(memory.weight_now, 1);

export const hue = (feeling, dark) => `hsl(${HUES[feeling]} 70% ${dark ? 68 : 42}%)`;

function colourOf(memory, by, palette) {
  if (by === "type") return palette[memory.type];
  const feeling = memory.emotions.find((one) => one in HUES);
  return feeling ? hue(feeling, palette.dark) : palette.soft;
}

export const says = (memory, wanted) => `${memory.content} ${memory.keys.join(" ")} ${memory.tags.join(" ")} ${memory.topics.join(" ")}`.toLowerCase().includes(wanted);

/** What is drawn. What a search does not find is dimmed, not taken away; what was replaced is a small ghost. */
export function staged(data, shown, ghosts, { by, wanted, lines, palette, fresh }) {
  const ghostly = ghosts.map((memory) => { const [x, y] = data.places.get(memory.id); return { id: memory.id, text: memory.content, x, y, colour: palette.soft, light: 0.1, size: 2.5 }; });
  const alive = shown.map((memory) => {
    const [x, y] = data.places.get(memory.id);
    const found = !wanted || says(memory, wanted);
    return { id: memory.id, text: memory.content, x, y, colour: colourOf(memory, by, palette), light: found ? 0.15 + 0.85 * strength(fresh, memory) : 0, size: 3.5 + 3.5 * memory.salience + (memory.constant ? 2 : 0) };
  });
  const points = [...ghostly, ...alive];
  const known = new Map(points.map((one) => [one.id, one]));
  const joints = data.edges.filter((edge) => lines.has(edge.kind)).map(({ from, to, kind }) => [known.get(from), known.get(to), kind]).filter(([from, to]) => from && to);
  return { points, known, lines: joints, labels: labelled(data.themes, known), grid: new Grid(points), ...palette };
}

/** The names of themes in the middle of their memories, the largest first. */
function labelled(themes, known) {
  const found = themes.map((theme) => ({ text: theme.name.slice(0, 2).join(" · "), points: theme.ids.map((id) => known.get(id)).filter(Boolean) }));
  return found.filter((one) => one.text && one.points.length > 2).sort((one, other) => other.points.length - one.points.length)
    .map(({ text, points }) => ({ text: [...text].slice(0, 28).join(""), count: points.length, x: middle(points.map((one) => one.x)), y: middle(points.map((one) => one.y)) }));
}

const middle = (values) => values.sort((one, other) => one - other)[values.length >> 1];

/** What a memory is joined with: [{memory, kind}], each other memory once by its strongest tie. */
export function joined(data, id) {
  const found = new Map();
  for (const kind of KINDS)
    for (const edge of data.edges) {
      if (edge.kind !== kind || (edge.from !== id && edge.to !== id)) continue;
      const other = edge.from === id ? edge.to : edge.from;
      const name = kind === "supersedes" ? (edge.from === id ? "replaced" : "replaced_by") : kind;
      if (!found.has(other) && data.every.has(other)) found.set(other, name);
    }
  return [...found].map(([other, kind]) => ({ memory: data.every.get(other), kind }));
}
