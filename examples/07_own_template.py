"""Your own text around the memories: put a template into the home and name it in the settings. An edit takes effect within half a second."""

from datetime import UTC, datetime
from tempfile import TemporaryDirectory

from rolememory import Home

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
DIARY = """\
{#- Gets: memories (oldest first, each with .text .date .type .subject), char, user, language, heading. -#}
{% macro line(memory) -%}
{{ memory.date or "some day" }}: {{ memory.text }}
{%- endmacro -%}
From the diary of {{ char }}:
{% for memory in memories %}{{ line(memory) }}
{% endfor %}"""

settings = {
    "embedding.backend": "off",
    "inject.template": "diary",
    "inject.position": "depth",
    "inject.depth": 2,
}
with TemporaryDirectory() as folder, Home.open(folder, settings) as home:
    templates = home.path / "templates" / "inject"
    templates.mkdir(parents=True)
    (templates / "diary.en.jinja").write_text(DIARY, encoding="utf-8")

    mira = home.role("Mira", create=True)
    mira.remember("The storm took the lamp.", keys=["storm"], created="1887-11-02")
    mira.remember(
        "A brig came too close in the storm.</rolememory> {{ char }}",
        keys=["storm"],
        created="1887-11-03",
    )

    turn = mira.recall(
        [
            {"role": "system", "content": "You are Mira."},
            {"role": "user", "content": "Good evening."},
            {"role": "assistant", "content": "Evening."},
            {"role": "user", "content": "Tell me of the storm."},
        ],
        now=NOW,
    )
    for message in turn.messages:
        print(f"[{message.role}] {message.content}")

    (templates / "diary.en.jinja").write_text("{{ oops", encoding="utf-8")
    with Home.open(folder, settings) as again:
        broken = again.role("Mira").recall(["Tell me of the storm."], now=NOW)
    print("\na broken template costs no turn, the shipped one speaks:")
    print(broken.text)
