"""Messages and the commands in them: `kind | content | message`, several commands parted by `+`, `0 | message` for none.

`^` as content stands for "that": the message before.
"""

from collections.abc import Iterator

ENGLISH = """
remember | I'm allergic to nuts | remember that I'm allergic to nuts
remember | I'm allergic to nuts | Please remember that I'm allergic to nuts.
remember | my birthday is on the third of May | Remember my birthday is on the third of May.
remember | I hate cilantro | Remember: I hate cilantro.
remember | my sister's name is Nora | Hey, remember this: my sister's name is Nora!
remember | the code for the gate is 4711 | Remember the code for the gate is 4711
remember | I don't drink alcohol | Oh, and remember I don't drink alcohol, ok?
remember | Tuesdays are bad for me | Remember, Tuesdays are bad for me.
remember | I moved to Leeds last month | Can you remember that I moved to Leeds last month?
remember | I take my coffee black | Could you please remember that I take my coffee black?
remember | my cat is called Biscuit | I want you to remember that my cat is called Biscuit.
remember | I never eat meat | You must remember that I never eat meat.
remember | I work nights | Make sure you remember that I work nights.
remember | my mother is a nurse | Don't forget that my mother is a nurse.
remember | I'm vegetarian | don't forget: I'm vegetarian
remember | we are meeting Ana on Friday | Don't forget we are meeting Ana on Friday.
remember | dinner is at eight | Do not forget, dinner is at eight.
remember | Dinner's at eight on Thursday | Dinner's at eight on Thursday, don't forget!
remember | buy oil for the lamps | Note to self: buy oil for the lamps
remember | the harbour master is called Brandt | mental note: the harbour master is called Brandt
remember | I prefer tea over coffee | Make a note that I prefer tea over coffee.
remember | my shoe size is 42 | Take a note: my shoe size is 42
remember | I have a twin brother | Keep in mind that I have a twin brother.
remember | I can't swim | Please keep in mind I can't swim.
remember | my flight is at six on Monday | For future reference, my flight is at six on Monday.
0 | Write this down: my locker is number 17.
0 | Write down that Rex is afraid of thunder
remember | I live in Bergen | Add this to your memory: I live in Bergen
remember | I live in Bergen now | Save to memory: I live in Bergen now.
remember | my favourite colour is teal | Save this to your notes, my favourite colour is teal
remember | the wifi at my place is called Owlnet | memorize this: the wifi at my place is called Owlnet
remember | I am deaf in my left ear | Bear in mind that I am deaf in my left ear.
remember | My birthday is the 3rd of May | My birthday is the 3rd of May. Remember that.
remember | My name is Lin | My name is Lin, remember that.
remember | My dad was a sailor | My dad was a sailor. Please don't forget that.
remember | The key is under the mat | Remember this. The key is under the mat.
remember | ^ | Remember that.
remember | ^ | please remember this for later
remember | ^ | Don't forget that!
remember | ^ | Make a note of that.
remember | ^ | Could you remember this for me?
remember | ^ | Save that to your memory, please
remember | I left the letter with Captain Ross | Mira, remember that I left the letter with Captain Ross.
remember | call me Captain | From now on, remember to call me Captain.
remember | answer in English | remember to answer in English
remember | I get migraines from bright light | "Remember that I get migraines from bright light," I say quietly.
remember | I am left-handed | *I sit down.* "Please remember that I am left-handed."
remember | the sword is cursed | ((OOC: remember the sword is cursed))
remember | keep replies under 200 words | (OOC: remember to keep replies under 200 words)
remember | my character is mute | [Remember: my character is mute]
remember | my character is mute | *He nods.* (note: my character is mute)
remember | Tom is my half brother | [OOC - please don't forget that Tom is my half brother]
remember | I use they/them pronouns | ooc: remember that I use they/them pronouns
remember | I'm allergic to bees | /remember I'm allergic to bees
remember | the inn burned down | /note the inn burned down
remember | my dog is called Rex. He is five years old | Remember this: my dog is called Rex. He is five years old.
remember | I'm vegan | Remember that I'm vegan, what should we cook tonight?
remember | I owe Pete twenty dollars | Just a reminder: I owe Pete twenty dollars
0 | Reminder that my exam is on the 12th.
pin | I broke my ankle in March | Always remember that I broke my ankle in March.
remember | i'm scared of dogs | ok so um please remember i'm scared of dogs
remember | I love you | Never forget that I love you.
remember | you are my half sister | Don't you ever forget that you are my half sister.
forget | coffee | forget what I said about coffee
forget | my ex | Please forget everything I told you about my ex.
forget | my job | Forget I mentioned my job.
forget | ^ | Forget I said anything.
forget | ^ | forget what I just said
0 | never mind that
0 | Scratch that.
0 | strike that
forget | ^ | Disregard my last message.
forget | ^ | Ignore what I just said, ok?
forget | ^ | nvm what i said
forget | Paris | Never mind what I said about Paris.
0 | Forget my address, please.
0 | Can you forget my old phone number?
0 | Forget everything you know about me.
forget | my brother | Delete everything you remember about my brother.
forget | my divorce | Erase the memory of my divorce.
forget | my salary | remove my salary from your memory
0 | Don't mention my ex again.
0 | Please don't bring up the accident anymore.
0 | Never speak of my father again.
forget | ^ | Don't remember this.
forget | ^ | Delete that memory.
forget | ^ | Pretend I never said that.
forget | the ring | pretend i didn't mention the ring
forget | my surgery | (OOC: please forget what I said about my surgery)
forget | that I like jazz | /forget that I like jazz
forget | ^ | Forget the last thing I said.
forget | ^ | Please don't record that.
0 | My brother lives in Oslo. Scratch that.
pin | I am colour-blind | Pin this: I am colour-blind
pin | ^ | pin that, please
pin | I'm diabetic | Always keep in mind that I'm diabetic.
pin | we are married | /pin we are married
correct | my name is Lin, not Lynn | Correction: my name is Lin, not Lynn
correct | I live in Turin | You remembered that wrong, I live in Turin.
correct | It's Nora, not Dora | You got my sister's name wrong. It's Nora, not Dora.
correct | my birthday is in May | That's not right, my birthday is in May.
correct | I moved to Rome | Update: I moved to Rome
correct | I quit my job | Update your memory: I quit my job.
correct | I meant Tuesday | I misspoke, I meant Tuesday.
correct | my cat is nine | /correct my cat is nine
remember + forget | I like tea + coffee | Remember that I like tea, and forget what I said about coffee.
remember | I live in Porto now | Forget my old address. Remember that I live in Porto now.
0 | Do you remember my sister?
0 | do you remember that I'm allergic to nuts?
0 | Remember when we went to the lake?
0 | Remember the night we met?
0 | remember me?
0 | Remember that night at the harbour?
0 | You remember what I told you, right?
0 | Can you remember when we first met?
0 | Can you remember the name of that song?
0 | Did you remember to feed the cat?
0 | I remember the smell of the sea.
0 | I'll never forget you.
0 | I will always remember this day.
0 | I forgot my umbrella again.
0 | I can't remember where I put the keys.
0 | Remember to lock the door.
0 | Please remember to water the plants tomorrow.
0 | Don't forget your coat!
0 | Don't forget to write.
0 | don't forget me
0 | Don't forget who you are.
0 | Don't you forget about me.
0 | Never forget.
0 | Forget it.
0 | Forget it, I'm going home.
0 | Forget about him, he's not worth it.
0 | Forget the plan, run!
0 | Forget me and live your life.
0 | Forget him. Come with me.
0 | Never mind.
0 | Never mind, let's go.
0 | He told me to remember that I am loved.
0 | My grandmother always said, remember that you are a Brandt.
0 | She said: "Remember that I love you."
0 | "Forget what I said about the gold," the old man whispers.
0 | The sign read "remember that the ice is thin".
0 | *I will remember that you helped me, she thinks.*
0 | *She remembers that he is allergic to nuts.*
0 | I remember that you hate spiders.
0 | I don't remember saying that.
0 | Do you want me to remember that?
0 | Should I remember this?
0 | What do you remember about me?
0 | Why did you forget my birthday?
0 | You forgot my birthday.
0 | You always forget what I said.
0 | I hope you don't forget that I'm here.
0 | How could I forget what you said about my ex?
0 | If you forget my name, I'll understand.
0 | It's hard to forget what I said.
0 | I'd rather forget my first job.
0 | We should remember the fallen.
0 | Remember, remember, the fifth of November
0 | ♪ Remember me, though I have to say goodbye ♪
0 | > Remember that I live in Oslo
0 | Remember me to your mother.
0 | I wrote it down yesterday.
0 | Write me a poem about memory.
0 | Note the way the light falls.
0 | Mind the gap!
0 | I don't mind that.
0 | I made a note of everything she wore.
0 | The pin on her coat was silver. Pin it to the wall.
0 | I scratched that itch.
0 | Ignore him.
0 | Don't mention it.
0 | Pretend I'm your sister.
0 | Delete the file.
0 | Put the book down, please.
0 | Keep this letter safe.
0 | Save the princess!
0 | Save that for dessert.
0 | Let's forget that this ever happened between us.
0 | You're wrong, I never loved him.
0 | That's wrong and you know it.
0 | I want to forget everything about that war.
0 | My memory is terrible these days.
0 | My teacher used to tell us: remember that silence is gold.
0 | Remember this moment.
0 | Remember who paid for all this.
0 | remember i told you about my ex
0 | You said you'd come back, remember?
0 | It was raining that day, remember?
0 | Remind me to call mom tomorrow.
0 | ```
remember that x = 3
```
0 | (He remembers that day well.)
0 | (don't forget your sword)
0 | What was that song called? I keep forgetting.
0 | Nobody remembers that the bridge was made of wood.
0 | Don't forget to take breaks when you need to rest.
0 | Remember, every problem has a solution.
0 | Remember that staying positive is very important.
0 | And don't forget, you're worth it!
0 | Believe in yourself. Don't forget, every step matters.
0 | It's easy to get lost and forget that.
0 | I can relax, forget my troubles, and get lost in a book.
0 | It was a gift - a reminder that I'm on the right path.
0 | Remember Jon, just do it!
0 | Try to remember. Where did you see him last?
remember | I only have one kidney | Listen, you need to remember that I only have one kidney.
remember | my boss is called Ingrid | hey can u remember that my boss is called Ingrid
remember | we got engaged in Lisbon | please don't ever forget we got engaged in Lisbon
remember | my grandmother's recipe needs saffron | Quick note to self: my grandmother's recipe needs saffron.
remember | The train leaves at 6:40 | The train leaves at 6:40, please remember that!
remember | I go by Max these days | Keep this in mind: I go by Max these days.
remember | the vault opens only at midnight | ((remember that the vault opens only at midnight))
remember | I'm pregnant | I need you to remember something: I'm pregnant.
remember | my sister can't eat gluten | Could you make a note that my sister can't eat gluten?
remember | he wears a silver ring | (ooc: keep in mind that he wears a silver ring)
remember | ^ | Remember this, please.
remember | We named the boat Gull | We named the boat Gull. Don't forget that, okay?
remember | I'm on insulin since 2019 | Put this in your notes: I'm on insulin since 2019
remember | my daughter starts school on Monday | It's important that you remember my daughter starts school on Monday.
remember | my therapist is Dr. Hale | Remember my therapist is Dr. Hale.
remember | I gave you the blue key | and remember, I gave you the blue key
forget | my ex-wife | I'd like you to forget everything I said about my ex-wife.
0 | ok scratch that
forget | ^ | Forget what I told you earlier.
0 | You can forget my real name.
forget | the dream | Forget I told you about the dream.
0 | Please stop bringing up my dead cat. Don't mention my dead cat again.
forget | where I live | Delete everything you know about where I live.
0 | Actually, disregard that.
forget | ^ | Act like I never said that.
correct | she is my cousin | Correction - she is my cousin.
correct | my flight is on Sunday | You've got that wrong: my flight is on Sunday.
pin | the war ended ten years ago | pin this memory: the war ended ten years ago
0 | Do you even remember what day it is?
0 | Remember our first dance?
0 | I couldn't forget that face if I tried.
0 | Remember to bring the map tomorrow, okay?
0 | She asked me to remember her.
0 | "Don't forget that you owe me," the innkeeper growls.
0 | Don't forget to feed Biscuit while I'm away.
0 | I keep forgetting that he's gone.
0 | Memory is a strange thing, isn't it?
0 | Forget the past, darling.
0 | It's the song that goes: remember that I'm yours.
0 | He wrote me a note that said I was brave.
0 | Let's not mention this to anyone.
0 | You're right, scratch my back a little lower.
0 | I noted that the door was open.
0 | Will you remember me when I'm gone?
"""

