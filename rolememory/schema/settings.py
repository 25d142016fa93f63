"""Every setting, its default and what it does: the tree behind rolememory.toml.

The comments of the written file, the docs and the settings page are made from the descriptions here.
`storage.settings` reads the file, `schema.aliases` the names of the source designs.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from rolememory.schema.entry import Unit
from rolememory.schema.memory import Source

Position = Literal["system", "user", "assistant", "before_character", "after_character", "depth"]
Count = Annotated[int, Field(ge=0)]
Weight = Annotated[float, Field(ge=0.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
LanguageCode = Annotated[str, Field(pattern="^(auto|[a-z]{2,3})$")]


class Section(BaseModel):
    """A table of the file. Settings are ours: an unknown key is a typing mistake and refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class PerType(Section):
    """A limit for each type of memory; unset = none."""

    episodic: Count | None = Field(None, description="what happened")
    semantic: Count | None = Field(None, description="what is known")
    traits: Count | None = Field(None, description="what the role is like")
    goals: Count | None = Field(None, description="what the role wants")


class PassageSettings(Section):
    """What was said in chats, recalled in its original words."""

    recall: Literal["all", "user", "none"] = Field(
        "all", description="all = everything said; user = only what users said; none = nothing"
    )
    uninvited: Count = Field(
        4, description="at most so many passages if the message asks for nothing"
    )
    uninvited_own: Count = Field(
        1,
        description="... of these, at most so many of the character's own, so that it does not repeat itself",
    )
    uninvited_length: Count = Field(800, description="... and at most so many characters together")
    uninvited_threshold: Unit = Field(
        0.92,
        description="... and none below this relevance; with an embedding model the distance from 1 is halved",
    )
    speaker_share: Unit = Field(
        0.5,
        description="at most this share of the block is what one person other than the current user said",
    )
    rest: Annotated[int, Field(ge=0, le=100)] = Field(
        8,
        description="a passage that left the prompt does not return for so many turns, unless a question asks for it; 0 = no limit",
    )


class RecallSettings(Section):
    """Which memories may be recalled, and how many."""

    enabled: bool = Field(True, description="recall memories")
    auto: bool = Field(True, description="recall on every message; off = only by search")
    mode: Literal["inject", "hybrid"] = Field(
        "inject",
        description="inject = all above relevance_threshold; hybrid = only above high_relevance_threshold, the rest is offered as a tool",
    )
    relevance_threshold: Unit = Field(
        0.30, description="memories below this relevance (0..1) are left out"
    )
    high_relevance_threshold: Unit = Field(
        0.8,
        description="hybrid mode: memories at or above it are injected, the rest is offered to the model",
    )
    past_threshold: Unit | None = Field(
        None,
        description="hybrid mode: replaces high_relevance_threshold if the message asks about the past; unset = the same",
    )
    max_items: Count | None = Field(
        None, description="at most so many memories; unset = the budget decides"
    )
    max_per_type: PerType = Field(PerType(), description="at most so many memories of each type")
    enough: Positive | None = Field(
        5.0,
        description="add no more memories once their relevance adds up to this (for a question, twice this for memories that rest on chats), and without a question none that is weak beside the best; authored and constant ones are exempt; unset = only the budget limits",
    )
    candidates: Annotated[int, Field(ge=1)] = Field(
        80, description="how many memories the semantic strategy may propose"
    )
    scan_depth: Count = Field(4, description="how many newest messages keys are looked for in")
    sources: tuple[Source, ...] = Field(
        (Source.MANUAL, Source.SUMMARY, Source.USER_INPUT, Source.INFERENCE),
        description="allowed sources of memories; ai_output = raw replies, excluded by default against feedback loops",
    )
    passages: PassageSettings = Field(PassageSettings(), description="what was said in chats")
    tags: tuple[str, ...] = Field(
        (), description="only memories with one of these tags; empty = all"
    )
    exclude_tags: tuple[str, ...] = Field((), description="no memories with one of these tags")
    first_round_empty: bool = Field(
        False, description="recall nothing on the first message of a chat"
    )
    min_query_length: Count = Field(
        2, description="recall nothing for a message shorter than this many characters"
    )
    long_term_trigger: Literal["always", "keywords"] = Field(
        "always",
        description="always = on every message; keywords = only if a message contains one of long_term_keywords (or a technical term, if none are given)",
    )
    long_term_keywords: tuple[str, ...] = Field(
        (),
        description="words that start recall if long_term_trigger is keywords; none = technical terms of both languages",
    )
    echo_window_s: Annotated[float, Field(ge=0)] = Field(
        3.0,
        description="a memory equal to the message just typed is left out if it is younger than this (older ones are left out by skip_visible)",
    )
    skip_visible: bool = Field(
        True, description="leave out what the visible messages already contain"
    )
    near_duplicate: Unit = Field(
        0.92,
        description="of two lines at least this similar (0..1), only the one with the higher score is kept",
    )
    keep_margin: Unit = Field(
        0.05,
        description="a memory injected last turn is replaced only by one that scores better by this much",
    )
    fusion: Literal["bounded", "multiply"] = Field(
        "bounded",
        description="bounded = score is relevance x (1 + parts); multiply = relevance x recency",
    )


