//! The closed sets of words of age sessions (docs/adr/0006-age-verification.md). What comes in is read whatever
//! its case; what goes out, and what is kept, is spelt as the interface does.

use crate::wire_enum::wire_enum;
use std::borrow::Cow;

wire_enum! {
    /// What a session is to tell.
    pub enum AgeSessionType {
        /// The age itself.
        Age => "AGE",
        /// Whether the person has reached an age.
        Over => "OVER",
        /// Whether the person has not.
        Under => "UNDER",
    }
}

impl AgeSessionType {
    /// Whether a result of a kind that was kept for a while tells this one still. Who has reached an age has reached it
    /// for good; an age that was told may have become another.
    pub fn is_answered_by(self, held: Self) -> bool {
        matches!(
            (self, held),
            (Self::Over, Self::Over | Self::Age) | (Self::Under, Self::Under) | (Self::Age, Self::Age)
        )
    }
}

wire_enum! {
    /// How far a session is.
    pub enum AgeSessionStatus {
        /// Nobody has begun.
        Pending => "PENDING",
        /// A method was opened.
        InProgress => "IN_PROGRESS",
        /// The person is through, and a check still runs.
        Processing => "PROCESSING",
        /// The age was shown to be as asked.
        Complete => "COMPLETE",
        /// The age was shown not to be as asked, or could not be shown.
        Fail => "FAIL",
        /// A method broke, and no other is left.
        Error => "ERROR",
        /// The person called it off.
        Cancelled => "CANCELLED",
    }
}

wire_enum! {
    /// A way to show an age.
    pub enum AgeMethod {
        /// From a photo of the face.
        AgeEstimation => "AGE_ESTIMATION",
        /// From a wallet (OpenID4VP).
        DigitalId => "DIGITAL_ID",
        /// From an identity document.
        DocScan => "DOC_SCAN",
        /// From the possession of a credit card.
        CreditCard => "CREDIT_CARD",
        /// From a mobile network's customer data.
        Mobile => "MOBILE",
        /// From the history of an e-mail address.
        Email => "EMAIL",
        /// From an electronic identity (`OpenID` Connect).
        ElectronicId => "ELECTRONIC_ID",
        /// From Louisiana's wallet.
        LaWallet => "LA_WALLET",
        /// From a social security number of the United States.
        SocialSecurityNumber => "SOCIAL_SECURITY_NUMBER",
        /// As Florida's law HB 3 asks for.
        UsFloridaHb3 => "US_FLORIDA_HB3",
        /// From Singapore's identity (`OpenID` Connect, FAPI).
        Singpass => "SINGPASS",
        /// From a Brazilian taxpayer number.
        Cpf => "CPF",
        /// From a passkey that keeps an earlier result.
        SvcKey => "SVC_KEY",
        /// From a blind token (RFC 9578).
        DoubleAnonymity => "DOUBLE_ANONYMITY",
    }
}

impl AgeMethod {
    /// Every method, in the order in which they are offered where a business sets none.
    pub const ALL: [Self; 14] = [
        Self::SvcKey,
        Self::AgeEstimation,
        Self::DigitalId,
        Self::DocScan,
        Self::CreditCard,
        Self::Mobile,
        Self::Email,
        Self::ElectronicId,
        Self::Singpass,
        Self::LaWallet,
        Self::SocialSecurityNumber,
        Self::UsFloridaHb3,
        Self::Cpf,
        Self::DoubleAnonymity,
    ];

    /// Its block in a payload, and the end of the direct address of its page.
    pub const fn block_name(self) -> &'static str {
        match self {
            Self::AgeEstimation => "age_estimation",
            Self::DigitalId => "digital_id",
            Self::DocScan => "doc_scan",
            Self::CreditCard => "credit_card",
            Self::Mobile => "mobile",
            Self::Email => "email",
            Self::ElectronicId => "electronic_id",
            Self::LaWallet => "la_wallet",
            Self::SocialSecurityNumber => "social_security_number",
            Self::UsFloridaHb3 => "us_florida_hb3",
            Self::Singpass => "singpass",
            Self::Cpf => "cpf",
            Self::SvcKey => "svc_key",
            Self::DoubleAnonymity => "double_anonymity",
        }
    }

    /// Its block in a record: with the brand in it, in lower case, where the name of `svc_key` stands for one.
    pub fn branded_block_name(self, brand: &str) -> Cow<'static, str> {
        match self {
            Self::SvcKey if brand != "svc" => Cow::Owned(format!("{brand}_key")),
            _ => Cow::Borrowed(self.block_name()),
        }
    }

    /// The method of a block; `brand` stands for `svc` in lower case.
    pub fn from_block_name(name: &str, brand: &str) -> Option<Self> {
        let branded = name.strip_suffix("_key").is_some_and(|word| word == brand);
        Self::ALL
            .into_iter()
            .find(|method| method.block_name() == name || (branded && *method == Self::SvcKey))
    }

    /// What the method can say.
    pub const fn discloses(self) -> AgeDisclosure {
        match self {
            Self::AgeEstimation | Self::DocScan | Self::ElectronicId | Self::Singpass | Self::DigitalId => {
                AgeDisclosure::Age
            }
            Self::Mobile
            | Self::LaWallet
            | Self::SocialSecurityNumber
            | Self::UsFloridaHb3
            | Self::Cpf
            | Self::SvcKey => AgeDisclosure::ThresholdSide,
            Self::CreditCard | Self::Email | Self::DoubleAnonymity => AgeDisclosure::Over,
        }
    }
}

