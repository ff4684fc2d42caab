"""The words of English dates, and the pieces of patterns made of them."""

from __future__ import annotations

import re
from typing import Final

from regesta.extract.dates.calendar import Grain

MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SMALL: Final = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS: Final = {
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth"),
)
_UNITS: Final[dict[str, Grain]] = {
    "second": "second",
    "sec": "second",
    "minute": "minute",
    "min": "minute",
    "hour": "hour",
    "hr": "hour",
    "day": "day",
    "week": "week",
    "wk": "week",
    "fortnight": "week",
    "month": "month",
    "quarter": "quarter",
    "year": "year",
    "yr": "year",
    "decade": "decade",
}

MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?:\b|(?=\d))\.?"
)
WEEKDAY: Final = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?"
    r"|sat(?:urday)?|sun(?:day)?)\b\.?"
)
_TEN: Final = r"(?:twenty|thirty)[ -]"
ORDINAL: Final = rf"(?:(?:{_TEN})?(?:{'|'.join(_ORDINALS)})|twentieth|thirtieth)\b"
SPOKEN: Final = (
    rf"(?:{_TEN}(?:{'|'.join(_SMALL[1:10])})|{'|'.join(reversed(_SMALL))}|twenty|thirty)\b"
)
_COUNTED: Final = (
    r"(?:seconds?|minutes?|mins?|hours?|days?(?!\s+of)|weeks?|months?|years?|times|people|users?)\b"
)
DAY_OF_MONTH: Final = (
    rf"(?:(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?![\d:]|\s*(?:[ap]\.?\s?m\b"
    rf"|o['\u2019]?clock|{_COUNTED}))|{ORDINAL}|{SPOKEN}(?!\s+(?:[ap]\.?\s?m\b"
    rf"|o['\u2019]?clock|{_COUNTED})))"
)
DAY_MARKED: Final = rf"(?:(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)\b|{ORDINAL})"
_TWO_WORDS: Final = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[ -](?:{'|'.join(_SMALL[1:10])}))?|{'|'.join(_SMALL[10:])})"
)
SPOKEN_YEAR: Final = (
    rf"(?:(?:one|two) thousand(?: and)?(?: (?:{_TWO_WORDS}|{'|'.join(_SMALL[1:10])}))?"
    rf"|(?:sixteen|seventeen|eighteen|nineteen) hundred(?: and)?(?: (?:{_TWO_WORDS}"
    rf"|{'|'.join(_SMALL[1:10])}))?"
    rf"|(?:seventeen|eighteen|nineteen|twenty) {_TWO_WORDS})\b"
)
YEAR: Final = rf"(?:(?:1[5-9]|2[01])\d\d(?![\d:,]\d|\d)|{SPOKEN_YEAR})"
SHORT_YEAR: Final = r"['\u2019]\d\d\b"
NUMBER: Final = rf"(?:\d{{1,4}}|{SPOKEN}|an?|a couple(?: of)?|a few|several|half an?)"
UNIT: Final = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|wks?|fortnights?|months?"
    r"|quarters?|years?|yrs?|decades?)\b"
)

_VAGUE: Final = {"a": 1, "an": 1, "a couple": 2, "a couple of": 2, "a few": 3, "several": 3}


def month_number(word: str) -> int:
    """Return 1 for January or its abbreviation, 12 for December."""
    return next(number for number, name in enumerate(MONTHS, 1) if name[:3] == word.lower()[:3])


def weekday_number(word: str) -> int:
    """Return 0 for Monday or its abbreviation, 6 for Sunday."""
    return next(number for number, name in enumerate(WEEKDAYS) if name[:3] == word.lower()[:3])


def number_of(text: str) -> int:
    """Return the number that digits, an ordinal or words stand for, up to 99 in words."""
    bare = " ".join(text.lower().replace("-", " ").split())
    if bare in _VAGUE:
        return _VAGUE[bare]
    digits = re.match(r"\d+", bare)
    if digits:
        return int(digits[0])
    return sum(_word_value(word) for word in bare.split())


def _word_value(word: str) -> int:
    if word in _SMALL:
        return _SMALL.index(word)
    if word in _ORDINALS:
        return _ORDINALS.index(word) + 1
    return _TENS[word] if word in _TENS else {"twentieth": 20, "thirtieth": 30}[word]


def year_of(text: str) -> int:
    """Return a year written with four digits, with two ('87) or in words."""
    bare = text.lower().strip("'\u2019 ")
    if bare.isdigit():
        return int(bare) if len(bare) > 2 else full_year(int(bare))
    words = [word for word in bare.replace("-", " ").split() if word != "and"]
    if "hundred" in words:
        return 100 * _word_value(words[0]) + sum(map(_word_value, words[2:]))
    if "thousand" in words:
        rest = words[2:]
        return 1000 * _word_value(words[0]) + sum(map(_word_value, rest))
    return 100 * _word_value(words[0]) + sum(map(_word_value, words[1:]))


def full_year(short: int) -> int:
    """Return the year of two digits: 1940 to 2039."""
    return short + (1900 if short >= 40 else 2000)


def unit_of(text: str) -> tuple[Grain, int]:
    """Return a unit and how many of it a word stands for (a fortnight is two weeks)."""
    bare = text.lower().rstrip(".")
    bare = bare[:-1] if bare.endswith("s") and bare[:-1] in _UNITS else bare
    return _UNITS[bare], 2 if bare == "fortnight" else 1


def quantity(number: str, unit: str) -> tuple[int, Grain]:
    """Return how many of which unit two words stand for (two fortnights are four weeks)."""
    grain, times = unit_of(unit)
    return number_of(number) * times, grain
