// Draws the garden: points, lines, the chosen one. Knows nothing of memories, only of {x, y, colour, light 0..1, size}.

const dot = new Map();

/** A soft disc of one colour, drawn once. */
function sprite(colour) {
  if (!dot.has(colour)) {
    const made = document.createElement("canvas");
    made.width = made.height = 32;
    const pen = made.getContext("2d");
    pen.fillStyle = colour;
    pen.beginPath();
    pen.arc(16, 16, 15, 0, 7);
    pen.fill();
    dot.set(colour, made);
  }
  return dot.get(colour);
}

/** The part of the world in view: world 0..1 to pixels. `zoom` 1 shows all of it. */
export class Camera {
  constructor() { this.reset(); this.size(1, 1); }
  reset() { Object.assign(this, { x: 0.5, y: 0.5, zoom: 1 }); }
  size(width, height) { Object.assign(this, { width, height }); }
  get scale() { return Math.min(this.width, this.height) * 0.92 * this.zoom; }
  toPixel(point) { return [(point.x - this.x) * this.scale + this.width / 2, (point.y - this.y) * this.scale + this.height / 2]; }
  toWorld(px, py) { return [(px - this.width / 2) / this.scale + this.x, (py - this.height / 2) / this.scale + this.y]; }
  pan(dx, dy) { this.x = clip(this.x - dx / this.scale); this.y = clip(this.y - dy / this.scale); }
  zoomAt(px, py, factor) {
    const [x, y] = this.toWorld(px, py);
    this.zoom = Math.min(Math.max(this.zoom * factor, 0.7), 60);
    const [nx, ny] = this.toWorld(px, py);
    this.x = clip(this.x + x - nx);
    this.y = clip(this.y + y - ny);
  }
  centre(point) { this.x = point.x; this.y = point.y; }
  sees(point) { const [px, py] = this.toPixel(point); return px >= 12 && py >= 12 && px <= this.width - 12 && py <= this.height - 12; }
}

const clip = (value) => Math.min(Math.max(value, -0.2), 1.2);

/** `scene`: {points, lines: [[from, to, kind]], chosen, hovered, ink, accent}. */
export function draw(canvas, camera, scene) {
  const ratio = devicePixelRatio || 1;
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, camera.width, camera.height);
  lines(pen, camera, scene);
  points(pen, camera, scene);
  ring(pen, camera, scene.hovered, scene.ink, 1.5);
  ring(pen, camera, scene.chosen, scene.accent, 3);
  pen.globalAlpha = 1;
}

function lines(pen, camera, { lines: rows, ink, chosen }) {
  pen.strokeStyle = ink;
  for (const [from, to, kind] of rows) {
    const near = chosen && (from === chosen || to === chosen);
    const [[x1, y1], [x2, y2]] = [camera.toPixel(from), camera.toPixel(to)];
    pen.globalAlpha = near ? 0.9 : 0.22;
    pen.lineWidth = near ? 2 : 1;
    pen.setLineDash(kind === "supersedes" ? [] : [3, 3]);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x2, y2);
    pen.stroke();
  }
  pen.setLineDash([]);
}

function points(pen, camera, { points: rows }) {
  const grown = Math.min(Math.max(Math.sqrt(camera.zoom), 0.9), 3);
  for (const one of rows) {
    const [px, py] = camera.toPixel(one);
    if (px < -20 || py < -20 || px > camera.width + 20 || py > camera.height + 20) continue;
    const wide = one.size * grown;
    pen.globalAlpha = 0.18 + 0.82 * one.light;
    pen.drawImage(sprite(one.colour), px - wide, py - wide, wide * 2, wide * 2);
  }
}

function ring(pen, camera, point, colour, width) {
  if (!point) return;
  const [px, py] = camera.toPixel(point);
  pen.globalAlpha = 1;
  pen.strokeStyle = colour;
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(px, py, 11, 0, 7);
  pen.stroke();
}
