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
    """What was said in chats, recalled as it was said."""

    recall: Literal["all", "user", "none"] = Field(
        "all", description="all that was said, only what users said, or none of it"
    )
    uninvited: Count = Field(4, description="at most so many where nobody asks for anything")
    uninvited_own: Count = Field(
        1, description="... of them so many of the character's own, which it would say again"
    )
    uninvited_length: Count = Field(800, description="... and so many characters of them together")
    uninvited_threshold: Unit = Field(
        0.92, description="... and none below this relevance: what was only touched stays away"
    )
    speaker_share: Unit = Field(
        0.5, description="at most this share of the block is what one person said who does not ask"
    )
    rest: Annotated[int, Field(ge=0, le=100)] = Field(
        8,
        description="what was in the prompt and left it stays away for so many turns, unless somebody asks; 0 = it does not",
    )


class RecallSettings(Section):
    """Which memories may come, and how many."""

    enabled: bool = Field(True, description="recall at all")
    auto: bool = Field(True, description="recall on every message; off = only when asked (search)")
    mode: Literal["inject", "hybrid"] = Field(
        "inject",
        description="inject = all above relevance_threshold; hybrid = only above high_relevance_threshold, the rest is offered as a tool",
    )
    relevance_threshold: Unit = Field(
        0.30, description="a memory below this relevance (0..1) stays out"
    )
    high_relevance_threshold: Unit = Field(
        0.8,
        description="hybrid mode: what is at or above is injected, what is below is offered to the model",
    )
    past_threshold: Unit | None = Field(
        None,
        description="hybrid mode, where the message asks about the past: counts in place of high_relevance_threshold; unset = the same",
    )
    max_items: Count | None = Field(
        None, description="at most so many memories; unset = the budget decides"
    )
    max_per_type: PerType = Field(PerType(), description="at most so many memories of each type")
    enough: Positive | None = Field(
        5.0,
        description="no further memory once those that are in add up to this much relevance (to 1.1 times as much where somebody asks), and in talk that did not ask none that is faint beside the best; authored and constant ones always may; unset = the budget decides",
    )
    candidates: Annotated[int, Field(ge=1)] = Field(
        80, description="how many memories the semantic strategy may wake"
    )
    scan_depth: Count = Field(4, description="how many newest messages keys are looked for in")
    sources: tuple[Source, ...] = Field(
        (Source.MANUAL, Source.SUMMARY, Source.USER_INPUT, Source.INFERENCE),
        description="where a memory must come from; ai_output = raw replies, off against loops",
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
        2, description="a message shorter than this many characters asks for nothing"
    )
    long_term_trigger: Literal["always", "keywords"] = Field(
        "always",
        description="keywords = recall only when a message holds one of long_term_keywords, or a technical term where none are given",
    )
    long_term_keywords: tuple[str, ...] = Field(
        (),
        description="words that ask for memories when long_term_trigger is keywords; none = technical terms of both languages",
    )
    echo_window_s: Annotated[float, Field(ge=0)] = Field(
        3.0,
        description="a memory equal to the message just typed and not older than this is its echo (echoes of any age stay out by skip_visible)",
    )
    skip_visible: bool = Field(
        True, description="leave out what already stands in the visible messages"
    )
    near_duplicate: Unit = Field(
        0.92, description="two lines at least this alike (0..1) are one; the better scored stays"
    )
    keep_margin: Unit = Field(
        0.05,
        description="still prompt: a memory injected last turn gives way only to one better by this much",
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
        description="waking: factor on its evidence; weighing: the most it may add or take away, as a share of relevance",
    )
    activates: bool | None = Field(
        None,
        description="may it wake a memory, or only weigh one that is awake? unset = as the strategy was made",
    )


class ConstantSettings(StrategySettings):
    """Memories and entries marked constant come every turn."""


