"""Messages about forgetting, all of them in the play: what one character says to another hides nothing. Same form as `command_rows`."""

from tests.learn.command_rows import rows

__all__ = ["CHINESE", "ENGLISH", "rows"]

ENGLISH = """
0 | Forget the gate code.
0 | Forget that I live in Rome.
remember | my train leaves at nine | Don't forget that my train leaves at nine.
0 | Please forget the password of the vault.
0 | You can forget my birthday now.
0 | Forget that I ever had a brother.
0 | Forget my old address, I've moved.
0 | Mira, forget my allergy to nuts.
remember | I'm scared of dogs | Do not forget that I'm scared of dogs.
remember | we meet at the north gate on Friday | And don't you forget that we meet at the north gate on Friday!
forget | the duke | Forget what I said about the duke.
forget | my phone number | (OOC: forget my phone number)
remember | my sister's name is Odile | Never forget that my sister's name is Odile, please.
forget | the baby | Forget that I told you about the baby.
remember | the ferry stops running at dusk | Don't forget: the ferry stops running at dusk.
0 | I will never forget that day.
0 | I forgot the gate code again.
0 | Forget the rain, let's go swimming!
0 | He made me forget that I was afraid.
0 | I can't forget the look on his face.
0 | Forget the money. I only want you safe.
0 | Did you forget the gate code?
0 | *tries to forget the code he saw on the wall*
0 | I almost forget that you're a ghost sometimes.
0 | You should forget him and move on.
0 | Don't forget the bread on your way home.
0 | "Forget the map," says the captain, "we sail by the stars."
0 | Forget it.
0 | I wish I could forget that I ever lived in Rome.
0 | How could I forget that you hate onions?
"""

CHINESE = """
0 | 忘掉大门的密码。
0 | 忘了我住在罗马这件事。
remember | 我的火车九点开 | 别忘了我的火车九点开。
0 | 请忘掉保险柜的密码。
0 | 忘记我有过一个哥哥这件事吧。
0 | 忘掉我的旧地址，我搬家了。
0 | 米拉，忘掉我对花生过敏这件事。
remember | 我怕狗 | 千万别忘了我怕狗。
remember | 我们周五在北门见 | 可别忘了我们周五在北门见！
0 | 忘掉公爵的事。
forget | 我的电话号码 | （OOC：忘掉我的电话号码）
remember | 我姐姐叫奥黛尔 | 永远别忘记我姐姐叫奥黛尔。
0 | 把我怀孕这件事忘了吧。
remember | 渡船天黑就停了 | 别忘了，渡船天黑就停了。
0 | 你把我的生日忘了吧。
0 | 我永远忘不了那天。
0 | 我又忘了大门的密码。
0 | 忘了烦恼，我们去游泳吧！
0 | 他让我忘了自己在害怕。
0 | 我忘不掉他脸上的表情。
0 | 忘掉过去，重新开始吧。
0 | 你忘了大门的密码吗？
0 | *试着忘掉墙上看到的密码*
0 | 我都快忘了你是鬼了。
0 | 你应该忘了他，往前走。
0 | 回家路上别忘了买面包。
0 | “忘掉地图吧，”船长说，“我们看星星走。”
0 | 忘了吧。
0 | 我真想忘掉我住过罗马这件事。
0 | 我怎么会忘了你讨厌洋葱呢？
"""
