//@name rolememory
//@display-name rolememory
//@api 3.0
//@version 0.1.0
//@arg url string where `rolememory serve` listens, http://127.0.0.1:8787 when empty / 服务地址
//@arg token string its token, if it runs on another machine / 令牌，服务在别的机器上时需要

// Before a request: what comes to the character's mind goes in front of the newest message, and what was said so far is kept.
// After it: the reply is kept too (RisuAI tells of replies that were not streamed; a streamed one is kept with the next request).
// 请求之前：把想起的内容放在最新消息前面，并保存说过的话；之后：保存回复（流式回复随下一次请求保存）。
(async () => {
  let last = null // the newest turn, for the reply that answers it

  async function ask(role, what, turn) {
    const url = (await Risuai.getArgument('url')) || 'http://127.0.0.1:8787'
    const token = await Risuai.getArgument('token')
    const post = (path, body) =>
      Risuai.nativeFetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify(body),
      })
    const path = `/api/roles/${encodeURIComponent(role)}/${what}`
    try {
      let answer = await post(path, turn)
      if (answer.status === 404) {
        await post('/api/roles', { name: role })
        answer = await post(path, turn)
      }
      return answer.ok ? await answer.json() : {}
    } catch (error) {
      console.log(`rolememory: ${error.name}; the chat goes on without memory`) // never the text
      return {}
    }
  }

  await Risuai.addRisuReplacer('beforeRequest', async (messages, type) => {
    last = null
    if (type !== 'model') return messages // summaries, emotions, translations are no turns of the character
    const character = await Risuai.getCharacter()
    if (!character?.name) return messages
    const said = messages
      .filter((one) => ['user', 'assistant', 'system'].includes(one.role) && typeof one.content === 'string')
      .map(({ role, content }) => ({ role, content }))
    const turn = { messages: said, chat: character.chats?.[character.chatPage]?.id ?? '' }
    const found = await ask(character.name, 'recall', turn)
    await ask(character.name, 'observe', turn)
    last = { role: character.name, turn }
    const block = [found.persona, found.story, found.scene, found.text].filter(Boolean).join('\n\n')
    if (!block) return messages
    const at = messages.findLastIndex((one) => one.role === 'user')
    return messages.toSpliced(at < 0 ? messages.length : at, 0, { role: 'system', content: block })
  })

  await Risuai.addRisuReplacer('afterRequest', async (content, type) => {
    if (type === 'model' && last && content) await ask(last.role, 'observe', { ...last.turn, reply: content })
    return content
  })
})()
