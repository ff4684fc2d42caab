"""Draw timeline cases as SVG pictures, one a case.

python docs/timeline/draw.py                            the cases of docs/timeline/cases.yaml
python docs/timeline/draw.py CASES.json --out FOLDER    those of another file
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from cases import Belief, Case, Panel, Telling, dates_of, read_cases

HERE: Final = Path(__file__).parent
WIDTH, LEFT, RIGHT = 760, 250, 22
PAD, TITLE, TOLD, BAR, GAP = 14, 28, 18, 26, 14
COLOURS: Final = ("#4477aa", "#cc6677", "#228833", "#aa7722", "#7755aa", "#117788")
INK, FAINT, GRID, PAPER = "#222222", "#777777", "#e4e4e4", "#ffffff"
FONT: Final = "Helvetica, Arial, sans-serif"
CHARACTER: Final = 7
MONTHS_APART: Final = (1, 2, 3, 6, 12, 24, 60)
MOST_TICKS: Final = 12


class Axis:
    """Valid time from left to right, with margins on both sides."""

    def __init__(self, dates: Sequence[date]) -> None:
        first, last = dates[0].toordinal(), dates[-1].toordinal()
        margin = max((last - first) // 6, 40)
        self._first, self._last = first - margin // 2, last + margin

    def x(self, day: date) -> float:
        """Return where a day stands."""
        wide = WIDTH - LEFT - RIGHT
        share = (day.toordinal() - self._first) / (self._last - self._first)
        return round(LEFT + share * wide, 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Return places and texts of the first days of months or years, a dozen at most."""
        first, last = date.fromordinal(self._first), date.fromordinal(self._last)
        months = range(first.year * 12 + first.month, last.year * 12 + last.month)
        apart = next(a for a in MONTHS_APART if len(months) / a <= MOST_TICKS)
        days = [date(m // 12, m % 12 + 1, 1) for m in months if m % apart == 0]
        return [(self.x(day), _tick(day)) for day in days]


def _tick(day: date) -> str:
    return str(day.year) if day.month == 1 else f"{day:%b}"


def drawn(case: Case) -> str:
    """Return the picture of a case as the text of an SVG file."""
    picture = _Picture(case)
    for panel in case.panels:
        picture.panel(panel)
    return picture.finished()


class _Picture:
    def __init__(self, case: Case) -> None:
        self._labels = case.labels()
        colours = zip(self._labels, (COLOURS * len(self._labels))[: len(self._labels)], strict=True)
        self._colours = dict(colours)
        self._axis = Axis(dates_of(case.panels))
        self._root = ET.Element("svg", xmlns="http://www.w3.org/2000/svg", role="img")
        ET.SubElement(self._root, "title").text = case.name
        self._paper = ET.SubElement(self._root, "rect", rx="8", fill=PAPER)
        self._grid = ET.SubElement(self._root, "g", stroke=GRID)
        self._y = float(PAD)
        self._text(PAD, self._y + 11, case.name, fill=INK, weight="bold", size=13)
        self._text(WIDTH - RIGHT, self._y + 11, case.common(), fill=FAINT, anchor="end")
        self._y += TITLE

    def panel(self, panel: Panel) -> None:
        """Draw what arrives at a known time above what is believed from then on."""
        day = panel.known
        self._text(PAD, self._y + 11, f"known on {day.day} {day:%b %Y}", fill=INK)
        for told in panel.tellings:
            self._y += TOLD
            self._telling(told)
        self._y += TOLD - 2
        written = ""
        for lane in _lanes(panel.beliefs):
            state = "disputed" if lane[0].is_disputed else "believed"
            if state != written:
                self._aside(state)
            written = state
            for belief in lane:
                self._belief(belief)
            self._y += BAR
        if not panel.beliefs:
            self._aside("nothing believed")
            self._y += BAR
        self._y += GAP

    def _aside(self, text: str) -> None:
        self._text(LEFT - 12, self._y + 16, text, fill=FAINT, anchor="end")

    def finished(self) -> str:
        """Return the file's text, with the axis below the panels."""
        bottom = self._y - GAP / 2
        for x, text in self._axis.ticks():
            ET.SubElement(self._grid, "path", d=f"M{x} {PAD + TITLE}V{bottom}")
            self._text(x, bottom + 14, text, fill=FAINT, anchor="middle", size=11)
        height = f"{bottom + 26:.0f}"
        self._root.set("viewBox", f"0 0 {WIDTH} {height}")
        self._root.attrib |= {"width": str(WIDTH), "height": height, "font-family": FONT}
        self._paper.attrib |= {"width": str(WIDTH), "height": height}
        ET.indent(self._root, " ")
        return ET.tostring(self._root, encoding="unicode") + "\n"

    def _telling(self, told: Telling) -> None:
        prefix = {"asserts": "", "ends": "end of ", "retracts": "not so: "}[told.polarity]
        name = "" if told.triple is None else self._labels.get(told.triple, "whatever holds")
        self._text(
            LEFT - 12, self._y + 11, told.text.format(f"{prefix}{name}"), fill=INK, anchor="end"
        )
        if told.triple is not None:
            self._mark(told, self._y + 7, self._colours.get(told.triple, INK))

    def _mark(self, told: Telling, y: float, ink: str) -> None:
        if told.polarity == "ends":
            x = self._axis.x(told.end or told.said)
            self._path(f"M{x - 14} {y}H{x}M{x} {y - 6}V{y + 6}", ink)
        elif told.polarity == "retracts":
            x = self._axis.x(told.start or told.said)
            self._path(f"M{x - 5} {y - 5}l10 10m0 -10l-10 10", ink)
        elif told.is_event:
            self._dot(self._axis.x(told.start or told.said), y, ink)
        else:
            self._claim(told, y, ink)

    def _dot(self, x: float, y: float, ink: str) -> None:
        ET.SubElement(self._root, "circle", cx=f"{x:g}", cy=f"{y:g}", r="3.5", fill=ink)

    def _claim(self, told: Telling, y: float, ink: str) -> None:
        begin = self._axis.x(told.start or told.said)
        end = WIDTH - RIGHT if told.end is None else self._axis.x(told.end)
        if told.start is None and told.end is not None:
            begin = min(begin, end - 14)
        dashes = "3 3" if told.start is None else ""
        self._path(f"M{begin} {y}H{end}", ink, dashes)
        if told.start is not None:
            self._path(f"M{begin} {y - 5}V{y + 5}", ink)
        tip = f"M{end - 6} {y - 5}l6 5l-6 5" if told.end is None else f"M{end} {y - 5}V{y + 5}"
        self._path(tip, ink)
        if told.said != told.start:
            self._dot(self._axis.x(told.said), y, ink)

    def _belief(self, belief: Belief) -> None:
        ink, label = self._colours[belief.triple], self._labels[belief.triple]
        begin, top = self._axis.x(belief.start), self._y + 1
        style = {"fill": ink, "stroke": ink}
        if belief.is_disputed:
            style |= {"fill": PAPER, "stroke-dasharray": "4 3"}
        if belief.end == belief.start:
            ET.SubElement(
                self._root, "circle", {"cx": f"{begin:g}", "cy": f"{top + 11:g}", "r": "7", **style}
            )
            self._text(begin + 12, top + 15, label, fill=INK)
            return
        end = WIDTH - RIGHT if belief.end is None else self._axis.x(belief.end)
        tip = f"H{end - 10}l10 11l-10 11" if belief.end is None else f"H{end}v22"
        ET.SubElement(self._root, "path", {"d": f"M{begin} {top}{tip}H{begin}z", **style})
        if end - begin > CHARACTER * len(label) + 8:
            colour = ink if belief.is_disputed else PAPER
            self._text(begin + 7, top + 15, label, fill=colour, weight="bold")

    def _text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        fill: str,
        anchor: str = "start",
        weight: str = "normal",
        size: int = 12,
    ) -> None:
        style = {"text-anchor": anchor, "font-weight": weight, "font-size": str(size)}
        place = {"x": f"{x:g}", "y": f"{y:g}", "fill": fill}
        ET.SubElement(self._root, "text", {**place, **style}).text = text

    def _path(self, line: str, ink: str, dashes: str = "") -> None:
        style = {"stroke": ink, "stroke-width": "2", "fill": "none"}
        ET.SubElement(
            self._root, "path", {"d": line, **style, "stroke-dasharray": dashes or "none"}
        )


def _lanes(beliefs: Sequence[Belief]) -> list[list[Belief]]:
    """Put beliefs that overlap into lanes of their own, disputed ones below."""
    lanes: list[list[Belief]] = []
    for belief in sorted(beliefs, key=lambda b: (b.is_disputed, b.start, b.triple)):
        fitting = (lane for lane in lanes if _follows(belief, lane[-1]))
        lane = next(fitting, None)
        if lane is None:
            lanes.append([belief])
        else:
            lane.append(belief)
    return lanes


def _follows(belief: Belief, last: Belief) -> bool:
    same = belief.is_disputed == last.is_disputed
    return same and last.end is not None and last.end <= belief.start


def file_name(case: Case) -> str:
    """Return the name of a case's picture."""
    return re.sub(r"[^a-z0-9]+", "-", case.name.lower()).strip("-") + ".svg"


def draw_all(cases: Path, out: Path) -> list[Path]:
    """Write a picture of every named case of a file; return their paths."""
    out.mkdir(parents=True, exist_ok=True)
    written = []
    for case in read_cases(cases):
        path = out / file_name(case)
        path.write_text(drawn(case), "utf-8")
        written.append(path)
    return written


def main() -> None:
    """Draw what the command line names."""
    parser = argparse.ArgumentParser(description="Draw timeline cases as SVG pictures.")
    parser.add_argument("cases", nargs="?", type=Path, default=HERE / "cases.yaml")
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the pictures")
    given = parser.parse_args()
    written = draw_all(given.cases, given.out)
    print(f"{len(written)} pictures in {given.out}")  # noqa: T201


if __name__ == "__main__":
    main()
