"""Every setting, its default and what it does: the tree behind rolememory.toml.

The comments of the written file, the docs and the settings page are generated from the docstring of each key.
`storage.settings` reads the file, `schema.aliases` has the names of the source designs.
"""

from typing import Annotated, Literal

from pydantic import Field

from rolememory.schema.described import DescribedModel
from rolememory.schema.entry import Unit
from rolememory.schema.memory import Source

Position = Literal["system", "user", "assistant", "before_character", "after_character", "depth"]
Count = Annotated[int, Field(ge=0)]
Weight = Annotated[float, Field(ge=0.0, le=1.0)]
Positive = Annotated[float, Field(gt=0.0)]
LanguageCode = Annotated[str, Field(pattern="^(auto|[a-z]{2,3})$")]


class Section(DescribedModel, frozen=True, extra="forbid", allow_inf_nan=False):
    """A table of the file. Settings are ours: an unknown key is a typing mistake and refused."""


class PerType(Section):
    """A limit for each type of memory; unset = none."""

    episodic: Count | None = None
    """what happened"""
    semantic: Count | None = None
    """what is known"""
    traits: Count | None = None
    """what the role is like"""
    goals: Count | None = None
    """what the role wants"""


class PassageSettings(Section):
    """What was said in chats, recalled in its original words."""

    recall: Literal["all", "user", "none"] = "all"
    """all = everything said; user = only what users said; none = nothing"""
    uninvited: Count = 4
    """at most so many passages if the message asks for nothing"""
    uninvited_own: Count = 1
    """... of these, at most so many of the character's own, so that it does not repeat itself"""
    uninvited_length: Count = 800
    """... and at most so many characters together"""
    uninvited_threshold: Unit = 0.7
    """... and none below this relevance; a second one is allowed half of the distance from 1, a third one a third of it; the distance is halved with an embedding model, and larger where fewer than 1,200 passages and memories may be recalled"""
    asked_threshold: Unit = 0.6
    """if a question is asked, none but the best two below this relevance, unless it asks for the past, names a time that is past or names who said it; the distance from 1 is larger where fewer than 1,200 passages and memories may be recalled"""
    continued_share: Unit = 0.25
    """at most this share of the block if a question only continues the talk and names nothing new ("And then?")"""
    speaker_share: Unit = 0.5
    """at most this share of the block is what one person other than the current user said"""
    rest: Annotated[int, Field(ge=0, le=100)] = 8
    """a passage that left the prompt does not return for so many turns, unless a question asks for it; 0 = no limit"""


