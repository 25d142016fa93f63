"""Sentences written after the lexicons were closed and never tuned on; same form as `felt_sentences`.

Their accuracy is a measurement, not a goal: do not mend the lexicons by these rows. When words are added for other reasons, write new rows.
"""

from tests.text.felt_sentences import rows

__all__ = ["CHINESE", "ENGLISH", "rows"]

ENGLISH = """
+joy | Guess what, we're getting a puppy! I'm thrilled!
+joy | The whole tavern roared with laughter.
+joy | It cheers me up just to see you.
+joy | She hummed to herself while kneading the dough.
+joy | Ha! I knew it would work.
+joy | I'm having such a lovely time here.
-sadness | The old man wept for his lost ship.
-sadness | I just feel like nothing I do matters.
-sadness | She slid down the wall, tears running down her face.
-sadness | We buried our captain at sea.
-sadness | it's been a rough week tbh, i feel awful
-sadness | He looked at the broken toy and his lip began to wobble.
-sadness | They told me the letter would never come, and something in me died.
-sadness | I used to be happy in this town. Now I only feel empty.
-fear | Hide! They must not find us here.
-fear | I keep thinking something terrible will happen to him.
-fear | The lantern shook in her hand.
-fear | Don't make me go down there alone, please.
-fear | I was scared stiff.
-fear | The thought of the operation frightens me.
-anger | You had no right to read my letters!
-anger | He stormed out and slammed the door behind him.
-anger | Every time he opens his mouth I want to scream.
-anger | That damned thief took everything.
-anger | She was shaking with fury.
-anger | I'm so done with your lies.
-disgust | This fish stinks, throw it out.
-disgust | He looked at the stew and felt his stomach turn.
-disgust | There were worms in the flour. Horrid.
~surprise | You are the princess? No one told me!
~surprise | His eyebrows shot up. "Married? You?"
~surprise | To her amazement, the statue spoke.
~surprise | I nearly fell off my chair when I heard.
+anticipation | I can hardly wait for the fair.
+anticipation | What is in the box? Come on, open it, I'm so curious!
+anticipation | We have high hopes for the new mast.
+love | I have loved you since the day you arrived.
+love | He brushed a kiss across her knuckles.
+love | Good night, sweetheart.
+love | Her whole face softened when the baby grabbed her finger.
+love | He pulled her into a tight hug.
~longing | Do you ever miss the mountains?
~longing | I wish I could go home.
~longing | There isn't a day I don't think of him.
-shame | I broke your mother's vase. I am so sorry.
-shame | He mumbled an apology and stared at his boots.
-shame | I wanted the ground to swallow me up.
-shame | It was wrong of me to doubt you, forgive me.
+calm | With the storm past, we could finally relax.
+calm | She rested her head on the pillow, safe at last.
+calm | Phew, that was close, but everyone is fine.
+trust | I know you'd never betray me.
+trust | He is the most loyal man in the crew.
+trust | Tell me anything, your secret is safe with me.
+joy | thank you thank you thank you!! 🥰
-sadness | i miss my mom 😢 she died in may
+joy/calm | not a bad day after all :)
-anger | ARE YOU KIDDING ME?! I'm furious.
0 | I am not sad at all.
0 | She wasn't even nervous.
0 | He never complained.
0 | Without fear he stepped onto the ice.
0 | The harbour master counted forty barrels.
0 | Write a function that sorts a list of numbers.
0 | The bakery is next to the post office.
0 | It took them two hours to reach the cape.
0 | Mira polished the lens and wound the clockwork.
0 | Who was the mayor in 1887?
0 | My flight lands at noon, gate 14.
0 | The cat slept on the windowsill.
0 | Can you repeat that, please?
0 | He put the kettle on and cut some bread.
"""

CHINESE = """
+joy | 今天吃到了最爱的红豆糕，幸福！
+joy | 他一听这话，顿时眉飞色舞。
+joy | 哇塞，这也太好玩了吧哈哈
+joy | 爹爹笑着把我举过头顶。
+joy | 总算把那本书写完了，开心得想转圈。
+joy | 村里张灯结彩，喜气洋洋。
-sadness | 他走的那天，我一滴眼泪也没流，可心里像刀割一样。
-sadness | 她靠着门慢慢滑坐下去，泣不成声。
-sadness | 好想哭，为什么受伤的总是我。
-sadness | 老宅拆了，院里的枣树也没了，心里空落落的。
-sadness | 最近真的好累好难受，撑不下去了。
-sadness | 母亲的遗像挂在墙上，他看了很久，长长地叹了口气。
-sadness | 我把她弄丢了，再也找不回来了。
-sadness | 这个结局也太虐了吧，哭死我了。
-fear | 黑暗里有什么东西在动，我吓得不敢呼吸。
-fear | 他的声音抖得厉害：“有、有鬼！”
-fear | 我怕失去你。
-fear | 面试前一晚我紧张得一夜没合眼。
-fear | 她脸色刷地白了，手里的灯笼掉在地上。
-fear | 不知道为什么，我心里很不安。
-anger | 你凭什么替我做主！
-anger | 他一掌拍在案上，怒道：“放肆！”
-anger | 这群混账东西，欺负到我家门口来了！
-anger | 我气得一晚上没睡着。
-anger | 姑娘柳眉倒竖，抬手就是一记耳光。
-anger | 别再来烦我了，真的很讨厌，滚！
-disgust | 饭里有只苍蝇，太恶心了。
-disgust | 这种人我看一眼都嫌脏。
-disgust | 他那油腻的笑容让我浑身不舒服。
~surprise | 什么？你说他还活着？
~surprise | 掌柜的惊得算盘都掉了。
~surprise | 天啊，你怎么瘦成这样！
~surprise | 没成想，门外站着的竟是失散多年的弟弟。
+anticipation | 我好想快点长大。
+anticipation | 下个月就能见到师父了，真叫人期待。
+anticipation | 愿来年风调雨顺。
+love | 他低头在她发间落下一个吻。
+love | 我心悦你已久。
+love | 小家伙软乎乎的，可爱得要命。
+love | 晚安，我的宝贝。
+love | 她把脸埋在他怀里，小声说：“我也爱你。”
~longing | 好久不见，我真的很想念大家。
~longing | 每逢佳节倍思亲。
~longing | 要是能回到那个夏天就好了。
-shame | 抱歉，是我没有保护好你。
-shame | 他脸一红，支支吾吾说不清楚。
-shame | 我真后悔当初没听您的话。
-shame | 哎呀，别看了，怪难为情的。
+calm | 知道你平安，我就放心了。
+calm | 雨停了，两人坐在廊下喝茶，难得清闲自在。
+calm | 她长长地舒了一口气。
+trust | 只要是你说的，我都信。
+trust | 这把剑我只托付给你。
+trust | 他这人实诚，靠得住。
+joy | 谢谢老板🥳🥳
-sadness | 今天又是想她的一天，难过😭
+joy | 还行吧，其实挺开心的。
-anger | 服务态度太差，气炸了！！
0 | 我一点儿都不难过。
0 | 他没有发火，只是点了点头。
0 | 你不必担心我。
0 | 她从不抱怨。
0 | 码头上停着四十条船。
0 | 写一个给数字列表排序的函数。
0 | 面包房在邮局旁边。
0 | 走到渡口要两个时辰。
0 | 她擦了擦镜片，给座钟上了弦。
0 | 一八八七年的镇长是谁？
0 | 我的航班中午到，十四号登机口。
0 | 猫睡在窗台上。
0 | 请你再说一遍好吗？
0 | 他烧上水，切了几片面包。
"""
