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
+joy | Best birthday I've ever had!
+joy | She burst into giggles at the sight of the wet cat.
+joy | I got the job!!!
+joy/calm | The sun is out, the bread is warm, and life is good.
+joy | It's such a pleasure to work with you.
+joy/anticipation | Tomorrow we sail home, hurrah!
-sadness | I haven't smiled in weeks.
-sadness | She stared at the empty chair where he used to sit.
-sadness | My grandmother passed away last winter.
-sadness | He couldn't stop crying.
-sadness | What a depressing little town.
-sadness | I wish I had never been born.
-sadness | Nobody came to my party.
-sadness | Her shoulders shook with silent sobs.
-sadness | I'm really not okay.
-fear | There is something in the cellar and I don't dare to look.
-fear | Her breath came in short, panicked gasps.
-fear | He is frightened of thunder.
-fear | I've got a bad feeling about this.
-fear | His knees knocked together as the door creaked open.
-fear | I'm dreading the visit to the dentist.
-anger | He threw the plate against the wall.
-anger | You lied to me, and I will not forget it.
-anger | She was absolutely livid.
-anger | I could kill him for what he did!
-anger | Stop it! Stop it right now!
-anger | His voice was low and dangerous with fury.
-disgust | The milk had gone sour and smelled vile.
-disgust | I find his manners repulsive.
-disgust | Yuck, there's a hair in my soup.
~surprise | Well, I never! You kept it all these years?
~surprise | She stared at him, dumbstruck.
~surprise | To everyone's astonishment the bell rang by itself.
~surprise | Holy cow, that's huge.
+anticipation | Only three more sleeps until Christmas!
+anticipation | We are hoping for good weather.
+anticipation | I'm dying to know what happens next.
+love | He cupped her face and kissed her.
+love | I want to spend the rest of my life with you.
+love | She ran her fingers through his hair.
+love | You're the love of my life.
+love | Grandpa hugged us both.
~longing | Some nights I still dream of the old farm.
~longing | I'd give anything to hear her voice again.
~longing | She was pining for her sailor.
-shame | I can't look you in the eye after what I said.
-shame | He apologised again and again.
-shame | I felt so stupid and embarrassed in front of everyone.
-shame | She hid her face, mortified.
+calm | He let out a long breath and smiled faintly.
+calm | The sea was still and so was I, at last at peace.
+calm | Thank goodness, it was only the wind.
+trust | I would follow you anywhere.
+trust | She has never let me down.
+trust | You can rely on old Tom.
+joy | 🎉🎉🎉
-sadness | 💔
-anger | 😤 typical
+joy | that's not half bad, lol
-sadness | We were glad at first, but in the end everyone was miserable.
-sadness | I don't feel happy these days.
-fear | She was a little afraid of the water.
0 | I wasn't surprised.
0 | He showed no fear.
0 | You don't have to be ashamed.
0 | She was neither angry nor sad.
0 | The library closes at six.
0 | Please forward the minutes to Karen.
0 | The road bends north after the mill.
0 | He bought a second-hand bicycle.
0 | Which version of Python do you use?
0 | The lamp burns whale oil.
0 | They arrived by boat on the third of May.
0 | She folded the map and put it in her pocket.
0 | Can you translate this paragraph into French?
0 | The tide turns at half past four.
0 | My uncle is a carpenter from Bergen.
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
+joy | 这是我过得最棒的一个生日！
+joy | 她一路哼着歌回家。
+joy | 终于放假啦，嘿嘿。
+joy | 孩子们追着风筝又跑又笑。
+joy | 今儿个真高兴！
+joy | 老头子乐得直拍大腿。
+joy | 赢麻了家人们
-sadness | 我已经很久没笑过了。
-sadness | 他望着空荡荡的房间，眼泪掉了下来。
-sadness | 爷爷上个月走了，我还没缓过来。
-sadness | 她捂着嘴，肩膀一抽一抽的。
-sadness | 今天又被领导骂了，想哭。
-sadness | 我的心像被掏空了一样。
-sadness | 没有人记得我的生日。
-sadness | 蓝瘦香菇
-sadness | 我最近状态很差，每天都很丧。
-fear | 楼上好像有人，我不敢睡。
-fear | 她死死抓住我的胳膊，指甲都掐进肉里，抖个不停。
-fear | 他听见门外的脚步声，大气也不敢喘。
-fear | 万一考砸了怎么办，我好慌。
-fear | 一想到要上台我就腿肚子打转。
-fear | 这地方让人心里发毛。
-anger | 他一脚踹开了门。
-anger | 你再说一遍试试！
-anger | 我真想揍他一顿。
-anger | 这什么破公司，天天加班还不给钱，气死人了。
-anger | 她冷冷地盯着他，胸口剧烈起伏。
-anger | 你怎么可以这样对我！
-anger | 老子忍他很久了。
-disgust | 这汤馊了，闻着就想吐。
-disgust | 他那副谄媚的样子真叫人看不起。
-disgust | 好下头一男的
~surprise | 啊？你居然会做饭？
~surprise | 他猛地站了起来，难以置信地看着我。
~surprise | 我当时整个人都傻了。
~surprise | 哇，雪下得这么大！
+anticipation | 还有三天就过年啦，好激动。
+anticipation | 等你回来，我们一起去看海。
+anticipation | 他满怀希望地拆开信封。
+love | 她踮起脚尖，在他脸上亲了一下。
+love | 这辈子，我只想和你在一起。
+love | 奶奶把我搂在怀里，轻轻拍着。
+love | 他看她的眼神温柔得能滴出水来。
+love | 遇见你是我最大的幸运，爱你每一天。
~longing | 要是外公还在就好了。
~longing | 三年没回家了，做梦都是妈妈包的饺子。
~longing | 离开以后，我总会想起她。
~longing | 我对那条老街念念不忘。
-shame | 我不该那样说你，真是抱歉。
-shame | 他涨红了脸，半天说不出话，恨不得钻到桌子底下。
-shame | 当众念错名字，丢死人了。
-shame | 想起当年的事，我至今良心难安。
+calm | 还好，只是虚惊一场。
+calm | 夜深了，屋里只有钟摆声，她心里格外安宁。
+calm | 喝口热茶，慢慢说，不急。
+trust | 把后背交给你，我放心。
+trust | 这么多年，只有他从没骗过我。
+trust | 我信他，他不会走。
+joy | 🥳终于下班
-sadness | 💔💔
-anger | 😡又迟到
+joy | 说实话，味道真不赖。
-sadness | 起初大家都很高兴，可后来只剩下失望。
-sadness | 我这几天高兴不起来。
-fear | 我有点怕水。
0 | 我并不意外。
0 | 他毫无惧色。
0 | 你没必要自责。
0 | 她既不生气也不难过。
0 | 图书馆六点关门。
0 | 麻烦把会议纪要发给小王。
0 | 过了磨坊，路往北拐。
0 | 他买了一辆二手自行车。
0 | 你用的是哪个版本的 Python？
0 | 这盏灯烧的是煤油。
0 | 他们五月三日坐船到的。
0 | 她把地图折好，放进口袋。
0 | 帮我把这段话翻译成英文。
0 | 我舅舅是个木匠，绍兴人。
0 | 茶要泡三分钟。
"""


def rows(block: str) -> list[tuple[str, str]]:
    """The (expected, sentence) pairs of a block."""
    return [
        (expected.strip(), text.strip())
        for expected, _, text in (line.partition("|") for line in block.strip().splitlines())
    ]
