// The line that tells the proxy whose turn it is, put into the body parameters of the custom source.

const NAME = 'rolememory';

/** What the proxy reads: the speaking character, its card, the chat and its title, the persona, who else is there, other personas who spoke, what kind of call it is. */
export function hint({ role, avatar, chat, title, user, group, owners }, type, last) {
    const said = { role, avatar, chat, title, user, present: [user], type: type || 'normal', last };
    return { ...said, ...(group.length ? { group } : {}), ...(Object.keys(owners).length ? { owners } : {}) };
}

/**
 * The user's own body parameters with the hint. They are YAML (an object or a list of objects) or JSON, and one mistake
 * in them makes SillyTavern drop them all in silence; so a hint that was pasted there is taken out first: a key may stand once.
 */
export function withHint(parameters, said) {
    const own = without(parameters ?? '').trimEnd();
    const line = `${NAME}: ${oneLine(said)}`;
    const first = own.trimStart();
    if (first.startsWith('- ') || first.startsWith('[')) return asList(own, first, line, said);
    if (first.startsWith('{')) return asObject(own, said);
    return own ? `${own}\n${line}` : line;
}

/** JSON is YAML, but for the line separators that JSON allows inside a text. */
const oneLine = (said) => JSON.stringify(said).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

function asList(own, first, line, said) {
    if (first.startsWith('- ')) return `${own}\n${own.match(/^ *(?=- )/m)[0]}- ${line}`;
    return parsed(own, (list) => [...list, { [NAME]: said }]);
}

const asObject = (own, said) => parsed(own, (object) => ({ ...object, [NAME]: said }));

/** JSON that was written there, with the hint in it; flow YAML that is no JSON stays as its author wrote it. */
function parsed(own, add) {
    try {
        return oneLine(add(JSON.parse(own)));
    } catch {
        return own;
    }
}

/** The parameters without a hint of ours: its line and what is indented beneath it. */
function without(parameters) {
    const kept = [];
    let inside = false;
    for (const line of parameters.split('\n')) {
        if (new RegExp(`^(- +)?["']?${NAME}["']?\\s*:`).test(line)) inside = true;
        else if (/^\S/.test(line)) inside = false;
        if (!inside) kept.push(line);
    }
    return kept.join('\n');
}
