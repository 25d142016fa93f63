"""Texts and the keys they give: `key, key | text`; `- | text` for none."""

from collections.abc import Iterator

ENGLISH = """
- | My dog died yesterday.
- | We went home and talked.
- | I love you.
- | I feel so empty since she left.
- | Honestly it was a great day and everyone was happy.
- | I was so tired after work that I went to bed early.
- | You said you would wait for me at the bridge.
- | My mother is a kind woman.
- | It was raining when I woke up.
- | I'm Kai, by the way.
- | My name is Lin.
- | He never came back from the war.
- | I want to tell you something important about my life.
- | Yesterday I saw my friends at school.
bakery | I got the job at the bakery today.
Rome, Anna | I went to Rome with Anna last week.
Tom | My boss fired Tom this morning.
Ross | I lent Captain Ross my horse.
Ross, Bergen, violin | I lent Captain Ross my wooden violin in Bergen.
Canal Street, bookshop | I own a small bookshop on Canal Street.
New York | We met in New York.
Anna, Berg | I was hired by Anna Berg.
Biscuit, kitten | I just adopted a kitten called Biscuit!
Aldous | He said his name was Aldous.
Priya | ok so I met a girl named Priya at the concert
whale | I dreamt of a white whale again.
umbrella | She lent me her umbrella and never asked for it back.
peanuts, peanut | I'm allergic to peanuts.
Leeds, bakery | I live in a small flat above a bakery in Leeds.
Nokia | My phone is a Nokia from 2003.
cilantro | I hate cilantro
cello | I used to play the cello.
inn | The inn has three floors and a red door.
Lisbon | We're moving to Lisbon next year.
pilot | I want to become a pilot.
pier | Meet me at the old pier at midnight.
sword, wolves, wolf | *He draws his sword and steps between us and the wolves.*
Kyoto | I drink it every morning since my trip to Kyoto.
attic | I found a note in the attic.
Brandt | I sold the boat to old Brandt.
kettle | I bought a new kettle yesterday.
bathtub | my cat fell into the bathtub
Nora | My sister Nora is vegan
barn | The rain never stopped, so we slept in the barn with the horses.
bookshelf | There is a hidden door behind the bookshelf.
dentist | Honestly I'm scared of the dentist.
pork | I don't eat pork.
"""

CHINESE = """
- | 我的狗昨天死了。
- | 我爱你。
- | 没有哥哥我好难过好孤单。
- | 明天我要去医院看爸爸。
- | 我叫林晚。
- | 对了，我叫阿凯。
- | 她走了以后我心里空落落的。
- | 我们一起回家，聊了很久。
- | 今天上班好累，晚上早点睡。
- | 你说过会在桥上等我，可你没来。
- | 我答应你，冬天之前一定会回来找你。
- | 小时候奶奶教过我那首歌。
面包店 | 我今天被面包店录取了。
罗马, 安娜 | 上周我和安娜去了罗马。
船长 | 我把被偷的地图的事告诉了船长。
罗斯船长, 小提琴 | 我把小提琴借给了罗斯船长。
灯塔, 银戒指 | 你在灯塔下送过我一枚银戒指。
小汤 | 老板今天早上把小汤开除了，你敢信？
栅栏 | 我终于把栅栏刷成绿色了。
年糕, 领养, 小猫 | 我刚领养了一只小猫，叫年糕！
图书馆, 自行车 | 有人在图书馆门口偷了我的自行车。
双胞胎 | 我姐姐生了双胞胎！
阿尔德 | 他说他叫阿尔德，从北方来。
小雅, 演唱会 | 我在演唱会上认识了一个叫小雅的女孩
白鲸 | 我又看见那条白鲸了。
驾照 | 我驾照考过了！！！
失業 | 我失業了
臺北 | 我們搬到臺北了。
花生, 过敏 | 我对花生过敏。
利兹, 面包店 | 我住在利兹一家面包店楼上。
怀孕 | 我怀孕了。
香菜 | 我讨厌香菜
咖啡 | 我中午以后从不喝咖啡。
大提琴 | 我以前拉过大提琴。
客栈 | 这家客栈有三层楼，门是红色的。
里斯本 | 我们明年搬到里斯本。
飞行员 | 我想当飞行员。
巴黎 | 我们下周去巴黎吧。
钥匙, 垫子 | *我锁上门，把钥匙藏在垫子下面。*
阁楼 | 我在阁楼里发现了一张纸条。
布兰特 | 我把船卖给老布兰特了。
水壶 | 我昨天买了一把新水壶。
浴缸 | 我家猫掉进浴缸里了
谷仓 | 雨一直没停，我们就和马一起睡在谷仓里。
暗门 | 书架后面有一扇暗门。
运河街, 小书店 | 我在运河街开了家小书店。
猪肉 | 我不吃猪肉。
牙医 | 说真的我怕看牙医。
三体 | 《三体》是我最喜欢的书
林小满 | 她叫林小满，是我的同学
王老师, 钢笔 | 王老师送了我一支钢笔
"""


def rows(block: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(keys in order, text)."""
    for line in block.strip().splitlines():
        keys, _, text = line.partition(" | ")
        yield () if keys == "-" else tuple(keys.split(", ")), text
