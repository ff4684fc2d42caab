"""Contracts: a JSON document a month with the contracts recorded or revised in it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from company import PRODUCTS, Row, account_no, by_month, customers


def contracts() -> dict[str, str]:
    """Return the legal department's exports by month of recording."""
    recorded = [*told_contracts(), *(row for n in range(4, 46) for row in revisions(n))]
    recorded.sort(key=lambda row: (row["recorded_at"], row["contract_no"]))
    return {
        f"contracts/{month}.json": json.dumps(
            {"exported_for": month, "contracts": rows}, indent=1, ensure_ascii=False
        )
        + "\n"
        for month, rows in by_month(recorded, "recorded_at").items()
    }


def told_contracts() -> list[Row]:
    """Return the contracts with a story: a start corrected, one called void, one cut short."""
    acme = ("north", "Acme", "Gateway Plus")
    borealis = ("north", "Borealis Energy", "Energy Meter")
    vela = ("north", "Vela Yachts", "Leak Guard")
    a_year, void_at = ("2024-02-01", "2025-01-31"), "2024-03-20T12:00:00Z"
    return [
        contract((1, 1), acme, ("2024-01-01", None), "2024-01-09T12:00:00Z"),
        contract((1, 2), acme, ("2024-02-01", None), "2024-04-10T12:00:00Z"),
        contract((2, 1), borealis, a_year, "2024-02-10T12:00:00Z"),
        {**contract((2, 2), borealis, a_year, void_at), "state": "void"},
        contract((3, 1), vela, ("2023-07-01", "2025-06-30"), "2024-01-09T12:00:00Z"),
        contract((3, 2), vela, ("2023-07-01", "2024-04-14"), "2024-03-19T12:00:00Z"),
    ]


def revisions(number: int) -> Iterator[Row]:
    """Yield the revisions of a contract without a story."""
    unit, name, _ = list(customers())[number * 11 % 40]
    start = f"{2022 + number % 2}-{1 + number * 5 % 12:02}-01"
    end = f"{int(start[:4]) + 2}-{start[5:7]}-28" if number % 3 else "9999-12-31"
    recorded_at = f"2024-{1 + number % 5:02}-{3 + number % 25:02}T12:00:00Z"
    row = contract((number, 1), (unit, name, PRODUCTS[number // 3 % 5]), (start, end), recorded_at)
    if number % 10 == 0:
        row.update(account_no=None, account=name.upper())  # known by its name alone
    yield row
    if number % 8 == 1:
        yield {**row, "revision": 2, "end": "2026-12-31", "recorded_at": "2024-06-11T12:00:00Z"}


def contract(
    key: tuple[int, int],
    parties: tuple[str, str, str],
    term: tuple[str, str | None],
    recorded_at: str,
) -> Row:
    """Return one revision of a contract.

    `key` is number and revision, `parties` unit, account and product, `term` the first day and the
    last, or nothing.
    """
    unit, account, product = parties
    return {
        "contract_no": f"K-{key[0]:03}",
        "revision": key[1],
        "unit": unit,
        "account_no": account_no(unit, account),
        "account": account,
        "product": product,
        "start": term[0],
        "end": term[1],
        "state": "signed",
        "recorded_at": recorded_at,
    }
