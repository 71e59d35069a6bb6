"""What answers cost, by a file of prices."""

import pytest

from musebench_tasks.base.errors import InputError
from musebench_tasks.models.prices import Price, TokenCounts, price_of, read_prices


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "prices.yaml"
        path.write_text(text)
        return path

    return write


PLAIN = Price(input=2.0, cached_input=0.5, output=8.0)
HEARING = Price(input=2.5, output=10.0, audio_input=40.0, image_input=5.0)


@pytest.mark.parametrize(
    ("price", "tokens", "cost"),
    [
        (PLAIN, TokenCounts(1_000_000, 0), 2.0),
        (PLAIN, TokenCounts(1_000_000, 1_000_000, cached=400_000), 0.6 * 2 + 0.4 * 0.5 + 8),
        (PLAIN, TokenCounts(1000, 500, reasoning=480), 0.006),
        (PLAIN.model_copy(update={"cached_input": None}), TokenCounts(1_000_000, 0, cached=400_000), 2.0),
        (HEARING, TokenCounts(1000, 0, audio=600, image=300), (100 * 2.5 + 300 * 5 + 600 * 40) / 1e6),
        (PLAIN, TokenCounts(1000, 0, audio=600), 0.002),
        (HEARING, TokenCounts(1000, 0, cached=1000, audio=900), (100 * 2.5 + 900 * 40) / 1e6),
        (Price(input=0, output=0), TokenCounts(10, 10), 0.0),
    ],
)
def test_cost_is_tokens_times_price_per_million(price, tokens, cost):
    assert price.cost_usd(tokens) == pytest.approx(cost, abs=1e-12)


def test_the_dearest_of_cached_tokens_are_charged_in_full():
    price = Price(input=2, cached_input=1, output=0, audio_input=40)
    assert price.cost_usd(TokenCounts(1000, 0, cached=500, audio=500)) == pytest.approx((500 * 1 + 500 * 40) / 1e6)


@pytest.mark.parametrize("tokens", [TokenCounts(), TokenCounts(prompt=5), TokenCounts(completion=5)])
def test_without_counts_there_is_no_cost(tokens):
    assert PLAIN.cost_usd(tokens) is None


def test_a_file_names_models_as_their_servers_do(write):
    path = write("gpt-4.1: {input: 2.00, cached_input: 0.50, output: 8.00}\nQwen/Qwen3: {input: 0, output: 0}\n")
    assert read_prices(path) == {"gpt-4.1": PLAIN, "Qwen/Qwen3": Price(input=0, output=0)}
    assert price_of("gpt-4.1", path) == PLAIN


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: {input: 1, output: 1}\nb: {input: 1}\n", 'prices.yaml line 2: "b.output" is missing.'),
        ("a:\n  input: 1\n  ouput: 1\n", 'line 3: unknown key "a.ouput" (nearest: output)'),
        (
            "a: {input: 1, output: 1, cached: 1}\n",
            'line 1: unknown key "a.cached" (nearest: cached_input). Known:',
        ),
        ("a: {input: -1, output: 1}\n", 'line 1: "a.input": should be greater than or equal to 0.'),
        ("a: {input: .inf, output: 1}\n", 'line 1: "a.input": should be a finite number.'),
        ("a: cheap\n", 'line 1: "a": should be'),
        ("- a\n", "a price file has a line for each model"),
        ("a: {input: 1\n", "prices.yaml line 2:"),
    ],
)
def test_a_wrong_file_is_told_by_line_and_key(write, text, told):
    with pytest.raises(InputError) as caught:
        read_prices(write(text))
    assert told in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match=r"prices\.yaml: cannot be read"):
        read_prices(tmp_path / "prices.yaml")


def test_a_model_without_a_price_is_told_with_the_nearest(write):
    with pytest.raises(InputError, match=r'no price for the model "gpt-4.2" \(nearest: gpt-4.1\)\. Add a line'):
        price_of("gpt-4.2", write("gpt-4.1: {input: 2, output: 8}\n"))
