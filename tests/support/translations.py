"""The catalogues of texts, as Babel reads them.

`make texts` runs this: it brings every catalogue up to date with the texts that the sources
declare. What is new has no translation yet; what nobody declares any more is taken out.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_keywords
from babel.messages.pofile import read_po, write_po

SOURCES = Path(__file__).parents[2] / "src/inplace_tui"
LOCALE = SOURCES / "common/texts/locale"
KEYWORDS = parse_keywords(["T:1,1t", "T:1,2c,2t"])
WIDTH = 98


def declared(sources: Path = SOURCES) -> Catalog:
    """Return every text of the sources: `T("English")`, `T("English", "context")`."""
    found = Catalog(project="inplace-tui", charset="utf-8")
    modules = extract_from_dir(sources, [("**.py", "python")], keywords=KEYWORDS)
    for name, _, text, _, context in sorted(modules, key=lambda each: each[:2]):
        found.add(text, locations=[(name, 0)], context=context)
    return found


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem, abort_invalid=True)


def written(catalogue: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalogue, width=WIDTH, include_lineno=False, ignore_obsolete=True)
    return file.getvalue()


def main() -> None:
    for path in LOCALE.glob("*.po"):
        catalogue = read(path)
        catalogue.update(declared(), no_fuzzy_matching=True, update_creation_date=False)
        path.write_bytes(written(catalogue))


if __name__ == "__main__":
    main()
