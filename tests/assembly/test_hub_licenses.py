"""A card names its licence as the Hub does, or says what it is called and where it stands."""

import pytest
import yaml

from musebench_tasks.assembly.cards import KNOWN, card_license, license_address
from musebench_tasks.base.resources import demo_directory

SPDX = "https://spdx.org/licenses"


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("CC-BY-4.0", "cc-by-4.0"),
        ("CC0-1.0", "cc0-1.0"),
        ("Apache-2.0", "apache-2.0"),
        ("GPL-3.0-or-later", "gpl-3.0"),
        ("LGPL-2.1-only", "lgpl-2.1"),
        ("ODbL-1.0", "odbl"),
        ("PDDL-1.0", "pddl"),
        ("GFDL-1.3-or-later", "gfdl"),
        ("PostgreSQL", "postgresql"),
        ("NOASSERTION", "unknown"),
        ("https://creativecommons.org/licenses/by-nc-sa/4.0/", "cc-by-nc-sa-4.0"),
        ("http://creativecommons.org/licenses/by/3.0/legalcode", "cc-by-3.0"),
        ("https://creativecommons.org/publicdomain/zero/1.0/", "cc0-1.0"),
    ],
)
def test_what_the_hub_has_an_id_for(written, known):
    assert card_license([written]) == {"license": known}
    assert known in KNOWN | {"unknown"}


@pytest.mark.parametrize(
    ("written", "name", "link"),
    [
        ("CC-PDM-1.0", "cc-pdm-1.0", f"{SPDX}/CC-PDM-1.0.html"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "cc-pdm-1.0", f"{SPDX}/CC-PDM-1.0.html"),
        ("MIT-0", "mit-0", f"{SPDX}/MIT-0.html"),  # another licence than MIT
        ("CC-BY-SA-2.5", "cc-by-sa-2.5", f"{SPDX}/CC-BY-SA-2.5.html"),
        ("CC-BY-4.0 AND MIT", "cc-by-4.0-and-mit", None),
        ("LicenseRef-Lab", "licenseref-lab", None),
        ("https://example.org/Terms of use", "example.org-terms-of-use", "https://example.org/Terms of use"),
    ],
)
def test_what_it_has_none_for_is_named(written, name, link):
    told = {"license": "other", "license_name": name}
    assert card_license([written]) == told | ({"license_link": link} if link else {})


def test_rows_of_several_licences_name_their_own():
    mixed = {"license": "other", "license_name": "by-row"}
    assert card_license(["CC-BY-4.0", "CC0-1.0"]) == mixed
    assert card_license(["CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"]) == {"license": "cc-by-4.0"}


def test_only_a_single_spdx_id_has_an_address():
    assert license_address("CC0-1.0") == f"{SPDX}/CC0-1.0.html"
    for written in ("https://example.org/a", "MIT OR Apache-2.0", "LicenseRef-Lab"):
        assert license_address(written) == written


@pytest.mark.parametrize("dataset", ["musebench", "hummusqa", "mub"])
def test_the_demos_bear_ids_of_the_hub(dataset):
    head = yaml.safe_load((demo_directory(dataset) / "README.md").read_text(encoding="utf-8").split("---\n")[1])
    assert head["license"] in KNOWN or (head["license"] == "other" and head["license_name"])
