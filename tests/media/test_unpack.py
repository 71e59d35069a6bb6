import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from musebench_tasks.base.errors import MediaError, MediaUnavailableError
from musebench_tasks.base.records import MediaSource
from musebench_tasks.media import MediaCache, media_sha256, read_media_bytes
from musebench_tasks.media.unpack import media_file

CELLS = [b"\x89PNG\r\n\x1a\n" + bytes([number]) * 200 for number in range(7)]


@pytest.fixture
def parquet(tmp_path, base):
    cells = [{"bytes": data, "path": None} for data in CELLS]
    cells += [{"bytes": base.read_bytes(), "path": "x.mp4"}, {"bytes": None, "path": "beside.mp4"}, None]
    path = tmp_path / "test-00000.parquet"
    column = pa.array(cells, pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
    pq.write_table(pa.table({"id": list(range(len(cells))), "audio": column}), path, row_group_size=3)
    return path


def cell(parquet, row, **fields):
    return MediaSource(path=str(parquet), row=row, column="audio", **fields)


@pytest.mark.parametrize("row", [0, 2, 3, 6])
def test_a_cell_is_found_by_row(parquet, row):
    assert read_media_bytes(cell(parquet, row)) == CELLS[row]
    assert media_sha256(cell(parquet, row)) == hashlib.sha256(CELLS[row]).hexdigest()


def test_a_plain_file(base):
    source = MediaSource(path=str(base))
    assert read_media_bytes(source) == base.read_bytes()
    assert media_sha256(source) == hashlib.sha256(base.read_bytes()).hexdigest()


def test_a_plain_binary_column(tmp_path):
    pq.write_table(pa.table({"audio": CELLS}), tmp_path / "plain.parquet")
    assert read_media_bytes(cell(tmp_path / "plain.parquet", 4)) == CELLS[4]


def test_a_cell_may_name_a_file_beside(parquet, base):
    with pytest.raises(MediaUnavailableError):
        read_media_bytes(cell(parquet, 8))
    (parquet.parent / "beside.mp4").write_bytes(base.read_bytes())
    assert read_media_bytes(cell(parquet, 8)) == base.read_bytes()


@pytest.mark.parametrize("row", [9, 10, 500])
def test_an_empty_or_absent_cell_is_unavailable(parquet, row):
    with pytest.raises(MediaUnavailableError, match=f"row {row + 1}"):
        read_media_bytes(cell(parquet, row))


def test_a_column_that_is_not_there(parquet):
    with pytest.raises(MediaError, match="unreadable"):
        read_media_bytes(MediaSource(path=str(parquet), row=0, column="video"))


def test_other_bytes_than_the_data_set_says(base, parquet, tmp_path):
    for source in (MediaSource(path=str(base), sha256="0" * 64), cell(parquet, 1, sha256="0" * 64)):
        for read in (read_media_bytes, lambda each: media_file(each, MediaCache(tmp_path))):
            with pytest.raises(MediaError) as caught:
                read(source)
            assert caught.value.code == "mismatch"


def test_a_cell_is_unpacked_under_its_hash_and_decoded(parquet, base, group, tmp_path):
    cache = MediaCache(tmp_path / "cache")
    batch = group(None, "video", cache=cache, source=cell(parquet, 7)).frames()
    assert len(batch.pixels) == 4
    digest = hashlib.sha256(base.read_bytes()).hexdigest()
    unpacked = cache.path("sources", digest, ".media")
    assert unpacked.read_bytes() == base.read_bytes()
    unpacked.write_bytes(b"damaged")
    assert media_file(cell(parquet, 7), cache).path.read_bytes() == base.read_bytes()


def test_messages_name_row_and_column(parquet, group):
    with pytest.raises(MediaError, match=r'test-00000\.parquet row 2, column "audio"'):
        group(None, "video", source=cell(parquet, 1)).frames()
