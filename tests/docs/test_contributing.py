"""CONTRIBUTING.md is followed to the letter, in a copy of the repository."""


def test_the_examples_of_contributing_run(read_page):
    read_page("CONTRIBUTING.md", in_a_checkout=True)
