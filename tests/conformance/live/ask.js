// Asks the real program what it makes of cases, from within its own page. Told and answered in JSON;
// a case is as conformance/worldinfo/README.md says, an answer is its `expected`, or {error}.
async (told) => {
    const [program, lore, { power_user: wishes }, { extension_settings }, { setFloatingPrompt, NOTE_MODULE_NAME }] = await Promise.all([
        import('/script.js'),
        import('/scripts/world-info.js'),
        import('/scripts/power-user.js'),
        import('/scripts/extensions.js'),
        import('/scripts/authors-note.js'),
    ]);
    const { eventSource, event_types, extension_prompts } = program;

    // ── who and what stands in the program ──

    function seat({ character: who, user }, named) {
        const avatar = `${who.file}.png`;
        const [world, ...extraBooks] = named.character;
        const extensions = { world, depth_prompt: { prompt: who.depth_prompt } };
        program.characters.splice(0, Infinity, {
            ...{ name: who.name, avatar, description: who.description, personality: who.personality, scenario: who.scenario },
            mes_example: who.mes_example, first_mes: who.first_mes,
            data: {
                name: who.name, creator_notes: who.creator_notes, extensions, system_prompt: who.system_prompt ?? '',
                post_history_instructions: who.post_history ?? '', character_version: who.version ?? '', alternate_greetings: who.alternate_greetings ?? [],
            },
        });
        program.setCharacterId(0);
        program.setCharacterName(who.name);
        program.setUserName(user.name, { toastPersonaNameChange: false });
        wishes.context.example_separator = '<START>';
        wishes.persona_description = user.description ?? '';
        wishes.persona_description_lorebook = named.persona[0] ?? '';
        lore.world_info.charLore = [{ name: who.file, extraBooks }];
        extension_settings.note.chara = [];
        window.SillyTavern.getContext().tagMap[avatar] = who.tags ?? [];
    }

    function shelve(books) {
        lore.worldInfoCache.clear();
        for (const { name, entries } of books) lore.worldInfoCache.set(name, { entries });
    }

    function talk(messages) {
        const shown = messages.map(({ name, is_user, mes, hidden, send_date }) => ({ name, is_user, mes, is_system: !!hidden, extra: {}, ...(send_date ? { send_date } : {}) }));
        program.chat.splice(0, Infinity, ...shown);
    }

    function whisper({ author_note: note, scan_injections: injected = [] }) {
        for (const name of Object.keys(extension_prompts)) delete extension_prompts[name];
        const [note_position, note_depth, note_role] = [1, 4, 0];
        program.updateChatMetadata({ note_interval: note ? 1 : 0, note_position, note_depth, note_role }, false);
        document.getElementById('extension_floating_prompt').value = note?.text ?? '';
        extension_settings.note.allowWIScan = !!note?.scan;
        setFloatingPrompt();
        injected.forEach((text, at) => program.setExtensionPrompt(`injected_${at}`, text, 0, 0, true));
    }

    // ── one generation ──

    async function scan(asked) {
        whisper(asked);
        const visible = program.chat.filter((message) => !message.is_system);
        const newestFirst = visible.map(({ name, mes }) => (lore.world_info_include_names ? `${name}: ${mes}` : mes)).reverse();
        const forced = new Set((asked.force_activate ?? []).map(String));
        const outside = forced.size ? (await lore.getSortedEntries()).filter(({ uid }) => forced.has(String(uid))) : [];
        await eventSource.emit(event_types.WORLDINFO_FORCE_ACTIVATE, outside);
        const dice = loaded(asked.rolls);
        const given = await dice.during(() => {
            const card = program.getCharacterCardFields();
            const texts = {
                ...{ personaDescription: card.persona, characterDescription: card.description, characterPersonality: card.personality },
                ...{ characterDepthPrompt: card.charDepthPrompt, scenario: card.scenario, creatorNotes: card.creatorNotes },
                trigger: asked.trigger ?? 'normal',
            };
            return lore.checkWorldInfo(newestFirst, asked.settings.max_context, !!asked.dry_run, texts);
        });
        return said(given, asked, dice.thrown);
    }

    function loaded(rolls) {
        const [honest, dice] = [Math.random, { thrown: 0 }];
        dice.during = async (play) => {
            Math.random = () => {
                if (!rolls || dice.thrown >= rolls.length) throw new Error('a roll that the case does not have');
                return rolls[dice.thrown++];
            };
            try {
                return await play();
            } finally {
                Math.random = honest;
            }
        };
        return dice;
    }

    function said(given, asked, thrown) {
        const examples = (place) => given.EMEntries.filter(({ position }) => position === place).map(({ content }) => content);
        return {
            activated: [...given.allActivatedEntries].map(({ uid }) => uid),
            before: given.worldInfoBefore,
            after: given.worldInfoAfter,
            an_top: given.ANBeforeEntries,
            an_bottom: given.ANAfterEntries,
            em_top: examples(lore.wi_anchor_position.before),
            em_bottom: examples(lore.wi_anchor_position.after),
            depth: given.WIDepthEntries,
            outlets: given.outletEntries,
            ...(asked.author_note ? { author_note: extension_prompts[NOTE_MODULE_NAME].value } : {}),
            ...(asked.rolls ? { rolls_used: thrown } : {}),
            ...(asked.variables ? { variables: structuredClone(remembered()) } : {}),
        };
    }

    function timed() {
        const effects = (kind) => Object.entries(program.chat_metadata.timedWorldInfo?.[kind] ?? {});
        const told = ([name, { start, end, protected: kept }]) => ({ uid: Number(name.slice(name.lastIndexOf('.') + 1)), start, end, protected: kept });
        const sorted = (kind) => effects(kind).map(told).sort((one, other) => one.uid - other.uid);
        return { sticky: sorted('sticky'), cooldown: sorted('cooldown') };
    }

    // ── one case ──

    async function answer(asked) {
        if (asked.kind === 'import') return { entries: await converted(asked) };
        if (asked.kind === 'macros') return macros(asked);
        const books = asked.books ?? [{ name: 'book', source: 'global', entries: asked.entries }];
        const named = Object.groupBy(books, ({ source }) => source);
        for (const source of ['global', 'character', 'chat', 'persona']) named[source] = (named[source] ?? []).map(({ name }) => name);
        shelve(books);
        seat(asked, named);
        lore.updateWorldInfoSettings({ ...asked.settings }, named.global);
        program.updateChatMetadata({ world_info: named.chat[0] }, true);
        talk(asked.chat);
        if (asked.now) Date.now = () => Date.parse(asked.now);
        remember(asked.variables);
        return asked.turns ? { turns: await turns(asked, books) } : await scan(asked);
    }

    async function turns(asked, books) {
        const answers = [];
        let chat = asked.chat;
        for (const turn of asked.turns) {
            chat = [...chat.slice(0, chat.length - (turn.remove_last ?? 0)), ...(turn.append ?? [])];
            for (const [uid, fields] of Object.entries(turn.edit_entries ?? {})) {
                for (const { entries } of books) if (entries[uid]) Object.assign(entries[uid], fields);
            }
            shelve(books);
            talk(chat);
            answers.push({ ...(await scan({ ...asked, ...turn })), timed: timed() });
        }
        return answers;
    }

    // ── macros alone ──

    function macros(asked) {
        seat(asked, { character: [], persona: [] });
        talk(asked.chat);
        Date.now = () => Date.parse(asked.now);
        remember(asked.variables);
        return { said: asked.texts.map((text) => program.substituteParams(text)), variables: remembered() };
    }

    function remember({ local = {}, global = {} } = {}) {
        program.updateChatMetadata({ variables: { ...local } }, false);
        extension_settings.variables.global = { ...global };
    }

    function remembered() {
        return { local: program.chat_metadata.variables ?? {}, global: extension_settings.variables.global };
    }

    // ── books of other programs ──

    async function converted({ format, source }) {
        if (format === 'character_book') return lore.convertCharacterBook(source).entries;
        const name = `import-${crypto.randomUUID()}`;
        if (format === 'to_character_book') return await inCard(name, source);
        await lore.importWorldInfo(new File([JSON.stringify(source)], `${name}.json`));
        return (await lore.loadWorldInfo(name)).entries;
    }

    async function inCard(name, source) {
        await lore.saveWorldInfo(name, source, true);
        const post = (path, body) => fetch(path, { method: 'POST', headers: program.getRequestHeaders(), body: JSON.stringify(body) });
        const avatar_url = await (await post('/api/characters/create', { ch_name: name, world: name })).text();
        return (await (await post('/api/characters/get', { avatar_url })).json()).data.character_book.entries;
    }

    const [answers, clock] = [[], Date.now];
    for (const asked of JSON.parse(told)) {
        answers.push(await answer(asked).catch((error) => ({ error: `${error?.stack ?? error}` })));
        Date.now = clock;
    }
    return JSON.stringify(answers);
}