class RecallSettings(Section):
    """Which memories may be recalled, and how many."""

    enabled: bool = True
    """recall memories"""
    auto: bool = True
    """recall on every message; off = only by search"""
    mode: Literal["inject", "hybrid"] = "inject"
    """inject = all above relevance_threshold; hybrid = only above high_relevance_threshold, the rest is offered as a tool"""
    relevance_threshold: Unit = 0.30
    """memories below this relevance (0..1) are left out"""
    high_relevance_threshold: Unit = 0.8
    """hybrid mode: memories at or above it are injected, the rest is offered to the model"""
    past_threshold: Unit | None = None
    """hybrid mode: replaces high_relevance_threshold if the message asks about the past; unset = the same"""
    max_items: Count | None = None
    """at most so many memories; unset = the budget decides"""
    max_per_type: PerType = PerType()
    """at most so many memories of each type"""
    enough: Positive | None = 5.0
    """add no more memories once their relevance adds up to this (for a question, twice this for memories that rest on chats), and without a question none that is weak beside the best; authored and constant ones are exempt; unset = only the budget limits"""
    candidates: Annotated[int, Field(ge=1)] = 80
    """how many memories the semantic strategy may propose"""
    scan_depth: Count = 4
    """how many newest messages keys are looked for in"""
    sources: tuple[Source, ...] = (
        Source.MANUAL,
        Source.SUMMARY,
        Source.USER_INPUT,
        Source.INFERENCE,
    )
    """allowed sources of memories; ai_output = raw replies, excluded by default against feedback loops"""
    passages: PassageSettings = PassageSettings()
    """what was said in chats"""
    tags: tuple[str, ...] = ()
    """only memories with one of these tags; empty = all"""
    exclude_tags: tuple[str, ...] = ()
    """no memories with one of these tags"""
    first_round_empty: bool = False
    """recall nothing on the first message of a chat"""
    min_query_length: Count = 2
    """recall nothing for a message shorter than this many characters"""
    long_term_trigger: Literal["always", "keywords"] = "always"
    """always = on every message; keywords = only if a message contains one of long_term_keywords (or a technical term, if none are given)"""
    long_term_keywords: tuple[str, ...] = ()
    """words that start recall if long_term_trigger is keywords; none = technical terms of both languages"""
    echo_window_s: Annotated[float, Field(ge=0)] = 3.0
    """a memory equal to the message just typed is left out if it is younger than this (older ones are left out by skip_visible)"""
    skip_visible: bool = True
    """leave out what the visible messages already contain"""
    near_duplicate: Unit = 0.92
    """of two lines at least this similar (0..1), only the one with the higher score is kept"""
    keep_margin: Unit = 0.05
    """a memory injected last turn is replaced only by one that scores better by this much"""
    fusion: Literal["bounded", "multiply"] = "bounded"
    """bounded = score is relevance x (1 + parts); multiply = relevance x recency"""


class StrategySettings(Section):
    """What every strategy has."""

    enabled: bool = True
    """use this strategy"""
    weight: Weight = 1.0
    """for a strategy that recalls: factor on its evidence; for one that weighs: the most it may change the score by, as a share of relevance"""
    activates: bool | None = None
    """true = may recall memories; false = only changes the score of recalled ones; unset = the strategy's own choice"""


class ConstantSettings(StrategySettings):
    """Memories and entries marked constant are in the prompt every turn."""


class KeywordSettings(StrategySettings):
    """Keys of a memory, searched for in the newest messages."""

    whole_words: bool = True
    """a Latin key must be a whole word: 'art' is not found in 'party'; next to a Chinese character it counts as whole"""
    cjk_words: bool = False
    """a one-character Chinese key must be a whole word: 龙 is not found in 恐龙化石"""
    case_sensitive: bool = False
    """distinguish 'Rose' from 'rose'"""
    fuzzy: bool = False
    """also find keys with a typing mistake (Latin keys of five or more letters)"""
    fuzzy_cutoff: Annotated[float, Field(ge=70, le=100)] = 88.0
    """how alike a word must be to a key, 70..100"""


class PatternSettings(StrategySettings):
    """Keys written as /pattern/flags: JavaScript regular expressions."""

    timeout_ms: Positive = 50.0
    """one pattern may take so long in one turn"""
    turn_budget_ms: Positive = 100.0
    """all patterns together may take so long in one turn"""


class SemanticSettings(StrategySettings):
    """Similarity of meaning (vectors) and shared words (BM25)."""

    words: bool = True
    """use the words of the text (BM25)"""
    vectors: bool = True
    """use an embedding model if one is ready"""
    measure: Literal["evidence", "similarity"] = "evidence"
    """evidence = words and vectors compared with unrelated texts; similarity = plain cosine, however low (without vectors, the share of the question's words)"""
    context: Weight = 0.5
    """how much the messages before the newest one count"""
    neighbours: Weight = 0.25
    """how much neighbouring passages of the same chat strengthen each other"""
    bridge: Weight = 1.0
    """two-step questions: how strongly the best results lead to memories that share a rare word with them; 0 = off"""
    later: Weight = 1.0
    """how strongly a recalled passage brings in what the same person said later about it; 0 = off"""


class DatesSettings(StrategySettings):
    """A date in the message recalls the memories of that time."""

    first_day_of_week: Literal["monday", "sunday"] = "monday"
    """where 'last week' begins"""
    hemisphere: Literal["north", "south"] = "north"
    """when summer is"""