class StrategySettings(Section):
    """What every strategy has."""

    enabled: bool = Field(True, description="use this strategy")
    weight: Weight = Field(
        1.0,
        description="for a strategy that recalls: factor on its evidence; for one that weighs: the most it may change the score by, as a share of relevance",
    )
    activates: bool | None = Field(
        None,
        description="true = may recall memories; false = only changes the score of recalled ones; unset = the strategy's own choice",
    )


class ConstantSettings(StrategySettings):
    """Memories and entries marked constant are in the prompt every turn."""


class KeywordSettings(StrategySettings):
    """Keys of a memory, searched for in the newest messages."""

    whole_words: bool = Field(
        True,
        description="a Latin key must be a whole word: 'art' is not found in 'party'; next to a Chinese character it counts as whole",
    )
    cjk_words: bool = Field(
        False,
        description="a one-character Chinese key must be a whole word: 龙 is not found in 恐龙化石",
    )
    case_sensitive: bool = Field(False, description="distinguish 'Rose' from 'rose'")
    fuzzy: bool = Field(
        False,
        description="also find keys with a typing mistake (Latin keys of five or more letters)",
    )
    fuzzy_cutoff: Annotated[float, Field(ge=70, le=100)] = Field(
        88.0, description="how alike a word must be to a key, 70..100"
    )


class PatternSettings(StrategySettings):
    """Keys written as /pattern/flags: JavaScript regular expressions."""

    timeout_ms: Positive = Field(50.0, description="one pattern may take so long in one turn")
    turn_budget_ms: Positive = Field(
        100.0, description="all patterns together may take so long in one turn"
    )


class SemanticSettings(StrategySettings):
    """Similarity of meaning (vectors) and shared words (BM25)."""

    words: bool = Field(True, description="use the words of the text (BM25)")
    vectors: bool = Field(True, description="use an embedding model if one is ready")
    measure: Literal["evidence", "similarity"] = Field(
        "evidence",
        description="evidence = words and vectors compared with unrelated texts; similarity = plain cosine, however low (without vectors, the share of the question's words)",
    )
    context: Weight = Field(0.5, description="how much the messages before the newest one count")
    neighbours: Weight = Field(
        0.25, description="how much neighbouring passages of the same chat strengthen each other"
    )
    bridge: Weight = Field(
        1.0,
        description="two-step questions: how strongly the best results lead to memories that share a rare word with them; 0 = off",
    )
    later: Weight = Field(
        1.0,
        description="how strongly a recalled passage brings in what the same person said later about it; 0 = off",
    )


class DatesSettings(StrategySettings):
    """A date in the message recalls the memories of that time."""

    first_day_of_week: Literal["monday", "sunday"] = Field(
        "monday", description="where 'last week' begins"
    )
    hemisphere: Literal["north", "south"] = Field("north", description="when summer is")


class RecencySettings(StrategySettings):
    """Older memories score lower."""

    weight: Weight = Field(
        0.2, description="the most it may lower the score by, as a share of relevance"
    )
    questions: Unit = Field(0.0, description="share of that for a question that names its subject")
    clock: Literal["turns", "wall"] = Field(
        "turns", description="turns = a story that pauses does not age; wall = calendar days"
    )
    curve: Literal["half_life", "exponential"] = Field(
        "half_life", description="half_life = 2^(-age/half_life); exponential = e^(-age/half_life)"
    )
    half_life_days: Positive = Field(
        14.0, description="clock wall: number of days after which strength halves"
    )
    spares_lasting: bool = Field(
        True, description="traits, goals, authored and constant memories do not fade"
    )
    half_life_turns: Positive = Field(
        200.0, description="clock turns: number of user messages after which strength halves"
    )


