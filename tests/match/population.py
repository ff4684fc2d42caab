"""Invented people and companies of two spellings each, and weights learned from them."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations
from math import log

import numpy as np

from regesta.match.declaration import Compared
from regesta.match.forms import forms
from regesta.match.keys import keys, rules
from regesta.match.learning import Histogram, learn
from regesta.match.levels import compare, upper_bound
from regesta.match.linkage import LINKED
from regesta.match.rarity import CEILING, FEWEST, Rarity, bits

GIVEN = (
    *("John", "Mary", "Peter", "Anna", "Paul", "Laura", "Mark", "Julia", "David", "Sarah"),
    *("Thomas", "Emma", "Robert", "Clara", "George", "Alice", "Martin", "Helen", "Simon", "Irene"),
    *("Hugo", "Nora", "Oscar", "Vera", "Felix", "Greta", "Bruno", "Olga", "Victor", "Edith"),
    *("Ralph", "Agnes", "Leon", "Ruth", "Edgar", "Sylvia", "Karl", "Doris", "Henry", "Wanda"),
)
LAST = (
    *(
        "Smith",
        "Jones",
        "Miller",
        "Brown",
        "Fischer",
        "Lopez",
        "Novak",
        "Rossi",
        "Dubois",
        "Kowalski",
    ),
    *("Andersen", "Schneider", "Murphy", "Tanaka", "Petrov", "Silva", "Weber", "Moreau", "Larsen"),
    *(
        "Horvath",
        "Brandt",
        "Keller",
        "Ferrari",
        "Walsh",
        "Okafor",
        "Haas",
        "Bauer",
        "Vance",
        "Quist",
    ),
)
TOWNS = ("York", "Leeds", "Bath", "Berlin", "Munich", "Vienna", "Lyon", "Turin", "Porto", "Oslo")
BRANDS = (
    *("Acme", "Bolt", "Crane", "Dynamo", "Everest", "Falcon", "Gemini", "Harbor", "Ibex", "Juno"),
    *("Krypton", "Lumen", "Meridian", "Nimbus", "Orion", "Pinnacle", "Quasar", "Ridge", "Summit"),
    *("Titan", "Umbra", "Vertex", "Wolfram", "Xenon", "Yonder", "Zephyr", "Aurora", "Borealis"),
    *("Cascade", "Delphi", "Ember", "Fjord", "Granite", "Helix", "Iris", "Jasper", "Keystone"),
)
TRADES = ("Tools", "Foods", "Paper", "Steel", "Optics", "Marine", "Textiles", "Motors")
FORMS = ("Ltd", "Inc", "GmbH", "AG", "SA")
PERSON = Compared(
    attributes={"name": "name", "born": "date", "email": "code", "phone": "code", "town": "text"},
    together=(("phone", "town"),),
)
COMPANY = Compared(attributes={"name": "name", "domain": "code", "phone": "code", "town": "text"})


def misspelt(text, chance):
    place = chance.randrange(1, len(text) - 1)
    return text[:place] + text[place + 1 :]


def born(chance, number):
    return f"{chance.randrange(1940, 2000)}-{chance.randrange(1, 13):02}-{1 + number % 28:02}"


def people(chance):
    for number in range(280):
        given, last = chance.choice(GIVEN), chance.choice(LAST)
        email = f"{given}.{last}{number}@{chance.choice(BRANDS)}.example".lower()
        person = {
            "name": f"{given} {last}",
            "born": born(chance, number),
            "email": email,
            "phone": f"0{chance.randrange(10**8, 10**9)}",
            "town": chance.choice(TOWNS),
        }
        yield person, varied(person, chance)


def companies(chance):
    for brand in BRANDS:
        for trade in TRADES:
            town = chance.choice(TOWNS)
            company = {
                "name": f"{brand} {trade} {chance.choice(FORMS)}",
                "domain": f"{brand}{trade}.example".lower(),
                "phone": f"0{chance.randrange(10**8, 10**9)}",
                "town": town,
            }
            yield company, varied(company, chance)


def varied(one, chance):
    other = dict(one)
    other["name"] = misspelt(one["name"], chance)
    for attribute in list(other)[1:]:
        if chance.random() < 0.3:
            other[attribute] = None if chance.random() < 0.6 else misspelt(one[attribute], chance)
    return other


class Matcher:
    """Weights learned from a population, and what they say of a pair."""

    def __init__(self, compared, pairs):
        self.compared = compared
        rows = [self.forms(one) for pair in pairs for one in pair]
        self.rarity = self._rarity(rows)
        none = dict.fromkeys(compared.of_kind("name"), ())
        held = [set(keys(rules(compared), compared, row, none)) for row in rows]
        candidates, every = Counter(), Counter()
        for (left, one), (right, other) in combinations(enumerate(rows), 2):
            levels = compare(one, other, compared, self.rarity)
            every[levels] += 1
            if held[left] & held[right]:
                candidates[levels] += 1
        total = every.total()
        self.weights = learn(
            compared, self.rarity, _histogram(candidates), _histogram(every), total
        )

    def forms(self, values):
        return forms(self.compared, {name: values.get(name) for name in self.compared.names})

    def verdict(self, left, right):
        """Return join, review or apart."""
        one, other = self.forms(left), self.forms(right)
        levels = compare(one, other, self.compared, self.rarity)
        score = float(self.weights.scores(np.array([levels], np.int16))[0])
        bound = upper_bound(one, other, levels, self.compared)
        score = score if bound is None else min(score, bound)
        return "join" if score > LINKED else "review" if score > -log(9) else "apart"

    def _rarity(self, rows):
        words, values = {}, {}
        for place, name in enumerate(self.compared.names):
            told = [row[place] for row in rows if row[place]]
            values[name] = _common(Counter(told), len(told))
            each = Counter(word for value in told for word in set(value.split()))
            words[name] = _common(each, len(told))
        return Rarity(words, values)


def _common(counted, total):
    return {
        value: bits(count, total)
        for value, count in counted.items()
        if count >= FEWEST and count * 2**CEILING > total
    }


def _histogram(counted):
    return Histogram(
        np.array(list(counted), np.int16), np.array(list(counted.values()), np.float64)
    )


def person_matcher():
    return Matcher(PERSON, list(people(random.Random(1))))


def company_matcher():
    return Matcher(COMPANY, list(companies(random.Random(2))))
