"""Expressions of time in sentences of our own, worked by hand with a calendar of 2024.

Said on Wednesday, 13 March 2024, at noon.
"""

from __future__ import annotations

from datetime import datetime

import pytest

pytest.importorskip("duckling", reason="needs the extra `text`")

SAID = datetime(2024, 3, 13, 12)


def find(text, **asked):
    from regesta.extract.dates.finding import DateFinder

    found = DateFinder().find(text, SAID, **asked)
    return [(text[one.begin : one.stop], written(one.start), written(one.end)) for one in found]


def written(moment):
    if moment is None:
        return None
    return moment.isoformat()[: 10 if moment == moment.replace(hour=0, minute=0) else 16]


WRITTEN = {
    "It began on 5 March 2024.": ("2024-03-05", "2024-03-06"),
    "It began on March 5th, 2024.": ("2024-03-05", "2024-03-06"),
    "Signed 2024-02-29 in Rome.": ("2024-02-29", "2024-03-01"),
    "She moved in March 2021.": ("2021-03-01", "2021-04-01"),
    "He came in Mar '21.": ("2021-03-01", "2021-04-01"),
    "Sales of Q3 2023 fell.": ("2023-07-01", "2023-10-01"),
    "Sales of the first half of 2023 fell.": ("2023-01-01", "2023-07-01"),
    "It was quiet in the summer of 2022.": ("2022-06-01", "2022-09-01"),
    "They met in the 1990s.": ("1990-01-01", "2000-01-01"),
    "The week of 6 May 2024 is free.": ("2024-05-06", "2024-05-13"),
    "The last week of January 2024 was cold.": ("2024-01-22", "2024-01-29"),
    "We closed on 31.12.2023.": ("2023-12-31", "2024-01-01"),
    "It rained in early 2020.": ("2020-01-01", "2020-07-01"),
    "It rained in mid-April 2023.": ("2023-04-10", "2023-04-21"),
    "We wrote on Christmas 2023.": ("2023-12-25", "2023-12-26"),
}
RELATIVE = {
    "It broke yesterday.": ("2024-03-12", "2024-03-13"),
    "It broke last Friday.": ("2024-03-08", "2024-03-09"),
    "It broke on Monday.": ("2024-03-11", "2024-03-12"),
    "It will break on Monday.": ("2024-03-18", "2024-03-19"),
    "It broke two weeks ago.": ("2024-02-28", "2024-02-29"),
    "We will ship in three days.": ("2024-03-16", "2024-03-17"),
    "It broke last month.": ("2024-02-01", "2024-03-01"),
    "We meet next week.": ("2024-03-18", "2024-03-25"),
    "It broke in the last two quarters.": ("2023-07-01", "2024-01-01"),
    "She left the day before yesterday.": ("2024-03-11", "2024-03-12"),
    "It fell in April last year.": ("2023-04-01", "2023-05-01"),
    "It broke this morning.": ("2024-03-13T08:00", "2024-03-13T12:00"),
    "We talked on 5 March 2024 at 5pm.": ("2024-03-05T17:00", "2024-03-05T17:00"),
}
OPEN = {
    "She has been there since May.": ("2023-05-01", None),
    "She has been there since 2021.": ("2021-01-01", None),
    "As of today he owns it.": ("2024-03-13", None),
    "He is away until Friday.": (None, "2024-03-16"),
    "He is away through 30 April 2024.": (None, "2024-05-01"),
    "He is away until the end of March.": (None, "2024-04-01"),
    "It ran from May to August 2022.": ("2022-05-01", "2022-09-01"),
    "It ran between 2014 and 2018.": ("2014-01-01", "2019-01-01"),
    "We close April 9th through 17th, 2023.": ("2023-04-09", "2023-04-18"),
    "It starts after 2025.": ("2026-01-01", None),
    "Anyone from before 2015?": (None, "2015-01-01"),
    "Contracts of 2016 and later count.": ("2016-01-01", None),
    "He has lived here for three years.": ("2021-01-01", None),
}


@pytest.mark.parametrize(("text", "expected"), [*WRITTEN.items(), *RELATIVE.items(), *OPEN.items()])
def test_an_expression_is_an_interval(text, expected):
    [(_, *bounds)] = find(text)
    assert tuple(bounds) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I may march on.",
        "May I come in?",
        "April Ludgate called.",
        "Please call 24/7.",
        "See ticket #2019 and version 4.2.",
        "Half of the 1204 sensors failed.",
        "The second one is fine, the sun is out.",
        "It runs day-to-day.",
    ],
)
def test_words_that_look_like_dates_are_none(text):
    assert find(text) == []


def test_places_are_characters_of_the_text():
    text = "Zoë 🎈 left on 5 March 2024, and since then nobody came until Friday."
    assert [words for words, *_ in find(text)] == ["5 March 2024", "until Friday"]


def test_the_day_or_the_month_stands_first():
    from regesta.extract.dates.finding import DateFinder

    starts = [
        DateFinder(day_first=first).find("Due on 03/04/2024.", SAID)[0].start
        for first in (False, True)
    ]
    assert starts == [datetime(2024, 3, 4), datetime(2024, 4, 3)]


def test_what_is_left_open_follows_the_direction_asked_for():
    assert find("On 5 May.", direction="past") == [("5 May", "2023-05-05", "2023-05-06")]
    assert find("On 5 May.", direction="future") == [("5 May", "2024-05-05", "2024-05-06")]


def test_impossible_dates_are_none():
    assert find("On 30 February 2024, or on 2024-13-45.") == []
