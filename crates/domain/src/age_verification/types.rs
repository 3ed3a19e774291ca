//! The closed sets of values of age verification (docs/adr/0006-age-verification.md), spelt here as on the wire and in
//! the database. Requests may spell them in any case.

use crate::wire_enum::wire_enum;
use std::borrow::Cow;

wire_enum! {
    /// What a session asks about an age.
    pub enum AgeSessionType {
        /// The age itself.
        Age => "AGE",
        /// Whether the end user has reached an age.
        Over => "OVER",
        /// Whether the end user has not reached it.
        Under => "UNDER",
    }
}

impl AgeSessionType {
    /// Whether a stored result of the type `stored` can answer a session or rule of this type. An age that was reached stays
    /// reached, so OVER is also answered by an age; an age may have changed since, so it answers no other type but its
    /// own, and `svc_key` answers no session of that type. What is left of UNDER after birthdays is another question
    /// ([`StoredAgeResult::as_of`](super::session_config::StoredAgeResult::as_of)).
    pub fn is_answered_by(self, stored: Self) -> bool {
        matches!(
            (self, stored),
            (Self::Over, Self::Over | Self::Age) | (Self::Under, Self::Under) | (Self::Age, Self::Age)
        )
    }
}

wire_enum! {
    /// The state of a session.
    pub enum AgeSessionStatus {
        /// No method was opened yet.
        Pending => "PENDING",
        /// A method was opened.
        InProgress => "IN_PROGRESS",
        /// The end user has finished, and a check is still running.
        Processing => "PROCESSING",
        /// The age is as required.
        Complete => "COMPLETE",
        /// The age is not as required, or could not be determined.
        Fail => "FAIL",
        /// A method failed for a technical reason, and no other is left.
        Error => "ERROR",
        /// The end user cancelled.
        Cancelled => "CANCELLED",
        /// The time of the session was over before it had a result.
        Expired => "EXPIRED",
    }
}

wire_enum! {
    /// What became of an appeal.
    pub enum AppealState {
        /// A reviewer has not decided yet.
        Open => "OPEN",
        /// The refusal stands.
        Upheld => "UPHELD",
        /// The refusal was wrong: the session is `COMPLETE`.
        Overturned => "OVERTURNED",
        /// The person has passed by another attempt, before it was decided.
        Withdrawn => "WITHDRAWN",
    }
}

wire_enum! {
    /// A way to prove an age.
    pub enum AgeMethod {
        /// A photo of the face.
        AgeEstimation => "AGE_ESTIMATION",
        /// A credential in a wallet (OpenID4VP).
        DigitalId => "DIGITAL_ID",
        /// An identity document.
        DocScan => "DOC_SCAN",
        /// Possession of a credit card.
        CreditCard => "CREDIT_CARD",
        /// The customer data of a mobile network.
        Mobile => "MOBILE",
        /// The history of an e-mail address.
        Email => "EMAIL",
        /// An electronic identity (`OpenID` Connect).
        ElectronicId => "ELECTRONIC_ID",
        /// Louisiana's wallet.
        LaWallet => "LA_WALLET",
        /// A social security number of the United States.
        SocialSecurityNumber => "SOCIAL_SECURITY_NUMBER",
        /// What Florida's law HB 3 requires.
        UsFloridaHb3 => "US_FLORIDA_HB3",
        /// Singapore's digital identity (`OpenID` Connect, FAPI).
        Singpass => "SINGPASS",
        /// A Brazilian taxpayer number.
        Cpf => "CPF",
        /// An earlier result that is stored under a passkey.
        SvcKey => "SVC_KEY",
        /// A blind token (RFC 9578).
        DoubleAnonymity => "DOUBLE_ANONYMITY",
        /// The age band that a phone's system states, sent by the business's app through its server.
        DeviceSignal => "DEVICE_SIGNAL",
    }
}

impl AgeMethod {
    /// Every method, in the order in which they are offered if the relying party names none.
    pub const ALL: [Self; 15] = [
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
        Self::DeviceSignal,
    ];

