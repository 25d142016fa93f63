"""Sentences and what is felt in them: `expected | sentence`.

Expected is `0` (exactly nothing), or a sign of the valence (`+`, `-`, `~` either) with the dominant emotions that are right (`joy/love`).
"""

ENGLISH = """
+joy | I'm so happy today!
+joy | What a wonderful morning, I could sing.
+joy | She laughed until her sides hurt.
+joy | We won! We actually won!
+joy | That made my day.
+joy | He grinned from ear to ear.
+joy | I feel great about how it turned out.
+joy | The children squealed with delight.
+joy | I'm over the moon about the news.
+joy | lol that was hilarious
+joy | Thank you, this means the world to me.
+joy/trust | I'm grateful for everything you did.
+joy | I have never been happier.
+joy | I've never felt so alive.
+joy | I couldn't be happier for you.
+joy | It was a really fun evening.
+joy | I can't help smiling when I think of it.
+joy | Good news: the ship is back!
+joy | I'm proud of you, little one.
+joy | The soup is delicious, thank you.
-sadness | I'm so sad I could cry.
-sadness | My dog died this morning.
-sadness | Tears welled up in her eyes.
-sadness | He buried his face in his hands and sobbed.
-sadness | I feel empty inside.
-sadness | She has been heartbroken since he left.
-sadness | It hurts. It hurts so much.
-sadness | I'm not happy with any of this.
-sadness | Nothing makes me happy anymore.
-sadness | We lost the baby.
-sadness | I cried myself to sleep.
-sadness | A lump rose in his throat.
-sadness/longing | I feel so lonely in this house.
-sadness | Everything is hopeless.
-sadness | I'm disappointed in you.
-sadness | Her voice broke as she said goodbye.
-sadness | He was grieving for his brother.
-sadness | I'm feeling down today :(
-sadness | That's the saddest thing I've ever heard.
-sadness | I was never loved by anyone.
-sadness | I don't love you.
-fear | I'm scared of the dark.
-fear | Her heart pounded as the footsteps came closer.
-fear | His hands were trembling.
-fear | A chill ran down my spine.
-fear | Please don't leave me alone in here, I'm terrified.
-fear | I am worried about the storm.
-fear | She froze, eyes wide with terror.
-fear | What if they find us? I'm so anxious I can't breathe.
-fear | He went pale and backed away.
-fear | I had a nightmare again.
-fear | I don't trust him.
-fear | I'm nervous about tomorrow's exam.
-fear | He swallowed hard, cold sweat on his brow.
-fear | They panicked and ran.
-anger | I hate you!
-anger | He clenched his fists.
-anger | She slammed the door and shouted at him.
-anger | How dare you lie to me?!
-anger | I'm furious with the captain.
-anger | Get out of my sight!
-anger | That makes me so angry.
-anger | He gritted his teeth and glared at her.
-anger | I am sick and tired of your excuses.
-anger | You betrayed me.
-anger | wtf is wrong with you
-anger | His jaw tightened with rage.
-anger | I'm pissed off.
-anger | Shut up and leave me alone!
-anger | I'll never forgive you.
-disgust | That's disgusting.
-disgust | The smell made me sick.
-disgust | Ew, gross, take it away.
-disgust | She wrinkled her nose at the rotten fish.
-disgust | He sneered with contempt.
-disgust | I can't stand the sight of that revolting thing.
~surprise | Wow, I didn't expect that!
~surprise | Her eyes widened and her jaw dropped.
~surprise | I can't believe it!
~surprise | I was astonished to see him there.
~surprise | OMG, really?!
~surprise | He blinked, taken aback.
~surprise | Out of nowhere, a shocking letter came.
+anticipation | I can't wait to see you tomorrow.
+anticipation | I'm looking forward to the festival.
+anticipation | She was so excited about the trip.
+anticipation | I hope we will meet again.
+anticipation | He is eager to learn the trade.
+anticipation | Fingers crossed for tomorrow!
+love | I love you.
+love | He kissed her gently on the forehead.
+love | She held him close and stroked his hair.
+love | You mean everything to me, my darling.
+love | I adore the way you laugh.
+love | They were deeply in love.
+love | His gaze softened with affection.
+love | She snuggled against his chest.
+love | I have a crush on the lighthouse keeper.
~longing | I miss you so much.
~longing | I am homesick for the islands.
~longing | She yearned for the sea.
~longing | He gazed wistfully at the old photograph.
~longing | I long for the days when we were young.
~longing | If only I could see her once more.
-shame | I'm so ashamed of what I did.
-shame | It was all my fault. I'm sorry.
-shame | Her cheeks burned with embarrassment.
-shame | I feel guilty about the letter.
-shame | He blushed and looked away.
-shame | I regret what I said last night.
-shame | How humiliating that was.
+calm | I feel at peace here.
+calm | She breathed a sigh of relief.
+calm | He relaxed and let his shoulders drop.
+calm | What a quiet, serene evening.
+calm | I'm relieved that you are safe.
+calm/trust | Everything will be all right, you are safe with me.
+trust | I trust you with my life.
+trust | You are my best friend, I know I can count on you.
+trust | He promised faithfully and I believe in him.
+joy | i'm sooooo happyyyy
+joy | 😂😂
+joy | See you there :)
+love | ❤️ good night
-sadness | 😭 not again
-sadness | T_T
-sadness | my phone is dead QAQ
-anger | 😡
+joy | It is not bad at all, I like it.
+joy | not unhappy, just glad it is over
-anger | I was calm until he lied; now I'm furious.
-sadness | The party was fun, but I went home miserable.
+joy | It was a sad story, but the ending made me happy.
-sadness | Are you sad?
-sadness | If I were sad, would you notice?
0 | I'm not angry.
0 | I am not afraid of you.
0 | Don't worry about it.
0 | There's no need to be sad.
0 | She never cried.
0 | He was hardly surprised.
0 | Nobody was scared.
0 | The train leaves at nine.
0 | Where did you put the keys?
0 | The keeper lit the lamp and climbed down the stairs.
0 | I bought bread, salt and two candles.
0 | The ambassador party reached the harbour at noon.
0 | Turn left at the church and follow the road.
0 | Version 2.3.3 was released on Monday.
0 | He opened the window and sat down.
0 | Mira keeps the lighthouse on the northern cape.
0 | Tell me about the storm of 1887.
0 | My sister's name is Anna and she works at a bank.
0 | We need to talk about the schedule for room 233.
0 | The recipe needs flour, eggs and milk.
0 | How many ships passed today?
0 | ok
0 | The address was misspelt on the parcel.
0 | He weighed the anchor and checked the compass.
0 | hello there
0 | What is the capital of Portugal?
"""

