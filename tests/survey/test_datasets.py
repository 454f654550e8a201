"""What a survey stores: rows that others read, each repository once, whenever its writer dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from looplint.errors import UserError
from looplint.survey.judging import Surveyed, look
from looplint.survey.repositories import Repository
from surveys import checked, job, printed, several

pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pyarrow.dataset")
datasets = pytest.importorskip("looplint.survey.datasets", exc_type=ImportError)


def header(name: str, key: str = "k"):  # type: ignore[no-untyped-def]
    return datasets.Header(name=name, key=key, kind="", year=0, content="c", looplint="v", settings="{}", limits="l")


@pytest.fixture
def surveyed(tmp_path: Path) -> Surveyed:
    found = look(job(Repository("one", str(several(tmp_path / "one")))))
    assert isinstance(found, Surveyed)
    return found


def test_the_datasets_hold_what_was_found(tmp_path: Path, surveyed: Surveyed) -> None:
    store = datasets.Store(tmp_path / "out")
    with store.writing():
        store.put(header("a/one"), surveyed)
        store.fail(header("b/two"), "why")
    done, failed = store.known()["a/one"], store.known()["b/two"]
    assert (done["state"], done["kind"], done["findings"], done["problems"]) == ("done", "scripts", len(surveyed.findings), 1)
    assert (done["judged"] + done["lost"] + done["owned"], failed["state"], failed["reason"]) == (len(surveyed.loops), "failed", "why")
    assert printed([row["record"] for row in store.rows("findings")]) == checked(tmp_path / "one")
    assert {row["file"]: row["loops"] for row in store.rows("files")}["more/broken.py"] == 1
    # As other programs read them: a folder is one table.
    for kind, schema in datasets.SCHEMAS.items():
        assert pq.read_table(tmp_path / "out" / kind).schema.equals(schema, check_metadata=False)


def test_a_repository_is_stored_once(tmp_path: Path, surveyed: Surveyed) -> None:
    store = datasets.Store(tmp_path / "out")
    with store.writing():
        for key in ("old", "new"):
            store.put(header("one", key), surveyed)
        store.fail(header("two"), "why")
    assert [row["key"] for row in store.rows("repositories") if row["state"] == "done"] == ["new"]
    assert len(store.rows("findings")) == len(surveyed.findings)


def test_what_a_killed_survey_left_is_removed(tmp_path: Path, surveyed: Surveyed) -> None:
    store = datasets.Store(tmp_path / "out")
    with store.writing():
        store.put(header("one"), surveyed)
    for path in (tmp_path / "out" / "repositories").iterdir():
        path.unlink()
    with store.writing():
        assert store.known() == {} and store.rows("findings") == []


def test_two_surveys_do_not_write_to_one_folder(tmp_path: Path) -> None:
    first, second = datasets.Store(tmp_path / "out"), datasets.Store(tmp_path / "out")
    with first.writing(), pytest.raises(UserError, match="another survey writes to it"), second.writing():
        raise AssertionError
    (tmp_path / "out" / "repositories" / "broken.parquet").write_text("no parquet")
    with pytest.raises(UserError, match="is no result of a survey"):
        datasets.Store(tmp_path / "out").known()


def test_names_that_are_no_text_are_stored(tmp_path: Path, surveyed: Surveyed) -> None:
    store = datasets.Store(tmp_path / "out")
    with store.writing():
        store.put(header("../a b\udcff/.."), surveyed)
    assert [row["repository"] for row in store.rows("repositories")] == ["../a b\\udcff/.."]
    assert len(list((tmp_path / "out").rglob("*.parquet"))) == 4
