"""Which parts of a message its writer wrote: own words, quoted messages, signatures.

Lines are told apart by the marks that mail programs leave (in English, German, French, Spanish).
What no mark names is the writer's own. Every look ahead is bounded, so the time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from regesta.spans import Part, Span

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_LONGEST_MARK: Final = 300
_LONGEST_SIGNATURE: Final = 12
_LONGEST_CLOSING: Final = 6
_LONGEST_HEADERS: Final = 6
_ATTRIBUTION_LINES: Final = 3

_QUOTE: Final = re.compile(r" {0,3}>")
_ATTRIBUTION_BEGINS: Final = re.compile(r"On\b|Am\b|Le\b|El\b|.{2,80} schrieb\b|.{2,80} wrote\b")
_ATTRIBUTION: Final = re.compile(
    r"On\b.{5,} wrote ?:|Am\b.{5,} schrieb\b.*:|.{2,} schrieb (am\b.{3,})?:"
    r"|Le\b.{5,} a écrit ?:|El\b.{5,} escribió ?:|.{2,} wrote on\b.{3,}:"
)
_DATED: Final = re.compile(r"\d|@")
"""What an attribution by a mail program holds; "Ann wrote:" may be the writer's own sentence."""
_SEPARATOR: Final = re.compile(
    r"[-_*]{2,} ?(original message|forwarded message|original-nachricht|ursprüngliche nachricht"
    r"|weitergeleitete nachricht|message d['\u2019]origine|message transféré|mensaje original"
    r"|mensaje reenviado) ?[-_*]{2,}"
    r"|(begin forwarded message|anfang der weitergeleiteten nachricht"
    r"|début du message réexpédié|inicio del mensaje reenviado) ?:",
    re.IGNORECASE,
)
_SENDER: Final = re.compile(r"\*?(From|Von|De) ?:\*? ?\S")
_SENT: Final = re.compile(r"\*?(Sent|Date|Gesendet|Datum|Envoyé|Enviado|Enviado el|Fecha) ?:\*?")
_ADDRESSED: Final = re.compile(r"\*?(To|Cc|Subject|An|Betreff|À|Objet|Para|Asunto) ?:\*?")
_RULE: Final = re.compile(r"[_-]{8,}")
_DELIMITER: Final = re.compile(r"--\s*")
_DEVICE: Final = re.compile(
    r"(sent (from|with|via)|get outlook for|von meinem|gesendet (von|mit)|envoyé (de|depuis)"
    r"|enviado desde) .{1,60}",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(
    r"((best|kind|kindest|warm|many) )?(regards|wishes)|best|cheers|thanks|many thanks|sincerely"
    r"|yours( sincerely| truly| faithfully)?|(mit )?(freundlichen|besten|herzlichen) grüßen"
    r"|(viele|beste|liebe|herzliche) grüße|mfg|cordialement|bien (cordialement|à vous)|saludos"
    r"|(un )?(cordial )?saludo|atentamente",
    re.IGNORECASE,
)


def message_spans(text: str) -> list[Span]:
    """Return the parts of a message in order; they cover the text, each character once."""
    lines = _LINE.findall(text)
    bare = [line[:_LONGEST_MARK].strip() for line in lines]
    parts = _parts([line[:_LONGEST_MARK] for line in lines], bare)
    _mark_closing(parts, bare)
    spans, start = [], 0
    for part, group in groupby(zip(parts, lines, strict=True), key=lambda pair: pair[0]):
        end = start + sum(len(line) for _, line in group)
        spans.append(Span(part, start, end))
        start = end
    return spans


def _parts(lines: Sequence[str], bare: Sequence[str]) -> list[Part]:
    parts: list[Part] = []
    current: Part = "own"
    number = 0
    while number < len(lines):
        attributed = _attribution(bare, number)
        if _begins_quoted_rest(bare, number, attributed):
            return parts + ["quoted"] * (len(lines) - number)
        if attributed and _next_word(bare, number + attributed).startswith(">"):
            parts += ["quoted"] * attributed
            number += attributed
            current = "quoted"
            continue
        current = _part_of_line(lines, bare, number, current)
        parts.append(current)
        number += 1
    return parts


def _next_word(bare: Sequence[str], number: int) -> str:
    """Return the next line that isn't blank, if it is near."""
    return next((line for line in bare[number : number + _ATTRIBUTION_LINES] if line), "")


def _part_of_line(lines: Sequence[str], bare: Sequence[str], number: int, before: Part) -> Part:
    if _QUOTE.match(lines[number]):
        return "quoted"
    if not bare[number]:
        return before
    if _DELIMITER.fullmatch(bare[number]) and _is_short_rest(lines, number):
        return "signature"
    return "own" if before == "quoted" else before


def _attribution(bare: Sequence[str], number: int) -> int:
    """Return how many lines from `number` on tell whose words follow; 0 where they don't."""
    if not _ATTRIBUTION_BEGINS.match(bare[number]):
        return 0
    joined = ""
    for count in range(1, min(_ATTRIBUTION_LINES, len(bare) - number) + 1):
        line = bare[number + count - 1]
        joined = f"{joined} {line}".strip()
        if not line:
            return 0
        if line.endswith(":"):
            return count if _ATTRIBUTION.fullmatch(joined) else 0
    return 0


def _begins_quoted_rest(bare: Sequence[str], number: int, attributed: int) -> bool:
    """Tell whether all from a line on is another message, given without marks on its lines."""
    if attributed:
        told = " ".join(bare[number : number + attributed])
        unmarked = not _next_word(bare, number + attributed).startswith(">")
        return unmarked and bool(_DATED.search(told))
    line = bare[number]
    if not line:
        return False
    if _SEPARATOR.fullmatch(line):
        return True
    begins = number + 1 if _RULE.fullmatch(line) else number
    headers = bare[begins : begins + _LONGEST_HEADERS]
    return (
        bool(headers and _SENDER.match(headers[0]))
        and any(_SENT.match(header) for header in headers)
        and any(_ADDRESSED.match(header) for header in headers)
    )


def _is_short_rest(lines: Sequence[str], number: int) -> bool:
    """Tell whether what follows a delimiter is as short as a signature, up to a quote."""
    following = lines[number + 1 : number + 2 + _LONGEST_SIGNATURE]
    for count, line in enumerate(following):
        if _QUOTE.match(line):
            return count > 0
    return len(following) <= _LONGEST_SIGNATURE


def _mark_closing(parts: list[Part], bare: Sequence[str]) -> None:
    """Mark the closing lines of the writer's last own words as the signature."""
    last = max((n for n, part in enumerate(parts) if part == "own" and bare[n]), default=-1)
    first = _closing_begins(parts, bare, last)
    if first is not None:
        end = last + 1
        while end < len(parts) and parts[end] == "own":
            end += 1
        parts[first:end] = ["signature"] * (end - first)


def _closing_begins(parts: Sequence[Part], bare: Sequence[str], last: int) -> int | None:
    first = None
    for number in range(last, max(last - _LONGEST_CLOSING, -1), -1):
        line = bare[number]
        if parts[number] != "own" or len(line) > 60:
            break
        if _CLOSING.fullmatch(line.rstrip(",.!")) or _DEVICE.fullmatch(line):
            first = number
        elif line.endswith((".", "?", "!", ":")):
            break
    return first