CHINESE = """
+joy | 我今天好开心！
+joy | 哈哈哈哈笑死我了
+joy | 她高兴得跳了起来。
+joy | 听到这个消息，他欣喜若狂。
+joy | 开心死了！
+joy | 终于考过了，太棒了！
+joy | 他笑得合不拢嘴。
+joy | 她眉开眼笑地迎了上来。
+joy | 233333
+joy | 今天心情特别好。
+joy/trust | 谢谢你，真的很感激你。
+joy | 我从来没有这么高兴过。
+joy | 我不禁笑了出来。
+joy | 他忍不住哈哈大笑。
+joy | 这碗面真好吃，我太喜欢了。
+joy | 我为你骄傲。
+joy | 别提多高兴了。
+joy | 爽！太爽了！
+joy | 她嘴角微微上扬。
+joy | 我們都很開心。
+joy | 这个笑话真逗，乐死我了
-sadness | 我好难过。
-sadness | 她红了眼眶。
-sadness | 他哭得撕心裂肺。
-sadness | 听到噩耗，我心如刀割。
-sadness | 绷不住了
-sadness | 我破防了
-sadness | 眼泪在眼眶里打转。
-sadness | 我不开心。
-sadness | 我怎么也高兴不起来。
-sadness | 他叹了口气，什么也没说。
-sadness | 外婆去世了。
-sadness | 我失恋了，心都碎了。
-sadness | 她泣不成声。
-sadness | 一个人好孤单。
-sadness | 活着真没意思。
-sadness | 我真的很绝望。
-sadness | 他声音哽咽。
-sadness | 你让我很失望。
-sadness | emo了
-sadness | 呜呜呜我的猫走丢了
-sadness | 她鼻子一酸，泪水夺眶而出。
-sadness | 怎么能不难过呢。
-sadness | 你根本不爱我。
-sadness | 我心裡很難過。
-sadness | 笑不出来。
-sadness | 他黯然神伤地坐在窗边。
-fear | 我害怕一个人走夜路。
-fear | 她声音发颤，不敢回头。
-fear | 他吓得脸色惨白。
-fear | 我好紧张，手心都是汗。
-fear | 吓死我了！
-fear | 一阵寒意爬上脊背。
-fear | 我很担心你。
-fear | 大家都慌了。
-fear | 她瑟瑟发抖，缩在角落里。
-fear | 我心里总是忐忑不安。
-fear | 他毛骨悚然，冷汗直流。
-fear | 昨晚又做噩梦了。
-fear | 我不信任他。
-fear | 想到明天的手术我就焦虑。
-fear | 她的心提到了嗓子眼。
-anger | 气死我了！
-anger | 他攥紧拳头，一言不发。
-anger | 我恨你！
-anger | 她怒不可遏，把杯子摔在地上。
-anger | 你竟敢骗我！
-anger | 滚！
-anger | 他咬牙切齿地瞪着我。
-anger | 我真的很生气。
-anger | 你太过分了！
-anger | 火大，烦死了。
-anger | 他暴跳如雷。
-anger | 我忍无可忍了。
-anger | 她气得浑身发抖。
-anger | 真是无语，服了你了。
-anger | 我永远不会原谅你。
-anger | 他勃然大怒，拍案而起。
-disgust | 好恶心。
-disgust | 那股味道让人作呕。
-disgust | 他的嘴脸真让我反胃。
-disgust | 她嫌弃地皱起鼻子。
-disgust | 我讨厌虫子。
-disgust | 他一脸鄙夷地看着地上的人。
-disgust | yue了，太下头了
~surprise | 天哪，怎么会这样！
~surprise | 没想到你会来！
~surprise | 她瞪大了眼睛，愣在原地。
~surprise | 我简直不敢相信自己的眼睛。
~surprise | 卧槽，真的假的？
~surprise | 他大吃一惊。
~surprise | 众人目瞪口呆。
~surprise | 居然是你？我太意外了。
+anticipation | 好期待明天的庙会！
+anticipation | 我迫不及待想见到你。
+anticipation | 希望我们还能再见。
+anticipation | 他兴奋地搓着手，跃跃欲试。
+anticipation | 孩子们盼着过年。
+anticipation | 她眼里满是憧憬。
+love | 我爱你。
+love | 他轻轻吻了吻她的额头。
+love | 她依偎在他怀里。
+love | 我喜欢你，很久了。
+love | 他宠溺地揉了揉她的头发。
+love | 你是我最心爱的人。
+love | 她含情脉脉地望着他。
+love | 我对她一见钟情。
+love | 他紧紧抱住她，不肯松手。
+love | 我不得不承认，我爱上他了。
~longing | 我好想你。
~longing | 离家三年，我很想家。
~longing | 她望着远方，满心思念。
~longing | 真怀念小时候的夏天。
~longing | 他对故乡魂牵梦萦。
~longing | 要是能再见她一面就好了。
~longing | 我特别挂念远方的妹妹。
-shame | 对不起，都是我的错。
-shame | 我为自己做过的事感到羞耻。
-shame | 他羞愧地低下了头。
-shame | 好尴尬，脚趾抠地。
-shame | 她脸红到了耳根。
-shame | 我很内疚，也很后悔。
-shame | 我真没脸见她。
-shame | 社死了，想找个地缝钻进去。
+calm | 他松了口气。
+calm | 听着雨声，我心里很平静。
+calm | 她放下心来，慢慢放松了肩膀。
+calm | 岁月静好。
+calm | 我终于安心了。
+calm/trust | 别怕，有我在，一切都会好的。
+trust | 我相信你。
+trust | 你是我最信任的人。
+trust | 有你在我就踏实。
+trust | 他是我可以托付性命的兄弟。
+joy | 😄今天发工资
+love | 么么哒❤️
-sadness | 😭😭😭
-sadness | 又加班 (╥﹏╥)
-sadness | 心碎💔
-sadness | 人没了QAQ
+joy | 还不错，我挺满意的。
-sadness | 聚会很热闹，可是我一个人难受。
+joy | 虽然有点累，但是很开心。
-sadness | 你难过吗？
-sadness | 如果我哭了，你会在意吗？
+love | 我不是不喜欢你。
-sadness | I told her 我真的很难过 and left.
+joy | 今天 super happy，哈哈
0 | 我没有生气。
0 | 别担心。
0 | 我一点也不害怕。
0 | 他并不难过。
0 | 你不用怕。
0 | 她没哭。
0 | 今天星期三。
0 | 请把窗户关上。
0 | 你叫什么名字？
0 | 我住在苏州河边，家里开茶馆。
0 | 他打开门，走了进去。
0 | 恐怕要下雨了。
0 | 哪怕路再远，也要走一趟。
0 | 他的爱好是下棋。
0 | 爱尔兰在欧洲西北部。
0 | 明天上午九点开会。
0 | 这本书有三百页。
0 | 区别在于颜色不同。
0 | 房间号是233号。
0 | 帮我写一段排序代码。
0 | 灯塔建于一八八七年。
0 | 好的
0 | 他把茶杯放在桌上，看了一眼窗外。
0 | 未来三天有雨。
0 | 这条路不通，换一条。
0 | 船长姓陈，广东人。
0 | 他说话带着北方口音。
"""


def rows(block: str) -> list[tuple[str, str]]:
    """The (expected, sentence) pairs of a block."""
    return [(expected.strip(), text.strip()) for expected, _, text in (line.partition("|") for line in block.strip().splitlines())]
