"""The sixteen excerpts of hummusqa_demo that lead a tune away from its own time: other styles, bands and voices."""

from fractions import Fraction

from dataset_scripts.hummusqa.make.score import Excerpt, Line, Passage, Voice, numerals

MELODY_DB, BASS_DB, CHORDS_DB, DRUMS_DB = 0.0, -4.0, -8.0, -9.0


def bass(instrument: str = "double bass", role: str = "bass") -> Voice:
    """A bass part."""
    return Voice(instrument, role, BASS_DB)


def chords(instrument: str, role: str = "chords", octave: int = 0) -> Voice:
    """A part that plays chords."""
    return Voice(instrument, role, CHORDS_DB, octave)


def drums(rhythm: str) -> Voice:
    """A rhythm of the drums."""
    return Voice("drums", rhythm, DRUMS_DB)


MINUET = (chords("harpsichord", "chords"), bass("cello"), Voice("flute", ornament="trills"))
LULLABY = (Voice("music box", octave=1), chords("harp", "broken chords"))
HYMN = (Voice("organ"), Voice("organ", "block chords", -3.0))
SWING = (
    Voice("tenor saxophone", articulation="legato"),
    bass("double bass", "walking bass"),
    chords("piano", "comping"),
    drums("swing"),
)
TANGO = (Voice("bandoneon"), bass("double bass", "habanera"), Voice("piano", "habanera", -7.0, octave=1))
CLUB = (
    Voice("synthesiser lead"),
    Voice("synthesiser bass", "off-beat bass", -8.0),
    chords("synthesiser pad", "held chords"),
    Voice("drums", "club", -1.0),
)
ROCK = (
    Voice("distorted guitar", articulation="legato"),
    Voice("distorted guitar", "power chords", -6.0, octave=1),
    bass("electric bass", "running bass"),
    drums("rock"),
)
STORM = (
    Voice("oboe", articulation="legato"),
    Voice("strings", "held chords", -3.0, tremor_hz=9),
    bass("double bass", "pedal"),
)
NOCTURNE = (Voice("piano", articulation="legato", octave=1), Voice("piano", "broken chords", -7.0, octave=-1))
CHOIR = (
    Voice("choir", articulation="legato"),
    Voice("choir", "held chords", -5.0),
    Voice("choir", "held bass", -5.0, octave=1),
)
LAMENT = (Voice("cello", articulation="legato", octave=-1), chords("harp", "broken chords"))
STRUMMED = (chords("guitar", "broken chords"), bass("double bass", "held bass"))
SHANTY = (*STRUMMED, Voice("clarinet", level_db=-5.0, octave=-1))
BOWED = (Voice("strings", "held chords", -3.0), bass("cello", "held bass"))
BALLAD = (*BOWED, Voice("horn", level_db=-3.0, octave=-1, articulation="legato"))

