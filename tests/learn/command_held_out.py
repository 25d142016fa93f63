"""Messages written after the rules of commands were closed; same form as `command_rows`.

At their first reading 74 of 76 were read rightly, and none of the 32 that order nothing was obeyed; one general fault that they
showed has been mended since. (An earlier set, 74 of 83 at its first reading, stands at the end of `command_rows` now.)
"""

from tests.learn.command_rows import rows

__all__ = ["CHINESE", "ENGLISH", "rows"]

ENGLISH = """
remember | I only drink decaf now | Remember that I only drink decaf now, would you?
remember | my brother's wedding is on June 12 | pls note that my brother's wedding is on June 12
remember | my knee is still bad | Oh, and please keep in mind that my knee is still bad.
remember | We are allergic to cats, both of us | We are allergic to cats, both of us. Make a note of that please.
remember | my pronouns are he/him | ooc: please remember my pronouns are he/him
remember | the lake freezes in November | [Note: the lake freezes in November]
0 | Jot down that the hotel is called Aurora.
remember | I have a meeting with Kim on Tuesday at ten | Save this to your memory: I have a meeting with Kim on Tuesday at ten
remember | I was born in Lagos | Hey Mira, don't forget I was born in Lagos
remember | I'm left-footed | Also remember I'm left-footed, thanks
remember | I can't stand jazz | You need to remember that I can't stand jazz.
remember | ^ | Please memorize that.
remember | it's my mother's ring | Important: remember that it's my mother's ring.
remember | never mention the war to my grandfather | Note to self: never mention the war to my grandfather
forget | my old job | Please forget what I told you about my old job.
0 | Strike that, please.
0 | Don't bring up the pregnancy again.
forget | my email address | Delete my email address from your memory.
forget | ^ | Disregard what I just said.
forget | my cousin | Forget everything I mentioned about my cousin.
0 | Oh, scratch that. Let's start over.
correct | I have two sisters, not three | Correction, I have two sisters, not three.
correct | my dog is a poodle | You got it wrong, my dog is a poodle.
0 | I remember every word you said.
0 | Do you remember the name of my first teacher?
0 | Remember how scared you were of the dark?
0 | Could you remember to buy milk?
0 | She never forgot that summer.
0 | Forget about the money, it's not important.
0 | My dad used to say: never forget where you come from.
0 | "Remember me," she whispers as the train leaves.
0 | It's hard to remember that he's only twelve.
0 | Don't forget to breathe.
0 | Forget you!
0 | I noted your concerns.
0 | I have to remember to call the plumber.
0 | What should I remember about this place?
0 | Pin the map to the board.
0 | Let's not forget the reason we came here.
0 | Keep your promise.
"""

CHINESE = """
remember | 我现在只喝低因咖啡 | 记住我现在只喝低因咖啡哦
remember | 我弟弟六月十二号结婚 | 麻烦你记一下，我弟弟六月十二号结婚
remember | 我的膝盖还没好 | 对了，别忘了我的膝盖还没好。
remember | 我们俩都对猫过敏 | 我们俩都对猫过敏。帮我记下来。
remember | 我的代词是他 | ooc：请记住我的代词是他
remember | 湖十一月结冰 | 【备注：湖十一月结冰】
remember | 酒店叫极光 | 帮我记一下酒店叫极光
remember | 我周二十点和小金开会 | 存到你的记忆里：我周二十点和小金开会
remember | 我出生在拉各斯 | 阿岚，别忘了我出生在拉各斯
remember | 我受不了爵士乐 | 你得记住我受不了爵士乐。
remember | ^ | 请把这个记住。
remember | 这是我妈妈的戒指 | 重要：记住这是我妈妈的戒指。
remember | 我女儿对青霉素过敏 | 拜托一定记住我女儿对青霉素过敏！
forget | 旧工作 | 请忘掉我跟你说的关于旧工作的事。
0 | 别再提怀孕的事了。
forget | 我的邮箱 | 把我的邮箱从记忆里删掉
forget | ^ | 刚才那句不算，当我没说
forget | 表弟 | 忘掉我提过的关于表弟的所有事情
forget | ^ | 把上一句删掉吧
correct | 我有两个姐姐，不是三个 | 更正：我有两个姐姐，不是三个。
correct | 我家狗是贵宾 | 你弄错了，我家狗是贵宾。
0 | 你说过的每句话我都记得。
0 | 你还记得我第一个老师叫什么吗？
0 | 记得你以前有多怕黑吗？
0 | 能不能记得买牛奶？
0 | 她从没忘记那个夏天。
0 | 别管钱了，不重要。
0 | 我爸常说：别忘了自己从哪里来。
0 | “记住我。”火车开走时她低声说。
0 | 很难记住他才十二岁。
0 | 别忘了呼吸。
0 | 我得记得给水管工打电话。
0 | 关于这里我该记住什么？
0 | 把地图钉在板子上。
0 | 我们不要忘记来这里的原因。
0 | 忘了吧，都过去了。
"""