class EmotionalSettings(StrategySettings):
    """Memories whose emotion fits the mood score higher."""

    weight: Weight = Field(
        0.15, description="the most it may change the score by, as a share of relevance"
    )
    wakes: bool = Field(True, description="a strong emotion may recall memories of that emotion")
    wake_intensity: Unit = Field(
        0.6, description="how strong an emotion must be to recall memories"
    )
    mood: Literal["congruent", "contrast", "off"] = Field(
        "congruent",
        description="congruent = memories of the same mood score higher; contrast = comforting ones in sadness",
    )
    half_life_messages: Positive = Field(
        4.0, description="number of messages after which the mood halves"
    )


class TriggerSettings(Section):
    """The strategies: each can be switched off and has a weight."""

    constant: ConstantSettings = ConstantSettings()
    keyword: KeywordSettings = KeywordSettings()
    pattern: PatternSettings = PatternSettings()
    semantic: SemanticSettings = SemanticSettings()
    dates: DatesSettings = DatesSettings()
    recency: RecencySettings = RecencySettings()
    emotional: EmotionalSettings = EmotionalSettings()
    others: dict[str, StrategySettings] = Field(
        default_factory=dict, description="strategies of other packages, by name"
    )


class WeighSettings(Section):
    """Fixed parts of the score: each changes it by at most this share of relevance. The sum of all shares is at most 0.5."""

    weight: Weight = Field(0.05, description="share of a memory's own weight (0..2, neutral 1)")
    salience: Weight = Field(0.05, description="share of salience (0..1, neutral 0.5)")
    priority: Weight = Field(0.05, description="share of priority (0..100, neutral 50)")


class BudgetSettings(Section):
    """How long the block may be, fence included."""

    max_total_length: Count = Field(2000, description="longest block, in `unit`")
    unit: Literal["characters", "tokens"] = Field(
        "characters", description="what lengths are counted in"
    )
    per_type: PerType = Field(PerType(), description="longest share of each type, in `unit`")
    chapters: Count = Field(
        1000,
        description="longest block of chapters, in `unit`, in addition to max_total_length; 0 = chapters are only recalled like other memories",
    )
    shared_with_lore: bool = Field(
        False, description="lore and memories share max_total_length: lore first, memories the rest"
    )


class LengthSettings(Section):
    """How tokens are counted."""

    counter: str = Field(
        "estimate", description="estimate (by script), or the path of a tokenizer.json"
    )
    safety: Annotated[float, Field(ge=1.0, le=2.0)] = Field(
        1.1, description="factor on the estimate"
    )


class InjectSettings(Section):
    """Where and how recalled lines are put into the prompt."""

    position: Position = Field(
        "depth",
        description="depth = a separate message, so many messages from the end; system = a separate message before the history; user, assistant = the same in that voice; before_character, after_character = joined to the system message",
    )
    depth: Count = Field(
        1, description="position depth: messages from the end (0 = after the last)"
    )
    depth_role: Literal["system", "user", "assistant"] = Field(
        "system", description="position depth: role of the message"
    )
    template: str = Field(
        "auto",
        description="name of a template in templates/inject, the text of one ({{ memories }} are the lines), or auto (by language)",
    )
    language: LanguageCode = Field(
        "auto",
        description="language of the template: zh, en or another that templates/ has; auto = the chat's",
    )
    separate_by_type: bool = Field(True, description="a heading for each type of memory")
    heading: str | None = Field(
        None, description="first line of the block; unset = the template's own"
    )
    show_dates: bool = Field(True, description="show when something happened (absolute dates)")
    scene_dates: bool = Field(
        False,
        description="show the real date of what was said in chats; off = only the story's own time",
    )
    untold: bool = Field(
        True,
        description="if somebody asks about the past and nothing is found, say so in one line",
    )
    scene: bool = Field(
        False,
        description="add the state of the scene: time, place, people, relationships, items, open threads; as messages print it, and as a model reads it if one is set",
    )
    previously_days: Annotated[float, Field(ge=0)] = Field(
        3.0,
        description="after so many days without a message the story so far begins with 'Previously'; 0 = never",
    )
    preferences: bool = Field(
        False, description="add how the user likes to be answered (depth, length, language, code)"
    )