STYLES = (
    Excerpt(
        "minuet",
        ("airdsAirs/book5.abc", 868),
        0,
        "146",
        (
            Passage("A", MINUET, chords=numerals("I V I I I IV IV-I V")),
            Passage("A", MINUET, level_db=-12, chords=numerals("I V I I I IV IV-I V")),
            Passage("B", MINUET, chords=numerals("I I V I IV I V I")),
        ),
    ),
    Excerpt(
        "lullaby",
        ("oneills1850/0501-0550.abc", 507),
        0,
        "100",
        (
            Passage("A", LULLABY, chords=numerals("I I V I I I V I")),
            Passage("B", LULLABY, chords=numerals("I I vi IV I I V I")),
        ),
    ),
    Excerpt(
        "hymn",
        ("airdsAirs/book2.abc", 365),
        -2,
        "82",
        (
            Passage("A", HYMN, room=0.35, chords=numerals("I V vi V I V ii V-I")),
            Passage("", (HYMN[1],), (0, 2), chords=("IV", "I"), room=0.35),
        ),
    ),
    Excerpt(
        "swing",
        ("oneills1850/0401-0486.abc", 432),
        -2,
        "132",
        (
            Passage("A", SWING, chords=numerals("I vi ii V I vi V I")),
            Passage("B", SWING, chords=numerals("I vi I V I vi V I")),
        ),
        groove="swing",
    ),
    Excerpt(
        "tango",
        ("oneills1850/0101-0200.abc", 185),
        0,
        "67",
        (
            Passage("A", TANGO, chords=numerals("i III iv VII i iv i VII")),
            Passage("B", TANGO, chords=numerals("i iv VII i i VII i i")),
        ),
    ),
    Excerpt(
        "club",
        ("oneills1850/1801-1850.abc", 1824),
        0,
        "132",
        (
            Passage("A", CLUB, cutoff_hz=300, cutoff_end_hz=9_000, chords=numerals("i VI III VII i VI III i")),
            Passage("B", CLUB, chords=numerals("i VI III VII i VI III i")),
        ),
    ),
    Excerpt(
        "rock",
        ("oneills1850/0051-0100.abc", 77),
        0,
        "128",
        (
            Passage("A", ROCK, chords=numerals("i VII III VII i VII III i")),
            Passage("A", ROCK, chords=numerals("i VII III VII i VII III i")),
            Passage("B", ROCK, chords=numerals("III i iv i III i VII i")),
        ),
        start_s=15,
    ),
    Excerpt(
        "storm",
        ("oneills1850/0051-0100.abc", 86),
        -2,
        "132",
        (
            Passage("A", STORM, chords=numerals("i VII i V i VII iv i")),
            Passage("B", STORM, chords=numerals("i V VI V i VII iv i")),
        ),
    ),
    Excerpt(
        "growing",
        ("oneills1850/0732-0758_bs.abc", 740),
        0,
        "102",
        (
            Passage(
                "A",
                (Voice("bassoon", octave=-1, articulation="staccato"), chords("plucked strings")),
                level_db=-16,
                level_end_db=-12,
                chords=numerals("i-V i i-V i i-V i i-V i"),
            ),
            Passage(
                "B",
                (Voice("clarinet", articulation="staccato"), chords("plucked strings"), bass()),
                speed_end=Fraction(5, 4),
                level_db=-11,
                level_end_db=-7,
                chords=numerals("III III-VII i i-VII III III-VII i-V i"),
            ),
            Passage(
                "A",
                (Voice("trumpet"), chords("strings"), bass(), drums("frame drum in six")),
                speed=Fraction(13, 10),
                speed_end=Fraction(17, 10),
                level_db=-6,
                level_end_db=0,
                chords=numerals("i-V i i-V i i-V i i-V i"),
            ),
            Passage(
                "B",
                (Voice("trumpet"), chords("strings"), bass(), drums("frame drum in six")),
                speed=Fraction(17, 10),
                speed_end=Fraction(2),
                level_db=0,
                chords=numerals("III III-VII i i-VII III III-VII i-V i"),
            ),
        ),
    ),
    Excerpt(
        "nocturne",
        ("airdsAirs/book5.abc", 922),
        2,
        "103",
        (
            Passage("A", NOCTURNE, rubato=Fraction(1, 4), chords=numerals("i i V i III iv V i")),
            Passage("B", NOCTURNE, rubato=Fraction(1, 4), chords=numerals("i iv V i VI iv V i")),
        ),
    ),
    Excerpt(
        "serenade",
        ("airdsAirs/book5.abc", 803),
        -2,
        "132",
        (
            Passage(
                "A",
                (Voice("plucked strings", octave=1), Voice("plucked strings", "chords", -6.0, octave=-1)),
                chords=numerals("I I I V I IV V I"),
            ),
            Passage(
                "A",
                (Voice("strings", articulation="legato"), Voice("strings", "held chords", -7.0, octave=-1)),
                shift=3,
                chords=numerals("I I I V I IV V I"),
            ),
        ),
    ),
    Excerpt(
        "shadow",
        ("oneills1850/0101-0200.abc", 145),
        -2,
        "100",
        (
            Passage(
                "A", (Voice("violin", articulation="legato", octave=1), *BOWED), chords=numerals("I V I V I V V I")
            ),
            Passage(
                "A",
                (Voice("violin", articulation="legato", octave=1), *BOWED),
                mode="minor",
                chords=numerals("i V i V i V V i"),
            ),
        ),
    ),
    Excerpt(
        "harbour",
        ("airdsAirs/book1.abc", 90),
        0,
        "90",
        (
            Passage("", STRUMMED, (0, 2)),
            Passage("A", SHANTY, chords=numerals("I I-V I V I I-V I-V I")),
            Passage("B", SHANTY, chords=numerals("IV I IV-I V I-IV I-V I-V I")),
            Passage("A", SHANTY, (4, 4), chords=numerals("I I-V I-V I")),
        ),
        speech=(
            Line(2, "We pushed the boat out from the shore."),
            Line(7, "The nets were dry, the gulls were loud."),
            Line(12, "My father rowed, my brother sang."),
            Line(17, "The sun came up behind the cloud."),
        ),
        speaker="en-gb",
    ),
    Excerpt(
        "refrain",
        ("oneills1850/0401-0486.abc", 485),
        0,
        "132",
        (
            Passage("A", BALLAD, chords=numerals("i iv-VII i i i iv-VII i i")),
            Passage("B", BALLAD, chords=numerals("III i i i III iv-VII i i")),
        ),
        speech=(
            Line(0, "The road is long and the lamp is low."),
            Line(3, "Come home, come home."),
            Line(5, "The bread is baked and the fire is slow."),
            Line(8, "Come home, come home."),
            Line(10, "The snow lies deep upon the hill."),
            Line(13, "Come home, come home."),
        ),
        speaker="en-us",
    ),
    Excerpt(
        "voices",
        ("airdsAirs/book6.abc", 1125),
        0,
        "66",
        (
            Passage("A", CHOIR, room=0.5, chords=numerals("i iv i VII i iv i VII")),
            Passage("B", CHOIR, room=0.5, chords=numerals("i VII i i i i VII i")),
        ),
    ),
    Excerpt(
        "lament",
        ("oneills1850/0301-0350.abc", 333),
        0,
        "100",
        (
            Passage("A", LAMENT, chords=numerals("i III iv V i III V i")),
            Passage("B", LAMENT, chords=numerals("i iv iv V i III V i")),
        ),
    ),
)
