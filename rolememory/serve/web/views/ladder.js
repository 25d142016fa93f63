// What works now, from words alone up to models; which servers rest; and models of meaning that can be fetched.
import { html, useEffect, useState } from "../preact.js";
import { events, get, inRole, patch } from "../api.js";
import { number, t } from "../i18n.js";
import { announce, kept } from "../live.js";
import { Button, Field, Trouble, useAsked } from "../ui.js";

/** The ladder: what works now, from words alone up to models, and which servers are resting. */
export function State({ list }) {
  const [role, setRole] = useState(() => kept("role", "").get()); // the one last looked at
  const here = (list.find((one) => one.id === role) ?? list[0])?.id;
  const meaning = useAsked((signal) => get("/meaning", { signal }), []);
  const learning = useAsked((signal) => (here ? get(inRole(here, "/learning"), { signal }) : Promise.resolve(null)), [here]);
  useEffect(() => events(() => { meaning.again(); learning.again(); }, { kinds: ["learned", "settings", "breaker"] }), [here]);
  const breakers = [...new Map([...(meaning.value?.breakers ?? []), ...(learning.value?.breakers ?? [])].map((one) => [`${one.for}/${one.name}`, one])).values()];
  return html`<section class="sheet"><div class="row apart"><h2>${t("state.title")}</h2><${Button} kind="small" onClick=${() => { meaning.again(); learning.again(); announce(t("state.again")); }}>${t("state.look")}<//></div>
    ${meaning.error && html`<${Trouble} error=${meaning.error} again=${meaning.again} />`}
    <ol class="ladder">
      <${Rung} state="ready" name=${t("state.words")} text=${t("state.words.is")} />
      ${meaning.value && html`<${Rung} state=${meaning.value.state} name=${t("state.meaning")} text=${meaningWords(meaning.value)} />`}
      <${Rung} state="ready" name=${t("state.rules")} text=${t("state.rules.is")} />
      ${learning.value && html`<${Rung} state=${learning.value.on ? (learning.value.last_error ? "failed" : "ready") : "absent"} name=${t("state.model")} text=${learningWords(learning.value)} />`}
    </ol>
    ${learning.value?.offered && html`<${Offer} onDone=${learning.again} />`}
    ${list.length > 1 && html`<${Field} as="select" label=${t("state.role")} value=${here} onInput=${setRole} options=${list.map((one) => [one.id, one.name])} />`}
    <h3>${t("state.breakers")}</h3>
    ${breakers.length ? html`<ul>${breakers.map((one) => html`<li key=${one.for + one.name}><code>${one.name}</code> · ${t(`state.for.${one.for}`)} · <strong>${t(`breaker.${one.state}`)}</strong>${one.reason && ` · ${one.reason}`}</li>`)}</ul>` : html`<p class="soft">${t("state.breakers.none")}</p>`}
    ${meaning.value && !["off", "endpoint"].includes(meaning.value.backend) && !meaning.value.runtime.startsWith("onnx") && html`<p class="hint">${t("graph.hint")}</p>`}
    <${Models} /></section>`;
}

const meaningWords = (one) => [one.backend === "off" ? t("state.meaning.off") : "", one.runtime, one.model, one.languages.length ? t("state.languages", { names: one.languages.join(", ") }) : "", one.reason, one.note, one.last_failure].filter(Boolean).join(" · ");
const learningWords = (one) => {
  const waiting = Object.values(one.queue).reduce((sum, count) => sum + count, 0);
  const cost = t(one.daily_tokens ? "state.model.cost.of" : "state.model.cost", { calls: number(one.calls_today), tokens: number(one.tokens_today), limit: number(one.daily_tokens) });
  return one.on ? [t(one.shared ? "state.model.shared" : "state.model.on", { waiting: number(waiting), requests: number(one.requests) }), cost, one.last_error, ...one.notes].filter(Boolean).join(" · ") : t("state.model.off");
};

const DAILY_TOKENS = 200000; // about 400 exchanges

/** The model behind the proxy may distil as well: off until somebody says yes. */
export function Offer({ onDone }) {
  const yes = async () => { await patch("/settings", { values: { "learn.endpoint": "upstream", "learn.daily_tokens": DAILY_TOKENS } }); announce(t("offer.done")); onDone(); };
  return html`<div class="sheet" id="offer"><p>${t("offer.what", { tokens: number(DAILY_TOKENS) })}</p><p class="row"><${Button} kind="small" onClick=${yes}>${t("offer.yes")}<//></p></div>`;
}

const Rung = ({ state, name, text }) => html`<li><span class=${`badge state-${state}`}>${t(`state.is.${state}`)}</span> <strong>${name}</strong><p class="soft">${text}</p></li>`;

/** Models of meaning that can be fetched; asked for only when wanted. */
function Models() {
  const [rows, setRows] = useState(null);
  const look = async () => setRows((await get("/models")).items);
  if (!rows) return html`<p><${Button} kind="small" onClick=${look}>${t("models.look")}<//></p>`;
  return html`<h3>${t("models.title")}</h3><p class="hint">${t("models.hint")}</p>
    <ul class="presets">${rows.map((one) => html`<li key=${one.name}><div class="row apart"><strong>${one.name}</strong>${one.in_use ? html`<span class="badge">${t("models.in.use")}</span>` : one.here ? html`<span class="badge">${t("models.here")}</span>` : html`<span class="soft">${t("models.size", { size: number(one.megabytes) })}</span>`}</div>
      <p class="soft">${one.about} · ${one.languages.join(", ")} · ${one.licence}</p></li>`)}</ul>`;
}
