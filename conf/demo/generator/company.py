"""Halden & Ray, a made-up maker of building sensors: its customers, people and goods."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

Row = dict[str, Any]

ACCOUNTS = {
    "north": (
        *("Acme", "Borealis Energy", "Tidewater Labs", "Vela Yachts", "Ostara Media"),
        *("Quill & Co", "Northgate Hotels", "Fjordline Cargo", "Hollis Timber", "Iris Optics"),
        *("Juniper Schools", "Kestrel Air", "Lantern Books", "Moss & Stone", "Nimbus Cinemas"),
        *("Orrery Museum", "Pinewood Clinics", "Quay Street Bank", "Ravel Music", "Sable Foods"),
        *("Tarn Water", "Umber Ceramics", "Voss Elevators", "Willow Care"),
    ),
    "south": (
        *("Acme", "Bodega Real", "Costa Ferries", "Duna Solar", "Encina Farms"),
        *("Faro Insurance", "Girasol Oils", "Huerta Market", "Isla Resorts", "Jara Perfumes"),
        *("Laguna Spa", "Mirador Homes", "Naranja Juice", "Olivar Foods", "Palma Textiles"),
        *("Quinta Wines",),
    ),
}
OWNERS = {
    "north": ("Alice Moreau", "Bruno Keller", "Dagny Holm", "Edgar Stone"),
    "south": ("Carla Ibarra", "Felipe Duarte", "Gloria Peña"),
}
AGENTS = {
    "north": ("Jonas Weber", "Kirsten Aalto", "Dagny Holm", "Liam Byrne"),
    "south": ("Marta Rey", "Nuno Faria", "Gloria Peña"),
}
CITIES = {
    "north": ("Hamburg", "Oslo", "Malmö", "Aarhus", "Bremen"),
    "south": ("Sevilla", "Porto", "Valencia", "Cádiz"),
}
PLANS = ("basic", "pro", "enterprise")
PRODUCTS = ("Gateway Plus", "Door Sensor", "Air Monitor", "Leak Guard", "Energy Meter")
FIRST_NAMES = (
    *("Ada", "Boris", "Chiara", "Daniel", "Elsa", "Farid", "Greta", "Hugo", "Ines", "Joost"),
    *("Karin", "Luis", "Mina", "Noah", "Olga", "Paolo", "Rosa", "Sven", "Tilda", "Viktor"),
)
LAST_NAMES = ("Arendt", "Björk", "Castro", "Dahl", "Eriksen", "Fuchs", "Gomes", "Haas", "Ito")
TITLES = ("Facility Manager", "Buyer", "Head of Operations", "Engineer", "Controller")
SUBJECTS = (
    "{} reports no data since the update",
    "{} shows the wrong temperature",
    "invoice names the wrong number of {} units",
    "{} loses its connection at night",
    "question about mounting the {}",
    "battery of the {} is empty after a month",
)


def staff_email(name: str) -> str:
    """Return the address of one of Halden & Ray's own people."""
    plain = name.lower().replace("ñ", "n").replace(" ", ".")
    return f"{plain}@haldenray.example" if name else ""


def account_no(unit: str, name: str) -> str:
    """Return the CRM's number of an account: N-101, S-101, ..."""
    return f"{unit[0].upper()}-{101 + ACCOUNTS[unit].index(name)}"


def customers() -> Iterator[tuple[str, str, int]]:
    """Yield (unit, name, number from 0) of every account."""
    number = 0
    for unit, names in ACCOUNTS.items():
        for name in names:
            yield unit, name, number
            number += 1


def after(day: str, *, days: int) -> str:
    """Return the day that comes so many days after `day`."""
    return (datetime.fromisoformat(day) + timedelta(days=days)).date().isoformat()


def by_month(rows: Sequence[Row], time: str) -> dict[str, list[Row]]:
    """Return rows under the months of one of their times, both in the order given."""
    months: dict[str, list[Row]] = {}
    for row in rows:
        months.setdefault(row[time][:7], []).append(row)
    return months


def lines(rows: Sequence[Row]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
