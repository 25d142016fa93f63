import { html } from "../preact.js";
import { t } from "../i18n.js";

export default () => html`<p>${t("missing")}</p>`;
