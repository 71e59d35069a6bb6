"""What a card on the Hub calls the licence of rows: one of the Hub's own ids, or `other` with a name and an address.

The Hub's ids (huggingface.co/docs/hub/repositories-licenses) are SPDX ids in lower case, without what follows a
version, and for some families without the version.
"""

import re
from collections.abc import Collection

_KNOWN = """
afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda cc-by-2.0
cc-by-2.5 cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0
cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0 cdla-permissive-2.0
cdla-sharing-1.0 ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 gfdl gpl-2.0 gpl-3.0 isc lgpl-2.1 lgpl-3.0 lppl-1.3c mit
mpl-2.0 ms-pl ncsa odbl odc-by ofl-1.1 osl-3.0 pddl postgresql unlicense wtfpl zlib
"""
KNOWN = frozenset(_KNOWN.split())
FAMILIES = frozenset({"gfdl", "odbl", "odc-by", "pddl"})
"""Of these the Hub tells no versions apart."""
OTHER = "other"
BY_ROW = "by-row"
"""The name where rows are under several licences: each names its own."""
_LATER = ("-only", "-or-later")
_COMMONS = re.compile(r"https?://creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/(\d\.\d)(?:/.*)?")
_DEDICATIONS = {"zero": "CC0", "mark": "CC-PDM"}
_SPDX_ID = re.compile(r"(?!LicenseRef-)[A-Za-z0-9.+-]+")


def card_license(written: Collection[str]) -> dict[str, str]:
    """`license` of a card whose rows have these licences (SPDX ids or addresses); of one without an id, its name too.

    The Hub asks for `license_name`, and takes `license_link`, where the licence is `other`.
    """
    ids = {_spdx_of(each) for each in written}
    if len(ids) != 1:
        return {"license": OTHER, "license_name": BY_ROW}
    (one,) = ids
    known = hub_id(one)
    if known is not None:
        return {"license": known}
    address = license_address(one)
    name = re.sub(r"[^a-z0-9.+-]+", "-", one.lower().removeprefix("https://").removeprefix("http://")).strip("-")
    return {"license": OTHER, "license_name": name} | ({"license_link": address} if "://" in address else {})


def hub_id(spdx: str) -> str | None:
    """The Hub's id of an SPDX id; None where it has none. It does not tell whether later versions are allowed too."""
    name = spdx.lower()
    if name == "noassertion":
        return "unknown"
    for ending in _LATER:
        name = name.removesuffix(ending)
    family = name.rpartition("-")[0]
    return name if name in KNOWN else family if family in FAMILIES else None


def license_address(written: str) -> str:
    """A licence as an address: that of its SPDX id; what is an address, or no single id, stays as it is."""
    return f"https://spdx.org/licenses/{written}.html" if _SPDX_ID.fullmatch(written) else written


def _spdx_of(written: str) -> str:
    """The SPDX id behind an address of Creative Commons; anything else as it is."""
    found = _COMMONS.fullmatch(written)
    if found is None:
        return written
    kind, version = found.groups()
    return f"{_DEDICATIONS.get(kind, f'CC-{kind.upper()}')}-{version}"
