//! Finds the address block of a letter: a name, a street, a town with its postal code.

use super::{LetterPart, LetterPartSource, PostalAddress, is_person, organisation_score};
use crate::{
    countries,
    text::{layout::LevelLine, names, normalise::normalise, postal_address::parse_town},
};

/// An address, the name above it, and the indices of the lines that it was found in.
pub(super) struct AddressBlock {
    pub(super) name: Option<LetterPart<String>>,
    pub(super) address: LetterPart<PostalAddress>,
    pub(super) lines: Vec<usize>,
}

/// Lines of a block above the town, at most.
const MAX_LINES_ABOVE_TOWN: usize = 6;

/// Finds the block that is most likely the addressee's; `None` where no block has a positive score.
pub(super) fn find_addressee(placed: &[LevelLine], country: Option<&str>) -> Option<AddressBlock> {
    let bottom = placed.iter().map(|one| one.bottom).fold(f32::MIN, f32::max);
    let top = placed.iter().map(|one| one.top).fold(f32::MAX, f32::min);
    let mut best: Option<(f32, AddressBlock)> = None;
    for (at, one) in placed.iter().enumerate() {
        let Some((score, block)) = block_at(placed, at, country) else { continue };
        let depth = (one.top - top) / (bottom - top).max(f32::MIN_POSITIVE);
        let score = score - depth;
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, block));
        }
    }
    best.filter(|(score, _)| *score > 0.0).map(|(_, block)| block)
}

/// The block whose town is on a line, and a score of how likely it is the addressee's.
fn block_at(placed: &[LevelLine], at: usize, country: Option<&str>) -> Option<(f32, AddressBlock)> {
    let line = &placed[at].line.text;
    // The address may be on one line, with commas between its parts; the town is the last part that looks like one.
    let parts: Vec<&str> = line.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let (mut town, before) = (0..parts.len()).rev().find_map(|from| {
        let town = parse_town(&parts.get(from..)?.join(", "), country)?;
        Some((town, parts.get(..from)?.join(", ")))
    })?;
    let above = lines_above(placed, at);
    let mut texts: Vec<(usize, String)> =
        above.iter().map(|&at| (at, placed[at].line.text.clone())).collect();
    if !before.is_empty() {
        texts.push((at, before));
    }
    if town.town.is_none() {
        // The line has only a postal code; the town is on the line above.
        let (_, text) = texts.pop()?;
        town.town = Some(text);
    }
    let mut used: Vec<usize> = above.clone();
    used.push(at);
    if let Some((next, code)) = country_below(placed, at) {
        town.country = Some(code);
        used.push(next);
    }
    let person = texts.iter().position(|(_, text)| is_person(text));
    let sender =
        texts.iter().take(person.unwrap_or(usize::MAX)).any(|(_, text)| organisation_score(text) == 2);
    let titled = person.is_some_and(|person| {
        texts.get(person).is_some_and(|(_, text)| text.split(' ').next().is_some_and(names::is_title))
    });
    let first = person.map_or(0, |person| person + 1);
    town.lines = texts
        .iter()
        .skip(first)
        .filter(|(_, text)| organisation_score(text) < 2)
        .map(|(_, text)| without_label(text).to_owned())
        .collect();
    // A street hardly ever lacks a house number.
    let street = town.lines.iter().any(|line| line.chars().any(|c| c.is_ascii_digit()));
    let score = [
        (person.is_some(), 2.0),
        (titled, 1.0),
        (street, 1.5),
        (sender, -3.0),
        (town.lines.is_empty(), -1.5),
    ]
    .into_iter()
    .map(|(holds, weight)| if holds { weight } else { 0.0 })
    .sum::<f32>();
    let name = person.and_then(|person| {
        let (at, text) = texts.get(person)?;
        let value = names::clean_name(names::without_titles(text))?;
        let line = placed[*at].line;
        Some(LetterPart {
            value,
            source: LetterPartSource::Block,
            confidence: line.confidence * 0.95,
            corners: line.corners,
        })
    });
    let confidence = used.iter().map(|&at| placed[at].line.confidence).fold(1.0, f32::min);
    let certain = if street && person.is_some() { 0.95 } else { 0.7 };
    let address = LetterPart {
        value: town,
        source: LetterPartSource::Block,
        confidence: confidence * certain,
        corners: placed[at].line.corners,
    };
    Some((score, AddressBlock { name, address, lines: used }))
}

/// Removes a label from a line: `Supply address: 14 Nowhere Lane`.
fn without_label(text: &str) -> &str {
    text.split_once(": ")
        .filter(|(label, _)| !label.chars().any(|c| c.is_ascii_digit()))
        .map_or(text, |(_, rest)| rest)
}

/// The lines directly above a line that begin at the same left edge and have about the same height, from the top.
fn lines_above(placed: &[LevelLine], at: usize) -> Vec<usize> {
    let mut out = Vec::new();
    let mut last = &placed[at];
    while out.len() < MAX_LINES_ABOVE_TOWN {
        let next = placed.iter().position(|one| {
            let gap = (last.top - one.bottom) / last.height();
            let same = (one.height() / last.height()).max(last.height() / one.height()) < 1.45;
            same && one.top < last.top
                && (-0.6..1.3).contains(&gap)
                && (one.left - last.left).abs() < 1.2 * last.height()
        });
        let Some(next) = next.filter(|next| !out.contains(next)) else { break };
        out.push(next);
        last = &placed[next];
    }
    out.reverse();
    out
}

/// The index and country of a line directly below that contains only a country.
fn country_below(placed: &[LevelLine], at: usize) -> Option<(usize, &'static str)> {
    let own = &placed[at];
    placed.iter().enumerate().find_map(|(next, one)| {
        let gap = (one.top - own.bottom) / own.height();
        let below = one.top > own.top && gap < 1.3 && (one.left - own.left).abs() < 1.2 * own.height();
        below.then(|| country_of(&one.line.text)).flatten().map(|code| (next, code))
    })
}

/// The country that a text names in English or in its own language.
fn country_of(text: &str) -> Option<&'static str> {
    let folded = normalise(text);
    let own = match folded.as_str() {
        "deutschland" | "allemagne" => "DEU",
        "espana" => "ESP",
        "italia" => "ITA",
        "polska" => "POL",
        "nederland" | "thenetherlands" => "NLD",
        "osterreich" => "AUT",
        "schweiz" | "suisse" | "svizzera" => "CHE",
        "belgie" | "belgique" => "BEL",
        "uk" | "unitedkingdom" | "greatbritain" | "england" | "scotland" | "wales" => "GBR",
        "usa" | "unitedstates" => "USA",
        "ceskarepublika" => "CZE",
        "magyarorszag" => "HUN",
        "sverige" => "SWE",
        "danmark" => "DNK",
        "norge" => "NOR",
        "suomi" => "FIN",
        "turkiye" => "TUR",
        _ => "",
    };
    let state = countries::find_iso(own)
        .or_else(|| countries::all().find(|country| normalise(country.name) == folded));
    state.filter(|_| folded.len() >= 2).map(|country| country.code)
}
