"""User turns, what they are, and what of them tells something: `kind | turn`, `kind | turn => what tells it`; `- kind | turn` for nothing.

A kind may be several: `event/statement`. `//` is a line break.
"""

from collections.abc import Iterator

ENGLISH = """
event | My dog died yesterday.
event | My dog died yesterday, what should I do? => My dog died yesterday
event | Hi Mira! I got the job at the bakery today. => I got the job at the bakery today.
event | Thanks! I went to Rome with Anna last week. How are you? => I went to Rome with Anna last week.
event | We buried my grandfather on Sunday.
event | I broke my arm when I was seven.
event | I told the captain about the stolen map.
event | The dragon burned the village to the ground.
event | You gave me a silver ring at the lighthouse.
event | My boss fired Tom this morning, can you believe it?
event | I finally finished painting the fence green.
event | I just adopted a kitten called Biscuit!
event | Someone stole my bicycle outside the library.
event | Did you know that I won the spelling contest in 1998?
event | Guess what, my sister had twins!
event | He said his name was Aldous and that he came from the north.
event | haha ok so I met a girl named Priya at the concert
event/feeling | I dreamt of a white whale again.
event | I passed my driving test!!!
event | She lent me her umbrella and never asked for it back.
statement | I'm allergic to peanuts.
statement | I have two brothers and a cat.
statement/feeling | My favourite colour is teal.
statement | I live in a small flat above a bakery in Leeds.
statement | I'm pregnant.
statement/event | I am a nurse, I work nights at St. Mary's.
statement | My name is Lin.
statement | My phone is a Nokia from 2003.
statement | I can't swim.
statement/feeling | I hate cilantro
statement | I never drink coffee after noon.
statement | My mother speaks four languages.
statement/event | I used to play the cello.
statement | The password to the old gate is moonlight.
statement | The inn has three floors and a red door.
plan/statement | It's my birthday tomorrow, isn't it funny? => It's my birthday tomorrow
statement/plan | My exam is on Friday at nine.
feeling/statement | I love you.
feeling/statement | I'm so sad and lonely without my brother.
feeling/statement | I'm terrified of deep water.
feeling/event/statement | I miss my grandmother so much.
feeling/event/statement | I feel guilty about leaving my sister alone.
plan | Tomorrow I'm going to see my father in hospital.
plan | We're moving to Lisbon next year.
plan | I promise I will come back for you before winter.
plan | I want to become a pilot.
plan/statement | Meet me at the old pier at midnight.
plan | I'm thinking about quitting my job at the bank.
plan | Let's go to Paris next week.
plan/statement/event | I have to give Captain Ross his letter back.
scene | *I lock the door and hide the key under the mat.*
scene | *I hand her the letter from my brother.* Read it. => *I hand her the letter from my brother.*
scene | *He draws his sword and steps between us and the wolves.*
scene/event | *She takes off the bandage, and the wound beneath it is black.* "It is spreading," she says.
event/plan/statement | Do you like tea? I drink it every morning since my trip to Kyoto. => Do you like tea? I drink it every morning since my trip to Kyoto.
event | Come here. I found a note in the attic. What do you think it means? => I found a note in the attic.
event | ((OOC: brb, phone)) I sold the boat to old Brandt. => I sold the boat to old Brandt.
event | Remember that I like tea. I bought a new kettle yesterday. => I bought a new kettle yesterday.
event | lol yeah. My landlord raised the rent by 200 euros. => My landlord raised the rent by 200 euros.
event | Good morning! I slept badly because of the storm. => I slept badly because of the storm.
event | 😂😂 my cat fell into the bathtub
event | "I was a soldier once," I say, "in the northern war."
statement | My sister Nora is vegan, what should I cook for her? => My sister Nora is vegan
- chit_chat | Hi!
- chit_chat | Hello there, how are you?
- chit_chat | Good morning, Mira
- chit_chat | Thanks a lot, that was really helpful!
- chit_chat | ok
- chit_chat | Haha, that's so funny!
- chit_chat | Wow, that's amazing! I'm so happy for you.
- chit_chat | Good night, sleep well
- chit_chat | See you later!
- chit_chat | I agree with you.
- chit_chat | You're so sweet.
- chit_chat | lol same
- chit_chat | Yes. Sounds good!
- chit_chat | Nice to meet you!
- chit_chat | I don't know.
- chit_chat | *smiles*
- chit_chat | *nods and smiles at you*
- chit_chat | *I hug you*
- chit_chat | Keep up the good work!
- chit_chat | Never mind.
- chit_chat | Oh really? Cool.
- chit_chat | continue
- chit_chat | Go on...
- chit_chat/command | ok, continue please
- question | What do you think about love?
- question | What's your favourite food?
- question | Do you remember my sister?
- question | Where are we going?
- question | Are you angry with me?
- question | How do I tie a bowline?
- question | Who is that man over there?
- question | What did I tell you about Anna?
- question | What does my sister Anna do in Riga?
- question | Where does my brother Tom live now?
- question | What's my cat's favourite fish?
statement | How does my cat Miso always find the fish I hide?
statement | What should I give my sister Anna for her wedding on Friday?
- question | can you swim
- question | why is the sky blue
- command | Tell me a story about dragons.
- command | Write me a poem about Anna and the sea.
- command | Come here.
- command | Sing for me, please.
- command | Look at me.
- command | Describe the room in detail.
- command | Translate this into French.
- command | Give me ten names for a tavern.
- command/chit_chat | Stop.
- command | Sit down and tell me everything.
- command | Remember that I'm allergic to nuts.
- command | /remember my name is Lin
- noise | asdfghjkl
- noise | 😂😂😂
- noise | ...
- noise | ?!
- noise | hahahahaha
- noise/chit_chat | qwertyqwerty
- noise/chit_chat | ((OOC: I'll be back in ten minutes))
- noise | ```python//print("hello")//```
- noise | {"name": "Lin", "age": 3}
- noise | function add(a, b) {//  return a + b;//}//const x = add(1, 2);
"""

