// Calls of a frontend whose character or user nobody could tell, with the words that cure it.
import { html, useEffect } from "../preact.js";
import { events, get } from "../api.js";
import { t, time } from "../i18n.js";
import { toast } from "../live.js";
import { Button, useAsked } from "../ui.js";
import "./parts.js";

const PASTE = "rolememory:\n  role: |-\n    {{char}}\n  user: |-\n    {{user}}";

/** Words to be pasted elsewhere, with a button that copies them. */
export function Paste({ text, label }) {
  const copy = async () => { try { await navigator.clipboard.writeText(text); toast(t("copied")); } catch { toast(t("puzzle.by.hand")); } };
  return html`<div class="paste"><pre tabindex="0" aria-label=${label}>${text}</pre><${Button} kind="small" onClick=${copy} aria-label=${`${t("copy")}: ${label}`}>${t("copy")}<//></div>`;
}

/** Nothing where every call said whom it meant. */
export function Puzzles({ role, info }) {
  const found = useAsked((signal) => get("/puzzles?limit=20", { signal }), []);
  useEffect(() => events(found.again, { kinds: ["puzzle"] }), []);
  const rows = found.value?.items ?? [];
  if (!rows.length) return null;
  const names = [...new Set(rows.filter((one) => one.why === "several").flatMap((one) => one.names))];
  const [nobody, noUser] = [rows.some((one) => one.why !== "user"), rows.some((one) => one.why === "user")];
  return html`<section class="sheet puzzles" aria-labelledby="puzzles"><h2 id="puzzles">${t("puzzle.title")}</h2>
    <p>${nobody && t("puzzle.what")} ${noUser && t("puzzle.user")} <span class="soft small">${t("puzzle.last", { at: time(rows[0].at) })}</span></p>
    ${names.length > 0 && html`<p>${t("puzzle.several", { names: names.join(", ") })}</p>`}
    <h3>${t("puzzle.paste")}</h3><p class="small soft">${t("puzzle.paste.where")}</p><${Paste} text=${PASTE} label=${t("puzzle.paste")} />
    <h3>${t("puzzle.url", { name: info.name })}</h3><${Paste} text=${`${location.origin}/r/${role}/v1`} label=${t("puzzle.url", { name: info.name })} /></section>`;
}
