"""All limits in one table: what each bounds, its value on one's own machine and on a public one, and why it is there.

Nothing here depends on anything else, so that the engine, the sandbox's child, what reads its messages, the store, the settings
and the documents take their numbers from one place. `engine.tables` writes it into SECURITY.md.
"""

from __future__ import annotations

from dataclasses import dataclass

MB = 2**20
MOST_EVENTS = 2_000_000
"""What a run may be set to record, and what a file holds of it, before how the run ended."""


@dataclass(frozen=True, slots=True)
class Row:
    """One limit."""

    what: str
    """What there is at most so many of, as it stands after the number: "events"."""
    default: float
    """Where people run their own programs."""
    why: str
    hosted: float | None = None
    """On a public installation, where it is tighter."""
    least: float = 0
    most: float | None = None
    """Where it can be set: from where, and up to where."""
    of: str = "the recording holds"
    """What the limit belongs to, as it stands before the number."""
    bytes: bool = False

    def value(self, hosted: bool = False) -> int:
        """The limit as a whole number."""
        return int(self.default if self.hosted is None or not hosted else self.hosted)

    def both(self) -> str:
        """The limit on a public installation and elsewhere, in words."""
        if self.hosted is None:
            return self.shown(self.default)
        return f"{self.shown(self.hosted)} where hosted and {self.shown(self.default)} otherwise"

    def past(self, limit: float | None = None) -> str:
        """The sentence that says it was passed."""
        return f"{self.of} at most {self.shown(self.default if limit is None else limit)} {self.what}".rstrip()

    def shown(self, limit: float) -> str:
        """A limit with its unit, as people read it."""
        if not self.bytes:
            return f"{int(limit):,}" if limit == int(limit) else f"{limit:g}"
        unit, size = ("MB", MB) if limit >= MB else ("kB", 1024) if limit >= 10_000 else ("bytes", 1)
        return f"{limit / size:,.4g} {unit}"

    def check(self, wanted: float) -> None:
        """Raise ValueError, with a sentence, for what it cannot be set to."""
        if self.most is None or not self.least <= wanted <= self.most:
            raise ValueError(f"{self.what}: from {self.shown(self.least)} to {self.shown(self.most or 0)}, not {wanted:g}")


# --- one run ------------------------------------------------------------------------------------------------------------------

SECONDS = Row(
    "seconds", 10, "a program that never ends; others wait meanwhile", hosted=3.25, least=0.1, most=3_600, of="a run takes"
)
MEMORY = Row("MB of memory", 512, "the machine's memory", least=64, most=65_536, of="a program may use")
OUTPUT = Row("characters of output", 2_500_000, "memory of the page; it shows both ends of a long text", hosted=200_000)
EVENTS = Row(
    "events",
    200_000,
    f"memory, and time to lay the picture out; a file holds {MOST_EVENTS:,}",
    hosted=10_000,
    least=100,
    most=MOST_EVENTS,
)
KEPT = Row(
    "of arrays that are kept whole", 192 * MB, "memory; later arrays leave a summary, and nothing is cut", hosted=16 * MB,
    bytes=True,
)  # fmt: skip
FILE_BYTES = Row(
    "of files", 64 * MB, "the program's memory, and that of the page, which offers what it wrote", hosted=8 * MB, bytes=True,
    of="a run holds",
)  # fmt: skip
FILE_COUNT = Row("files and folders", 2_000, "time to list and to send them", hosted=500, of="a run holds")

# --- a recording --------------------------------------------------------------------------------------------------------------

ELEMENTS = Row("elements of an array kept whole", 65_536, "larger arrays leave a summary, and nothing is cut")
SMALL = Row("in an array that does not count as kept", 256, "scalars and short vectors are always there", bytes=True)
ARRAYS = Row("of arrays", 256 * MB, "memory: kept ones, and the small ones that do not count as kept", bytes=True)
ROWS = Row("sites, operations, or forms of events, scopes or arrays", 500_000, "memory: each is a thing of its own")
COLUMNS = Row(
    "scopes or arrays", MOST_EVENTS, "memory, and time to read a file; a run has at most 20 for each event that it may record"
)
PARTS = Row(
    "parts of events: inputs, dimensions, edges, loops", 4_000_000, "memory that the events and their graph unfold to",
    hosted=150_000,
)  # fmt: skip
FACTS = Row("of facts: all that is not arrays", 60 * MB, "memory: facts unfold to many times their size", hosted=16 * MB,
            bytes=True)  # fmt: skip
