// The map to walk on: a canvas moved by mouse, fingers and keys.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../preact.js";
import { t } from "../i18n.js";
import { announce } from "../live.js";
import { Button } from "../ui.js";
import { Camera, draw } from "./garden_canvas.js";
import { ahead } from "./garden_layout.js";

const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const STEP = 60; // pixels the map moves at a key
const CLOSER = 1.4;
const REACH = 14; // pixels: a finger's width
const BORN_MS = 1800; // how long a new memory is marked
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** `open(id)` and `act(id, deed)` are told what the keys ask for. */
export function Ground({ scene, chosen, choose, open, act, label, centred, born }) {
  const canvas = useRef(null);
  const camera = useMemo(() => new Camera(), []);
  const [hovered, setHovered] = useState(null);
  const frame = useRef(0);
  const now = useRef({});
  now.current = { scene, chosen: scene.known.get(chosen), hovered: hovered?.point, born };
  const paint = () => {
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => {
      if (!canvas.current) return;
      const since = performance.now() - (born?.at ?? -Infinity);
      draw(canvas.current, camera, { ...now.current.scene, chosen: now.current.chosen, hovered: now.current.hovered, born: since < BORN_MS ? { ids: born.ids, part: still() ? 0.5 : since / BORN_MS } : null });
      if (since < BORN_MS) paint();
    });
  };
  useEffect(paint, [scene, chosen, hovered, born]);
  useEffect(() => { const point = scene.known.get(centred); if (point) { camera.zoom = 4; camera.centre(point); paint(); } }, []);
  useLayoutEffect(() => sized(canvas.current, camera, paint), []);
  useLayoutEffect(() => pointed(canvas.current, camera, paint, { point: (px, py) => under(camera, now.current.scene, px, py), hover: setHovered, choose: (point) => choose(point?.id ?? null) }), []);
  const walk = (by) => {
    const { scene: { points, grid }, chosen: here } = now.current;
    const next = here ? ahead(points, here, by) : grid.nearest(camera.x, camera.y, 1);
    if (!next) return;
    choose(next.id);
    announce(next.text);
    if (!camera.sees(next)) camera.centre(next);
  };
  const keys = (event) => {
    const here = now.current.chosen;
    const by = DIRECTIONS[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (by && event.shiftKey) camera.pan(-STEP * by[0], -STEP * by[1]);
    else if (by) walk(by);
    else if (event.key === "+" || event.key === "=") camera.closer(CLOSER);
    else if (event.key === "-") camera.closer(1 / CLOSER);
    else if (event.key === "0") camera.reset();
    else if (event.key === "Enter" && here) open(here.id);
    else if (event.key === "Escape") choose(null);
    else if (here && act(here.id, event.key)) { /* done */ }
    else return;
    event.preventDefault();
    paint();
  };
  const zoom = (factor) => () => { camera.closer(factor); paint(); };
  return html`<div class="ground"><canvas ref=${canvas} tabindex="0" role="application" aria-label=${label} aria-describedby="garden-keys" onKeyDown=${keys} data-points=${scene.points.length} data-lines=${scene.lines.length}></canvas>
    ${hovered && html`<div class="tip" style=${{ left: `${Math.max(Math.min(hovered.px, camera.width - 230), 4)}px`, top: `${hovered.py + 16}px` }}>${hovered.point.text.slice(0, 160)}</div>`}
    <div class="zoom"><${Button} kind="small" aria-label=${t("garden.in")} title=${t("garden.in")} onClick=${zoom(CLOSER)}>+<//><${Button} kind="small" aria-label=${t("garden.out")} title=${t("garden.out")} onClick=${zoom(1 / CLOSER)}>−<//>
      <${Button} kind="small" aria-label=${t("garden.whole")} title=${t("garden.whole")} onClick=${() => { camera.reset(); paint(); }}>⤢<//></div></div>
    <p class="hint" id="garden-keys">${t("garden.keys")}</p>`;
}

/** The point under the pointer, in reach of a finger. */
function under(camera, scene, px, py) {
  const [x, y] = camera.toWorld(px, py);
  return scene.grid.nearest(x, y, REACH / camera.scale);
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
  const press = (event) => { canvas.setPointerCapture(event.pointerId); down.set(event.pointerId, place(event)); moved = down.size > 1 ? Infinity : 0; };
  const move = (event) => {
    const [px, py] = place(event);
    const before = down.get(event.pointerId);
    if (!before) { const point = on.point(px, py); canvas.style.cursor = point ? "pointer" : "grab"; on.hover(point ? { point, px, py } : null); return; }
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) camera.zoomAt((px + other[0]) / 2, (py + other[1]) / 2, gap([px, py], other) / (gap(before, other) || 1));
    camera.pan((px - before[0]) / down.size, (py - before[1]) / down.size);
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