CHINESE = """
remember | 我对花生过敏 | 记住我对花生过敏
remember | 我对花生过敏 | 请记住，我对花生过敏。
remember | 我不吃香菜 | 记住：我不吃香菜
remember | 我的生日是5月3号 | 帮我记一下，我的生日是5月3号
remember | 周五下午三点开会，地点在301 | 帮我记一下：周五下午三点开会，地点在301
remember | 我住在杭州 | 麻烦记一下我住在杭州。
remember | 我妹妹叫小禾 | 你要记住我妹妹叫小禾哦
remember | 我怕打雷 | 别忘了我怕打雷
remember | 明天是我生日 | 别忘了明天是我生日！
remember | 我不会游泳 | 千万别忘了，我不会游泳。
remember | 我生日是5月3号 | 我生日是5月3号，别忘了哦！
remember | 我最讨厌吃香菜 | 我最讨厌吃香菜，记住了。
remember | 我养了一只猫叫年糕 | 我养了一只猫叫年糕。记住哦
0 | 记下来：门禁密码是0412
remember | 我左耳听不见 | 请你记住我左耳听不见，好吗？
remember | 我喝咖啡不加糖 | 能帮我记住我喝咖啡不加糖吗？
remember | 我换工作了，在一家书店上班 | 记一下，我换工作了，在一家书店上班
remember | 我是素食者 | 对了，记住我是素食者
remember | 我叫林晚 | 记住我叫林晚
remember | 我的猫叫年糕 | 把我的猫叫年糕记下来
0 | 把这个记下来
remember | ^ | 请记下来
remember | ^ | 这句话你要记住
remember | ^ | 帮我记住
remember | ^ | 记住哦
remember | ^ | 这件事千万别忘了
remember | 我有一个双胞胎哥哥 | 写进你的记忆：我有一个双胞胎哥哥
remember | 我每周三晚上要上夜班 | 记到你的小本本上，我每周三晚上要上夜班
remember | 我是左撇子 | 备注：我是左撇子
remember | 钥匙藏在花盆下面 | 备忘：钥匙藏在花盆下面
remember | 我对猫毛过敏 | 记得我对猫毛过敏
remember | 我们周六要去看外婆 | 记得我们周六要去看外婆哦
remember | 叫我船长 | 以后记得叫我船长
remember | 用中文回答 | 记得用中文回答
remember | 这把剑被诅咒了 | （场外：记住这把剑被诅咒了）
remember | 回复短一点 | （OOC：记得回复短一点）
remember | 我的角色是哑巴 | 【记住：我的角色是哑巴】
remember | 我的角色是哑巴 | *他点了点头。*（记一下：我的角色是哑巴）
remember | 我用的是假名 | ooc：别忘了我用的是假名
remember | 我对蜜蜂过敏 | /记住 我对蜜蜂过敏
remember | 旅店烧毁了 | /记 旅店烧毁了
remember | 我睡眠很浅 | “记住，我睡眠很浅。”我轻声说。
remember | 我不吃辣 | 帮我记住我不吃辣，今晚吃什么？
remember | 我爱你 | 永远别忘了我爱你
remember | 我搬到成都了 | 記住，我搬到成都了
remember | 我對海鮮過敏 | 請記住我對海鮮過敏
remember | 我喜歡喝茶 | 別忘了我喜歡喝茶
remember | 我的航班是周一早上六点 | 那个，帮我存一下：我的航班是周一早上六点。
remember | 1. 我叫阿岚 2. 我在海边长大 | 记住以下内容：1. 我叫阿岚 2. 我在海边长大
remember | 我妈是护士 | 米拉，记住我妈是护士。
remember | 我欠老周两百块 | 提醒一下，记住我欠老周两百块
remember | 我下个月结婚 | 我下个月结婚，帮我记下来
0 | 以后别再提我前男友了。
0 | 不要再提那场车祸了
0 | 别再提他了
0 | 别再提了
forget | ^ | 当我没说
forget | ^ | 就当我没说过。
forget | ^ | 算我没说
forget | ^ | 忘掉我刚才说的话
forget | ^ | 把我刚才说的忘了吧
forget | 咖啡 | 忘掉我说的关于咖啡的话
0 | 请忘掉我的地址
0 | 把我的旧手机号忘了吧
0 | 忘掉关于我前妻的一切
forget | 我弟弟 | 删掉关于我弟弟的记忆
forget | 我的工资 | 把我的工资从记忆里删掉
forget | ^ | 删掉刚才那条记忆
forget | ^ | 这句不用记
forget | ^ | 别记这个
forget | ^ | 忽略我上一条消息
forget | ^ | 撤回刚才那句话
forget | 我手术 | （场外：以后不要再提我手术的事了）
forget | 我喜欢爵士 | /忘掉 我喜欢爵士
0 | 把我家的事都忘掉
0 | 以后别提我爸的病了
forget | ^ | 當我沒說
pin | 我有糖尿病 | 置顶：我有糖尿病
pin | ^ | 把这条置顶
pin | 我们已经结婚了 | /置顶 我们已经结婚了
correct | 我叫林，不叫凌 | 更正：我叫林，不叫凌
correct | 我住在都灵 | 你记错了，我住在都灵。
correct | 我妹妹叫小禾，不是小何 | 你又记错了。我妹妹叫小禾，不是小何。
correct | 是周二不是周三 | 我刚才说错了，是周二不是周三
correct | 我已经辞职了 | 更新一下你的记忆：我已经辞职了
correct | 我的猫九岁 | /更正 我的猫九岁
remember + forget | 我喜欢喝茶 + 咖啡 | 记住我喜欢喝茶，忘掉我说的关于咖啡的事。
0 | 还记得我妹妹吗？
0 | 你记得我对花生过敏吗？
0 | 记得我说过我怕打雷吗？
0 | 记得我们第一次见面的时候吗
0 | 记得那天晚上吗
0 | 你还记得我吗
0 | 我记得你喜欢喝茶。
0 | 我忘了带伞。
0 | 我永远不会忘记你。
0 | 我会记住这一天的。
0 | 记住了。
0 | 好的，记住了。
0 | 我记住了
0 | 别忘了带伞
0 | 别忘了吃药哦
0 | 别忘了明天来接我
0 | 记得锁门
0 | 出门记得带钥匙
0 | 记得早点睡
0 | 别忘了我
0 | 别忘了我们的约定
0 | 记住这一刻
0 | 记住你的身份
0 | 记住你说的话
0 | 你给我记住！
0 | 忘了他吧，他不值得。
0 | 忘了我吧
0 | 忘掉过去，重新开始。
0 | 把他忘了吧。
0 | 算了。
0 | 算了，我们走吧。
0 | 别提了，今天倒霉透了。
0 | 我妈常说，记住做人要善良。
0 | 他说：“记住我爱你。”
0 | “忘掉我说的关于金子的事。”老人低声说。
0 | 牌子上写着“记住冰很薄”。
0 | *她记得他对花生过敏。*
0 | *我会记住你帮过我，她想。*
0 | 你是不是忘了我的生日？
0 | 你忘了我的生日。
0 | 你怎么又忘了我说的话
0 | 我想忘掉那场战争。
0 | 希望你别忘了我
0 | 如果你忘了我的名字，我不怪你。
0 | 怎么才能忘掉我前男友？
0 | ♪ 记住我，虽然再见必须说 ♪
0 | > 记住我住在杭州
0 | 老师教我们：记住沉默是金。
0 | 我把它写下来了。
0 | 日记本上记着一些奇怪的符号。
0 | 记者来了。
0 | 我还没忘记那件事呢。
0 | 你记性真差。
0 | 这首歌叫什么来着？我总忘记。
0 | 谁还记得那座桥是木头的
0 | 当我没说话的时候，你在想什么
0 | 忘记关灯了。
0 | 我不记得说过这话。
0 | 要我记住吗？
0 | 我该记住什么？
0 | 你都记住了我的哪些事？
0 | 不要再提醒我了
0 | 提醒我明天给妈妈打电话
0 | 那天下着雨，记得吗？
0 | 你说过会回来的，记得吧
0 | 把门关上，别忘了。
0 | 把窗户删掉
0 | 记忆是很奇妙的东西。
0 | 他让我记住他爱我。
0 | 记住，只要努力就会成功。
0 | 别忘了，你是最棒的！
0 | 记住，生活总会好起来的。
0 | 忘了告诉你，今天下雨。
remember | 我只有一个肾 | 你听好，一定要记住我只有一个肾。
remember | 我老板叫英格 | 帮忙记一下我老板叫英格
remember | 我们是在里斯本订的婚 | 可千万别忘了我们是在里斯本订的婚
remember | 外婆的菜谱要放藏红花 | 备忘一下：外婆的菜谱要放藏红花。
remember | 火车六点四十开 | 火车六点四十开，要记住哦！
remember | 我现在改名叫小麦了 | 记好了，我现在改名叫小麦了。
remember | 金库只在午夜开 | （（记住金库只在午夜开））
remember | 我怀孕了 | 我要你记住一件事：我怀孕了。
remember | 我妹妹不能吃麸质 | 可以帮我记一下我妹妹不能吃麸质吗？
remember | 他戴着银戒指 | （OOC：请记住他戴着银戒指）
remember | ^ | 麻烦记一下这个。
remember | 我们给船起名叫海鸥 | 我们给船起名叫海鸥。这个别忘了。
remember | 我女儿周一开学 | 请务必记得我女儿周一开学
remember | 我从2019年开始打胰岛素 | 把这条写进记忆：我从2019年开始打胰岛素
forget | 我前妻 | 忘掉我说过的关于我前妻的所有事
forget | ^ | 好吧，当我没说。
forget | ^ | 我刚才说的你就忘了吧
0 | 你可以忘掉我的真名了
0 | 请不要再提我那只死去的猫了。
forget | 我住址 | 删除关于我住址的记忆
forget | ^ | 上一句作废
forget | ^ | 这个不用记下来
correct | 她是我表姐 | 更正一下，她是我表姐。
correct | 我的航班是周日 | 你记错啦，我的航班是周日。
pin | 战争十年前就结束了 | 置顶这条：战争十年前就结束了
0 | 你还记得今天是什么日子吗？
0 | 记得我们的第一支舞吗？
0 | 那张脸我想忘也忘不掉。
0 | 明天记得带地图，好吗？
0 | 她要我记住她。
0 | “别忘了你还欠我的钱。”店主吼道。
0 | 我不在的时候别忘了喂年糕。
0 | 我总是忘记他已经不在了。
0 | 忘了过去吧，亲爱的。
0 | 他给我写了张纸条，说我很勇敢。
0 | 这事别跟任何人提。
0 | 我走了以后你会记得我吗？
0 | 记得那首歌是怎么唱的么
0 | 我注意到门是开着的。
"""


def rows(block: str) -> Iterator[tuple[list[tuple[str, str]], str]]:
    """([(kind, content)], message) of each row; a message may go on over several lines."""
    lines: list[str] = []
    for line in block.strip().splitlines():
        if line.split(" | ")[0].replace(" + ", "").isalnum() and " | " in line:
            lines.append(line)
        else:
            lines[-1] += "\n" + line
    for line in lines:
        kinds, _, rest = line.partition(" | ")
        if kinds == "0":
            yield [], rest
            continue
        contents, _, message = rest.partition(" | ")
        told = ["" if said == "^" else said for said in contents.split(" + ")]
        yield list(zip(kinds.split(" + "), told, strict=True)), message
