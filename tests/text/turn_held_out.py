"""More turns, in the form of `turn_rows`."""

from tests.text.turn_rows import rows

__all__ = ["CHINESE", "ENGLISH", "rows"]

ENGLISH = """
event | The rain never stopped, so we slept in the barn with the horses.
event | *I unfold the letter slowly. It is from my father, dated two years ago.*
event | honestly work was hell, the new manager made me redo the whole report
event | I ran into Marcus at the supermarket!! he has a beard now lol
event | You said you would wait for me at the bridge, and you weren't there.
event | My grandmother taught me that song when I was little.
event | We lost the match 3-1.
event | I left my umbrella in your carriage.
event | so i tried the soup. way too salty
event | He never came back from the war.
statement | My roommate snores like a bear.
statement | I wear glasses, but only for reading.
statement | I'm more of a night owl.
statement | There is a hidden door behind the bookshelf.
statement | I own a small bookshop on Canal Street.
statement | My blood type is O negative.
statement | I'm Kai, by the way.
statement | I don't eat pork.
statement | My daughter turns six in October.
feeling | I feel so empty since she left.
feeling | Honestly I'm scared of the dentist.
plan | I'll bring you the medicine before sunrise.
plan | We should meet at Luigi's on Thursday around seven.
plan | I'm saving up for a motorbike.
scene | *She places a small wooden box on the counter and pushes it towards you.*
scene | The tavern smells of smoke and wet dogs. Someone plays a fiddle in the corner.
event | Could you help me? I cut my hand on the glass. => I cut my hand on the glass.
event | What a day! First the car broke down, then I got soaked. => First the car broke down, then I got soaked.
- chit_chat | hey hey
- chit_chat | Aww thank you, you're the best!
- chit_chat | that makes two of us
- chit_chat | hm, okay then
- chit_chat | Good to have you back.
- chit_chat | *laughs softly*
- chit_chat | Yeah yeah, whatever you say
- chit_chat | You're welcome, anytime!
- question | So, what happens next?
- question | Have you ever been in love?
- question | What's in the box?
- question | Would you rather fly or be invisible?
- command | Show me around the castle, please.
- command | Close your eyes.
- command | Make it longer and more dramatic.
- command | Kiss me.
- noise | lkjhgf
- noise | :) :) :)
"""

CHINESE = """
event | 雨一直没停，我们就和马一起睡在谷仓里。
event | *我慢慢展开信，是父亲两年前写的。*
event | 今天上班真是要命，新经理让我把整份报告重做了一遍
event | 我在超市碰到马克了！！他居然留胡子了哈哈
event | 你说过会在桥上等我，可你没来。
event | 小时候奶奶教过我那首歌。
event | 我们三比一输了。
event | 我把伞落在你马车上了。
event | 那汤我尝了，太咸
event | 他打完仗就再也没回来。
statement | 我室友打呼噜像熊一样。
statement | 我戴眼镜，但只在看书的时候戴。
statement | 我是个夜猫子。
statement | 书架后面有一扇暗门。
statement | 我在运河街开了家小书店。
statement | 我是O型血。
statement | 对了，我叫阿凯。
statement | 我不吃猪肉。
statement | 我女儿十月份满六岁。
feeling | 她走了以后我心里空落落的。
feeling | 说真的我怕看牙医。
plan | 天亮之前我会把药带给你。
plan | 周四七点左右在老地方见吧。
plan | 我在攒钱买摩托车。
scene | *她把一个小木盒放到柜台上，推到你面前。*
scene | 酒馆里一股烟味和湿狗味，角落里有人在拉琴。
event | 能帮帮我吗？我的手被玻璃割伤了。 => 我的手被玻璃割伤了。
event | 真倒霉！先是车坏了，后来又淋成落汤鸡。 => 先是车坏了，后来又淋成落汤鸡。
- chit_chat | 嘿嘿
- chit_chat | 谢谢啦，你最好了！
- chit_chat | 好吧那就这样
- chit_chat | 欢迎回来。
- chit_chat | *轻笑*
- chit_chat | 行行行，你说什么就是什么
- chit_chat | 不客气，应该的！
- question | 那接下来会发生什么？
- question | 你谈过恋爱吗？
- question | 盒子里是什么
- question | 你想会飞还是会隐身？
- command | 请带我参观一下城堡。
- command | 闭上眼睛。
- command | 写长一点，再戏剧化一点。
- command | 吻我。
- noise | 呜呜呜呜呜呜
- noise | ～～～
"""