CHINESE = """
event | 我的狗昨天死了。
event | 我的狗昨天死了，我该怎么办？ => 我的狗昨天死了
event | 你好呀！我今天被面包店录取了。 => 我今天被面包店录取了。
event | 谢谢！上周我和安娜去了罗马。你呢？ => 上周我和安娜去了罗马。
event | 周日我们埋葬了爷爷。
event | 我七岁的时候摔断过胳膊。
event | 我把被偷的地图的事告诉了船长。
event | 龙把整个村子烧成了灰。
event | 你在灯塔下送过我一枚银戒指。
event | 老板今天早上把小汤开除了，你敢信？
event | 我终于把栅栏刷成绿色了。
event | 我刚领养了一只小猫，叫年糕！
event | 有人在图书馆门口偷了我的自行车。
event | 你知道吗，我1998年得过拼写比赛冠军！
event | 你猜怎么着，我姐姐生了双胞胎！
event/statement | 他说他叫阿尔德，从北方来。
event | 哈哈好吧，我在演唱会上认识了一个叫小雅的女孩
event | 我又梦见那条白鲸了。
event | 我驾照考过了！！！
event/plan/statement | 她把伞借给我，再也没要回去。
event | 我失業了
event | 我考上大學了！
statement | 我对花生过敏。
statement | 我有两个哥哥和一只猫。
statement | 我最喜欢的颜色是青色。
statement | 我住在利兹一家面包店楼上。
statement/event | 我怀孕了。
statement | 我是护士，在市医院上夜班。
statement | 我叫林晚。
statement | 我不会游泳。
statement/feeling | 我讨厌香菜
statement/plan | 我中午以后从不喝咖啡。
statement | 我妈会说四种语言。
statement/event | 我以前拉过大提琴。
statement | 老城门的口令是月光。
statement | 这家客栈有三层楼，门是红色的。
plan/statement | 明天是我生日，好玩吧？ => 明天是我生日
plan/statement | 我周五九点考试。
feeling/statement | 我爱你。
feeling/statement/event | 没有哥哥我好难过好孤单。
feeling/statement | 我特别怕深水。
feeling/statement | 我好想奶奶。
feeling/event/statement | 把妹妹一个人留下，我很内疚。
plan | 明天我要去医院看爸爸。
plan | 我们明年搬到里斯本。
plan | 我答应你，冬天之前一定会回来找你。
plan | 我想当飞行员。
plan/statement | 半夜在老码头等我。
plan | 我打算辞掉银行的工作。
plan | 我们下周去巴黎吧。
scene | *我锁上门，把钥匙藏在垫子下面。*
scene | *我把哥哥的信递给她。*看看吧。 => *我把哥哥的信递给她。*
scene | *他拔出剑，挡在我们和狼群之间。*
event | 过来。我在阁楼里发现了一张纸条。你觉得是什么意思？ => 我在阁楼里发现了一张纸条。
event | （OOC：等我一下）我把船卖给老布兰特了。 => 我把船卖给老布兰特了。
event | 记住我喜欢喝茶。我昨天买了一把新水壶。 => 我昨天买了一把新水壶。
event | 房东把房租涨了两百块，唉
event | 早上好！昨晚打雷，我没睡好。 => 昨晚打雷，我没睡好。
event | 😂😂 我家猫掉进浴缸里了
statement | 我妹妹小禾吃素，给她做什么好呢？ => 我妹妹小禾吃素
- chit_chat | 你好！
- chit_chat | 在吗
- chit_chat | 早上好呀
- chit_chat | 谢谢你，太好了
- chit_chat | 好的
- chit_chat | 哈哈哈，太搞笑了
- chit_chat | 哇，真厉害！为你高兴。
- chit_chat | 晚安，做个好梦
- chit_chat | 明天见！
- chit_chat | 我同意。
- chit_chat | 你真可爱。
- chit_chat | 我也是
- chit_chat | 嗯嗯，好的呀
- chit_chat | 不知道。
- chit_chat | *微笑*
- chit_chat | *点了点头*
- chit_chat | *轻轻抱住你*
- chit_chat | 加油！
- chit_chat | 算了。
- chit_chat | 真的吗？太棒了
- chit_chat | 继续
- chit_chat | 然后呢？
- chit_chat/command | 好的，请继续
- question | 你觉得爱是什么？
- question | 你最喜欢吃什么？
- question | 还记得我妹妹吗？
- question | 我们要去哪里？
- question | 你生我的气了吗？
- question | 绳结怎么打？
- question | 那边那个男人是谁？
- question | 我跟你说过安娜的什么事来着
- question | 我妹妹安娜在里加做什么？
- question | 我哥哥汤姆最怕什么？
- question | 我和妹妹去年夏天去哪玩了？
- question | 你会游泳吗
- question | 天为什么是蓝的
- command | 给我讲一个关于龙的故事。
- command | 帮我写一首关于安娜和大海的诗。
- command | 过来。
- command | 为我唱首歌吧。
- command | 看着我。
- command | 详细描述一下这个房间。
- command | 把这段翻译成法语。
- command | 给酒馆起十个名字。
- command | 停下。
- command | 坐下，把一切都告诉我。
- command | 记住我对花生过敏。
- command | /记住 我叫林
- noise | 啊啊啊啊啊啊
- noise | 。。。
- noise | ？？！
- noise/chit_chat | （OOC：我十分钟后回来）
"""


def rows(block: str) -> Iterator[tuple[bool, set[str], str, str]]:
    """(whether anything is kept, the kinds it may be, the turn, what is kept of it)."""
    for line in block.strip().splitlines():
        head, _, rest = line.partition(" | ")
        turn, arrow, kept = rest.replace("//", "\n").partition(" => ")
        keep = not head.startswith("- ")
        yield (
            keep,
            set(head.removeprefix("- ").split("/")),
            turn,
            (kept if arrow else turn) if keep else "",
        )