class KeywordSettings(StrategySettings):
    """Keys of a memory looked for in the newest messages."""

    whole_words: bool = Field(
        True,
        description="a Latin key must stand alone: 'art' is not in 'party'; next to Chinese it does",
    )
    cjk_words: bool = Field(
        False,
        description="a one-character Chinese key must be a word by itself: 龙 is not in 恐龙化石",
    )
    case_sensitive: bool = Field(False, description="tell 'Rose' from 'rose'")
    fuzzy: bool = Field(
        False,
        description="also find keys with a typing mistake (Latin keys of five or more letters)",
    )
    fuzzy_cutoff: Annotated[float, Field(ge=70, le=100)] = Field(
        88.0, description="how alike a word must be to a key, 70..100"
    )


class PatternSettings(StrategySettings):
    """Keys written as /pattern/flags, with JavaScript's meaning."""

    timeout_ms: Positive = Field(50.0, description="one pattern may take so long in one turn")
    turn_budget_ms: Positive = Field(
        100.0, description="all patterns together may take so long in one turn"
    )


class SemanticSettings(StrategySettings):
    """Nearness in meaning (vectors) and in words (BM25)."""

    words: bool = Field(True, description="use the words of the text (BM25)")
    vectors: bool = Field(True, description="use an embedding model when one is ready")
    measure: Literal["evidence", "similarity"] = Field(
        "evidence",
        description="evidence = words and vectors against what unrelated texts share; similarity = the plain cosine, however low, where there is no vector the share of the question's words",
    )
    context: Weight = Field(
        0.5, description="how much the messages before the newest one say about what is meant"
    )
    neighbours: Weight = Field(
        0.25, description="how much memories of the same conversation lend each other"
    )
    bridge: Weight = Field(
        1.0,
        description="how far the rare words of the best ones lead to others where somebody asks",
    )
    later: Weight = Field(
        1.0,
        description="how far what is recalled brings along what the same person said later about it",
    )


class DatesSettings(StrategySettings):
    """A time named in the message wakes the memories of that time."""

    first_day_of_week: Literal["monday", "sunday"] = Field(
        "monday", description="where 'last week' begins"
    )
    hemisphere: Literal["north", "south"] = Field("north", description="when summer is")


class RecencySettings(StrategySettings):
    """Older memories score lower."""

    weight: Weight = Field(0.2, description="the most it may take away, as a share of relevance")
    questions: Unit = Field(
        0.25, description="how much of that counts where a question names what it is about"
    )
    clock: Literal["turns", "wall"] = Field(
        "turns", description="turns = a story that rests does not age; wall = days by the calendar"
    )
    curve: Literal["half_life", "exponential"] = Field(
        "half_life", description="half_life = 2^(-age/half_life); exponential = e^(-age/half_life)"
    )
    half_life_days: Positive = Field(14.0, description="clock wall: days in which strength halves")
    spares_lasting: bool = Field(
        True, description="traits, goals, authored and constant memories do not fade"
    )
    half_life_turns: Positive = Field(
        200.0, description="clock turns: user messages in which strength halves"
    )


class EmotionalSettings(StrategySettings):
    """Memories whose feeling fits the mood speak louder."""

    weight: Weight = Field(
        0.15, description="the most it may add or take away, as a share of relevance"
    )
    wakes: bool = Field(True, description="strong feeling may wake memories of that feeling")
    wake_intensity: Unit = Field(0.6, description="how strong a feeling must be to wake")
    mood: Literal["congruent", "contrast", "off"] = Field(
        "congruent", description="congruent = like wakes like; contrast = comfort in sadness"
    )
    half_life_messages: Positive = Field(4.0, description="messages in which the mood halves")


