"""Messages written after the rules of commands were closed; same form as `command_rows`.

How many of them are read rightly is a measurement: write new rows when rules change, do not mend the rules by these.
"""

from tests.learn.command_rows import rows

__all__ = ["CHINESE", "ENGLISH", "rows"]

ENGLISH = """
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
forget | ^ | ok scratch that
forget | ^ | Forget what I told you earlier.
forget | my real name | You can forget my real name.
forget | the dream | Forget I told you about the dream.
forget | my dead cat | Please stop bringing up my dead cat. Don't mention my dead cat again.
forget | where I live | Delete everything you know about where I live.
forget | ^ | Actually, disregard that.
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
forget | 我的真名 | 你可以忘掉我的真名了
forget | 我那只死去的猫 | 请不要再提我那只死去的猫了。
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