class RecencySettings(StrategySettings):
    """Older memories score lower."""

    weight: Weight = 0.2
    """the most it may lower the score by, as a share of relevance"""
    questions: Unit = 0.0
    """share of that for a question that names its subject"""
    clock: Literal["turns", "wall"] = "turns"
    """turns = a story that pauses does not age; wall = calendar days"""
    curve: Literal["half_life", "exponential"] = "half_life"
    """half_life = 2^(-age/half_life); exponential = e^(-age/half_life)"""
    half_life_days: Positive = 14.0
    """clock wall: number of days after which strength halves"""
    spares_lasting: bool = True
    """traits, goals, authored and constant memories do not fade"""
    half_life_turns: Positive = 200.0
    """clock turns: number of user messages after which strength halves"""


class EmotionalSettings(StrategySettings):
    """Memories whose emotion fits the mood score higher."""

    weight: Weight = 0.15
    """the most it may change the score by, as a share of relevance"""
    wakes: bool = True
    """a strong emotion may recall memories of that emotion"""
    wake_intensity: Unit = 0.6
    """how strong an emotion must be to recall memories"""
    mood: Literal["congruent", "contrast", "off"] = "congruent"
    """congruent = memories of the same mood score higher; contrast = comforting ones in sadness"""
    half_life_messages: Positive = 4.0
    """number of messages after which the mood halves"""


class TriggerSettings(Section):
    """The strategies: each can be switched off and has a weight."""

    constant: ConstantSettings = ConstantSettings()
    keyword: KeywordSettings = KeywordSettings()
    pattern: PatternSettings = PatternSettings()
    semantic: SemanticSettings = SemanticSettings()
    dates: DatesSettings = DatesSettings()
    recency: RecencySettings = RecencySettings()
    emotional: EmotionalSettings = EmotionalSettings()
    others: dict[str, StrategySettings] = Field({})
    """strategies of other packages, by name"""


class WeighSettings(Section):
    """Fixed parts of the score: each changes it by at most this share of relevance. The sum of all shares is at most 0.5."""

    weight: Weight = 0.05
    """share of a memory's own weight (0..2, neutral 1)"""
    salience: Weight = 0.05
    """share of salience (0..1, neutral 0.5)"""
    priority: Weight = 0.05
    """share of priority (0..100, neutral 50)"""


class BudgetSettings(Section):
    """How long the block may be, fence included."""

    max_total_length: Count = 2000
    """longest block, in `unit`"""
    unit: Literal["characters", "tokens"] = "characters"
    """what lengths are counted in"""
    per_type: PerType = PerType()
    """longest share of each type, in `unit`"""
    chapters: Count = 1000
    """longest block of chapters, in `unit`, in addition to max_total_length; 0 = chapters are only recalled like other memories"""
    shared_with_lore: bool = False
    """lore and memories share max_total_length: lore first, memories the rest"""


class LengthSettings(Section):
    """How tokens are counted."""

    counter: str = "estimate"
    """estimate (by script), or the path of a tokenizer.json"""
    safety: Annotated[float, Field(ge=1.0, le=2.0)] = 1.1
    """factor on the estimate"""


