"""The ten excerpts of hummusqa_demo that stay nearest to what the tunes were made for: dances, marches and airs."""

from fractions import Fraction

from dataset_scripts.hummusqa.make.score import Excerpt, Passage, Voice, numerals

BASS = Voice("double bass", "bass", -4.0)
GUITAR = Voice("guitar", "chords", -8.0)
JIG = (Voice("violin"), GUITAR, BASS, Voice("drums", "frame drum in six", -10.0))
MARCH = (
    Voice("trumpet"),
    Voice("trombone", "chords", -9.0),
    Voice("tuba", "bass", -4.0),
    Voice("drums", "march", -8.0),
)
SLIP_JIG = (Voice("recorder", octave=1), GUITAR, BASS, Voice("drums", "frame drum in nine", -8.0))
HORNPIPE = (Voice("dulcimer"), GUITAR, BASS)
PIPES = (Voice("bagpipe"), Voice("bagpipe", "drone", -6.0))
HEMIOLA = (Voice("flute"), Voice("guitar", "regrouped chords", -3.0), Voice("double bass", "regrouped bass", -4.0))
PLAIN = (Voice("oboe"), Voice("harp", "broken chords", -10.0))
DECORATED = (Voice("oboe", ornament="mordents"), Voice("harp", "broken chords", -10.0))
STRING_BAND = (Voice("banjo"), Voice("guitar", "chords", -7.0), Voice("double bass", "bass", -4.0))
LEADER = Voice("clarinet")
FOLLOWER = Voice("bassoon", octave=-1, delay=Fraction(8))

DANCES = (
    Excerpt(
        "jig",
        ("ryansMammoth/MyPrettyFairMaidJig.abc", 1),
        0,
        "130",
        (
            Passage("A", JIG, chords=numerals("I-V I-V I-V I I-V I-V I-V I")),
            Passage("A", JIG, chords=numerals("I-V I-V I-V I I-V I-V I-V I")),
            Passage("B", JIG, chords=numerals("IV-V IV-I IV-V IV-I IV-V IV-I I-V I")),
            Passage("B", JIG, chords=numerals("IV-V IV-I IV-V IV-I IV-V IV-I I-V I")),
        ),
    ),
    Excerpt(
        "layers",
        ("oneills1850/1476-1555.abc", 1504),
        -2,
        "99",
        (
            Passage("A", (Voice("flute"),)),
            Passage("A", (Voice("flute"), Voice("violin"))),
            Passage(
                "B",
                (Voice("flute"), Voice("violin"), Voice("guitar", "chords", -6.0), BASS),
                chords=numerals("i VII i i i VII i VII-i"),
            ),
        ),
    ),
    Excerpt(
        "march",
        ("airdsAirs/book4.abc", 706),
        -5,
        "132",
        (
            Passage("A", MARCH, chords=numerals("I I V I IV I V-I V")),
            Passage("B", MARCH, chords=numerals("V I IV I I-V I I-V I")),
        ),
    ),
    Excerpt(
        "slip jig",
        ("ryansMammoth/DrunkenGangersTheJig.abc", 1),
        -2,
        "98",
        (
            Passage("B", SLIP_JIG, chords=numerals("I I-V I I I I-V I V-I")),
            Passage("A", SLIP_JIG, chords=numerals("I I I V I I I V")),
        ),
    ),
    Excerpt(
        "hornpipe",
        ("oneills1850/1701-1780.abc", 1763),
        0,
        "64",
        (
            Passage("A", HORNPIPE, chords=numerals("I V I V I V I V-I")),
            Passage("A", HORNPIPE, chords=numerals("I V I V I V I V-I")),
            Passage("B", HORNPIPE, chords=numerals("I V I V I V I-IV V-I")),
        ),
        groove="dotted",
        start_s=15,
    ),
    Excerpt(
        "pipes",
        ("oneills1850/0981-1000.abc", 988),
        0,
        "98",
        (Passage("A", PIPES), Passage("B", PIPES), Passage("B", PIPES)),
    ),
    Excerpt(
        "two against three",
        ("ryansMammoth/WidowMachree.abc", 1),
        0,
        "98",
        (
            Passage("A", HEMIOLA, chords=numerals("I IV I IV I IV I V-I")),
            Passage("B", HEMIOLA, chords=numerals("IV I V vi I IV I V-I")),
            Passage("A", HEMIOLA, chords=numerals("I IV I IV I IV I V-I")),
        ),
    ),
    Excerpt(
        "decorated",
        ("airdsAirs/book4.abc", 710),
        0,
        "148",
        (
            Passage("A", PLAIN, chords=numerals("I I vi IV I I V-I I")),
            Passage("B", PLAIN, chords=numerals("I I vi IV I V vi IV")),
            Passage("A", DECORATED, chords=numerals("I I vi IV I I V-I I")),
        ),
    ),
    Excerpt(
        "string band",
        ("ryansMammoth/RepealOfTheUnionReel.abc", 1),
        0,
        "98",
        (
            Passage("A", STRING_BAND, chords=numerals("I V I V-I I V I V-I")),
            Passage("B", STRING_BAND, chords=numerals("I V I V-I I V I V-I")),
            Passage("A", STRING_BAND, chords=numerals("I V I V-I I V I V-I")),
        ),
    ),
    Excerpt(
        "round",
        ("airdsAirs/book3.abc", 559),
        0,
        "148",
        (Passage("A", (LEADER, FOLLOWER)), Passage("B", (LEADER, FOLLOWER)), Passage("", (), (0, 2))),
    ),
)
