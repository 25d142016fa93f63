// Koishi + ChatLuna: the character remembers, whoever speaks and in whatever channel. Asks a running `rolememory serve`.
// Koishi + ChatLuna：角色会记得每个人、每个频道里的事。需要正在运行的 `rolememory serve`。
//
// Put {rolememory} into the preset where memories should stand. 在预设里写上 {rolememory}，记忆就放在那里。
// Written without type annotations on purpose, so that it runs as it stands wherever it is loaded.

export const name = 'rolememory'
export const inject = ['chatluna']

export function apply(ctx, config = {}) {
  const { url = 'http://127.0.0.1:8787', token = '', role = '', timeout = 3000 } = config
  const log = ctx.logger?.('rolememory')

  async function post(path, body) {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) }
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(timeout) })
  }

  // What the server says; nothing when it cannot be asked. A role that is not there yet is made.
  async function ask(who, what, turn) {
    const path = `/api/roles/${encodeURIComponent(who)}/${what}`
    try {
      let answer = await post(path, turn)
      if (answer.status === 404) {
        await post('/api/roles', { name: who })
        answer = await post(path, turn)
      }
      return answer.ok ? await answer.json() : {}
    } catch (error) {
      log?.warn(`${error.name}; the chat goes on without memory`) // never the text
      return {}
    }
  }

  // ChatLuna gives the preset as a value, a promise or a reference, by version.
  async function roleOf(chatInterface) {
    const found = await chatInterface?.preset
    const preset = found?.value ?? found
    return role || preset?.triggerKeyword?.[0] || ''
  }

  const textOf = (message) => {
    const raw = message.additional_kwargs?.raw_content ?? message.content // before ChatLuna put names and times around it
    return typeof raw === 'string' ? raw : (raw ?? []).map((part) => part.text ?? '').join('')
  }

  const kindOf = (message) => ({ human: 'user', ai: 'assistant' })[message.getType?.() ?? message._getType?.()]

  async function turnOf(conversationId, message, chatInterface, session) {
    const before = (await chatInterface?.chatHistory?.getMessages?.()) ?? []
    const said = before.filter((one) => kindOf(one) && one !== message).map((one) => ({ role: kindOf(one), content: textOf(one) }))
    const user = session?.userId ?? message.id
    const now = { role: 'user', content: textOf(message), ...(user ? { owner: String(user) } : {}) } // whose words these are, in a channel of many
    return { messages: [...said, now], chat: conversationId, ...(user ? { user: String(user) } : {}) }
  }

  const pending = new Map() // turns that wait for their answer, by conversation

  ctx.on('chatluna/before-chat', async (conversationId, message, promptVariables, chatInterface, session) => {
    const who = await roleOf(chatInterface)
    promptVariables.rolememory = ''
    if (!who) return
    const turn = await turnOf(conversationId, message, chatInterface, session)
    pending.set(conversationId, turn)
    const found = await ask(who, 'recall', turn)
    promptVariables.rolememory = [found.persona, found.text].filter(Boolean).join('\n\n')
  })

  ctx.on('chatluna/after-chat', async (conversationId, sourceMessage, responseMessage, promptVariables, chatInterface) => {
    const turn = pending.get(conversationId)
    pending.delete(conversationId)
    const who = await roleOf(chatInterface)
    if (turn && who) await ask(who, 'observe', { ...turn, reply: textOf(responseMessage) })
  })
}