class CleanSettings(Section):
    """Text in messages that is not story and is not read."""

    enabled: bool = Field(True, description="clean messages before they are scanned")
    rules: tuple[str, ...] = Field(
        ("think", "html", "status_panel", "variables", "out_of_character"),
        description="rules of worldbook_rules/cleaning.json, in order",
    )


class EmbeddingSettings(Section):
    """The embedding model."""

    backend: Literal["auto", "local", "endpoint", "off"] = Field(
        "auto",
        description="auto = the local model if there is one; endpoint = OpenAI-compatible /embeddings; off = words only",
    )
    model: str = Field(
        "",
        description="folder or name of the model; empty = the model of the extra `offline`",
    )
    revision: str = Field(
        "", description="revision or sha256 of the weights that must match; empty = any"
    )
    endpoint: str = Field(
        "", description="base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1"
    )
    api_key_env: str = Field(
        "ROLEMEMORY_EMBEDDING_KEY", description="environment variable with the API key"
    )
    dims: Count = Field(0, description="dimensions to keep; 0 = the model's own")
    query_prefix: str = Field("", description="text before each query (e5: 'query: ')")
    passage_prefix: str = Field("", description="text before each memory (e5: 'passage: ')")
    max_tokens: Count = Field(0, description="longest piece the model reads; 0 = the model's own")
    chunk_size: Count = Field(
        300,
        description="long texts are cut into pieces of about so many characters; the best piece counts",
    )
    languages: tuple[str, ...] = Field(
        (), description="languages the model is trusted in; empty = detected from its vocabulary"
    )
    timeout_s: Positive = Field(5.0, description="endpoint: longest wait for one answer")
    dtype: Literal["int8", "float16", "float32"] = Field(
        "int8", description="number format of vectors on disk; all are read"
    )


class ScanSettings(Section):
    """How lorebook entries are activated. Preset `sillytavern` sets all of this to that program's rules."""

    enabled: bool = Field(True, description="activate lorebooks")
    rules: Literal["default", "sillytavern"] = Field(
        "default",
        description="default = fixes what players complain about; sillytavern = exactly SillyTavern's rules",
    )
    scan_depth: Count = Field(4, description="how many newest messages are searched")
    min_activations: Count = Field(
        0, description="widen the window until so many entries are active"
    )
    max_depth: Count = Field(0, description="widen to at most so many messages; 0 = the whole chat")
    budget_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        25, description="share of the context that lore may take"
    )
    budget_cap: Count = Field(0, description="longest lore in tokens; 0 = no cap")
    book_percent: Annotated[int, Field(ge=1, le=100)] = Field(
        75,
        description='share of the lore budget that a card\'s book or an imported book may use, including entries that ignore the budget; 100 = no limit; not applied with rules = "sillytavern"',
    )
    context_tokens: Annotated[int, Field(ge=1)] = Field(
        8192, description="size of the model's context in tokens, if the frontend does not say"
    )
    include_names: bool = Field(True, description="scan messages as 'Name: text'")
    recursive: bool = Field(True, description="entries may activate other entries")
    max_recursion_steps: Count = Field(0, description="limit on all passes; 0 = none")
    case_sensitive: bool = Field(False, description="distinguish 'Rose' from 'rose'")
    match_whole_words: bool = Field(True, description="keys must be whole words")
    cjk_words: bool = Field(
        False,
        description="a one-character Chinese key must be a whole word: 龙 is not found in 恐龙化石",
    )
    use_group_scoring: bool = Field(
        False, description="within a group only the entries with the most matching keys may win"
    )
    insertion_strategy: Literal["evenly", "character_first", "global_first"] = Field(
        "character_first", description="whose books come first"
    )
    by_meaning: Literal["off", "marked", "all"] = Field(
        "marked", description="which entries may be activated by meaning"
    )
    cross_waking: bool = Field(
        False, description="memories activate lore and lore recalls memories by key, one step each"
    )