class InjectSettings(Section):
    """Where and how recalled lines are put into the prompt."""

    position: Position = "depth"
    """depth = a separate message, so many messages from the end; system = a separate message before the history; user, assistant = the same in that voice; before_character, after_character = joined to the system message"""
    depth: Count = 1
    """position depth: messages from the end (0 = after the last)"""
    depth_role: Literal["system", "user", "assistant"] = "system"
    """position depth: role of the message"""
    template: str = "auto"
    """name of a template in templates/inject, the text of one ({{ memories }} are the lines), or auto (by language)"""
    language: LanguageCode = "auto"
    """language of the template: zh, en or another that templates/ has; auto = the chat's"""
    separate_by_type: bool = True
    """a heading for each type of memory"""
    heading: str | None = None
    """first line of the block; unset = the template's own"""
    show_dates: bool = True
    """show when something happened (absolute dates)"""
    scene_dates: bool = False
    """show the real date of what was said in chats; off = only the story's own time"""
    untold: bool = True
    """if somebody asks about the past and nothing is found, say so in one line"""
    scene: bool = False
    """add the state of the scene: time, place, people, relationships, items, open threads; as messages print it, and as a model reads it if one is set"""
    previously_days: Annotated[float, Field(ge=0)] = 3.0
    """after so many days without a message the story so far begins with 'Previously'; 0 = never"""
    preferences: bool = False
    """add how the user likes to be answered (depth, length, language, code)"""


class CleanSettings(Section):
    """Text in messages that is not story and is not read."""

    enabled: bool = True
    """clean messages before they are scanned"""
    rules: tuple[str, ...] = ("think", "html", "status_panel", "variables", "out_of_character")
    """rules of worldbook_rules/cleaning.json, in order"""


class EmbeddingSettings(Section):
    """The embedding model."""

    backend: Literal["auto", "local", "endpoint", "off"] = "auto"
    """auto = the local model if there is one; endpoint = OpenAI-compatible /embeddings; off = words only"""
    model: str = ""
    """folder or name of the model; empty = the model of the extra `offline`"""
    revision: str = ""
    """revision or sha256 of the weights that must match; empty = any"""
    endpoint: str = ""
    """base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1"""
    api_key_env: str = "ROLEMEMORY_EMBEDDING_KEY"
    """environment variable with the API key"""
    dims: Count = 0
    """dimensions to keep; 0 = the model's own"""
    query_prefix: str = ""
    """text before each query (e5: 'query: ')"""
    passage_prefix: str = ""
    """text before each memory (e5: 'passage: ')"""
    max_tokens: Count = 0
    """longest piece the model reads; 0 = the model's own"""
    chunk_size: Count = 300
    """long texts are cut into pieces of about so many characters; the best piece counts"""
    languages: tuple[str, ...] = ()
    """languages the model is trusted in; empty = detected from its vocabulary"""
    timeout_s: Positive = 5.0
    """endpoint: longest wait for one answer"""
    dtype: Literal["int8", "float16", "float32"] = "int8"
    """number format of vectors on disk; all are read"""


class ScanSettings(Section):
    """How lorebook entries are activated. Preset `sillytavern` sets all of this to that program's rules."""

    enabled: bool = True
    """activate lorebooks"""
    rules: Literal["default", "sillytavern"] = "default"
    """default = fixes what players complain about; sillytavern = exactly SillyTavern's rules"""
    scan_depth: Count = 4
    """how many newest messages are searched"""
    min_activations: Count = 0
    """widen the window until so many entries are active"""
    max_depth: Count = 0
    """widen to at most so many messages; 0 = the whole chat"""
    budget_percent: Annotated[int, Field(ge=0, le=100)] = 25
    """share of the context that lore may take"""
    budget_cap: Count = 0
    """longest lore in tokens; 0 = no cap"""
    book_percent: Annotated[int, Field(ge=1, le=100)] = Field(
        75,
        description='share of the lore budget that a card\'s book or an imported book may use, including entries that ignore the budget; 100 = no limit; not applied with rules = "sillytavern"',
    )
    context_tokens: Annotated[int, Field(ge=1)] = 8192
    """size of the model's context in tokens, if the frontend does not say"""
    include_names: bool = True
    """scan messages as 'Name: text'"""
    recursive: bool = True
    """entries may activate other entries"""
    max_recursion_steps: Count = 0
    """limit on all passes; 0 = none"""
    case_sensitive: bool = False
    """distinguish 'Rose' from 'rose'"""
    match_whole_words: bool = True
    """keys must be whole words"""
    cjk_words: bool = False
    """a one-character Chinese key must be a whole word: 龙 is not found in 恐龙化石"""
    use_group_scoring: bool = False
    """within a group only the entries with the most matching keys may win"""
    insertion_strategy: Literal["evenly", "character_first", "global_first"] = "character_first"
    """whose books come first"""
    by_meaning: Literal["off", "marked", "all"] = "marked"
    """which entries may be activated by meaning"""
    cross_waking: bool = False
    """memories activate lore and lore recalls memories by key, one step each"""