class TriggerSettings(Section):
    """The strategies: each can be switched off and has its weight."""

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
    """The standing parts of a score: each may add or take away at most its share of relevance. All shares together: at most 0.5."""

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
        description="longest story so far, in `unit`, beside max_total_length; 0 = chapters are only recalled like other memories",
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
    """Where and how recalled lines are said."""

    position: Position = Field(
        "depth",
        description="depth = a message of its own so many messages from the end; system = one before the history; user, assistant = the same in that voice; before_character, after_character = joined to the system message",
    )
    depth: Count = Field(
        1, description="position depth: messages from the end (0 = after the last)"
    )
    depth_role: Literal["system", "user", "assistant"] = Field(
        "system", description="position depth: who says it"
    )
    template: str = Field(
        "auto",
        description="name of a template in templates/inject, the text of one ({{ memories }} are the lines), or auto (by language)",
    )
    language: LanguageCode = Field(
        "auto",
        description="language of the frame: zh, en or another that templates/ has; auto = the chat's",
    )
    separate_by_type: bool = Field(True, description="a heading for each type of memory")
    heading: str | None = Field(
        None, description="first line of the block; unset = the template's own"
    )
    show_dates: bool = Field(True, description="say when a thing happened (absolute dates)")
    scene_dates: bool = Field(
        False,
        description="say the day of what was said in chats; off = as the story's own time tells it, since a story has no calendar",
    )
    untold: bool = Field(
        True,
        description="say in one line that nothing is known, where somebody asks about the past and nothing of it is found",
    )
    scene: bool = Field(
        False,
        description="say how things stand in the scene: time, place, who is there, relationship, items, what is open; as messages print it, and as a model tells it where one is set",
    )
    previously_days: Annotated[float, Field(ge=0)] = Field(
        3.0,
        description="after so many days without a word the story so far begins with 'Previously'; 0 = never",
    )
    preferences: bool = Field(
        False, description="say how the user likes to be answered (depth, length, language, code)"
    )


class CleanSettings(Section):
    """What is not story and is not read."""

    enabled: bool = Field(True, description="clean messages before they are scanned")
    rules: tuple[str, ...] = Field(
        ("think", "html", "status_panel", "variables", "out_of_character"),
        description="rules of worldbook_rules/cleaning.json, in order",
    )


class EmbeddingSettings(Section):
    """The model of meaning."""

    backend: Literal["auto", "local", "endpoint", "off"] = Field(
        "auto",
        description="auto = local model when there is one; endpoint = OpenAI-compatible /embeddings; off = words alone",
    )
    model: str = Field(
        "",
        description="folder or name of the model; empty = the one that comes with the extra `offline`",
    )
    revision: str = Field(
        "", description="revision or sha256 of the weights that must match; empty = any"
    )
    endpoint: str = Field(
        "", description="base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1"
    )
    api_key_env: str = Field(
        "ROLEMEMORY_EMBEDDING_KEY", description="environment variable that holds the key"
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
        (), description="languages the model is trusted in; empty = found out from its vocabulary"
    )
    timeout_s: Positive = Field(5.0, description="endpoint: longest wait for one answer")
    dtype: Literal["float32", "float16"] = Field("float32", description="how vectors lie on disk")


class ScanSettings(Section):
    """How lorebook entries are activated. Preset `sillytavern` sets all of this to that program's rules."""

    enabled: bool = Field(True, description="activate lorebooks")
    rules: Literal["default", "sillytavern"] = Field(
        "default", description="default repairs what players complain about; sillytavern is exact"
    )
    scan_depth: Count = Field(4, description="how many newest messages are searched")
    min_activations: Count = Field(
        0, description="widen the window until so many entries are active"
    )
    max_depth: Count = Field(0, description="stop widening here; 0 = the whole chat")
    budget_percent: Annotated[int, Field(ge=0, le=100)] = Field(
        25, description="share of the context that lore may take"
    )
    budget_cap: Count = Field(0, description="longest lore in tokens; 0 = no cap")
    book_percent: Annotated[int, Field(ge=1, le=100)] = Field(
        75,
        description="share of the lore budget that the book of a card, or an imported one, may take, also by entries that ignore the budget; 100 = no limit. Not under exact rules",
    )
    context_tokens: Annotated[int, Field(ge=1)] = Field(
        8192, description="size of the model's context in tokens, when the frontend does not say"
    )
    include_names: bool = Field(True, description="scan messages as 'Name: text'")
    recursive: bool = Field(True, description="entries may wake entries")
    max_recursion_steps: Count = Field(0, description="limit on all passes; 0 = none")
    case_sensitive: bool = Field(False, description="tell 'Rose' from 'rose'")
    match_whole_words: bool = Field(True, description="keys must stand alone")
    cjk_words: bool = Field(
        False,
        description="a one-character Chinese key must be a word by itself: 龙 is not in 恐龙化石",
    )
    use_group_scoring: bool = Field(
        False, description="inside a group only the entries with the most keys seen may win"
    )
    insertion_strategy: Literal["evenly", "character_first", "global_first"] = Field(
        "character_first", description="whose books come first"
    )
    by_meaning: Literal["off", "marked", "all"] = Field(
        "marked", description="which entries may be activated by meaning"
    )
    cross_waking: bool = Field(
        False, description="memories wake lore and lore wakes memories by key, one hop each"
    )


