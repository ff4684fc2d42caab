"""Names of people and companies, composed from lists: the number of a name gives the name.

Within one group numbers are used once, so that two bearers of one name are always meant.
"""

from __future__ import annotations

import re
import unicodedata
from random import Random
from typing import Final


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FIRST: Final = _words(
    "Ada Adele Agnes Albert Alice Alma Amir Ana Anders Andrea Anita Anna Anton Arthur Astrid "
    "Aurel Axel Aylin Barbara Bea Ben Bernd Bianca Birgit Bjorn Bruno Camille Carla Carlos "
    "Cecilia Chloe Clara Claude Conrad Dagny Daniel Daria David Diana Diego Dora Edgar Edith "
    "Elena Elias Elif Ella Emil Emma Enzo Erik Esther Eva Fabian Farah Felix Femke Fiona Flora "
    "Frank Freya Gabriel George Gerd Gina Giulia Gloria Greta Gustav Hana Hannah Harald Hasan "
    "Heidi Helen Henrik Hugo Ida Ilse Imran Ines Ingrid Irene Isaac Ivan Jana Jasper Jean Jenna "
    "Joan Joel Johan Jonas Judit Julia Karim Karl Katja Kenji Kira Klara Lars Laura Lea Leila Leo "
    "Lena Lidia Linus Lorenz Lotte Louis Lucia Luis Lukas Magda Maja Marc Marek Maria Marta "
    "Matteo Maya Mehmet Mila Mina Mira Moritz Nadia Naomi Nils Nina Noah Nora Olga Olivia Omar "
    "Oscar Otto Pablo Paula Peer Petra Pia Priya Rafael Rahel Ramon Rita Robin Rosa Ruben Ruth "
    "Sami Sara Selma Silke Simon Sofia Sonja Stella Sven Tara Teresa Theo Thora Tilda Tobias "
    "Tomas Uli Ursula Vera Victor Viola Walter Wanda Willem Yara Yusuf Zoe"
)
_LAST: Final = _words(
    "Abbott Acosta Adler Aguilar Ahmed Albrecht Allen Almeida Alvarez Anders Andersen Andrade "
    "Arnold Ashford Aydin Bailey Baker Balogh Barros Bauer Becker Bennett Berg Bergman Bianchi "
    "Blanc Blom Boyle Brandt Bright Brooks Bruun Burke Byrne Cabrera Campbell Cardoso Carlsson "
    "Carter Castillo Chandra Chen Clarke Colombo Conti Cooper Costa Cruz Dahl Dalton Davies Demir "
    "Diaz Dietrich Dixon Doyle Dubois Dumont Duran Eckert Edwards Ekman Eriksen Esposito Evans "
    "Farkas Fernandez Ferrari Fischer Fleming Fontaine Forsberg Foster Franke Friedrich Gallo "
    "Garcia Gardner Gauthier Gibson Girard Gomez Gonzalez Graham Greco Griffin Grimm Gupta Haas "
    "Hagen Halvorsen Hansen Harper Hartmann Haugen Hayes Heller Hendriks Herrera Hill Hoffmann "
    "Holm Horvat Howard Hughes Hunter Ibrahim Ito Ivanova Jacobs Jansen Jensen Johansson Jonker "
    "Joshi Jung Kaiser Kapoor Kaya Keller Kelly Khan Kim Klein Kovacs Kowalski Kramer Kristensen "
    "Kruse Kumar Laine Lambert Lang Larsen Lehmann Leroy Lewis Lind Lindberg Lombardi Lopez "
    "Lorenz Lund Maier Malik Marchetti Marino Marques Martin Mason Mehta Mendes Meyer Miller "
    "Molina Moore Morales Moreau Moretti Morris Mueller Murphy Murray Nagy Navarro Nielsen "
    "Nilsson Norberg Novak Nowak Nunez Nygaard Olsen Orlov Ortega Osman Otero Owens Palmer Park "
    "Parker Patel Pereira Perez Perrin Peters Petersen Petrov Pfeiffer Pham Pinto Popescu Porter "
    "Price Quinn Ramos Rao Rasmussen Reid Reyes Ribeiro Ricci Richter Rivera Roberts Robinson "
    "Romano Rossi Roux Russo Sahin Salazar Sanders Santos Sato Sauer Schmidt Schneider Schreiber "
    "Schulz Schwarz Serrano Shah Sharma Silva Simon Singh Skov Smith Soares Sorensen Soto Stein "
    "Stewart Suzuki Svensson Szabo Tanaka Taylor Thomas Thomsen Torres Tran Turner Ulrich Unger "
    "Vargas Vega Vogel Voss Wagner Walker Walsh Wang Ward Weber Weiss Werner West White Wolff "
    "Wood Wright Yamada Yilmaz Young Zeller Zhang Ziegler Zimmermann"
)
_FIRM_FIRST: Final = _words(
    "Alder Amber Anchor Arbor Argent Aspen Aster Atlas Aurora Avalon Azure Badger Balsam Banner "
    "Basalt Beacon Birch Bluebell Boreal Bracken Bramble Bright Bronze Cactus Canal Canyon "
    "Caravel Cedar Chalk Cinder Citrus Clover Cobalt Comet Copper Coral Cormorant Corona Cove "
    "Crescent Crystal Cypress Dahlia Delta Dolphin Dune Eagle Ebony Echo Eider Elm Ember Everest "
    "Falcon Fern Fjord Flint Forge Fox Garnet Glacier Granite Grove Gull Harbor Harrier Hawthorn "
    "Hazel Heron Hickory Highland Hollis Horizon Indigo Iris Ivory Jade Jasmine Juniper Kestrel "
    "Kingfisher Lagoon Lantern Larch Laurel Ledger Lily Linden Lotus Lumen Lupin Lynx Magnet "
    "Maple Marble Marlin Meadow Meridian Mesa Mistral Monarch Moss Myrtle Nectar Nimbus Northgate "
    "Oak Oasis Obsidian Ochre Olive Onyx Opal Orchid Orion Osprey Otter Palisade Pebble Pelican "
    "Petrel Pine Pioneer Plover Polaris Poplar Prairie Prism Quarry Quartz Quill Raven Redwood "
    "Reed Ridge River Robin Rowan Ruby Sable Saffron Sage Sapphire Savanna Sequoia Shale Sierra "
    "Silver Skylark Slate Solstice Sparrow Spruce Summit Swallow Sycamore Talon Tansy Tarn Teal "
    "Thistle Tidewater Timber Topaz Tulip Tundra Umber Valley Vela Verbena Vesper Violet Vista "
    "Walnut Wharf Willow Wren Yarrow Zenith Zephyr"
)
_FIRM_SECOND: Final = _words(
    "Analytics Airlines Apparel Bakeries Bank Biotech Books Brewing Cargo Carpentry Ceramics "
    "Cinemas Clinics Coffee Construction Cosmetics Dairy Dental Design Electric Elevators Energy "
    "Engineering Farms Ferries Films Finance Fisheries Foods Freight Furniture Games Gardens "
    "Glass Health Homes Hotels Insurance Interiors Irrigation Jewels Labs Laundry Lighting "
    "Logistics Machines Marine Markets Media Metals Mining Motors Museums Music Networks Optics "
    "Outdoor Packaging Paints Paper Pharma Plastics Pumps Rail Realty Recycling Resorts Robotics "
    "Schools Seeds Shipping Software Solar Sports Steel Storage Studios Systems Textiles Theatres "
    "Timberworks Tools Toys Travel Trust Vineyards Water Wind Wines Yachts"
)
CITIES: Final = _words(
    "Aarhus Antwerp Athens Basel Bergen Bilbao Bologna Bordeaux Bremen Brno Cork Dresden Dundee "
    "Gdansk Geneva Ghent Graz Hamburg Helsinki Innsbruck Leeds Leipzig Lille Linz Lisbon "
    "Ljubljana Lund Lyon Malmo Milan Nantes Naples Oporto Oslo Ostrava Parma Poznan Riga "
    "Rotterdam Seville Split Tallinn Tampere Toulouse Trieste Turin Turku Utrecht Valencia Vienna "
    "Vilnius Zagreb Zurich"
)
_LETTERS: Final = "ABCDEFGHIJKLMNOPRSTVWYZ"
_PEOPLE: Final = len(_FIRST) * len(_LAST)
_FIRMS: Final = len(_FIRM_FIRST) * len(_FIRM_SECOND)
_STRIDE: Final = 1_000_003
"""A prime larger than the lists, so that its multiples pass through all of them."""


