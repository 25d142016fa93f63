// Elements without HTML: whatever a memory or a server says is shown as text.

/** An element; properties that begin with "on" are listeners, children are elements or texts. */
export function el(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
        else if (name in made) made[name] = value;
        else made.setAttribute(name, value);
    }
    made.append(...children.filter((one) => one !== null));
    return made;
}

/** A button with a name for those who cannot see its sign. */
export const button = (name, sign, onclick) =>
    el('button', { type: 'button', className: `menu_button rolememory-button fa-solid ${sign}`, title: name, 'aria-label': name, onclick });

/** A labelled field. */
export const field = (name, input, hint = '') =>
    el('label', { className: 'rolememory-field' }, el('span', { textContent: name }), input, hint ? el('small', { textContent: hint }) : null);