/// What a method can say of an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeDisclosure {
    /// Which it is.
    Age,
    /// On which side of a threshold it is.
    ThresholdSide,
    /// That it is above one, where it is.
    Over,
}

impl AgeDisclosure {
    /// Whether a session of a kind can be answered by it.
    pub const fn can_answer(self, kind: AgeSessionType) -> bool {
        match (self, kind) {
            (Self::Age, _) | (_, AgeSessionType::Over) | (Self::ThresholdSide, AgeSessionType::Under) => true,
            (Self::ThresholdSide | Self::Over, AgeSessionType::Age) | (Self::Over, AgeSessionType::Under) => {
                false
            }
        }
    }
}

wire_enum! {
    /// How it is made sure that a live person is in front of the camera.
    pub enum LivenessLevel {
        /// Not at all.
        None => "NONE",
        /// By looking at the picture.
        Passive => "PASSIVE",
        /// By asking for moves as well.
        Active => "ACTIVE",
    }
}

wire_enum! {
    /// How it is made sure that a document is genuine.
    pub enum AuthenticityLevel {
        /// Not at all.
        Off => "OFF",
        /// By this server.
        Auto => "AUTO",
        /// By a reviewer.
        Manual => "MANUAL",
    }
}

wire_enum! {
    /// What a result rests on, as webhooks tell it.
    pub enum AgeCheckType {
        /// A method that was gone through in this session.
        Session => "SESSION",
        /// A result that the person kept from an earlier one.
        AgeToken => "AGE_TOKEN",
    }
}

wire_enum! {
    /// Why an answer of the page could not be used; the same step is asked again.
    pub enum InputProblemCode {
        /// A field is empty.
        Required => "REQUIRED",
        /// A field cannot be right.
        Invalid => "INVALID",
        /// The photo or answer could not be judged; another may do.
        TryAgain => "TRY_AGAIN",
        /// The image cannot be read, or is too small or too large.
        UnusableImage => "UNUSABLE_IMAGE",
        /// No face is in the photo.
        NoFace => "NO_FACE",
        /// More than one face is in the photo.
        SeveralFaces => "SEVERAL_FACES",
        /// The face is too far away.
        FaceTooSmall => "FACE_TOO_SMALL",
        /// The face is too bright.
        TooBright => "TOO_BRIGHT",
        /// The face is too dark.
        TooDark => "TOO_DARK",
        /// The face is cut off or too near.
        NotCentred => "NOT_CENTRED",
        /// Another code may only be had later.
        TooSoon => "TOO_SOON",
        /// The code is too old.
        ExpiredCode => "EXPIRED_CODE",
        /// The code is another.
        WrongCode => "WRONG_CODE",
    }
}

