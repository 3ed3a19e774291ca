"""What machine-readable zones say: believable and plainly made-up holders, printed as ICAO 9303 has it."""

ALPHABET = "<0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LETTERS = ALPHABET[11:]
FORMATS = ("TD3", "TD1", "TD2", "MRVA", "MRVB", "FRA")
LENGTHS = {"TD3": 44, "MRVA": 44, "TD2": 36, "MRVB": 36, "FRA": 36, "TD1": 30}

# ISO 3166 alpha-3 and what ICAO adds. The reader's own table is in Rust; a name missing here costs nothing.
COUNTRIES = (
    "AFG ALB DZA AND AGO ARG ARM AUS AUT AZE BHS BHR BGD BRB BLR BEL BLZ BEN BTN BOL BIH BWA BRA BRN BGR BFA BDI "
    "CPV KHM CMR CAN CAF TCD CHL CHN COL COM COG COD CRI CIV HRV CUB CYP CZE DNK DJI DMA DOM ECU EGY SLV GNQ ERI "
    "EST SWZ ETH FJI FIN FRA GAB GMB GEO GHA GRC GRD GTM GIN GNB GUY HTI HND HKG HUN ISL IND IDN IRN IRQ IRL ISR "
    "ITA JAM JPN JOR KAZ KEN KIR PRK KOR KWT KGZ LAO LVA LBN LSO LBR LBY LIE LTU LUX MDG MWI MYS MDV MLI MLT MHL "
    "MRT MUS MEX FSM MDA MCO MNG MNE MAR MOZ MMR NAM NRU NPL NLD NZL NIC NER NGA MKD NOR OMN PAK PLW PSE PAN PNG "
    "PRY PER PHL POL PRT QAT ROU RUS RWA KNA LCA VCT WSM SMR STP SAU SEN SRB SYC SLE SGP SVK SVN SLB SOM ZAF SSD "
    "ESP LKA SDN SUR SWE CHE SYR TWN TJK TZA THA TLS TGO TON TTO TUN TUR TKM TUV UGA UKR ARE GBR USA URY UZB VUT "
    "VAT VEN VNM YEM ZMB ZWE D D D RKS UTO UNO XXA XXB EUE GBD"
).split()
SYLLABLES = (
    "AN BER CHI DOR EL FRA GUS HAN IN JO KA LUC MAR NI OL PE QUI RO SA TO UR VI WIL XA YU ZE BJ CZ DZ GH KR LJ PT "
    "RZ SCH TH VL WR ZH AE OE UE IJ KO MA NGU YE TRAN SIN GH OUE FF TT SS NN LL EZ OV SKI SEN DOTT PAPA"
).split()


def value(character):
    """The value of a character in a check digit (9303-3 §4.9)."""
    if character == "<":
        return 0
    return int(character, 36)


def check(text):
    return str(sum(value(c) * (7, 3, 1)[i % 3] for i, c in enumerate(text)) % 10)


def fill(text, length):
    return (text + "<" * length)[:length]


def name(r):
    if r.random() < 0.15:
        return "".join(r.choice(LETTERS) for _ in range(r.randint(2, 12)))
    return "".join(r.choice(SYLLABLES) for _ in range(r.randint(1, 4)))


def holder(r):
    """Someone who does not exist."""
    many = lambda most: "<".join(name(r) for _ in range(r.randint(1, most)))
    mixed = lambda n: "".join(r.choice(LETTERS + "0123456789" * 2) for _ in range(n))
    number = r.choice((
        lambda: "".join(r.choice("0123456789") for _ in range(9)),
        lambda: r.choice(LETTERS) + "".join(r.choice("0123456789") for _ in range(r.randint(6, 8))),
        lambda: r.choice(LETTERS) + r.choice(LETTERS) + "".join(r.choice("0123456789") for _ in range(7)),
        lambda: mixed(9),
    ))()
    return {
        "names": many(2) + "<<" + many(3),
        "state": fill(r.choice(COUNTRIES), 3),
        "birth": f"{r.randint(0, 99):02}{r.randint(1, 12):02}{r.randint(1, 28):02}",
        "expiry": f"{r.randint(18, 40):02}{r.randint(1, 12):02}{r.randint(1, 28):02}",
        "sex": r.choice("MMMFFF<"),
        "number": number,
        "optional": mixed(r.choice((0, 0, 0, 5, 8, 11, 14))),
        "nationality": fill(r.choice(COUNTRIES), 3) if r.random() < 0.2 else None,
        "kind": r.choice(("<", "<", "<", "O", "D", "S", "P", "M")),
    }


def print_zone(h, form):
    """The lines of a zone."""
    state, nation = h["state"], h["nationality"] or h["state"]
    number = fill(h["number"], 9)
    number += check(number)
    birth, expiry = h["birth"] + check(h["birth"]), h["expiry"] + check(h["expiry"])
    length = LENGTHS[form]
    if form == "FRA":
        surname, _, given = h["names"].partition("<<")
        office = "".join(c if c.isdigit() else "7" for c in fill(h["number"], 6))
        first = "IDFRA" + fill(surname, 25) + office
        body = fill(h["expiry"][:4] + h["number"][:3] + "95621"[:5], 12)
        second = body + check(body) + fill(given.replace("<", "<<", 1), 14) + birth + h["sex"].replace("<", "M")
        return [first, second + check(first + second)]
    if form == "TD1":
        first = "I" + h["kind"].replace("O", "D") + state + number + fill(h["optional"], 15)
        second = birth + h["sex"] + expiry + nation + "<" * 11
        second += check(first[5:30] + second[:7] + second[8:15] + second[18:29])
        return [first, second, fill(h["names"], 30)]
    letter = {"TD3": "P", "TD2": "I", "MRVA": "V", "MRVB": "V"}[form]
    first = letter + h["kind"] + state + fill(h["names"], length - 5)
    second = number + nation + birth + h["sex"] + expiry
    if form in ("MRVA", "MRVB"):
        return [first, second + fill(h["optional"], length - 28)]
    if form == "TD3":
        optional = fill(h["optional"], 14)
        optional += "<" if not h["optional"] else check(optional)
    else:
        optional = fill(h["optional"], 7)
    return [first, second + optional + check(second[:10] + second[13:20] + second[21:28] + optional)]


def words(r, length):
    """A run of characters to learn from: half of them from real zones, half without any order."""
    if r.random() < 0.5:
        line = r.choice(print_zone(holder(r), r.choice(FORMATS)))
        at = r.randint(0, max(0, len(line) - length))
        return line[at : at + length]
    pool = r.choice((LETTERS, "0123456789", ALPHABET[1:], ALPHABET[1:] + "<" * 14, "0OQDC8B1IL5S2Z6G7T4AMNWVUYXK<"))
    return "".join(r.choice(pool) for _ in range(length))
