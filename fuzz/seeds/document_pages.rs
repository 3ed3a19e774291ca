//! Output of poppler's tools, and lines of pages.

use super::Seed;

pub(crate) fn written() -> Vec<Seed> {
    let page = "<page width=\"595.0\" height=\"842.0\">\n<flow>\n<block xMin=\"72\" yMin=\"80\" xMax=\"200\" yMax=\"96\">\n\
        <line xMin=\"72\" yMin=\"80\" xMax=\"200\" yMax=\"96\">\n\
        <word xMin=\"72\" yMin=\"80\" xMax=\"120\" yMax=\"96\">Sons</word>\n\
        <word xMin=\"124\" yMin=\"80\" xMax=\"200\" yMax=\"96\">&amp;&#233;&lt;</word>\n</line>\n</block>\n</flow>\n</page>\n";
    let whole = format!(
        "<!DOCTYPE html><html><head><title></title></head><body><doc>\n{page}{page}</doc></body></html>"
    );
    let mut drawn = b"P6\n3 2\n255\n".to_vec();
    drawn.extend([7; 18]);
    vec![("text".to_owned(), whole.into_bytes()), ("drawn".to_owned(), drawn)]
}

pub(crate) fn lines() -> Vec<Seed> {
    let pages = [
        (
            "passport",
            "aaSurname / Nom\nabEXEMPEL\nacDate of birth\nad12 AUG 1994\naePassport No.\nafL898902C3\n\
            ag12.08.1994\nahP<UTOEXEMPEL<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<<<\naiL898902C36UTO9408122F3103147<<<<<<<<<<<<<<<6",
        ),
        (
            "licence",
            "aa1. EXEMPEL\nab2. ANNA\nac3. 12.08.94 ZENITH\nad4a. 01.02.2020\nae4b. 01.02.2030\naf5. X1234567\nag8. 1 ROAD, TOWN",
        ),
        (
            "letter",
            "aaUtopia Power & Water Ltd\nabMs Anna Exempel\nac14 Nowhere Lane\nadLONDON SW1A 1AA\naeDate: 3 March 2026\n\
            afBetrag: 10,00 EUR\nag12345 Musterstadt",
        ),
    ];
    pages.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).into()
}