DIMS = Row("dimensions of a tensor", 64, "NumPy has no more", of="a tensor has")
SIZE = Row("elements along a dimension, or bytes of a tensor", 2**63 - 1, "numbers of 64 bits", of="a tensor has")
NUMBER = Row("as a line, column, version, iteration or call", 2**31 - 1, "numbers of 32 bits, which every viewer can show")
NESTED = Row("backward passes inside one another", 64, "hooks that call backward without end")
NAME = Row("characters of a name", 500, "a longer name is shortened", of="a recording shows")
TEXT = Row(
    "characters of a message, a traceback, a help text or a warning",
    20_000,
    "a longer one is shortened",
    of="a recording shows",
)
VALUE = Row("characters of the value of a notebook's cell", 100_000, "a longer one is shortened", of="a recording shows")
FIGURE = Row("characters of a figure", 2_000_000, "its calls and the arrays that they are given", of="a recording holds")
FIGURES = Row("figures", 100, "a loop that draws one in each iteration", of="of a run the recording holds")
FIGURE_CALLS = Row("calls that draw into it", 4_000, "memory and time to draw it", of="a figure has")
RULES = Row("rules, conditions or outputs of an operation", 64, "of one entry of the table of operations")
RULE = Row("characters of a rule, a formula or a description", 2_000, "of one entry of the table of operations")

# --- between a program's process and the page's -------------------------------------------------------------------------------

FRAME = Row("in one frame", 8 * MB, "what is decoded at once can take thirty times its size", of="a process sends", bytes=True)
BATCH = Row("rows of a table in one frame", 2_000, "the same", of="a process sends")
FRAMES = Row("frames", 20_000, "whoever sends crumbs wants to keep the page busy", of="a process sends")
READS = Row("pieces of its stream", 400_000, "the same", of="a process sends")
RESULT = Row("of frames", 384 * MB, "arrays, facts and frames together", of="a process sends", bytes=True)
STUCK = Row("bytes about where it is stuck", 8_192, "a few lines of a traceback", of="a process sends")

# --- programs and files -------------------------------------------------------------------------------------------------------

PROGRAM = Row("characters of a program", 500_000, "time to read it", of="a program has")
CELLS = Row("code cells", 500, "an editor for each", of="a notebook has")
PROGRAM_FILE = Row("of a program's or notebook's file", 32_000_000, "the pictures in a notebook's outputs are passed over",
                   of="the page reads", bytes=True)  # fmt: skip
PICTURES = Row("of pictures in its notes", 4 * MB, "they are sent with the page", of="a notebook keeps", bytes=True)
LINK = Row("characters of a link", 4_096, "what every browser, chat and mail program passes on whole", of="a link has")
UNPACKED = Row("bytes that a link unpacks to", 200_000, "a small link can hold a large text", of="a link has")
TITLE = Row("characters of a title in a link", 120, "it stands in the header", of="a link has")
ENTRIES = Row("rows of a table", MOST_EVENTS + 100, "what a run may record, and how it ended", of="a recording's file has")
DOCUMENT = Row("of facts", 64 * MB, "a hostile file can unfold to thirty times its size", hosted=32 * MB,
               of="a recording's file has", bytes=True)  # fmt: skip
UNFOLDED = Row("of columns, once they are unfolded", 2_048 * MB, "a small file can unfold to a large one", hosted=512 * MB,
               of="a recording's file has", bytes=True)  # fmt: skip
FILE = Row(
    "of facts and arrays", 321 * MB, "arrays and document together", hosted=128 * MB, of="a recording's file has", bytes=True
)
UPLOAD = Row(
    "of an opened file", 64 * MB, "it is held in memory while it is read", hosted=40 * MB, of="the page takes", bytes=True
)

# --- figures ------------------------------------------------------------------------------------------------------------------

