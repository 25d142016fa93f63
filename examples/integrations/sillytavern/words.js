// Everything shown, in SillyTavern's own language: English stands here, translations in i18n/.

/** The words for a person; `{0}`, `{1}` ... are filled in. */
export function say(text, ...values) {
    const told = SillyTavern.getContext().translate(text);
    return told.replace(/\{(\d)\}/g, (_, at) => String(values[Number(at)] ?? ''));
}