wire_enum! {
    /// Why a method did not show the age that was asked for.
    pub enum AgeFailureReason {
        /// Younger than was asked.
        UnderAge => "UNDER_AGE",
        /// Older than was asked.
        OverAge => "OVER_AGE",
        /// The estimate is too close to the threshold.
        AgeUncertain => "AGE_UNCERTAIN",
        /// What was shown does not tell the age that was asked for.
        AgeNotTold => "AGE_NOT_TOLD",
        /// The date of birth is in the future, or too long ago.
        NoSuchAge => "NO_SUCH_AGE",
        /// The provider knows nothing of such a person.
        NotFound => "NOT_FOUND",
        /// The provider could not be asked.
        ProviderUnavailable => "PROVIDER_UNAVAILABLE",
        /// The method is not set up.
        NotConfigured => "NOT_CONFIGURED",
        /// The sandbox was told to answer so.
        SandboxError => "SANDBOX_ERROR",
        /// The attempt took too many steps.
        TooManyTurns => "TOO_MANY_TURNS",
        /// The moves of the head were not the ones that were asked for.
        ChallengeNotMet => "CHALLENGE_NOT_MET",
        /// No live face was seen.
        LivenessNotProven => "LIVENESS_NOT_PROVEN",
        /// Too many codes were asked for.
        TooManyCodes => "TOO_MANY_CODES",
        /// The code was wrong too often.
        WrongCode => "WRONG_CODE",
        /// There is no such passkey.
        NoKey => "NO_KEY",
        /// The kept result is too old.
        KeptResultTooOld => "KEPT_RESULT_TOO_OLD",
        /// The kept result does not show what was asked.
        KeptResultNotEnough => "KEPT_RESULT_NOT_ENOUGH",
        /// No blind token came back.
        NoToken => "NO_TOKEN",
        /// The blind token was used before.
        TokenSpent => "TOKEN_SPENT",
        /// The holder of the wallet did not agree.
        Declined => "DECLINED",
        /// The wallet has no such credential.
        NoCredential => "NO_CREDENTIAL",
        /// The wallet reported something else.
        WalletError => "WALLET_ERROR",
        /// Nobody on the trust list issued the credential.
        UntrustedIssuer => "UNTRUSTED_ISSUER",
        /// The credential is not valid now, or was presented too long ago.
        CredentialExpired => "CREDENTIAL_EXPIRED",
        /// The issuer took the credential back.
        CredentialRevoked => "CREDENTIAL_REVOKED",
        /// A signature, a digest or the form of the credential does not hold.
        NotAccepted => "NOT_ACCEPTED",
        /// The document session ended without an answer.
        DocumentSessionEnded => "DOCUMENT_SESSION_ENDED",
        /// The document shows no date of birth.
        NoDateOfBirth => "NO_DATE_OF_BIRTH",
        /// The document has expired.
        ExpiredDocument => "EXPIRED_DOCUMENT",
        /// Parts of the document contradict each other.
        DataMismatch => "DATA_MISMATCH",
        /// The number of the document cannot be right.
        DocNumberInvalid => "DOC_NUMBER_INVALID",
        /// The document was changed.
        Tampered => "TAMPERED",
        /// It is a copy of a document.
        DocumentCopy => "DOCUMENT_COPY",
        /// The document is on a list of fraud.
        FraudListMatch => "FRAUD_LIST_MATCH",
        /// The face is another than on the document.
        DifferentPerson => "DIFFERENT_PERSON",
        /// The face looks much older or younger than the document says.
        LargeAgeGap => "LARGE_AGE_GAP",
        /// It is a photo of a photo.
        PhotoOfPhoto => "PHOTO_OF_PHOTO",
        /// No face was found.
        FaceNotFound => "FACE_NOT_FOUND",
        /// More than one face was found.
        MultipleFaces => "MULTIPLE_FACES",
        /// Documents of this country are not taken.
        CountryNotSupported => "COUNTRY_NOT_SUPPORTED",
        /// Documents of this kind are not taken.
        DocumentNotSupported => "DOCUMENT_NOT_SUPPORTED",
        /// The document was not accepted for another reason.
        DocumentNotAccepted => "DOCUMENT_NOT_ACCEPTED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_a_block_and_is_found_by_it() {
        assert_eq!(AgeMethod::ALL.len(), AgeMethod::VARIANTS.len());
        for method in AgeMethod::ALL {
            assert_eq!(AgeMethod::from_block_name(method.block_name(), "svc"), Some(method));
            assert_eq!(method.block_name().to_ascii_uppercase(), method.as_str());
        }
        assert_eq!(AgeMethod::from_block_name("acme_key", "acme"), Some(AgeMethod::SvcKey));
        assert_eq!(AgeMethod::from_block_name("other_key", "acme"), None);
        let named = |method: AgeMethod| (method.branded_block_name("svc"), method.branded_block_name("acme"));
        assert_eq!(named(AgeMethod::SvcKey), ("svc_key".into(), "acme_key".into()));
        assert_eq!(named(AgeMethod::DocScan), ("doc_scan".into(), "doc_scan".into()));
    }

    #[test]
    fn only_what_knows_an_age_tells_it() {
        let of =
            |kind| AgeMethod::ALL.into_iter().filter(|method| method.discloses().can_answer(kind)).count();
        assert_eq!(
            (of(AgeSessionType::Age), of(AgeSessionType::Under), of(AgeSessionType::Over)),
            (5, 11, 14)
        );
        assert!(!AgeMethod::CreditCard.discloses().can_answer(AgeSessionType::Under));
    }
}