class StorageSettings(Section):
    """Files: folding, backups, limits."""

    fold_lines: Annotated[int, Field(ge=1)] = Field(
        256, description="fold the journal into memory.json after so many lines"
    )
    fold_idle_s: Positive = Field(2.0, description="... or after so many seconds of quiet")
    backups: Count = Field(5, description="rotating backups kept per role")
    backup_every_h: Positive = Field(24.0, description="hours between two of them")
    max_memories: PerType = Field(
        PerType(),
        description="more than so many of a type: the weakest are archived, never deleted",
    )
    watch: Literal["auto", "native", "polling", "off"] = Field(
        "auto", description="how edits from outside are noticed"
    )
    poll_s: Positive = Field(0.5, description="polling: seconds between two looks")
    max_file_mb: Positive = Field(256.0, description="a larger memory.json is refused")


class ChatSettings(Section):
    """Chats and the stories they belong to."""

    stories: Literal["one", "each"] = Field(
        "one",
        description="one = chats of a role share one life, unless somebody chooses otherwise; each = every chat is a story of its own",
    )


class MemorySettings(Section):
    """What is kept about chats (short term) and for how long (long term)."""

    max_history: Count | None = Field(
        None,
        description="`chat`: at most so many messages go to the model on a turn; unset = all since the start",
    )
    short_term_items: Count = Field(20, description="messages of the chat kept in view")
    short_term_characters: Count = Field(8000, description="... cut a second time to this length")
    short_term_count: Count = Field(
        0,
        description="the newest messages of the chat that the request does not hold stand beside the memories, at most so many",
    )
    compression_threshold: Count = Field(
        0,
        description="messages behind the view that call for a chapter, however short; 0 = learn.summarize.trigger_tokens alone",
    )
    archive_threshold: Annotated[float, Field(ge=0, le=2)] = Field(
        0.2, description="`clean` archives memories below this weight"
    )


class StepSettings(Section):
    """One kind of question to the model: its words, and a model of its own if it needs one."""

    template: str = Field(
        "", description="name of a template in templates/learn; empty = the step's own"
    )
    prompt: str = Field(
        "",
        description="the prompt itself, with {conversation} or {memories}; wins over the template",
    )
    endpoint: str = Field("", description="base URL for this step; empty = learn.endpoint")
    model: str = Field("", description="model for this step; empty = learn.model")
    api_key_env: str = Field(
        "", description="environment variable that holds this step's key; empty = learn.api_key_env"
    )


class SummarizeSettings(StepSettings):
    """Chapters: a model tells what has left the window, or what a person or the scene ended. Empty = as in learn.summary, then learn."""

    enabled: bool = Field(True, description="write chapters, when a model is set")
    trigger_tokens: Count = Field(
        2000, description="tokens behind the window that call for a chapter"
    )


