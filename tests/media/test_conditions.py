import numpy as np
import pytest

from musebench_tasks.base.conditions import CONDITIONS
from musebench_tasks.media.conditions import frame_order


def rms(samples):
    return float(np.sqrt(np.mean(samples.astype(np.float64) ** 2)))


@pytest.mark.parametrize("rate", [8000, 44_100])
def test_noise_has_length_rate_and_minus_twenty_dbfs(rate, base, group):
    true = group(base, "audio", sample_rate=rate).audio()
    noise = group(base, "audio", sample_rate=rate, condition="noise").audio()
    assert (len(noise.samples), noise.sample_rate) == (len(true.samples), true.sample_rate)
    assert rms(noise.samples) == pytest.approx(0.1, rel=1e-4)
    assert abs(np.mean(noise.samples)) < 0.005
    assert noise.samples.dtype == np.float32


def test_noise_follows_from_content_window_and_seed(base, group, folder):
    def noise(path=base, **part):
        return group(path, "audio", sample_rate=8000, condition="noise", **part).audio().samples

    copy = folder / "noise copy.mp4"
    copy.write_bytes(base.read_bytes())
    assert np.array_equal(noise(), noise(copy))
    assert not np.array_equal(noise(), noise(seed=43))
    assert not np.array_equal(noise(start_s=0.0, end_s=1.0), noise(start_s=1.0, end_s=2.0))


def test_silence_is_zeros_of_the_same_length(base, group):
    signal = group(base, "audio", condition="silence", start_s=1.0, end_s=3.0).audio()
    assert (signal.duration_s, signal.sample_rate) == (2.0, 44_100)
    assert not signal.samples.any()


def test_one_frame_for_all(base, group):
    full, frozen = group(base, "video").frames(), group(base, "video", condition="frozen_frame").frames()
    assert np.array_equal(frozen.times_s, full.times_s)
    assert all(np.array_equal(each, full.pixels[2]) for each in frozen.pixels)


def test_the_frames_in_another_order(base, group):
    full, shuffled = group(base, "video").frames(), group(base, "video", condition="shuffled_frames").frames()
    again = group(base, "video", condition="shuffled_frames").frames()
    assert np.array_equal(shuffled.times_s, full.times_s)
    assert np.array_equal(shuffled.pixels, again.pixels)
    assert not np.array_equal(shuffled.pixels, full.pixels)
    assert sorted(map(bytes, shuffled.pixels)) == sorted(map(bytes, full.pixels))


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("seed", range(12))
def test_shuffling_always_changes_the_order(count, seed):
    order = frame_order(count, CONDITIONS["shuffled_frames"], seed)
    assert sorted(order) == list(range(count))
    assert order.tolist() != list(range(count))


def test_one_frame_cannot_be_shuffled():
    assert frame_order(1, CONDITIONS["shuffled_frames"], 0).tolist() == [0]
