"""What a message wants."""

import pytest

from rolememory.text.intent import intent

PAST = """
Do you remember my sister?
do you still remember what I told you about my father?
Remember the night we met?
What did I tell you about my job?
What was the name of my dog?
When is my birthday?
What's my favourite colour?
Where do I live?
Who am I?
How did we meet?
How long have we known each other?
What do you know about me?
Did I ever tell you about the storm?
Have we been here before? Have we ever talked about it?
You promised me something last week.
Last time you said the beacon would hold.
What happened that night at the harbour?
Where did we leave off yesterday?
Why did you leave me that day?
Can you recall what we decided?
Didn't I tell you I'm allergic to nuts?
Have you forgotten what I said?
Remind me what the plan was.
What were we talking about?
Do you know my name?
What do I like to drink?
Tell me what I said last time.
Who did we meet at the inn?
What was that song called, the one we heard?
I told you about my exam yesterday.
You once told me about a lighthouse.
Which book did you recommend last month?
Did we agree on Friday?
What did she say about me?
When did I start my new job?
How old am I?
What did you promise me?
Refresh my memory.
We talked about Paris the other day.
Do you know what I do for a living?
还记得我妹妹吗？
你还记得我们第一次见面的时候吗
记不记得我的生日
我叫什么名字？
我的生日是哪天？
我上次跟你说的那家店叫什么？
上次我们聊到哪了？
昨天我们说了什么？
你之前答应过我什么？
我跟你说过我怕打雷吗？
我最喜欢的颜色是什么来着
我喜欢吃什么？
我住在哪里？
我是做什么工作的？
我们是怎么认识的？
我们认识多久了？
你知道我最怕什么吗？
那天晚上灯塔发生了什么？
当时你为什么离开？
你忘了我说的话吗
你不是说过会等我吗
关于我你都知道什么
我家猫叫什么
我对什么过敏
前几天你推荐的那本书叫什么
小时候我们常去哪里玩？
我们说好的事你没忘吧
你还有印象吗
之前提到的那个人是谁
我以前是不是来过这里？
去年夏天我们去了哪儿
我有没有跟你提过我的老师
刚才我说了什么？
上回你教我的那首歌叫啥
我儿子多大了
你曾经告诉过我你的秘密
咱们约好的是几点来着
还記得我嗎？
what colour was the dress I wore at the ball
Is it true that you told me you'd never been to sea?
i can't believe you don't remember our anniversary
Did you keep the letter I gave you?
So what was the answer to the riddle from before?
Have you still got the ring I gave you?
Last night you were angry with me. Why?
你记不记得那只黑猫
咱俩上次吵架是因为什么
我送你的那条项链还在吗
你之前说的那个秘密是什么
我和你讲过我爸爸的事情吗
你还欠我一个承诺，记得吗
那首诗的名字是什么来着
Which song did we dance to at the wedding?
I wonder if you remember the old mill
you told me your mother's name once, what was it
Do you recall the colour of my eyes?
What did the captain warn us about?
Hey, what was I saying earlier?
你记得我妈妈叫什么吗
我们上个月去的那家咖啡馆在哪条街
你说过要带我去看海的
我之前养的那只狗叫什么名字
第一次见面的时候我穿的什么衣服
我生日是几月几号
那年冬天我们为什么没去成北京
你答应我的事还算数吗
""".strip().splitlines()