class StorageSettings(Section):
    """Files: checkpoints, backups, limits."""

    fold_lines: Annotated[int, Field(ge=1)] = Field(
        256, description="write the journal into memory.json after so many lines"
    )
    fold_idle_s: Positive = Field(2.0, description="... or after so many seconds without a change")
    backups: Count = Field(5, description="rotating backups kept per role")
    backup_every_h: Positive = Field(24.0, description="hours between two backups")
    max_memories: PerType = Field(
        PerType(),
        description="more than so many of a type: the weakest are archived, never deleted",
    )
    watch: Literal["auto", "native", "polling", "off"] = Field(
        "auto", description="how edits from outside are noticed"
    )
    poll_s: Positive = Field(0.5, description="polling: seconds between two checks")
    max_file_mb: Positive = Field(256.0, description="a larger memory.json is refused")


class ChatSettings(Section):
    """Chats and the stories they belong to."""

    stories: Literal["one", "each"] = Field(
        "one",
        description="one = all chats of a role share one story unless you choose otherwise; each = every chat is a separate story",
    )


class MemorySettings(Section):
    """How many messages of a chat are used (short term), and how long memories are kept (long term)."""

    max_history: Count | None = Field(
        None,
        description="`chat`: at most so many messages go to the model on a turn; unset = all since the start",
    )
    short_term_items: Count = Field(20, description="messages of the chat kept in view")
    short_term_characters: Count = Field(8000, description="... cut a second time to this length")
    short_term_count: Count = Field(
        0,
        description="add up to so many of the newest messages of the chat that the request lacks",
    )
    compression_threshold: Count = Field(
        0,
        description="write a chapter after so many messages out of view, however short; 0 = only by learn.summarize.trigger_tokens",
    )
    archive_threshold: Annotated[float, Field(ge=0, le=2)] = Field(
        0.2, description="`clean` archives memories below this weight"
    )


class StepSettings(Section):
    """One kind of prompt: its template, and its own model if it needs one."""

    template: str = Field(
        "", description="name of a template in templates/learn; empty = the step's own"
    )
    prompt: str = Field(
        "",
        description="the prompt itself, with {conversation} or {memories}; replaces the template",
    )
    endpoint: str = Field("", description="base URL for this step; empty = learn.endpoint")
    model: str = Field("", description="model for this step; empty = learn.model")
    api_key_env: str = Field(
        "", description="environment variable with this step's API key; empty = learn.api_key_env"
    )


class SummarizeSettings(StepSettings):
    """Chapters: a model summarises what has left the context window. Empty = as in learn.summary, then learn."""

    enabled: bool = Field(True, description="write chapters if a model is set")
    trigger_tokens: Count = Field(
        2000, description="write a chapter after so many tokens outside the window"
    )


class LearnSettings(Section):
    """How memories are learned from chats. Recall never waits for it."""

    enabled: bool = Field(True, description="obey commands and learn from chats")
    extractor: Literal["auto", "rules", "model"] = Field(
        "auto",
        description="auto, model = a model extracts facts if endpoint and model are set; rules = no model; commands are always obeyed",
    )
    flow: Literal["extract", "decide"] = Field(
        "extract",
        description="extract = one prompt extracts the facts of a batch; decide = first decides whether to remember, then writes one sentence",
    )
    endpoint: str = Field(
        "",
        description='base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1; "upstream" = the model behind the proxy, while no chat uses it',
    )
    api_key_env: str = Field(
        "ROLEMEMORY_LEARN_KEY", description="environment variable with the API key"
    )
    model: str = Field(
        "", description='name of the model; with "upstream", empty = the model a chat used last'
    )
    idle_s: Positive = Field(
        60.0,
        description='with "upstream": learning uses the model only after so many seconds without a chat',
    )
    daily_tokens: Count = Field(
        0,
        description="most tokens a day for learning, all roles together; the rest waits for the next day; 0 = no limit",
    )
    timeout_s: Positive = Field(60.0, description="longest wait for one answer")
    batch_size: Annotated[int, Field(ge=1)] = Field(
        5, description="number of exchanges the model reads at a time"
    )
    delay_s: Positive = Field(
        60.0,
        description="the newest exchange counts as final so many seconds after its reply, without the next message",
    )
    idle_minutes: Positive = Field(
        10.0, description="an incomplete batch is read after so many minutes without a message"
    )
    max_facts: Count = Field(10, description="at most so many facts from one batch")
    min_confidence: Unit = Field(0.7, description="facts below this confidence (0..1) are dropped")
    auto_tag: bool = Field(True, description="give learned memories tags")
    decision: StepSettings = StepSettings()
    summary: StepSettings = StepSettings()
    extraction: StepSettings = StepSettings()
    inference: StepSettings = StepSettings()
    summarize: SummarizeSettings = SummarizeSettings()
    inference_enabled: bool = Field(
        False, description="draw conclusions from several memories, in the background"
    )
    inference_interval: Annotated[int, Field(ge=1)] = Field(
        10, description="conversations between two rounds of conclusions"
    )