    /// The name of its block in requests and records; also the last part of the address of its page.
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
            Self::DeviceSignal => "device_signal",
        }
    }

    /// The name of its block in records: `svc_key` is named after the brand (lower case), as `acme_key`.
    pub fn branded_block_name(self, brand: &str) -> Cow<'static, str> {
        match self {
            Self::SvcKey if brand != "svc" => Cow::Owned(format!("{brand}_key")),
            _ => Cow::Borrowed(self.block_name()),
        }
    }

    /// The method of a block. `svc_key` may also be named after the brand (lower case).
    pub fn from_block_name(name: &str, brand: &str) -> Option<Self> {
        let branded = name.strip_suffix("_key").is_some_and(|word| word == brand);
        Self::ALL
            .into_iter()
            .find(|method| method.block_name() == name || (branded && *method == Self::SvcKey))
    }

    /// Whether a camera takes a face, so that a check of liveness can be asked for.
    pub const fn uses_camera(self) -> bool {
        matches!(self, Self::AgeEstimation | Self::DocScan)
    }

    /// The check of liveness behind a result of the method that was asked for with `level`; `NONE` where no camera is used.
    pub const fn liveness_level(self, level: LivenessLevel) -> LivenessLevel {
        if self.uses_camera() { level } else { LivenessLevel::None }
    }

    /// How much the method can tell about an age.
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
            | Self::SvcKey
            | Self::DeviceSignal => AgeDisclosure::ThresholdSide,
            Self::CreditCard | Self::Email | Self::DoubleAnonymity => AgeDisclosure::Over,
        }
    }
}

/// How much a method can tell about an age.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeDisclosure {
    /// The age itself.
    Age,
    /// Whether a threshold is reached or not.
    ThresholdSide,
    /// Only that a threshold is reached; nothing if it is not.
    Over,
}

impl AgeDisclosure {
    /// Whether that is enough to answer a session of this type.
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
    /// How a method checks that a live person is in front of the camera.
    pub enum LivenessLevel {
        /// Not at all.
        None => "NONE",
        /// From the picture.
        Passive => "PASSIVE",
        /// From the picture, and by asking for head movements.
        Active => "ACTIVE",
    }
}

wire_enum! {
    /// How the genuineness of a document is checked.
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
    /// Who stands behind an age that a phone's system states, the weakest first.
    pub enum SignalAssurance {
        /// The person set it.
        SelfDeclared => "SELF_DECLARED",
        /// A parent or guardian set it.
        GuardianDeclared => "GUARDIAN_DECLARED",
        /// The platform says that it was checked.
        Checked => "CHECKED",
    }
}

wire_enum! {
    /// Whose system a phone runs.
    pub enum DevicePlatform {
        /// Google's, with Google Play.
        Android => "ANDROID",
        /// Apple's.
        Ios => "IOS",
    }
}

wire_enum! {
    /// Who vouches for an app.
    pub enum AppAttestation {
        /// Nobody but the business's server, which sent the statement.
        None => "NONE",
        /// Google Play (Play Integrity).
        PlayIntegrity => "PLAY_INTEGRITY",
        /// Apple (App Attest).
        AppAttest => "APP_ATTEST",
        /// The sandbox.
        Sandbox => "SANDBOX",
    }
}

wire_enum! {
    /// Whether an app must be vouched for by the platform that it runs on.
    pub enum AttestationRequirement {
        /// A statement counts without it; the business's server alone vouches for it.
        Optional => "OPTIONAL",
        /// A statement counts only with it.
        Required => "REQUIRED",
    }
}

wire_enum! {
    /// Why the input of a turn could not be used. The page asks for the same step again.
    pub enum InputProblemCode {
        /// A field is empty.
        Required => "REQUIRED",
        /// The value of a field cannot be right.
        Invalid => "INVALID",
        /// The photo or answer could not be evaluated; another one may do.
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
        /// Something is before the mouth or the nose.
        FaceCovered => "FACE_COVERED",
        /// Another code cannot be sent yet.
        TooSoon => "TOO_SOON",
        /// No more codes can be sent; the last one is still valid.
        NoMoreCodes => "NO_MORE_CODES",
        /// The code is too old.
        ExpiredCode => "EXPIRED_CODE",
        /// The code is wrong.
        WrongCode => "WRONG_CODE",
    }
}