DRAWING = Row("seconds", 20, "a figure that never ends", hosted=8, of="drawing a figure takes")
DRAWING_MEMORY = Row("of memory", 1_024 * MB, "the machine's memory", hosted=512 * MB, of="drawing a figure takes", bytes=True)
DRAWN = Row("of the picture of a figure", 2 * MB, "it is sent with every run of the page", of="the page shows", bytes=True)
FIGURE_PIXELS = Row("pixels", 6_000_000, "memory and time to draw it", of="a figure has")

# --- checks, sweeps and fixes -------------------------------------------------------------------------------------------------

SLOPES = Row("derivatives", 20_000, "memory of the reply", of="a numerical check finds")
STEPS = Row("steps for each derivative", 4, "a difference for each", of="a numerical check takes")
CHECK_TEXT = Row("characters of a message", 2_000, "memory of the reply", of="a numerical check says")
CHECKED_PASSES = Row("backward passes", 3, "the program runs anew for each", of="the check of custom Functions by itself has")
CHECKED_SECONDS = Row("seconds for each of them", 5, "nobody has asked for it",
                      of="the check of custom Functions by itself takes")  # fmt: skip
POINTS = Row("points", 10_000, "each is a run of the program", of="a sweep has")
PATH = Row("points of the program's own way", 2_000, "what a picture can show", of="a sweep has")
FIXES = Row("fixes", 20, "each is a run of the program, or three", hosted=3, of="of a run the page tries")
SWEEP_TEXT = Row("characters of a message", 300, "one for each point", of="a sweep says")

# --- what the page works on itself --------------------------------------------------------------------------------------------

READ = Row("characters of a program", 100_000, "a syntax tree takes some hundred times its text", of="a tree is made of")
SIGNS = Row("words and signs of a program", 40_000, "memory of the tree", of="a tree is made of")
DEPTH = Row("levels of a program", 200, "Python's own parser and whatever walks its tree call themselves for each",
            of="a tree is made of")  # fmt: skip
FIELDS = Row("values of an f-string", 1_000, "Python's parser takes time that grows with their square",
             of="a tree is made of")  # fmt: skip
KNOBS = Row("literals, and as many switches,", 1_000, "time, and a control for each", of="What if looks for")
MARKS = Row("pieces that were taken out and can be put back", 200, "a look at the whole text for some",
            of="What if looks for")  # fmt: skip
TURN = Row("seconds of the processor", 60, "others wait for their turn meanwhile", hosted=2, of="drawing a page takes")
LONG_TURN = Row("seconds of the processor for a long recording", 120, "others wait for their turn meanwhile", hosted=4,
                of="drawing a page takes")  # fmt: skip

# --- checkpoints --------------------------------------------------------------------------------------------------------------

CHECKPOINT = Row("of data", 1_024 * MB, "a small file can unfold to a large one; the run's memory is the tighter limit",
                 of="a checkpoint has", bytes=True)  # fmt: skip
CHECKPOINT_ENTRIES = Row("entries", 100_000, "each is looked at before the first is read", of="a checkpoint has")
CHECKPOINT_MARKS = Row("marks of a pickle inside one another", 10_000, "what is read may be nested as deep",
                       of="a checkpoint has")  # fmt: skip
CHECKPOINT_KEY_DEPTH = Row("tuples inside one another in a key of a dict", 50, "Python takes the C stack for each",
                           of="a checkpoint has")  # fmt: skip
CHECKPOINT_KEY_PARTS = Row("parts of a key of a dict", 10_000, "a few bytes can stand for a key that takes for ever",
                           of="a checkpoint has")  # fmt: skip
SAFETENSORS_HEADER = Row("bytes of a safetensors file's header", 100_000_000, "the bound of the format itself",
                         of="a checkpoint has")  # fmt: skip

# --- what is done in a process of its own -------------------------------------------------------------------------------------

READING = Row("seconds", 120, "a file that takes for ever", hosted=20, of="reading a file takes")
READING_MEMORY = Row("of memory", 8_192 * MB, "a small file can unfold to a large one", hosted=1_024 * MB,
                     of="reading a file takes", bytes=True)  # fmt: skip
