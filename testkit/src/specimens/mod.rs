//! Specimens: believable, clearly fictitious documents, and photographs of them.
//!
//! A [`Specimen`] is described in words, drawn by [`Specimen::front`] and [`Specimen::back`], and laid on a desk by
//! [`photograph`]. Everything follows from what is written and from seeds. Fonts come from Debian's `fonts-dejavu-core`
//! and `fonts-ocr-b`, portraits from the sample photos inside the locked npm packages.
//!
//! A simulation is no photograph: what is measured on these says that a cue works on what it was made for, and no more.

mod aamva;
mod barcode;
mod bill;
mod camera;
mod canvas;
mod card;
mod holder;
mod licence;
mod mrz;
mod passport;
mod pdf;
mod photograph;
mod scene;
mod type_face;

pub use barcode::{pdf417_modules, qr_modules};
pub use holder::{Holder, portrait};
pub use photograph::{Conditions, Damage, Photo, Quarter, photograph};

use base::Picture;
use jiff::civil::{Date, date};

/// A point in pixels; the centre of the first pixel is 0, 0.
pub type Point = [f32; 2];

/// Which document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The data page of a passport: ID-3, TD3.
    Passport,
    /// An identity card of the size ID-1: TD1 on the back.
    IdentityCard,
    /// An identity card of the size ID-2: TD2 on the front.
    LargeIdentityCard,
    /// A residence permit of the size ID-1: TD1 on the back.
    ResidencePermit,
    /// A North American driving licence: ID-1, PDF417 on the back.
    DrivingLicence,
    /// A bill for electricity, A4.
    UtilityBill,
}

/// What is drawn. The default is a document of Utopia, valid from 2021 to 2031.
#[derive(Clone, Debug)]
pub struct Specimen {
    kind: Kind,
    holder: Holder,
    issuer: String,
    number: String,
    issued: Date,
    expires: Date,
    overprint: bool,
}

/// A side of a document as it is printed: 12 pixels to the millimetre, bills 6.
#[derive(Clone, Debug)]
pub struct Page {
    /// What is seen.
    pub picture: Picture,
    /// Width and height in millimetres.
    pub size: [f32; 2],
    /// How round the corners are, in millimetres.
    pub radius: f32,
    /// The machine readable lines on this side; none where there is no such zone.
    pub mrz: Vec<String>,
    /// What the barcode of this side says.
    pub barcode: Option<String>,
    /// What is printed where a person reads: name of the field, and the text, in order.
    pub fields: Vec<(&'static str, String)>,
    /// The portrait: left, top, right and bottom in pixels.
    pub portrait: Option<[f32; 4]>,
}

impl Specimen {
    fn new(kind: Kind, number: &str) -> Self {
        Self {
            kind,
            holder: Holder::default(),
            issuer: "UTO".to_owned(),
            number: number.to_owned(),
            issued: date(2021, 3, 15),
            expires: date(2031, 3, 14),
            overprint: true,
        }
    }

    /// The data page of a passport.
    pub fn passport() -> Self {
        Self::new(Kind::Passport, "L898902C3")
    }

    /// An identity card of the size of a bank card.
    pub fn identity_card() -> Self {
        Self::new(Kind::IdentityCard, "D23145890")
    }

    /// An identity card of the older, larger size.
    pub fn large_identity_card() -> Self {
        Self::new(Kind::LargeIdentityCard, "D23145890")
    }

    /// A residence permit.
    pub fn residence_permit() -> Self {
        Self::new(Kind::ResidencePermit, "R70412956")
    }

    /// A driving licence of Virginia; other jurisdictions by [`Self::issuer`], for example `USA/CA` or `CAN/ON`.
    pub fn driving_licence() -> Self {
        Self::new(Kind::DrivingLicence, "T64235789").issuer("USA/VA")
    }

    /// A bill for electricity.
    pub fn utility_bill() -> Self {
        Self::new(Kind::UtilityBill, "8840-2217-06")
    }

