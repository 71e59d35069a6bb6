"""The tags that findings bear: how severe each is, what it means, and what avoids it (MB-34, MB-36).

The first eight are those of the paper's audit. CRITICAL: the item cannot be scored, or is scored wrongly. HIGH: it must
be replaced or put right. MEDIUM and LOW are shown for a person to judge. CRITICAL and HIGH stop a build; so do the two
MEDIUM tags whose items no task of the benchmark could load.
"""

from typing import NamedTuple

from musebench_tasks.base.problems import Effect, Severity


class Tag(NamedTuple):
    """What findings with this tag mean, and the rule that avoids them."""

    severity: Severity
    meaning: str
    mitigation: str
    is_unloadable: bool = False
    """Whether a task refuses to load the item, so that a build stops whatever the severity."""

    @property
    def effect(self) -> Effect:
        """Whether a data set with it is not built."""
        return Effect.STOP if self.severity <= Severity.HIGH or self.is_unloadable else Effect.FLAG

    @property
    def texts(self) -> tuple[str, str]:
        """Meaning and mitigation."""
        return self.meaning, self.mitigation


_CRITICAL, _HIGH, _MEDIUM, _LOW = Severity

AUDIT_TAGS = {
    "LABEL_OUT_OF_RANGE": Tag(
        _CRITICAL,
        "The answer names an option that the item does not have.",
        "Answers are ids or texts of the item's own options.",
    ),
    "STEM_OPTIONS_MISMATCH": Tag(
        _CRITICAL,
        "The question and its options do not belong together.",
        "Options, answer and kind are made from one question, in one step.",
    ),
    "EMPTY_ANSWER_SET": Tag(
        _CRITICAL,
        "No option is right.",
        "The right answer is written before any distractor.",
    ),
    "CLIP_RANGE_INVALID": Tag(
        _HIGH,
        "The window is empty, or does not lie inside the file.",
        "0 <= start < end <= the length of the file, in seconds.",
    ),
    "DUPLICATE_OPTIONS": Tag(
        _MEDIUM,
        "Two options cannot be told apart.",
        "Options differ in more than case, blanks, articles and punctuation.",
        is_unloadable=True,
    ),
    "MULTI_DEGENERATE": Tag(
        _MEDIUM,
        "A multi-select item with a single right option.",
        "Multi-select items of musebench have 2 to 4 right options; one right option makes it single-select.",
        is_unloadable=True,
    ),
    "NEAR_IDENTICAL_PREFIX": Tag(
        _LOW,
        "Two options begin with the same words for most of their length.",
        "What options share stands in the question.",
    ),
    "ANSWER_PARAPHRASE": Tag(
        _LOW,
        "The right answer is told in other words than the option.",
        "The answer's text is copied from the option, character by character.",
    ),
}
"""The eight of the paper's audit (MB-34)."""

ITEM_TAGS = {
    "NO_ROWS": Tag(_CRITICAL, "There is nothing to ask.", "At least one row."),
    "CELL_MISSING": Tag(_CRITICAL, "A cell that must be filled is empty or absent.", "Every column is filled."),
    "CELL_TYPE": Tag(_CRITICAL, "A cell holds another kind of value.", "Types are those of the column list."),
    "ROW_UNREADABLE": Tag(_CRITICAL, "A task refuses to load the row.", "What the line says to do."),
    "ID_DUPLICATE": Tag(_CRITICAL, "Several rows have the same id.", "Every row has an id of its own."),
    "ANSWER_COUNT": Tag(
        _CRITICAL,
        "The number of right options does not suit the kind.",
        "Exactly 1 right in single-select; 2 to 4 in multi-select items of musebench.",
    ),
    "COLUMN_UNKNOWN": Tag(_HIGH, "A column that the data set does not have.", "Columns are those of the list."),
    "ID_NOT_PLAIN": Tag(_HIGH, "An id that is no file name.", "Ids are letters, digits, dot, hyphen and underscore."),
    "MEDIUM_UNUSABLE": Tag(
        _HIGH,
        "No medium, or one that cannot be used.",
        "Media lie where the sheet says, whole; built ones are called after the id.",
    ),
    "VOCABULARY": Tag(_HIGH, "A value outside its list.", "Categories and levels come from closed lists."),
    "OPTION_COUNT": Tag(_HIGH, "Too few or too many options.", "4 to 8 options (HumMusQA: 4)."),
    "FEW_WRONG": Tag(_HIGH, "Too few wrong options.", "At least 2 options are wrong in musebench (HumMusQA: 3)."),
    "LABEL_LIKE_OPTION": Tag(
        _HIGH,
        "An option reads like the letter of an answer.",
        "Reword it, or list the item in label_like: its prompt then asks for ANSWER: and a letter.",
    ),
    "STRATEGY": Tag(
        _HIGH, "A wrong option without a known strategy.", "Each wrong option has one of the seven strategies."
    ),
    "RIGHTS": Tag(_HIGH, "Licence or credit are missing or unclear.", "An SPDX id and a line of credit for each row."),
    "EXCERPT_LENGTH": Tag(_HIGH, "An excerpt that is too short or too long.", "Excerpts last 30 to 90 seconds."),
    "CATEGORY_REPEATED": Tag(_HIGH, "A category stands twice.", "The main category is no secondary one."),
    "TEXT_BROKEN": Tag(
        _HIGH, "Characters that went wrong on the way.", "Text is UTF-8, without control characters and markup."
    ),
    "DURATION": Tag(_HIGH, "A duration that is none.", "Decoded seconds, above 0."),
    "TEMPO": Tag(_HIGH, "A tempo that is none.", "Beats per minute above 0, at most 1000."),
    "KEY_SPELLING": Tag(_HIGH, "A key that is none, or spelled otherwise.", "12 tonics, major or minor: Eb major."),
    "METRE_SPELLING": Tag(_HIGH, "A metre that is none, or spelled otherwise.", "numerator/denominator: 6/8."),
    "SEGMENTS": Tag(
        _HIGH,
        "Segments that are missing, empty, overlapping, out of order or too long.",
        "Segments in order, apart, named, inside the recording.",
    ),
    "BEATS": Tag(_HIGH, "Beats out of order or outside the recording.", "Times rise, inside the recording."),
    "MULTI_VALUED": Tag(_HIGH, "multi_valued names no field.", "It names tempo, key, time_signature or segments."),
    "CONFIGS_DIFFER": Tag(
        _CRITICAL, "The configs of a repository do not agree.", "default, blind and references are written together."
    ),
    "GOLD_IN_BLIND": Tag(_CRITICAL, "blind tells the answers.", "blind has no column of gold."),
}
"""Rules that an item must keep."""