REQUEST = """
In which town does Ann live?
To whom does the boat belong?
Lin: What should I do now?
小林：她住在哪里？
它的名字是？
她的猫叫？
Write me a poem about the sea.
Please translate this sentence into French.
What is the capital of Peru?
How do I cook rice?
Can you help me with my homework?
Explain recursion.
Let's go to the market.
Set an alarm for seven.
Remember to buy milk.
Don't forget to call her.
Tell me a story.
Give me three names for a cat.
Could you draw a map?
Why is the sky blue?
What time is it?
I need a plan for tomorrow.
I'd like some tea.
Shall we dance?
Sing me something.
What are you thinking about?
Is there an inn nearby?
How does a compass work?
Should we wait until dawn?
Summarize this article.
Where can I find a good doctor?
Do you like tea?
Pass me the salt, please.
How do I tie a bowline?
Who wrote Hamlet?
Close the door before you go.
帮我写一封邮件
请把这句话翻译成英文
今天天气怎么样？
怎么煮米饭？
给我讲个故事
推荐几本书吧
秘鲁的首都是哪里？
能帮我看看这段代码吗
写一首关于海的诗
解释一下什么是递归
记得带伞
记得把门关上
我们去集市吧
唱首歌给我听
你在想什么？
这里附近有客栈吗
为什么天是蓝的
提醒我明天八点开会
教我弹琴
设个闹钟
帮我算一下三十乘以七
要不要喝茶？
你喜欢什么颜色？
翻译：I love you
八点之前写完报告
帮我订个座位
你会做饭吗
这个字怎么念
画一张地图给我
请问洗手间在哪
Can we go home now?
Which way is north?
Do you want some wine?
Make it shorter.
Is the lamp wound?
Why is the beacon dark?
你会游泳吗
明天几点出发？
把窗户关上
灯塔为什么不亮了
你觉得我该怎么办
陪我去海边走走吧
How many islands are there in Greece?
Turn the lamp off, it's too bright.
Could we stop here for the night?
Are you hungry?
Put some wood on the fire.
给我倒杯水
你今天晚上有空吗
这本书讲了什么
把这段文字改得正式一点
我们现在在哪里
讲个笑话
你明天到底去不去青州？
她昨晚生没生气？
""".strip().splitlines()

MIXED = """
Remember my sister? Write a poem for her.
Write a story about the place we visited last summer.
Book the restaurant you recommended last week.
Do you remember my address? Please send the parcel there.
You said you knew a shortcut. What is the fastest way to the harbour?
As I said yesterday, I hate carrots. Give me a recipe.
What did we decide yesterday? Make a list of it.
Plan a trip like last time.
Do you remember my diet? What should I cook tonight?
I told you about my exam yesterday. Help me study for it.
还记得我妹妹吗？给她写首诗吧
上次说的那家店，帮我订个位
按我之前说过的口味推荐一道菜
你还记得我的生日吗？帮我安排一个派对
我上次提到的那本书，帮我总结一下
还记得我对什么过敏吗？推荐个餐厅
昨天我们聊到的计划，写成清单
像上次那样再唱一遍，唱一首吧
之前你教过我一首歌，现在教我怎么弹
我以前说过我怕黑，把灯打开
What was the spell you taught me? Cast it on the door.
Based on what I told you about my budget, suggest a laptop.
还记得我的预算吗？推荐一台电脑
What was my address again? Fill in this form with it.
Remember our budget? Find a hotel.
还记得我上次的体检结果吗，给我定个饮食计划
按上次说的方案写一份报告
""".strip().splitlines()

CHAT = """
For the moment we wait, and that is all.
可不是
好像是
Hi!
Hello there
How are you?
I am so tired today.
The sea is calm.
Thanks a lot!
Good night
That's beautiful.
I went to the market.
*smiles and sits down by the fire*
It was a long day.
I had soup for lunch.
My sister is coming on Sunday.
haha
You look lovely tonight.
I don't like this place.
See you tomorrow!
The storm is over.
I forgot my keys at home.
Never mind, forget it.
你好
早上好
今天好累
我昨天很累
我去了海边
谢谢你
晚安
你好吗？
吃了吗
外面下雨了
我有点难过
她笑了笑，没有说话
真好看
我中午吃了面
好的
明天见
我不太喜欢这里
哈哈哈
月色真美
I think I'm falling in love with you.
The old man nodded and said nothing.
Yesterday I went fishing with my brother.
That was delicious!
I remember the smell of the sea.
昨天我和弟弟去钓鱼了
他点了点头，什么也没说
我想你了
这里的风好大
我记得那天的海风
My dog is sick and I'm worried.
We walked for hours through the snow.
I love how the light falls through the window.
You're impossible.
Okay, I trust you.
今天的晚霞特别好看
我妹妹下周要结婚了
我有点饿了
你真会开玩笑
谁都不理我
我听说他要走了
他时不时来坐坐
她动不动就哭
不不不，我不要
""".strip().splitlines()

ROWS = [
    (text, wanted)
    for wanted, texts in (("past", PAST), ("request", REQUEST), ("mixed", MIXED), ("chat", CHAT))
    for text in texts
]


def test_intent() -> None:
    assert [(text, intent(text)) for text, _ in ROWS] == ROWS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "……",
        "？？？",
        "!!!",
        "🙂",
        "\x00",
        "a" * 100_000,
        "记得" * 50_000,
        "what " * 20_000,
        "((((" * 5_000,
    ],
)
def test_odd_texts_are_answered(text: str) -> None:
    assert intent(text) in ("past", "request", "mixed", "chat")
