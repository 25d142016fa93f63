// What the stories do in the page, by the ways a person has: the text field, buttons, menus.
async () => {
    const program = await import('/script.js');
    const { createBranch } = await import('/scripts/bookmarks.js');
    const { openGroupById } = await import('/scripts/group-chats.js');
    const now = () => SillyTavern.getContext();
    const { eventSource, eventTypes: on } = now();
    const byId = (id) => document.getElementById(id);

    const heard = (event) => new Promise((done) => eventSource.once(event, done));

    function set(id, value, event = 'input') {
        $(byId(id)).val(value).trigger(event);
    }

    const post = async (path, body) => {
        const answer = await fetch(path, { method: 'POST', headers: now().getRequestHeaders(), body: JSON.stringify(body) });
        if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
        return answer;
    };

    /** Until a condition holds, looked at with each frame. */
    const until = async (holds) => {
        while (!holds()) await new Promise((done) => setTimeout(done, 10));
    };

    const idle = () => until(() => !document.body.dataset.generating && !now().streamingProcessor && !program.is_send_press && !program.isChatSaving);

    /** Until the extension has told what there is to tell. */
    async function settled() {
        if (globalThis.rolememoryInterceptor) await (await import('/scripts/extensions/third-party/rolememory/turns.js')).settled();
    }

    /** Does something that has the model write, and waits until it is written and saved. */
    async function written(act) {
        const over = heard(now().groupId ? on.GROUP_WRAPPER_FINISHED : on.GENERATION_ENDED);
        await act();
        await over;
        await idle();
        await settled();
    }

    /** The same for what the model has no part in. */
    async function told(act) {
        await act();
        await idle();
        await settled();
    }

    const lastText = () => now().chat.at(-1)?.mes ?? '';

    globalThis.stage = {
        async connect({ url, processing = '' }) {
            set('main_api', 'openai', 'change');
            set('chat_completion_source', 'custom', 'change');
            set('custom_api_url_text', url);
            set('custom_model_id', 'scripted');
            set('custom_prompt_post_processing', processing, 'change');
            now().chatCompletionSettings.custom_prompt_post_processing = processing;
            const there = heard(on.ONLINE_STATUS_CHANGED);
            byId('api_button_openai').click();
            await there;
            await until(() => now().onlineStatus !== 'no_connection');
        },
        async text({ url }) {
            set('main_api', 'textgenerationwebui', 'change');
            set('textgen_type', 'generic', 'change');
            set('generic_api_url_text', url);
            const there = heard(on.ONLINE_STATUS_CHANGED);
            byId('api_button_textgenerationwebui').click();
            await there;
            await until(() => now().onlineStatus !== 'no_connection');
        },
        processing: (value) => {
            set('custom_prompt_post_processing', value, 'change');
            now().chatCompletionSettings.custom_prompt_post_processing = value;
        },
        names: (value) => {
            now().chatCompletionSettings.names_behavior = value;
        },
        tools: (result) => {
            now().chatCompletionSettings.function_calling = result !== null;
            if (result === null) return now().unregisterFunctionTool('almanac');
            const parameters = { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
            now().registerFunctionTool({ name: 'almanac', displayName: 'Almanac', description: 'What is known of somebody.', parameters, action: () => result });
        },
        parameters: (text) => {
            now().chatCompletionSettings.custom_include_body = text;
        },
        extension: (values) => {
            for (const [name, value] of Object.entries(values)) {
                const field = byId(`rolememory_${name}`);
                if (!field) throw new Error(`the panel has no field for ${name}`);
                field[field.type === 'checkbox' ? 'checked' : 'value'] = value;
                field.dispatchEvent(new Event('change'));
            }
        },
        async character({ name, description, greeting }) {
            const form = new FormData();
            const fields = { ch_name: name, description, first_mes: greeting, personality: '', scenario: '', mes_example: '' };
            for (const [field, value] of Object.entries(fields)) form.append(field, value);
            const headers = now().getRequestHeaders();
            delete headers['Content-Type'];
            const answer = await fetch('/api/characters/create', { method: 'POST', headers, body: form });
            if (!answer.ok) throw new Error(`create: ${answer.status}`);
            const avatar = await answer.text();
            await now().getCharacters();
            return [avatar, now().characters.find((one) => one.avatar === avatar).name];
        },
        async open(avatar) {
            const at = now().characters.findIndex((one) => one.avatar === avatar);
            if (String(now().characterId) === String(at) && !now().groupId) return;
            const changed = heard(on.CHAT_CHANGED);
            await now().selectCharacterById(at);
            await changed;
            await idle();
        },
        async newChat() {
            const changed = heard(on.CHAT_CHANGED);
            await program.doNewChat();
            await changed;
            await idle();
        },
        async group({ name, members }) {
            const made = await (await post('/api/groups/create', { name, members, activation_strategy: 1 })).json();
            await now().getCharacters();
            const changed = heard(on.CHAT_CHANGED);
            await openGroupById(made.id);
            await changed;
            await idle();
        },
        /** Mutes a member of the open group, or lets it speak again. */
        mute: async (avatar, muted) => {
            const row = [...document.querySelectorAll('#rm_group_members .group_member')].find((one) => $(one).data('id') === avatar);
            row.querySelector(`[data-action="${muted ? 'disable' : 'enable'}"]`).click();
            await until(() => now().groups.find((one) => one.id === now().groupId).disabled_members.includes(avatar) === muted);
        },
        /** Plays as a persona of this name that nobody was before, and gives it another name. */
        newPersona: async (name) => {
            const { initPersona } = await import('/scripts/personas.js');
            await initPersona('user-default.png', name, '', '');
            program.setUserName(name, { toastPersonaNameChange: false });
        },
        renamePersona: (name) => told(() => now().executeSlashCommandsWithOptions(`/persona-update name=${JSON.stringify(name)}`)),
        persona: (name) => program.setUserName(name, { toastPersonaNameChange: false }),
        async say(text) {
            await written(() => {
                set('send_textarea', text);
                byId('send_but').click();
            });
            return lastText();
        },
        async fail(text) {
            const over = heard(on.GENERATION_ENDED);
            set('send_textarea', text);
            byId('send_but').click();
            await over;
            await idle();
        },
        swipe: () => written(() => program.swipe_right()),
        regenerate: () => written(() => byId('option_regenerate').click()),
        continueIt: () => written(() => byId('option_continue').click()),
        async impersonate() {
            const ready = heard(on.IMPERSONATE_READY);
            await written(() => byId('option_impersonate').click());
            await ready;
            set('send_textarea', '');
        },
        quiet: (prompt) => now().generateQuietPrompt({ quietPrompt: prompt }),
        async begin(text) {
            set('send_textarea', text);
            byId('send_but').click();
            await until(() => now().streamingProcessor?.result?.length > 0 || $('#chat .mes').last().text().includes('never'));
        },
        async stop() {
            const over = heard(on.GENERATION_ENDED);
            byId('mes_stop').click();
            await over;
            await idle();
        },
        edit: (at, text) => told(async () => {
            const edited = heard(on.MESSAGE_EDITED);
            const line = document.querySelector(`#chat .mes[mesid="${at}"]`);
            line.querySelector('.mes_edit').click();
            await until(() => byId('curEditTextarea'));
            $('#curEditTextarea').val(text).trigger('input');
            line.querySelector('.mes_edit_done').click();
            await edited;
        }),
        remove: (at) => told(() => program.deleteMessage(at)),
        /** Deletes the open chat, without waiting for what is asked then. */
        deleteChat: () => void now().executeSlashCommandsWithOptions('/delchat'),
        async branch(at) {
            const name = await createBranch(at);
            const changed = heard(on.CHAT_CHANGED);
            await now().openCharacterChat(name);
            await changed;
            await idle();
        },
        command: async (text) => (await now().executeSlashCommandsWithOptions(text)).pipe,
        prompts: () => Object.entries(now().extensionPrompts).filter(([name, one]) => name === 'rolememory' && one.value).map(([, one]) => one.value),
        texts: () => now().chat.map((one) => one.mes),
        /** All words of the panel that people see or hear. */
        panel: () => {
            const parts = [byId('rolememory_panel'), ...byId('rolememory_panel').querySelectorAll('*')];
            const own = (one) => [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.data.trim());
            return parts.flatMap((one) => [...own(one), ...['title', 'aria-label'].map((name) => one.getAttribute(name) ?? '')]).filter(Boolean);
        },
        help: () => ['memory', 'remember', 'forget', 'recall'].map((name) => now().SlashCommandParser.commands[name].helpString),
        save: () => program.saveSettings(),
        toasts: () => [...document.querySelectorAll('.toast-message')].map((one) => one.textContent),
        kept: () => now().extensionSettings.rolememory ?? null,
        async uninstall() {
            const { deleteExtension } = await import('/scripts/extensions.js');
            await deleteExtension('/rolememory', true);
        },
    };
}