class StorageSettings(Section):
    """Files: checkpoints, backups, limits."""

    fold_lines: Annotated[int, Field(ge=1)] = 256
    """write the journal into memory.json after so many lines, or one for 32 memories if that is more"""
    fold_idle_s: Positive = 2.0
    """... or after so many seconds without a change"""
    backups: Count = 5
    """rotating backups kept per role"""
    backup_every_h: Positive = 24.0
    """hours between two backups"""
    max_memories: PerType = PerType()
    """more than so many of a type: the weakest are archived, never deleted"""
    watch: Literal["auto", "native", "polling", "off"] = "auto"
    """how edits from outside are noticed"""
    poll_s: Positive = 0.5
    """polling: seconds between two checks"""
    max_file_mb: Positive = 256.0
    """a larger memory.json is refused"""


class ChatSettings(Section):
    """Chats and the stories they belong to."""

    stories: Literal["one", "each"] = "one"
    """one = all chats of a role share one story unless you choose otherwise; each = every chat is a separate story"""


class MemorySettings(Section):
    """How many messages of a chat are used (short term), and how long memories are kept (long term)."""

    max_history: Count | None = None
    """`chat`: at most so many messages go to the model on a turn; unset = all since the start"""
    short_term_items: Count = 20
    """messages of the chat kept in view"""
    short_term_characters: Count = 8000
    """... cut a second time to this length"""
    short_term_count: Count = 0
    """add up to so many of the newest messages of the chat that the request lacks"""
    compression_threshold: Count = 0
    """write a chapter after so many messages out of view, however short; 0 = only by learn.summarize.trigger_tokens"""
    archive_threshold: Annotated[float, Field(ge=0, le=2)] = 0.2
    """`clean` archives memories below this weight"""


class StepSettings(Section):
    """One kind of prompt: its template, and its own model if it needs one."""

    template: str = ""
    """name of a template in templates/learn; empty = the step's own"""
    prompt: str = ""
    """the prompt itself, with {conversation} or {memories}; replaces the template"""
    endpoint: str = ""
    """base URL for this step; empty = learn.endpoint"""
    model: str = ""
    """model for this step; empty = learn.model"""
    api_key_env: str = ""
    """environment variable with this step's API key; empty = learn.api_key_env"""


class SummarizeSettings(StepSettings):
    """Chapters: a model summarises what has left the context window. Empty = as in learn.summary, then learn."""

    enabled: bool = True
    """write chapters if a model is set"""
    trigger_tokens: Count = 2000
    """write a chapter after so many tokens outside the window"""