class ServeSettings(Section):
    """The server: its address, the upstream, access."""

    host: str = Field(
        "127.0.0.1", description="address to listen on; anything but loopback needs the token"
    )
    port: Annotated[int, Field(ge=0, le=65535)] = Field(
        8787, description="port to listen on; 0 = any free one"
    )
    upstream: str = Field(
        "",
        description="base URL of the model's OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1",
    )
    upstream_key_env: str = Field(
        "ROLEMEMORY_UPSTREAM_KEY",
        description="environment variable with the upstream's API key; unset = the frontend's key is passed on",
    )
    memory: bool = Field(
        True, description="recall and learn in the proxy; off = everything passes through unchanged"
    )
    create_roles: bool = Field(
        True, description="create a role that a chat turn names unambiguously"
    )
    role: str = Field(
        "",
        description="role of turns that name none; empty = detected from the request, else passed through",
    )
    cards: str = Field(
        "",
        description="folder of character cards used to recognise roles, e.g. SillyTavern's data/default-user/characters",
    )
    system_role: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="whether the upstream accepts system messages; no = the block goes into the user's message; auto = if one is refused, the block is moved or left out, but never put into the user's message",
    )
    lorebook: Literal["frontend", "ours"] = Field(
        "frontend", description="who injects the lorebook attached to a card"
    )
    allowed_hosts: tuple[str, ...] = Field(
        (), description="host names the server accepts besides its own address"
    )
    allowed_origins: tuple[str, ...] = Field(
        (), description="web pages that may call the REST API, e.g. http://127.0.0.1:8000"
    )
    service: bool = Field(
        False,
        description="serve many users by keys (`rolememory keys`): local requests are not trusted, and a key determines its user",
    )
    trusted_proxies: tuple[str, ...] = Field(
        (),
        description="addresses and networks of proxies whose forwarded headers a service takes, e.g. 10.0.0.0/8",
    )
    plugins: tuple[str, ...] = Field(
        (),
        description="entry points of other packages that a service may load, by name; otherwise all are loaded",
    )
    connect_timeout_s: Positive = Field(
        10.0, description="longest wait for a connection to the upstream"
    )
    idle_timeout_s: Positive = Field(
        600.0, description="longest silence of the upstream during an answer"
    )
    recall_timeout_s: Positive = Field(
        2.0, description="a turn continues without memory after so many seconds"
    )
    max_body_mb: Positive = Field(32.0, description="a larger request is refused")
    max_messages: Count = Field(
        50_000,
        description="most messages in one call: the proxy passes longer ones on without memory; REST, MCP and the library refuse them",
    )
    max_characters: Count = Field(
        10_000_000,
        description="most characters in one call: the proxy passes longer ones on without memory; REST, MCP and the library refuse them",
    )


class Settings(Section):
    """The whole tree. `preset` names a tree of worldbook_rules/presets that lies under the file."""

    preset: str = Field(
        "default", description="default, sillytavern, koishi, anh, assistant, local_chat, agent"
    )
    language: LanguageCode = Field(
        "auto",
        description="language of messages to people: zh, en or another that locales/ has; auto = the system's",
    )
    recall: RecallSettings = RecallSettings()
    triggers: TriggerSettings = TriggerSettings()
    weigh: WeighSettings = WeighSettings()
    budget: BudgetSettings = BudgetSettings()
    lengths: LengthSettings = LengthSettings()
    inject: InjectSettings = InjectSettings()
    clean: CleanSettings = CleanSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    lore: ScanSettings = ScanSettings()
    storage: StorageSettings = StorageSettings()
    chats: ChatSettings = ChatSettings()
    memory: MemorySettings = MemorySettings()
    learn: LearnSettings = LearnSettings()
    serve: ServeSettings = ServeSettings()
