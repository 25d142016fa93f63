// Small parts that every view uses. Whatever comes from users goes in as a child or an attribute value, never as markup.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./preact.js";
import { t } from "./i18n.js";
import { clear, fail, toast } from "./live.js";

let ids = 0;
/** An id for this component, the same at every draw. */
export const useId = () => useMemo(() => `u${++ids}`, []);

/** The value, after it has been quiet for so long. */
export function useQuiet(value, ms = 200) {
  const [quiet, set] = useState(value);
  useEffect(() => { const timer = setTimeout(() => set(value), ms); return () => clearTimeout(timer); }, [value, ms]);
  return quiet;
}

/** What an async call gives: {value, error, busy, again}. A newer call wins; an older answer is dropped. */
export function useAsked(call, inputs) {
  const [state, set] = useState({ busy: true });
  const [turn, again] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    set((now) => ({ ...now, busy: true }));
    call(stop.signal).then(
      (value) => stop.signal.aborted || set({ value, busy: false }),
      (error) => stop.signal.aborted || set((now) => ({ value: error.status === 404 ? undefined : now.value, error, busy: false })),
    );
    return () => stop.abort();
  }, [...inputs, turn]);
  return { ...state, again: () => again((count) => count + 1), set: (value) => set({ value, busy: false }) };
}

/** A button that cannot be pressed twice while what it does is going on; errors go to the banner. */
export function Button({ onClick, kind = "", children, disabled, type = "button", ...rest }) {
  const [busy, setBusy] = useState(false);
  const alive = useRef(true);
  useEffect(() => () => { alive.current = false; }, []);
  const press = async (event) => {
    if (busy || !onClick) return;
    const going = onClick(event);
    if (!going?.then) return;
    setBusy(true);
    clear();
    try { await going; } catch (error) { fail(error); } finally { if (alive.current) setBusy(false); }
  };
  return html`<button type=${type} class=${`button ${kind}`} disabled=${disabled} aria-busy=${busy ? "true" : undefined} onClick=${press} ...${rest}>${children}</button>`;
}

export const Link = ({ to, children, ...rest }) => html`<a href=${to} ...${rest}>${children}</a>`;

/** A labelled input. `as`: input, textarea, select (options [[value, text]]), check. `onInput` gets the value. */
export function Field({ label, hint, as = "input", value, onInput, options, error, wide, hideLabel, id: given, ...rest }) {
  const own = useId();
  const id = given || own;
  const told = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ") || undefined;
  const common = { id, "aria-describedby": told, "aria-invalid": error ? "true" : undefined, ...rest };
  const heard = (event) => onInput?.(as === "check" ? event.target.checked : event.target.value);
  return html`<div class=${`field ${as} ${wide ? "wide" : ""}`}>
    ${as === "check" && html`<input type="checkbox" checked=${!!value} onChange=${heard} ...${common} />`}
    <label for=${id} class=${hideLabel ? "unseen" : ""}>${label}</label>
    ${as === "input" && html`<input value=${value ?? ""} onInput=${heard} ...${common} />`}
    ${as === "textarea" && html`<textarea value=${value ?? ""} onInput=${heard} rows="4" ...${common}></textarea>`}
    ${as === "select" && html`<select value=${value} onChange=${heard} ...${common}>
      ${options.map(([one, text]) => html`<option key=${one} value=${one} selected=${one === value}>${text}</option>`)}
    </select>`}
    ${hint && html`<p class="hint" id=${`${id}-hint`}>${hint}</p>`}
    ${error && html`<p class="wrong" role="alert" id=${`${id}-error`}>${error}</p>`}
  </div>`;
}

const FOCUSABLE = "a[href],button:not([disabled]),input:not([disabled]),select:not([disabled]),textarea:not([disabled]),summary,[tabindex='0']";

/** A dialog: the focus goes in, stays in, and comes back where it was; Escape closes, and asks first where something was written. */
export function Dialog({ title, onClose, children, actions, wide }) {
  const box = useRef(null);
  const written = useRef(false);
  const id = useId();
  const away = () => { if (!written.current || !box.current.querySelector("footer .main") || confirm(t("discard"))) onClose(); };
  useLayoutEffect(() => {
    const before = document.activeElement;
    const first = box.current.querySelector("[autofocus]") || box.current.querySelector(".dialog-body input:not([type=checkbox]),.dialog-body textarea,.dialog-body select") || box.current;
    first.focus();
    document.body.classList.add("held");
    return () => { document.body.classList.remove("held"); if (before?.isConnected) before.focus(); };
  }, []);
  const keys = (event) => {
    if (event.key === "Escape") { event.stopPropagation(); away(); }
    if (event.key !== "Tab") return;
    const all = [...box.current.querySelectorAll(FOCUSABLE)].filter((one) => one.offsetParent);
    const [from, to] = event.shiftKey ? [all[0], all.at(-1)] : [all.at(-1), all[0]];
    if (to && (document.activeElement === from || document.activeElement === box.current && event.shiftKey)) { event.preventDefault(); to.focus(); }
  };
  return html`<div class="veil" onMouseDown=${(event) => event.target === event.currentTarget && away()}>
    <div class=${`dialog ${wide ? "wide" : ""}`} role="dialog" aria-modal="true" aria-labelledby=${id} tabindex="-1" ref=${box} onKeyDown=${keys} onInput=${() => { written.current = true; }}>
      <header><h2 id=${id}>${title}</h2><${Button} kind="quiet" aria-label=${t("close")} onClick=${away}>✕<//></header>
      <div class="dialog-body">${children}</div>
      ${actions && html`<footer>${actions}</footer>`}
    </div>
  </div>`;
}

