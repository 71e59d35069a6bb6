"""Makes dataset repos: schemas, row checks, writers and cards."""

from musebench_tasks.assembly.audio import decode_pcm, encode_audio, encode_opus, pcm_sha256
from musebench_tasks.assembly.build import build_main
from musebench_tasks.assembly.cards import Card, default_card
from musebench_tasks.assembly.repository import check_rows, media_cell, write_repository
from musebench_tasks.assembly.schemas import SCHEMAS, Schema, choice_columns, dataset_schema, stored_options

__all__ = [
    "SCHEMAS",
    "Card",
    "Schema",
    "build_main",
    "check_rows",
    "choice_columns",
    "dataset_schema",
    "decode_pcm",
    "default_card",
    "encode_audio",
    "encode_opus",
    "media_cell",
    "pcm_sha256",
    "stored_options",
    "write_repository",
]
