// The dialog in which a memory is written or changed.
import { html, useState } from "../preact.js";
import { t } from "../i18n.js";
import { Button, Dialog, Field, Words } from "../ui.js";
import { FEELINGS, TYPES, feelingWord, saved } from "./common.js";

const FIELDS = ["content", "type", "keys", "tags", "topics", "emotions", "subject", "user", "constant", "locked", "priority", "salience", "weight", "decay", "secondary_keys", "selective_logic", "expires"];
const FRESH = { content: "", type: "episodic", keys: [], tags: [], topics: [], emotions: [], subject: null, user: null, constant: false, locked: false, priority: 50, salience: 0.5, weight: 1, decay: 1, secondary_keys: [], selective_logic: "and_any", expires: null };

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The fields that differ from how it was. */
const changed = (before, now) => Object.fromEntries(FIELDS.filter((name) => !same(before[name], now[name])).map((name) => [name, now[name]]));

/** `memory`: what is changed, none = a new one. `onDone` gets what was saved. */
export function Editor({ role, memory, onClose, onDone }) {
  const [base, setBase] = useState(memory);
  const before = base || FRESH;
  const [now, set] = useState(before);
  const [error, setError] = useState(null);
  const [wrong, setWrong] = useState("");
  const put = (name) => (value) => set((all) => ({ ...all, [name]: value }));
  const save = async () => {
    setError(null);
    if (!now.content.trim()) { document.getElementById("memory-text").focus(); return setWrong(t("editor.empty")); }
    const fields = base ? changed(before, now) : { ...changed(FRESH, now), content: now.content };
    if (base && !Object.keys(fields).length) return onClose();
    try { onDone?.(await saved(role, base, fields)); onClose(); } catch (told) { setError(told); }
  };
  const keys = (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(); };
  return html`<${Dialog} title=${t(base ? "editor.change" : "editor.new")} onClose=${onClose} wide
    actions=${html`<${Button} onClick=${onClose}>${t("cancel")}<//><${Button} kind="main" onClick=${save}>${t("save")}<//>`}>
    <div onKeyDown=${keys}>
      ${error && html`<${Refused} error=${error} onTheirs=${() => { setBase(error.current); set(error.current); setError(null); }}
        onMine=${() => { setBase({ ...base, etag: error.current.etag }); setError(null); }} />`}
      <${Field} as="textarea" id="memory-text" label=${t("field.content")} value=${now.content} onInput=${(value) => { setWrong(""); put("content")(value); }} error=${wrong} rows="5" required />
      <div class="grid">
        <${Field} as="select" label=${t("field.type")} value=${now.type} onInput=${put("type")} options=${TYPES.map((one) => [one, t(`type.${one}`)])} />
        <${Words} label=${t("field.keys")} hint=${t("field.keys.hint")} value=${now.keys} onInput=${put("keys")} />
        <${Words} label=${t("field.tags")} value=${now.tags} onInput=${put("tags")} />
        <${Field} label=${t("field.subject")} hint=${t("field.subject.hint")} value=${now.subject ?? ""} onInput=${(value) => put("subject")(value || null)} />
      </div>
      <fieldset><legend>${t("field.emotions")}</legend><div class="row">${[...new Set([...FEELINGS, ...now.emotions])].map((one) => html`<${Field} key=${one} as="check" label=${feelingWord(one)}
        value=${now.emotions.includes(one)} onInput=${(on) => put("emotions")(on ? [...now.emotions, one] : now.emotions.filter((other) => other !== one))} />`)}</div></fieldset>
      <div class="row"><${Field} as="check" label=${t("field.constant")} hint="" value=${now.constant} onInput=${put("constant")} />
        <${Field} as="check" label=${t("field.locked")} value=${now.locked} onInput=${put("locked")} /></div>
      <details><summary>${t("editor.more")}</summary><div class="grid">
        <${Slide} name="priority" max="100" step="1" now=${now} put=${put} />
        <${Slide} name="salience" max="1" step="0.05" now=${now} put=${put} />
        <${Slide} name="weight" max="2" step="0.1" now=${now} put=${put} />
        <${Slide} name="decay" max="5" step="0.25" now=${now} put=${put} />
        <${Words} label=${t("field.topics")} value=${now.topics} onInput=${put("topics")} />
        <${Field} label=${t("field.user")} hint=${t("field.user.hint")} value=${now.user ?? ""} onInput=${(value) => put("user")(value || null)} />
        <${Words} label=${t("field.secondary_keys")} value=${now.secondary_keys} onInput=${put("secondary_keys")} />
        <${Field} as="select" label=${t("field.selective_logic")} value=${now.selective_logic} onInput=${put("selective_logic")}
          options=${["and_any", "and_all", "not_any", "not_all"].map((one) => [one, t(`logic.${one}`)])} />
        <${Field} type="datetime-local" label=${t("field.expires")} value=${local(now.expires)} onInput=${(value) => put("expires")(value ? new Date(value).toISOString() : null)} />
      </div></details>
    </div>
  <//>`;
}

const Slide = ({ name, max, step, now, put }) => html`<${Field} type="range" min="0" max=${max} step=${step} label=${`${t(`field.${name}`)}: ${now[name]}`} hint=${t(`field.${name}.hint`)}
  value=${now[name]} onInput=${(value) => put(name)(Number(value))} />`;

/** A moment as the browser's own field takes it: in local time, without a zone. */
const local = (value) => {
  if (!value) return "";
  const at = new Date(value);
  return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 16);
};

/** Why it was not saved; when somebody else changed it, whose words shall stand. */
const Refused = ({ error, onTheirs, onMine }) => html`<div class="trouble" role="alert"><p><strong>${error.message}</strong></p>
  ${error.stale && error.current ? html`<p>${t("editor.stale")}</p><blockquote>${error.current.content}</blockquote>
    <div class="row"><${Button} onClick=${onTheirs}>${t("editor.theirs")}<//><${Button} onClick=${onMine}>${t("editor.mine")}<//></div>` : error.hint && html`<p>${error.hint}</p>`}</div>`;
