"""croissant.json: the dataset described in Croissant 1.0 with its responsible-AI fields (docs.mlcommons.org/croissant).

One distribution entry a data file with its SHA-256, one record set a configuration. Holds no time, so that the same
rows give the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from musebench_tasks.assembly.about import About
from musebench_tasks.assembly.cards import license_address
from musebench_tasks.assembly.schemas import LISTS, MEDIA_TYPES, SCALARS, STRUCTS, Column, ColumnType, Schema
from musebench_tasks.base.files import sha256_of

CROISSANT_FILE = "croissant.json"
CONFORMS_TO = ("http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0")
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        name: f"cr:{name}"
        for name in (
            "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet",
            "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet",
            "references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField",
            "transform",
        )
    },
}  # fmt: skip
DATA_TYPES = {"string": "sc:Text", "float64": "cr:Float64"}
MEDIA_DATA_TYPES = {ColumnType.AUDIO: "sc:AudioObject", ColumnType.VIDEO: "sc:VideoObject"}
PARQUET = "application/x-parquet"


def croissant_text(
    directory: Path, schema: Schema, about: About, licenses: Iterable[str], versions: Iterable[str],
    files: Mapping[str, Sequence[str]],
) -> str:  # fmt: skip
    """The metadata of the repo in `directory`; `files` are each configuration's data files as paths in it."""
    described: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(CONFORMS_TO),
        "name": about.pretty_name or schema.dataset,
        "description": _one_line(about.description or ""),
        "license": sorted({license_address(each) for each in licenses}),
        "version": _three_numbers(",".join(sorted(set(versions))) or about.version or "1.0"),
        "inLanguage": list(about.language),
        "keywords": list(about.keywords),
        "url": about.url,
        "citeAs": about.citation,
        "creator": [{"@type": "sc:Organization", "name": each} for each in about.creators],
        **_responsible(about),
        "distribution": [entry for config in files for entry in _distribution(directory, config, files[config])],
        "recordSet": [_record_set(schema, config, files[config]) for config in files],
    }
    kept = {key: value for key, value in described.items() if value not in (None, "", [])}
    return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def _three_numbers(version: str) -> str:
    """`1.0` as the three numbers that Croissant asks for; anything else as it is."""
    return version + ".0" * (2 - version.count(".")) if re.fullmatch(r"\d+(\.\d+){0,2}", version) else version


def _responsible(about: About) -> dict[str, Any]:
    said = about.responsible_ai.model_dump(exclude_none=True)
    return {
        f"rai:{_camel(name)}": [_one_line(each) for each in text] if isinstance(text, tuple) else _one_line(text)
        for name, text in said.items()
    }


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _distribution(directory: Path, config: str, files: Sequence[str]) -> list[dict[str, Any]]:
    """One entry a file; several files of a configuration also as the set that its rows are read from."""
    entries: list[dict[str, Any]] = [
        {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "contentUrl": path,
            "contentSize": f"{(directory / path).stat().st_size} B",
            "encodingFormat": PARQUET,
            "sha256": sha256_of(directory / path),
        }
        for path in files
    ]
    if len(files) > 1:
        entries.append(
            {
                "@type": "cr:FileSet",
                "@id": f"{config}-files",
                "name": f"{config}-files",
                "includes": f"{config}/*.parquet",
                "encodingFormat": PARQUET,
            }
        )
    return entries


def _record_set(schema: Schema, config: str, files: Sequence[str]) -> dict[str, Any]:
    source = {"fileObject": {"@id": files[0]}} if len(files) == 1 else {"fileSet": {"@id": f"{config}-files"}}
    return {
        "@type": "cr:RecordSet",
        "@id": config,
        "name": config,
        "key": {"@id": f"{config}/{schema.id_column}"},
        "field": [_field(config, source, column) for column in schema.config(config)],
    }


def _field(config: str, source: Mapping[str, Any], column: Column) -> dict[str, Any]:
    head = {"@type": "cr:Field", "@id": f"{config}/{column.name}", "name": column.name}
    read = {"source": {**source, "extract": {"column": column.name}}}
    if column.type in SCALARS:
        return {**head, "dataType": DATA_TYPES[SCALARS[column.type]], **read}
    if column.type in LISTS:
        return {**head, "dataType": DATA_TYPES[LISTS[column.type]], "repeated": True, **read}
    if column.type in MEDIA_TYPES:
        read["source"]["transform"] = {"jsonPath": "bytes"}
        return {**head, "dataType": MEDIA_DATA_TYPES[column.type], **read}
    inner = [
        {
            "@type": "cr:Field",
            "@id": f"{config}/{column.name}/{name}",
            "name": f"{column.name}/{name}",
            "dataType": DATA_TYPES[kind],
            "source": {**source, "extract": {"column": column.name}, "transform": {"jsonPath": name}},
        }
        for name, kind in STRUCTS[column.type].items()
    ]
    return {**head, "repeated": True, "subField": inner}
