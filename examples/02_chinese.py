"""中文：同一套接口，提示词与缘由都用中文。"""

from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)  # 固定时间，好让输出天天一样

with TemporaryDirectory() as folder, Home.open(folder, {"embedding.backend": "off"}) as home:
    waner = home.role("沈晚", create=True)
    waner.remember_all(
        [
            {
                "id": "药铺",
                "type": "semantic",
                "content": "她在城南开着一间药铺，铺名“回春堂”。",
                "keys": ["药铺", "藥鋪", "回春堂"],
            },
            {
                "id": "雨夜",
                "content": "那年中秋的雨夜，师父把玉佩交给了她。",
                "keys": ["玉佩"],
                "created": "2025-10-06",
            },
            {
                "id": "怕打雷",
                "type": "trait",
                "content": "怕打雷，却从不肯承认。",
                "emotions": ["恐惧"],
            },
            {"id": "寻人", "type": "goal", "content": "想找到失散多年的弟弟。"},
        ]
    )

    turn = waner.recall("这块玉佩是谁给你的？", now=NOW)
    print(turn.text)
    print("\n缘由：")
    print(turn.explain())

    print("\n说到日子，也会想起来：")
    print(waner.recall("去年中秋发生了什么？", now=NOW).explain())

    print("\n关键词里写了繁体，繁体的话也唤得起来：")
    print(waner.recall("妳的藥鋪開在哪裡？", now=NOW).explain())

    waner.archive("雨夜")
    print("\n没想起来的，也说得出缘由，还告诉你改哪里：")
    print(waner.recall("这块玉佩是谁给你的？", now=NOW).explain("雨夜", language="zh"))