class LearnSettings(Section):
    """How memories grow out of chats. Recall never waits for it."""

    enabled: bool = Field(True, description="obey commands and learn from chats at all")
    extractor: Literal["auto", "rules", "model"] = Field(
        "auto",
        description="auto and model = a model distils what was said, when endpoint and model are set; rules = never ask a model; commands are always obeyed",
    )
    flow: Literal["extract", "decide"] = Field(
        "extract",
        description="with a model: extract = facts out of a batch in one question; decide = first whether to remember, then one sentence",
    )
    endpoint: str = Field(
        "",
        description='base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1; "upstream" = the model behind the proxy, while nobody speaks to it',
    )
    api_key_env: str = Field(
        "ROLEMEMORY_LEARN_KEY", description="environment variable that holds the key"
    )
    model: str = Field(
        "", description='name of the model; with "upstream", empty = the one that a chat used last'
    )
    idle_s: Positive = Field(
        60.0,
        description='with "upstream": learning asks only after nobody has spoken to the model for so many seconds',
    )
    daily_tokens: Count = Field(
        0,
        description="tokens that learning may cost in a day, all roles together; what is left waits for the next day; 0 = no limit",
    )
    timeout_s: Positive = Field(60.0, description="longest wait for one answer")
    batch_size: Annotated[int, Field(ge=1)] = Field(
        5, description="exchanges the model reads at once"
    )
    delay_s: Positive = Field(
        60.0,
        description="the newest exchange counts as final so many quiet seconds after its reply, without the next message",
    )
    idle_minutes: Positive = Field(
        10.0, description="a model reads an unfinished batch after so many quiet minutes"
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
    """The server: where it listens, whom it asks, whom it lets in."""

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
        description="environment variable with the upstream's key; unset = the frontend's key is passed on",
    )
    memory: bool = Field(
        True, description="recall and learn in the proxy; off = everything passes untouched"
    )
    create_roles: bool = Field(
        True, description="a role that a real turn names unambiguously is created on that turn"
    )
    role: str = Field(
        "", description="role of every turn that names none; empty = found out, else passed through"
    )
    cards: str = Field(
        "",
        description="folder of character cards to know roles by, e.g. SillyTavern's data/default-user/characters",
    )
    system_role: Literal["auto", "yes", "no"] = Field(
        "auto",
        description="whether the upstream takes system messages; no = the block is folded into the user's message; auto = it is put elsewhere or left out where one is refused, never into the user's message",
    )
    lorebook: Literal["frontend", "ours"] = Field(
        "frontend", description="who injects the lorebook attached to a card"
    )
    allowed_hosts: tuple[str, ...] = Field(
        (), description="names under which the server may be called besides its own address"
    )
    allowed_origins: tuple[str, ...] = Field(
        (), description="pages that may call the REST surface, e.g. http://127.0.0.1:8000"
    )
    service: bool = Field(
        False,
        description="serve many users by keys (`rolememory keys`): nobody is trusted for being on this machine, and a key says which user it acts for",
    )
    trusted_proxies: tuple[str, ...] = Field(
        (),
        description="addresses and networks of proxies whose forwarded headers a service takes, e.g. 10.0.0.0/8",
    )
    plugins: tuple[str, ...] = Field(
        (),
        description="entry points of other packages that a service loads, by name; without a service all are loaded",
    )
    connect_timeout_s: Positive = Field(
        10.0, description="longest wait for the upstream to take a call"
    )
    idle_timeout_s: Positive = Field(
        600.0, description="longest silence of the upstream within an answer"
    )
    recall_timeout_s: Positive = Field(
        2.0, description="a turn goes on without memory after so many seconds"
    )
    max_body_mb: Positive = Field(32.0, description="a larger request is refused")
    max_messages: Count = Field(
        50_000,
        description="a call of the proxy with more messages passes without memory; REST, MCP and the library refuse them",
    )
    max_characters: Count = Field(
        10_000_000,
        description="a call of the proxy with longer messages in all passes without memory; REST, MCP and the library refuse them",
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