wire_enum! {
    /// Why an attempt did not pass.
    pub enum AgeFailureReason {
        /// Younger than required.
        UnderAge => "UNDER_AGE",
        /// Older than required.
        OverAge => "OVER_AGE",
        /// The estimate is too close to the threshold.
        AgeUncertain => "AGE_UNCERTAIN",
        /// The evidence does not answer the question.
        AgeNotTold => "AGE_NOT_TOLD",
        /// The date of birth is in the future, or implausibly long ago.
        NoSuchAge => "NO_SUCH_AGE",
        /// The provider does not know the person.
        NotFound => "NOT_FOUND",
        /// The provider could not be reached.
        ProviderUnavailable => "PROVIDER_UNAVAILABLE",
        /// The method is not configured.
        NotConfigured => "NOT_CONFIGURED",
        /// A response configuration of the sandbox asks for an error.
        SandboxError => "SANDBOX_ERROR",
        /// The attempt took too many turns.
        TooManyTurns => "TOO_MANY_TURNS",
        /// The head movements were not the requested ones.
        ChallengeNotMet => "CHALLENGE_NOT_MET",
        /// No live face was detected.
        LivenessNotProven => "LIVENESS_NOT_PROVEN",
        /// Too many codes were requested.
        TooManyCodes => "TOO_MANY_CODES",
        /// Too many cards were tried, or one card too often.
        TooManyCards => "TOO_MANY_CARDS",
        /// Registries and identity providers were asked too many questions.
        TooManyQuestions => "TOO_MANY_QUESTIONS",
        /// A wrong code was typed too often.
        WrongCode => "WRONG_CODE",
        /// There is no passkey, or no result is stored under it.
        NoKey => "NO_KEY",
        /// The stored result is too old.
        KeptResultTooOld => "KEPT_RESULT_TOO_OLD",
        /// The stored result is not enough for what is asked.
        KeptResultNotEnough => "KEPT_RESULT_NOT_ENOUGH",
        /// The issuer gave no blind token.
        NoToken => "NO_TOKEN",
        /// The blind token was used before.
        TokenSpent => "TOKEN_SPENT",
        /// The holder of the wallet declined, or a person took back their consent to the use of their face.
        Declined => "DECLINED",
        /// The wallet has no such credential.
        NoCredential => "NO_CREDENTIAL",
        /// The wallet reported another error.
        WalletError => "WALLET_ERROR",
        /// The issuer of the credential is not on the trust list.
        UntrustedIssuer => "UNTRUSTED_ISSUER",
        /// The credential is not valid now, or was presented too long ago.
        CredentialExpired => "CREDENTIAL_EXPIRED",
        /// The issuer revoked the credential.
        CredentialRevoked => "CREDENTIAL_REVOKED",
        /// A signature, a digest or the form of the credential is wrong.
        NotAccepted => "NOT_ACCEPTED",
        /// Who stands behind the statement of the phone's system is not enough for the session.
        SignalTooWeak => "SIGNAL_TOO_WEAK",
        /// The attestation of the app is missing, or not accepted.
        NotAttested => "NOT_ATTESTED",
        /// The document session expired or was deleted before it had a result.
        DocumentSessionEnded => "DOCUMENT_SESSION_ENDED",
        /// The document shows no date of birth.
        NoDateOfBirth => "NO_DATE_OF_BIRTH",
        /// The document has expired.
        ExpiredDocument => "EXPIRED_DOCUMENT",
        /// Parts of the document contradict each other.
        DataMismatch => "DATA_MISMATCH",
        /// The document number cannot be right.
        DocNumberInvalid => "DOC_NUMBER_INVALID",
        /// The document was tampered with.
        Tampered => "TAMPERED",
        /// It is a copy of a document.
        DocumentCopy => "DOCUMENT_COPY",
        /// The document is on a fraud list.
        FraudListMatch => "FRAUD_LIST_MATCH",
        /// The face is not the one on the document.
        DifferentPerson => "DIFFERENT_PERSON",
        /// The face looks much older or younger than the document says.
        LargeAgeGap => "LARGE_AGE_GAP",
        /// It is a photo of a photo.
        PhotoOfPhoto => "PHOTO_OF_PHOTO",
        /// No face was found.
        FaceNotFound => "FACE_NOT_FOUND",
        /// More than one face was found.
        MultipleFaces => "MULTIPLE_FACES",
        /// Documents of this country are not accepted.
        CountryNotSupported => "COUNTRY_NOT_SUPPORTED",
        /// Documents of this kind are not accepted.
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
            (5, 12, 15)
        );
        assert!(!AgeMethod::CreditCard.discloses().can_answer(AgeSessionType::Under));
    }
}
