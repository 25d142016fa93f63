// Who speaks with whom in which chat, and which way memory takes.

import { server, settings } from './settings.js';

const SOURCES_WITH_PROXY = ['openai', 'claude', 'mistralai', 'makersuite', 'vertexai', 'deepseek', 'xai', 'zai', 'moonshot'];

/** Whose turn it is, in a group between turns who spoke last; null on the start screen and with nobody to talk to. */
export function who(name = null) {
    const context = SillyTavern.getContext();
    const group = context.groupId ? present(context, name) : [];
    const character = context.characters[context.characterId] ?? group.find((one) => one.name === name) ?? (name ? null : spokeLast(context, group));
    const spoken = name ?? character?.name;
    if (!spoken || (!character && !group.length)) return null;
    return {
        role: spoken,
        avatar: character?.name === spoken ? character.avatar : '',
        chat: chat(context),
        title: String(context.chatId ?? ''),
        user: context.name1,
        group: group.map((one) => one.name),
        owners: personas(context),
    };
}

/** Whose words the names before the user's lines tell, where other personas spoke in this chat: each name is its own. */
function personas(context) {
    const names = context.chat.filter((one) => one.is_user && !one.is_system && one.name).map((one) => String(one.name));
    return Object.fromEntries(names.filter((one) => one !== context.name1).map((one) => [one, one]));
}

/** Everybody who hears the visible chat: the character, or those of a group who are not muted, and who spoke last. `spoke`: it has said something. */
export function listeners() {
    const context = SillyTavern.getContext();
    if (!context.groupId) return [who()].filter(Boolean).map((person) => ({ person, spoke: true }));
    const replies = context.chat.filter((one) => !one.is_user && !one.is_system);
    const said = new Set(replies.map((one) => one.original_avatar));
    return present(context, replies.at(-1)?.name).map((one) => ({ person: { ...who(one.name), role: one.name, avatar: one.avatar }, spoke: said.has(one.avatar) }));
}

/** The other characters who are there. */
export const others = (person) => person.group.filter((one) => one !== person.role);

function spokeLast(context, group) {
    const last = context.chat.findLast((one) => !one.is_user && !one.is_system);
    return group.find((one) => one.avatar === last?.original_avatar) ?? group[0] ?? null;
}

function members(context) {
    const group = context.groups.find((one) => one.id === context.groupId);
    return (group?.members ?? []).map((avatar) => context.characters.find((one) => one.avatar === avatar)).filter(Boolean);
}

/** Those of a group who hear what is said: muted ones do not, unless it is their turn. */
function present(context, speaking = null) {
    const muted = context.groups.find((one) => one.id === context.groupId)?.disabled_members ?? [];
    return members(context).filter((one) => !muted.includes(one.avatar) || one.name === speaking);
}

/** The chat's own id: it stays when the chat is renamed, and a branch gets its own. */
const chat = (context) => String(context.chatMetadata?.integrity ?? context.chatId ?? '');

/** The visible chat as the engine reads it: each of the user's messages with the persona that wrote it, in a group each reply with who spoke. */
export function visible(messages, inGroup) {
    return messages
        .filter((one) => !one.is_system && String(one.mes ?? '').trim() && one.mes !== '...')
        .map((one) => ({
            role: one.is_user ? 'user' : 'assistant',
            content: String(one.mes),
            ...(one.is_user && one.name ? { owner: String(one.name) } : {}),
            ...(inGroup && !one.is_user && one.name ? { name: one.name } : {}),
        }));
}

/** "proxy": our proxy stands before the model. "direct": it does not, so this page asks for memory itself. "off". */
export function way() {
    const { mode } = settings();
    return mode === 'auto' ? (throughProxy() ? 'proxy' : 'direct') : mode;
}

const throughProxy = () => isOurs(api());

/** Where the API leads, as far as that can be another address than its maker's; '' = nowhere of ours. */
export function api() {
    const context = SillyTavern.getContext();
    const { chat_completion_source: source, custom_url: custom, reverse_proxy: reverse } = context.chatCompletionSettings;
    if (context.mainApi === 'openai' && source === 'custom') return custom ?? '';
    if (context.mainApi === 'openai') return SOURCES_WITH_PROXY.includes(source) ? (reverse ?? '') : '';
    return context.mainApi === 'textgenerationwebui' ? (context.getTextGenServer() ?? '') : '';
}

/** Whether a URL leads to our server. SillyTavern may know it by another host name than this browser, so the port decides. */
function isOurs(url) {
    try {
        return new URL(url).port === new URL(server()).port;
    } catch {
        return false;
    }
}
