"""What expressions can call beyond JMESPath's own functions, for the shapes that exports have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jmespath.functions import Functions, signature

from regesta.sources.html import read_html

_HOST: Final = re.compile(r"(?:[a-z][a-z0-9+.-]*://)?(?:[^/@\s]*@)?([^/:?#\s]+)", re.IGNORECASE)


class RecordFunctions(Functions):
    """JMESPath's functions, and those named `_func_...` here; `signature` checks their arguments.

    A null argument gives null, because a field that is absent says nothing.
    """

    @signature({"types": ["object", "null"]})
    def _func_items(self, value: Mapping[str, Any] | None) -> list[list[Any]] | None:
        """Return the [key, value] pairs of an object, by key."""
        return None if value is None else [[key, value[key]] for key in sorted(value)]

    @signature({"types": ["string", "null"]}, {"types": ["string"]})
    def _func_split(self, text: str | None, separator: str) -> list[str] | None:
        """Return the parts of a text between the places where `separator` stands."""
        if not separator:
            raise ValueError("split() needs a separator that is not empty")
        return None if text is None else text.split(separator)

    @signature({"types": ["object"]}, {"types": []})
    def _func_lookup(self, table: Mapping[str, Any], code: Any) -> Any:
        """Return what a table of codes holds for a text or number, else the value itself."""
        return table.get(str(code), code) if isinstance(code, str | int | float) else code

    @signature({"types": ["string", "null"]})
    def _func_domain(self, text: str | None) -> str | None:
        """Return the domain in an e-mail address or the address of a website, without www."""
        found = _HOST.match(text.strip()) if text else None
        host = found[1].lower().removeprefix("www.").rstrip(".") if found else ""
        return host if "." in host else None

    @signature({"types": ["string", "null"]})
    def _func_html_text(self, markup: str | None) -> str | None:
        """Return the text of HTML (`html.read_html`)."""
        return None if markup is None else read_html(markup).text

    @signature({"types": ["array", "null"]}, {"types": ["expref"]}, {"types": ["string"]})
    def _func_spread(
        self, records: Sequence[Any] | None, inner: Any, name: str
    ) -> list[dict[str, Any]] | None:
        """Return each record once for each element of a list within it.

        `inner` is the expression of that list; the element is seen as `name` beside the record's
        own fields. A record whose list is empty or absent gives nothing.
        """
        if records is None:
            return None
        spread = []
        for record in records:
            elements = inner.visit(inner.expression, record)
            if not isinstance(record, dict) or not isinstance(elements, list | None):
                raise ValueError(f"spread() expects objects that hold a list for {name!r}")
            spread += [{**record, name: element} for element in elements or ()]
        return spread
