// Files to carry away: in any format, told before what that format cannot hold.
import { html, useState } from "../preact.js";
import { file, get, url } from "../api.js";
import { number, t } from "../i18n.js";
import { toast } from "../live.js";
import { Button, Field, Trouble, useAsked } from "../ui.js";

/** Let the browser keep some bytes under a name. */
export function kept(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  toast(t("lore.kept", { name }));
}

/** `path`: of a book or a card; `kind`: books or cards. */
export function SaveAs({ path, kind, name }) {
  const [to, setTo] = useState("");
  const formats = useAsked((signal) => get("/books/formats", { signal }), []);
  const loss = useAsked((signal) => (to ? get(url(`${path}/convert`, { to }), { signal }) : Promise.resolve(null)), [path, to]);
  const save = async () => { const made = await file(url(`${path}/export`, { to })); kept(made.blob, made.name || name); };
  return html`<div class="row end"><div class="grow"><${Field} as="select" label=${t("lore.save.as")} value=${to} onInput=${setTo} options=${[["", t("lore.save.same")], ...(formats.value?.[kind] ?? []).map((one) => [one, t(`format.${one}`)])]} /></div><${Button} onClick=${save}>${t("lore.export")}<//></div>
    ${formats.error && html`<${Trouble} error=${formats.error} again=${formats.again} />`}${loss.error && html`<${Trouble} error=${loss.error} />`}
    <div aria-live="polite" id=${`lost-${kind}`}>${loss.value && !loss.error && (loss.value.losses.length ? html`<p>${t("lore.loses", { count: number(loss.value.losses.length) })}</p><ul class="small">${loss.value.losses.map((one) => html`<li key=${`${one.field} ${one.text}`}><code>${one.field}</code> ${one.text}</li>`)}</ul>` : html`<p class="soft">${t("lore.loses.nothing")}</p>`)}</div>`;
}