MAKING = Row("seconds", 900, "a picture of a recording that takes for ever", hosted=90, of="making a file takes")
MAKING_MEMORY = Row("of memory", 8_192 * MB, "a picture takes more than its recording", hosted=1_024 * MB,
                    of="making a file takes", bytes=True)  # fmt: skip
MADE = Row("", 300 * MB, "it is held in memory until it is saved", hosted=64 * MB, of="a file that is made has", bytes=True)
PIXELS = Row("pixels", 16_000_000, "64 MB and some three seconds while they are drawn; a larger picture is drawn smaller",
             of="an image has")  # fmt: skip
SIDE = Row("pixels along one side", 16_000, "what programs that show images take", of="an image has")
APART = Row("seconds", 15, "a long recording, where strangers share the page", of="drawing a picture apart takes")
APART_MEMORY = Row("of memory", 768 * MB, "the same", of="drawing a picture apart takes", bytes=True)
APART_MADE = Row("", 32 * MB, "it is sent to the browser as it is", of="a picture that was drawn apart has", bytes=True)

# --- visitors -----------------------------------------------------------------------------------------------------------------

QUEUE = Row("waiting runs", 400, "more are turned away, and told so", most=1_000_000, of="the queue holds")
PER_SESSION = Row("runs waiting or under way", 4, "the queue is for everybody", most=1_000_000, of="a visitor has")
CONTROLS = Row("controls", 5_000, "each is looked at in the thread that serves everybody", of="a browser tells at once of")
ENTERED = Row("characters or entries of one control", 20_000, "the same", of="a browser tells")
TOLD_THINGS = Row("things that components tell", 100_000, "a few bytes of JSON are a thing of fifty", of="a request has")
ARGUMENTS = Row("characters of a program's arguments", 10_000, "they are taken apart in time that grows with their square",
                of="a visitor gives")  # fmt: skip

GROUPS = {
    "One run": (SECONDS, MEMORY, OUTPUT, EVENTS, KEPT, FILE_BYTES, FILE_COUNT),
    "A recording": (
        ELEMENTS, SMALL, ARRAYS, ROWS, COLUMNS, PARTS, FACTS, DIMS, SIZE, NUMBER, NESTED, NAME, TEXT, VALUE, RULES, RULE,
    ),
    "What a program's process sends": (FRAME, BATCH, FRAMES, READS, RESULT, STUCK),
    "Programs and files": (
        PROGRAM, CELLS, PROGRAM_FILE, PICTURES, LINK, UNPACKED, TITLE, ENTRIES, DOCUMENT, UNFOLDED, FILE, UPLOAD,
    ),
    "What the page works on itself": (READ, SIGNS, DEPTH, FIELDS, KNOBS, MARKS, TURN, LONG_TURN),
    "What is done in a process of its own": (
        READING, READING_MEMORY, MAKING, MAKING_MEMORY, MADE, PIXELS, SIDE, APART, APART_MEMORY, APART_MADE,
    ),
    "Checkpoints": (
        CHECKPOINT, CHECKPOINT_ENTRIES, CHECKPOINT_MARKS, CHECKPOINT_KEY_DEPTH, CHECKPOINT_KEY_PARTS, SAFETENSORS_HEADER,
    ),
    "Figures": (FIGURE, FIGURES, FIGURE_CALLS, DRAWING, DRAWING_MEMORY, DRAWN, FIGURE_PIXELS),
    "Checks, sweeps and fixes": (
        SLOPES, STEPS, CHECK_TEXT, CHECKED_PASSES, CHECKED_SECONDS, POINTS, PATH, SWEEP_TEXT, FIXES,
    ),
    "Visitors": (QUEUE, PER_SESSION, CONTROLS, ENTERED, TOLD_THINGS, ARGUMENTS),
}  # fmt: skip
"""Every limit, in the order of the table."""


def shortened(text: str, row: Row = TEXT) -> str:
    """A text that fits: as it is, or its beginning and how long it was."""
    limit = row.value()
    if len(text) <= limit:
        return text
    note = f"… ({len(text):,} characters)"
    return text[: max(limit - len(note), 0)] + note[:limit]