class LearnSettings(Section):
    """How memories are learned from chats. Recall never waits for it."""

    enabled: bool = True
    """obey commands and learn from chats"""
    extractor: Literal["auto", "rules", "model"] = "auto"
    """auto, model = a model extracts facts if endpoint and model are set; rules = no model; commands are always obeyed"""
    flow: Literal["extract", "decide"] = "extract"
    """extract = one prompt extracts the facts of a batch; decide = first decides whether to remember, then writes one sentence"""
    endpoint: str = ""
    """base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:11434/v1; "upstream" = the model behind the proxy, while no chat uses it"""
    api_key_env: str = "ROLEMEMORY_LEARN_KEY"
    """environment variable with the API key"""
    model: str = ""
    """name of the model; with "upstream", empty = the model a chat used last"""
    idle_s: Positive = 60.0
    """with "upstream": learning uses the model only after so many seconds without a chat"""
    daily_tokens: Count = 0
    """most tokens a day for learning, all roles together; the rest waits for the next day; 0 = no limit"""
    timeout_s: Positive = 60.0
    """longest wait for one answer"""
    batch_size: Annotated[int, Field(ge=1)] = 5
    """number of exchanges the model reads at a time"""
    delay_s: Positive = 60.0
    """the newest exchange counts as final so many seconds after its reply, without the next message"""
    idle_minutes: Positive = 10.0
    """an incomplete batch is read after so many minutes without a message"""
    max_facts: Count = 10
    """at most so many facts from one batch"""
    min_confidence: Unit = 0.7
    """facts below this confidence (0..1) are dropped"""
    auto_tag: bool = True
    """give learned memories tags"""
    decision: StepSettings = StepSettings()
    summary: StepSettings = StepSettings()
    extraction: StepSettings = StepSettings()
    inference: StepSettings = StepSettings()
    summarize: SummarizeSettings = SummarizeSettings()
    inference_enabled: bool = False
    """draw conclusions from several memories, in the background"""
    inference_interval: Annotated[int, Field(ge=1)] = 10
    """conversations between two rounds of conclusions"""


class ServeSettings(Section):
    """The server: its address, the upstream, access."""

    host: str = "127.0.0.1"
    """address to listen on; anything but loopback needs the token"""
    port: Annotated[int, Field(ge=0, le=65535)] = 8787
    """port to listen on; 0 = any free one"""
    upstream: str = ""
    """base URL of the model's OpenAI-compatible server, e.g. http://127.0.0.1:5001/v1"""
    upstream_key_env: str = "ROLEMEMORY_UPSTREAM_KEY"
    """environment variable with the upstream's API key; unset = the frontend's key is passed on"""
    memory: bool = True
    """recall and learn in the proxy; off = everything passes through unchanged"""
    create_roles: bool = True
    """create a role that a chat turn names unambiguously"""
    role: str = ""
    """role of turns that name none; empty = detected from the request, else passed through"""
    cards: str = ""
    """folder of character cards used to recognise roles, e.g. SillyTavern's data/default-user/characters"""
    system_role: Literal["auto", "yes", "no"] = "auto"
    """whether the upstream accepts system messages; no = the block goes into the user's message; auto = if one is refused, the block is moved or left out, but never put into the user's message"""
    lorebook: Literal["frontend", "ours"] = "frontend"
    """who injects the lorebook attached to a card"""
    allowed_hosts: tuple[str, ...] = ()
    """host names the server accepts besides its own address"""
    allowed_origins: tuple[str, ...] = ()
    """web pages that may call the REST API, e.g. http://127.0.0.1:8000"""
    service: bool = False
    """serve many users by keys (`rolememory keys`): local requests are not trusted, and a key determines its user"""
    trusted_proxies: tuple[str, ...] = ()
    """addresses and networks of proxies whose forwarded headers a service takes, e.g. 10.0.0.0/8"""
    plugins: tuple[str, ...] = ()
    """entry points of other packages that a service may load, by name; otherwise all are loaded"""
    connect_timeout_s: Positive = 10.0
    """longest wait for a connection to the upstream"""
    idle_timeout_s: Positive = 600.0
    """longest silence of the upstream during an answer"""
    recall_timeout_s: Positive = 2.0
    """a turn continues without memory after so many seconds"""
    max_body_mb: Positive = 32.0
    """a larger request is refused"""
    max_messages: Count = 50_000
    """most messages in one call: the proxy passes longer ones on without memory; REST, MCP and the library refuse them"""
    max_characters: Count = 10_000_000
    """most characters in one call: the proxy passes longer ones on without memory; REST, MCP and the library refuse them"""


class Settings(Section):
    """The whole tree. `preset` names a tree of worldbook_rules/presets that lies under the file."""

    preset: str = "default"
    """default, sillytavern, koishi, anh, assistant, local_chat, agent"""
    language: LanguageCode = "auto"
    """language of messages to people: zh, en or another that locales/ has; auto = the system's"""
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
