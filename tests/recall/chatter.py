"""640 things said by the way, for each language: enough that some are near anything by chance."""

CHATTER = {
    "Mira": [
        f"The {thing} {place} is {state}."
        for thing in ("lamp", "boat", "cat", "cup", "rope", "broom", "kettle", "barrel")
        for place in (
            "by the door",
            "at the well",
            "in the yard",
            "on the hill",
            "under the tree",
            "near the fence",
            "behind the barn",
            "over there",
        )
        for state in (
            "old",
            "wet",
            "small",
            "grey",
            "dry",
            "broken",
            "red",
            "heavy",
            "lost",
            "clean",
        )
    ],
    "沈晚": [
        f"{place}那{thing}{state}。"
        for thing in ("盏灯", "条船", "只猫", "个杯子", "根绳子", "把扫帚", "把水壶", "个木桶")
        for place in ("门边", "井台", "院里", "山上", "树下", "篱笆旁", "谷仓后", "桥头")
        for state in (
            "旧了",
            "湿了",
            "很小",
            "发灰",
            "干了",
            "坏了",
            "很红",
            "很沉",
            "丢了",
            "很干净",
        )
    ],
}