REVIEW_TAGS = {
    "OPTIONS_IN_STEM": Tag(_MEDIUM, "The question lists its options.", "Options stand in their own column only."),
    "ANSWER_COUNT_TOLD": Tag(
        _MEDIUM, "The question tells how many options are right.", "A question says nothing of how many are right."
    ),
    "FEW_STRATEGIES": Tag(
        _MEDIUM, "The wrong options are all wrong in the same way.", "At least 2 strategies, 3 from 5 wrong options on."
    ),
    "ITEM_DUPLICATE": Tag(
        _MEDIUM, "The same question about the same medium.", "Each question is asked once about a medium."
    ),
    "NEAR_DUPLICATE": Tag(
        _MEDIUM, "Two questions about one medium in almost the same words.", "Each question asks something else."
    ),
    "TITLE_TOLD": Tag(
        _MEDIUM, "The text names the piece or who made it.", "Texts tell nothing of where media are from."
    ),
    "CLUSTER": Tag(
        _MEDIUM, "Clusters do not say which rows share a source.", "Rows of one medium are of one cluster; not all are."
    ),
    "POSITION_IMBALANCE": Tag(
        _MEDIUM, "The right option stands in some places too often.", "Options are shuffled by seed, never by hand."
    ),
    "CONSTANT_LETTER": Tag(
        _MEDIUM, "Answering always the same letter beats chance.", "Options are shuffled by seed, never by hand."
    ),
    "LONGEST_OPTION": Tag(
        _MEDIUM, "Choosing the longest option beats chance.", "Wrong options are as long and as exact as right ones."
    ),
    "BEATS_TEMPO": Tag(_MEDIUM, "Beats and tempo tell different tempi.", "The tempo is that of the beats."),
    "PROPER_NOUN": Tag(_LOW, "A name may give the answer away.", "No names of people, works or places."),
    "TEXT_UNTIDY": Tag(_LOW, "Blanks or accents that look like others.", "Single blanks, composed characters."),
    "OPTIONS_ALIKE": Tag(_LOW, "Options are hard to tell apart.", "Options differ in what they claim."),
    "ALIGNMENT_DOUBTFUL": Tag(
        _LOW, "The question speaks of another sense than its alignment says.", "Alignment follows the evidence."
    ),
    "INTENT_APART": Tag(
        _LOW, "Question and options pursue something else than the intent.", "One intent, one question."
    ),
    "TEXT_LONG": Tag(_LOW, "A text that is too long to be read at once.", "Plain words, short sentences."),
    "SEGMENTS_GAP": Tag(_LOW, "Segments leave more than a tenth of the recording out.", "Segments cover it."),
    "QUESTION_REPEATED": Tag(_LOW, "The same question and options about other media.", "Questions differ."),
}
"""What a person should look at; nothing is refused for it."""

TAGS: dict[str, Tag] = AUDIT_TAGS | ITEM_TAGS | REVIEW_TAGS
