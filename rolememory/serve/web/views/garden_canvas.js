// Draws the garden: points, lines, names of themes, the chosen one. Knows nothing of memories, only of {x, y, colour, light 0..1, size}.

const FAR = 20; // pixels outside the view that are drawn still
const NAMES = 8; // of themes, where all is in view; more from nearer by
const RING = 6; // pixels between a point and its ring
const dots = new Map();

/** A soft disc of one colour, drawn once. */
function sprite(colour) {
  if (!dots.has(colour)) {
    const made = document.createElement("canvas");
    made.width = made.height = 48;
    const pen = made.getContext("2d");
    pen.fillStyle = colour;
    pen.globalAlpha = 0.22;
    disc(pen, 24, 24, 23);
    pen.globalAlpha = 1;
    disc(pen, 24, 24, 16);
    dots.set(colour, made);
  }
  return dots.get(colour);
}

function disc(pen, x, y, radius) {
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fill();
}

/** The part of the world in view: world 0..1 to pixels. `zoom` 1 shows all of it. */
export class Camera {
  constructor() { this.reset(); this.size(1, 1); }
  reset() { Object.assign(this, { x: 0.5, y: 0.5, zoom: 1 }); }
  size(width, height) { Object.assign(this, { width, height }); }
  get scale() { return Math.min(this.width, this.height) * 0.92 * this.zoom; }
  /** The world is a square; a view that is not stretches it. */
  get stretch() { return Math.min(Math.max(this.width / (this.height || 1), 0.7), 1.7); }
  toPixel(point) { return [(point.x - this.x) * this.scale * Math.max(this.stretch, 1) + this.width / 2, (point.y - this.y) * this.scale / Math.min(this.stretch, 1) + this.height / 2]; }
  toWorld(px, py) { return [(px - this.width / 2) / (this.scale * Math.max(this.stretch, 1)) + this.x, ((py - this.height / 2) * Math.min(this.stretch, 1)) / this.scale + this.y]; }
  pan(dx, dy) { this.x = clip(this.x - dx / (this.scale * Math.max(this.stretch, 1))); this.y = clip(this.y - (dy * Math.min(this.stretch, 1)) / this.scale); }
  zoomAt(px, py, factor) {
    const [x, y] = this.toWorld(px, py);
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.7), 60);
    const [nx, ny] = this.toWorld(px, py);
    this.x = clip(this.x + x - nx);
    this.y = clip(this.y + y - ny);
  }
  closer(factor) { this.zoomAt(this.width / 2, this.height / 2, factor); }
  centre(point) { this.x = point.x; this.y = point.y; }
  sees(point) { const [px, py] = this.toPixel(point); return px >= 12 && py >= 12 && px <= this.width - 12 && py <= this.height - 12; }
}

const clip = (value) => Math.min(Math.max(value, -0.2), 1.2);

/** `scene`: {points, lines: [[from, to, kind]], labels, chosen, hovered, born, ink, soft, accent, sheet}. */
export function draw(canvas, camera, scene) {
  const ratio = devicePixelRatio || 1;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, camera.width, camera.height);
  lines(pen, camera, scene);
  points(pen, camera, scene);
  labels(pen, camera, scene);
  ring(pen, camera, scene.hovered, scene.ink, 1.5);
  ring(pen, camera, scene.chosen, scene.accent, 3);
  for (const id of scene.born?.ids ?? []) ring(pen, camera, scene.known.get(id), scene.accent, 2, 26 * scene.born.part, 1 - scene.born.part);
  pen.globalAlpha = 1;
}

const DASHES = { supersedes: [], together: [6, 3], alike: [1, 4] };
const FAINT = { supersedes: 0.55, together: 0.4, alike: 0.3 };

/** All lines of a kind are one path, but for those of the chosen one. */
function lines(pen, camera, { lines: rows, ink, accent, chosen }) {
  for (const [kind, dash] of Object.entries(DASHES)) {
    const mine = rows.filter((row) => row[2] === kind);
    pen.setLineDash(dash);
    path(pen, camera, mine, ink, FAINT[kind], 1);
    if (chosen) path(pen, camera, mine.filter(([from, to]) => from === chosen || to === chosen), accent, 1, 2);
  }
  pen.setLineDash([]);
}

function path(pen, camera, rows, colour, alpha, width) {
  pen.strokeStyle = colour;
  pen.globalAlpha = alpha;
  pen.lineWidth = width;
  pen.beginPath();
  for (const [from, to] of rows) { pen.moveTo(...camera.toPixel(from)); pen.lineTo(...camera.toPixel(to)); }
  pen.stroke();
}

const grown = (camera) => Math.min(Math.max(Math.sqrt(camera.zoom), 0.9), 3) * 1.45;

function points(pen, camera, { points: rows }) {
  const by = grown(camera) * Math.min(Math.max(Math.sqrt(900 / (rows.length || 1)), 0.55), 1.25);
  for (const one of rows) {
    const [px, py] = camera.toPixel(one);
    if (px < -FAR || py < -FAR || px > camera.width + FAR || py > camera.height + FAR) continue;
    const wide = one.size * by;
    pen.globalAlpha = 0.12 + 0.88 * one.light;
    pen.drawImage(sprite(one.colour), px - wide, py - wide, wide * 2, wide * 2);
  }
}

/** As many names as have room, the largest themes first. */
function labels(pen, camera, { labels: rows, ink, sheet }) {
  pen.globalAlpha = 1;
  pen.font = "600 12px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = sheet;
  pen.fillStyle = ink;
  const taken = [];
  for (const one of rows) {
    if (taken.length >= NAMES * Math.max(camera.zoom, 1)) break;
    const [px, py] = camera.toPixel(one);
    if (px < 0 || py < 0 || px > camera.width || py > camera.height) continue;
    const half = pen.measureText(one.text).width / 2 + 8;
    const x = Math.min(Math.max(px, half), camera.width - half);
    if (taken.some(([ox, oy, other]) => Math.abs(ox - x) < half + other && Math.abs(oy - py) < 34)) continue;
    taken.push([x, py, half]);
    pen.strokeText(one.text, x, py - 14);
    pen.fillText(one.text, x, py - 14);
  }
}

function ring(pen, camera, point, colour, width, more = 0, alpha = 1) {
  if (!point) return;
  const [px, py] = camera.toPixel(point);
  pen.globalAlpha = alpha;
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(px, py, RING + point.size + more, 0, 7);
  pen.stroke();
}