    /// A document of the kind with a holder, a number and dates drawn by chance.
    pub fn random(kind: Kind, seed: u64) -> Self {
        let mut dice = crate::spoof::dice::Dice::new(seed ^ 0x5bec_13e5);
        let mut specimen = match kind {
            Kind::Passport => Self::passport(),
            Kind::IdentityCard => Self::identity_card(),
            Kind::LargeIdentityCard => Self::large_identity_card(),
            Kind::ResidencePermit => Self::residence_permit(),
            Kind::DrivingLicence => Self::driving_licence(),
            Kind::UtilityBill => Self::utility_bill(),
        };
        specimen.holder = Holder::random(dice.word());
        let mut symbols = (0..8).map(|_| char::from(b'0' + (dice.word() % 10) as u8));
        let first = char::from(b'A' + (specimen.holder.portrait * 5 + 3) % 26);
        specimen.number = format!("{first}{}", symbols.by_ref().collect::<String>());
        let year = 2019 + (dice.word() % 6) as i16;
        let (month, day) = (1 + (dice.word() % 12) as i8, 1 + (dice.word() % 28) as i8);
        specimen.issued = date(year, month, day);
        specimen.expires = date(year + 10, month, day);
        specimen
    }

    /// Whose it is.
    #[must_use]
    pub fn holder(mut self, holder: Holder) -> Self {
        self.holder = holder;
        self
    }

    /// Who issued it: three letters, with a jurisdiction behind a stroke for driving licences.
    #[must_use]
    pub fn issuer(mut self, issuer: &str) -> Self {
        issuer.clone_into(&mut self.issuer);
        self
    }

    /// Its number.
    #[must_use]
    pub fn number(mut self, number: &str) -> Self {
        number.clone_into(&mut self.number);
        self
    }

    /// When it was issued.
    #[must_use]
    pub fn issued(mut self, issued: Date) -> Self {
        self.issued = issued;
        self
    }

    /// When it expires.
    #[must_use]
    pub fn expires(mut self, expires: Date) -> Self {
        self.expires = expires;
        self
    }

    /// Without SPECIMEN across it: only for measures that the word would disturb.
    #[must_use]
    pub fn without_overprint(mut self) -> Self {
        self.overprint = false;
        self
    }

    /// When its holder was born, and when it was issued and expires.
    pub fn days(&self) -> [Date; 3] {
        [self.holder.born, self.issued, self.expires]
    }

    /// Which document it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The lines of its machine readable zone, whichever side it is on; none for licences and bills.
    pub fn mrz(&self) -> Vec<String> {
        mrz::lines(self)
    }

    /// What its barcode says; only driving licences have one.
    pub fn barcode(&self) -> Option<String> {
        (self.kind == Kind::DrivingLicence).then(|| aamva::text(self))
    }

    /// The front, or the data page, or the bill.
    ///
    /// # Panics
    /// When fonts or sample photos are not installed.
    pub fn front(&self) -> Page {
        match self.kind {
            Kind::Passport => passport::draw(self),
            Kind::IdentityCard | Kind::ResidencePermit => card::front(self),
            Kind::LargeIdentityCard => card::large(self),
            Kind::DrivingLicence => licence::front(self),
            Kind::UtilityBill => bill::draw(self),
        }
    }

    /// The back, for documents that have one.
    ///
    /// # Panics
    /// When fonts are not installed.
    pub fn back(&self) -> Option<Page> {
        match self.kind {
            Kind::IdentityCard | Kind::ResidencePermit => Some(card::back(self)),
            Kind::DrivingLicence => Some(licence::back(self)),
            _ => None,
        }
    }

    /// The bill as a file with a text layer; `None` for what is no bill.
    pub fn pdf(&self) -> Option<Vec<u8>> {
        (self.kind == Kind::UtilityBill).then(|| pdf::write(&bill::pieces(self)))
    }
}

/// `15 MAR 2021`, as passports have it.
fn words_of(date: Date) -> String {
    const MONTHS: [&str; 12] =
        ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
    let month = MONTHS[usize::try_from(date.month() - 1).unwrap_or(0) % 12];
    format!("{:02} {month} {}", date.day(), date.year())
}

#[cfg(test)]
mod tests;
