// Where memories stand in the garden, and which one is at a place. Pure: no page, no server.

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

/** Places in 0..1: those of one theme, else of one type and topic, in a small spiral, the groups on a large one.
 * The same memories give the same garden. */
export function grouped(memories, themes) {
  const theme = new Map(themes.flatMap((one, number) => one.ids.map((id) => [id, number])));
  const groups = new Map();
  for (const one of memories) {
    const key = `${theme.get(one.id) ?? `${one.type}/${one.topics[0] ?? one.tags[0] ?? ""}`}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one.id);
  }
  const places = new Map();
  let area = 0;
  const sorted = [...groups].sort(([a, x], [b, y]) => y.length - x.length || (a < b ? -1 : 1));
  sorted.forEach(([, ids], turn) => {
    const [angle, out] = [turn * GOLDEN, turn ? Math.sqrt(area + ids.length) * 1.25 : 0];
    area += ids.length * 1.6 + 3;
    ids.forEach((id, place) => {
      const away = Math.sqrt(place) * 0.75;
      places.set(id, [out * Math.cos(angle) + away * Math.cos(place * GOLDEN), out * Math.sin(angle) + away * Math.sin(place * GOLDEN)]);
    });
  });
  return fitted(places);
}

/** The same places, moved and scaled into 0..1 on both axes. */
export function fitted(places) {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of places.values()) { left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y); }
  const wide = Math.max(right - left, bottom - top) || 1;
  const [dx, dy] = [(wide - (right - left)) / 2, (wide - (bottom - top)) / 2];
  return new Map([...places].map(([id, [x, y]]) => [id, [(x - left + dx) / wide, (y - top + dy) / wide]]));
}

/** Points by cell, so that the nearest is found without asking all. */
export class Grid {
  constructor(points, cells = 64) {
    this.cells = cells;
    this.rows = new Map();
    for (const point of points) {
      const key = this.key(this.cell(point.x), this.cell(point.y));
      if (!this.rows.has(key)) this.rows.set(key, []);
      this.rows.get(key).push(point);
    }
  }

  cell(value) { return Math.min(Math.max(Math.floor(value * this.cells), 0), this.cells - 1); }
  key(column, row) { return row * this.cells + column; }

  /** The nearest point within `reach` (in 0..1) that `fits`, or null. */
  nearest(x, y, reach, fits = () => true) {
    let [best, least] = [null, reach * reach];
    for (let row = this.cell(y - reach); row <= this.cell(y + reach); row++)
      for (let column = this.cell(x - reach); column <= this.cell(x + reach); column++)
        for (const point of this.rows.get(this.key(column, row)) ?? []) {
          const away = (point.x - x) ** 2 + (point.y - y) ** 2;
          if (away <= least && fits(point)) [best, least] = [point, away];
        }
    return best;
  }
}

/** The next point in a direction ([1, 0] = right): near, and rather ahead than aside. */
export function ahead(points, from, [dx, dy]) {
  let [best, least] = [null, Infinity];
  for (const point of points) {
    const along = (point.x - from.x) * dx + (point.y - from.y) * dy;
    const aside = Math.abs((point.x - from.x) * dy) + Math.abs((point.y - from.y) * dx);
    if (along > 1e-6 && along + 2.5 * aside < least) [best, least] = [point, along + 2.5 * aside];
  }
  return best;
}