def person(number: int, shift: int) -> str:
    """Return the name of a person; `shift` (per group) begins the sequence elsewhere."""
    cycle, place = divmod(number, _PEOPLE)
    place = (place * _STRIDE + shift) % _PEOPLE
    last, first = divmod(place, len(_FIRST))
    middle = f" {_letters(cycle)}." if cycle else ""
    return f"{_FIRST[first]}{middle} {_LAST[last]}"


def firm(number: int, shift: int) -> str:
    """Return the name of a company; `shift` (per group) begins the sequence elsewhere."""
    cycle, place = divmod(number, _FIRMS)
    place = (place * _STRIDE + shift) % _FIRMS
    second, first = divmod(place, len(_FIRM_FIRST))
    name = f"{_FIRM_FIRST[first]} {_FIRM_SECOND[second]}"
    if not cycle:
        return name
    more, city = divmod(cycle - 1, len(CITIES))
    return f"{name} {CITIES[city]}" + (f" {_letters(more)}" if more else "")


def _letters(number: int) -> str:
    text = ""
    while number:
        number, place = divmod(number - 1, len(_LETTERS))
        text = _LETTERS[place] + text
    return text


def firm_spelled_otherwise(name: str, random: Random) -> str:
    """Return a company's name as somebody else keeps it."""
    forms = (f"{name} Ltd.", f"{name} GmbH", f"The {name} Company", f"{name} Intl.", f"{name} S.A.")
    return random.choice(forms)


def person_spelled_otherwise(name: str, random: Random) -> str:
    """Return a person's name as somebody else keeps it: initials, another order, a typing error."""
    first, _, last = name.partition(" ")
    doubled = last[:2] + last[1:]
    forms = (
        f"{first[0]}. {last}",
        f"{last}, {first}",
        f"{first} {doubled}",
        f"{first[:-1]} {last}",
    )
    return random.choice(forms)


def address_part(name: str) -> str:
    """Return a name as it stands in an e-mail or web address."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", ".", plain).strip(".")