/** A question before something that cannot be taken back. `onYes` may be async. */
export const Confirm = ({ title, text, yes, onYes, onClose }) => html`<${Dialog} title=${title} onClose=${onClose}
  actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="danger" onClick=${async () => { await onYes(); onClose(); }}>${yes}<//>`}>
  <p>${text}</p>
<//>`;

/** Rows under headings. `columns`: [{key, label, cell: row => child, sort}]; `order` is "key" or "-key". */
export function Table({ caption, columns, rows, rowKey = (row) => row.id, order, onOrder, rowClass }) {
  const by = order?.replace("-", "");
  const sorting = (column) => (column.sort !== by ? "none" : order.startsWith("-") ? "descending" : "ascending");
  const turned = (column) => (order === column.sort ? `-${column.sort}` : column.sort);
  const mark = (column) => (column.sort === by ? (order.startsWith("-") ? " ↓" : " ↑") : "");
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
    <caption class="unseen">${caption}</caption>
    <thead><tr>${columns.map((column) => html`<th key=${column.key} scope="col" aria-sort=${column.sort ? sorting(column) : undefined}>
      ${column.sort && onOrder ? html`<button type="button" class="sorter" onClick=${() => onOrder(turned(column))}>${column.label}${mark(column)}</button>` : column.label}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<tr key=${rowKey(row)} class=${rowClass?.(row)}>${columns.map((column) => html`<td key=${column.key} data-label=${column.label}>${column.cell(row)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** Words as small tags; with `onRemove` each can be taken away. */
export const Chips = ({ items, onRemove, kind = "", label }) => items.length > 0 && html`<ul class="chips" aria-label=${label}>
  ${items.map((one) => html`<li key=${one} class=${`chip ${kind}`}>${one}${onRemove && html`<button type="button" aria-label=${t("remove.one", { name: one })} onClick=${() => onRemove(one)}>✕</button>`}</li>`)}
</ul>`;

/** A list of words as text with commas. */
export const Words = ({ label, value, onInput, hint }) => {
  const [text, set] = useState(value.join(", "));
  const heard = (given) => { set(given); onInput(given.split(/[,，、]/).map((one) => one.trim()).filter(Boolean)); };
  return html`<${Field} label=${label} hint=${hint} value=${text} onInput=${heard} />`;
};

/** A text to take along. */
export function Copy({ text }) {
  const copy = async () => {
    try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(t("copy.by.hand")); }
  };
  return html`<div class="copy"><code>${text}</code><${Button} kind="small" onClick=${copy} aria-label=${`${t("copy")}: ${text}`}>${t("copy")}<//></div>`;
}

export const EmptyState = ({ title, text, children }) => html`<div class="empty"><h2>${title}</h2>${text && html`<p>${text}</p>`}${children}</div>`;
export const Busy = ({ text }) => html`<p class="busy" role="status">${text || t("busy")}</p>`;

/** An error in place: what, what to do, a way to try again; addresses this server does not have are said plainly. */
export const Trouble = ({ error, again }) => html`<div class="trouble" role="alert">
  <p><strong>${error.missing ? t("missing") : error.message}</strong></p>
  ${error.hint && !error.missing && html`<p>${error.hint}</p>`}
  ${again && html`<${Button} onClick=${again}>${t("again")}<//>`}
</div>`;

/** A number 0..1 as a bar, with its figure as text. */
export const Meter = ({ value, label, text }) => html`<span class="meter" role="img" aria-label=${`${label}: ${text}`}>
  <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="6" class="meter-back" /><rect width=${100 * Math.min(Math.max(value, 0), 1)} height="6" class="meter-fill" /></svg>
  <span>${text}</span></span>`;

/** A curve of [x, y]; `now` draws a line there, `marks` strokes at these x. y runs 0..`top`. */
export function Spark({ points, now, nowLabel, marks = [], label, top = 1 }) {
  if (!points.length) return null;
  const [low, high] = [points[0][0], points.at(-1)[0]];
  const x = (at) => 1 + (Math.min(Math.max(at - low, 0) / (high - low || 1), 1)) * 98;
  const y = (at) => 94 - (Math.min(at, top) / top) * 82;
  const line = (part) => part.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  const past = now === undefined ? points : points.filter(([at]) => at <= now);
  const ahead = now === undefined ? [] : points.filter(([at]) => at >= now);
  const side = now !== undefined && x(now) > 60 ? { right: `${101 - x(now)}%` } : { left: `${x(now ?? low) + 1}%` };
  return html`<div class="spark" role="img" aria-label=${label}><svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
    <polygon class="spark-under" points=${`${x(low)},94 ${line(points)} ${x(high)},94`} /><polyline class="spark-line" points=${line(past)} /><polyline class="spark-ahead" points=${line(ahead)} />
    ${now !== undefined && html`<line class="spark-now" x1=${x(now)} x2=${x(now)} y1="4" y2="98" />`}
    ${marks.map((at) => html`<line class="spark-mark" x1=${x(at)} x2=${x(at)} y1="86" y2="100" />`)}</svg>
    ${nowLabel && html`<span class="spark-label" aria-hidden="true" style=${side}>${nowLabel}</span>`}</div>`;
}

/** Named amounts as bars: [{name, value, text}]. */
export function Bars({ rows, label }) {
  const most = Math.max(...rows.map((row) => Math.abs(row.value)), 1e-9);
  return html`<table class="bars"><caption class="unseen">${label}</caption><tbody>${rows.map((row) => html`<tr key=${row.name}>
    <th scope="row">${row.name}</th>
    <td><svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="meter-fill" height="10" width=${(100 * Math.abs(row.value)) / most} /></svg></td>
    <td class="figure">${row.text ?? row.value}</td></tr>`)}</tbody></table>`;
}
