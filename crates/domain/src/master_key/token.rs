//! A master key in a token: a hardware security module, or anything else with a PKCS #11 library. The key never leaves it;
//! the token wraps and unwraps data keys (AES-256-GCM).

use super::{
    KeyAdoption, KeyFingerprint, MasterKey, MasterKeyError, MasterKeyProvider, NextKeyRequest,
    file::read_private_file, secret_key,
};
use crate::keyring::KEY_BYTES;
use base::{Environment, Secret};
use cryptoki::{
    context::{CInitializeArgs, CInitializeFlags, Pkcs11},
    error::{Error, RvError},
    mechanism::{Mechanism, aead::GcmParams},
    object::{Attribute, KeyType, ObjectClass, ObjectHandle},
    session::{Session, UserType},
    types::AuthPin,
};
use serde::{Deserialize, Serialize};
use std::{
    fmt::{Debug, Formatter},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

const IV_BYTES: usize = 12;
const TAG_BITS: u64 = 128;
/// What is encrypted to recognise a key. Nothing else is with this initialisation vector, which chance does not meet again.
const FINGERPRINT_PLAINTEXT: [u8; 16] = *b"assay/master key";
const FINGERPRINT_IV: [u8; IV_BYTES] = [0; IV_BYTES];

/// The settings `secrets.pkcs11.*`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TokenSettings {
    /// The PKCS #11 library of the token's maker.
    pub module: PathBuf,
    /// The label of the token.
    pub token: String,
    /// The label of the key in it: AES, 256 bits, for encrypting and decrypting. A rotation makes another of the same label.
    pub key: String,
    /// A file with the user's PIN, readable for its owner alone.
    pub pin_file: PathBuf,
}

/// The master key is in a token.
pub struct TokenProvider {
    token: Arc<Token>,
}

impl Debug for TokenProvider {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TokenProvider").field(&self.token.settings).finish()
    }
}

/// An open library. Its calls are made one after the other, each in a session of its own.
struct Token {
    settings: TokenSettings,
    library: Mutex<Pkcs11>,
}

/// A key in a token.
struct TokenKey {
    token: Arc<Token>,
    fingerprint: KeyFingerprint,
}

impl Debug for TokenKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TokenKey").field(&self.fingerprint).finish()
    }
}

/// An error of the token while it did `what`.
fn failed(what: &'static str) -> impl Fn(Error) -> MasterKeyError {
    move |cause| MasterKeyError::Token { what, cause: cause.to_string() }
}

impl TokenProvider {
    /// Loads the library.
    pub fn open(settings: TokenSettings) -> Result<Self, MasterKeyError> {
        let library = Pkcs11::new(&settings.module).map_err(failed("loading secrets.pkcs11.module"))?;
        match library.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)) {
            // By another provider of this process.
            Ok(()) | Err(Error::Pkcs11(RvError::CryptokiAlreadyInitialized, _)) => {}
            Err(error) => return Err(failed("initialising the library")(error)),
        }
        Ok(Self { token: Arc::new(Token { settings, library: Mutex::new(library) }) })
    }
}

impl Token {
    /// Calls `act` in a session of the user's.
    fn with_session<T>(
        &self,
        act: impl FnOnce(&Session) -> Result<T, MasterKeyError>,
    ) -> Result<T, MasterKeyError> {
        let library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        let slots = library.get_slots_with_token().map_err(failed("listing tokens"))?;
        let has_label = |slot: &cryptoki::slot::Slot| {
            library.get_token_info(*slot).is_ok_and(|info| info.label() == self.settings.token)
        };
        let slot = slots.into_iter().find(has_label).ok_or_else(|| MasterKeyError::Token {
            what: "looking for the token",
            cause: format!("none has the label {:?} (secrets.pkcs11.token)", self.settings.token),
        })?;
        let session = library.open_rw_session(slot).map_err(failed("opening a session"))?;
        match session.login(UserType::User, Some(&self.read_pin()?)) {
            Ok(()) | Err(Error::Pkcs11(RvError::UserAlreadyLoggedIn, _)) => {}
            Err(error) => return Err(failed("logging in with the PIN of secrets.pkcs11.pin_file")(error)),
        }
        act(&session)
    }

    fn read_pin(&self) -> Result<AuthPin, MasterKeyError> {
        let path = &self.settings.pin_file;
        let unreadable = |cause| MasterKeyError::Token {
            what: "reading secrets.pkcs11.pin_file",
            cause: format!("{} {cause}", path.display()),
        };
        let text = read_private_file(path, true)?.ok_or_else(|| unreadable("does not exist".to_owned()))?;
        let pin = std::str::from_utf8(text.trimmed());
        Ok(AuthPin::new(pin.map_err(|error| unreadable(error.to_string()))?.into()))
    }

    fn template(&self) -> [Attribute; 3] {
        [
            Attribute::Class(ObjectClass::SECRET_KEY),
            Attribute::KeyType(KeyType::AES),
            Attribute::Label(self.settings.key.clone().into_bytes()),
        ]
    }

    /// The keys with the label, and their fingerprints.
    fn find_keys(&self, session: &Session) -> Result<Vec<(ObjectHandle, KeyFingerprint)>, MasterKeyError> {
        let handles = session.find_objects(&self.template()).map_err(failed("looking for the key"))?;
        handles.into_iter().map(|handle| Ok((handle, fingerprint(session, handle)?))).collect()
    }

    fn generate_key(&self, session: &Session) -> Result<KeyFingerprint, MasterKeyError> {
        let [class, kind, label] = self.template();
        let template = [
            class,
            kind,
            label,
            Attribute::ValueLen((KEY_BYTES as u64).into()),
            Attribute::Token(true),
            Attribute::Private(true),
            Attribute::Sensitive(true),
            Attribute::Extractable(false),
            Attribute::Encrypt(true),
            Attribute::Decrypt(true),
        ];
        let handle =
            session.generate_key(&Mechanism::AesKeyGen, &template).map_err(failed("making a key"))?;
        fingerprint(session, handle)
    }
}

fn fingerprint(session: &Session, key: ObjectHandle) -> Result<KeyFingerprint, MasterKeyError> {
    let sealed = encrypt(session, key, &mut FINGERPRINT_IV.clone(), b"fingerprint", &FINGERPRINT_PLAINTEXT)?;
    let hash = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, &sealed);
    Ok(KeyFingerprint::of(hash.as_ref()))
}

/// The ciphertext with its tag. A token that insists on a vector of its own writes it to `iv`.
fn encrypt(
    session: &Session,
    key: ObjectHandle,
    iv: &mut [u8],
    aad: &[u8],
    plain: &[u8],
) -> Result<Vec<u8>, MasterKeyError> {
    let parameters = GcmParams::new(iv, aad, TAG_BITS.into()).map_err(failed("wrapping a data key"))?;
    session.encrypt(&Mechanism::AesGcm(parameters), key, plain).map_err(failed("wrapping a data key"))
}

impl TokenKey {
    /// Calls `act` with this key.
    fn with_handle<T>(
        &self,
        act: impl FnOnce(&Session, ObjectHandle) -> Result<T, MasterKeyError>,
    ) -> Result<T, MasterKeyError> {
        self.token.with_session(|session| {
            let keys = self.token.find_keys(session)?;
            let own = keys.into_iter().find(|(_, fingerprint)| *fingerprint == self.fingerprint);
            let (handle, _) = own.ok_or_else(|| MasterKeyError::Token {
                what: "looking for the key",
                cause: format!("key {} is no longer in the token", self.fingerprint),
            })?;
            act(session, handle)
        })
    }
}

impl MasterKey for TokenKey {
    fn fingerprint(&self) -> &KeyFingerprint {
        &self.fingerprint
    }

    fn wrap_key(
        &self,
        environment: &dyn Environment,
        aad: &[u8],
        data_key: &Secret<[u8; KEY_BYTES]>,
    ) -> Result<Vec<u8>, MasterKeyError> {
        let mut iv = [0; IV_BYTES];
        environment.fill_random(&mut iv);
        let sealed =
            self.with_handle(|session, handle| encrypt(session, handle, &mut iv, aad, data_key.expose()))?;
        Ok([&iv[..], &sealed].concat())
    }

    fn unwrap_key(&self, aad: &[u8], wrapped: &[u8]) -> Result<Secret<[u8; KEY_BYTES]>, MasterKeyError> {
        let damaged = || MasterKeyError::Damaged(self.fingerprint.clone());
        let (iv, sealed) = wrapped.split_at_checked(IV_BYTES).ok_or_else(damaged)?;
        let mut iv = iv.to_vec();
        let opened = self.with_handle(|session, handle| {
            let parameters =
                GcmParams::new(&mut iv, aad, TAG_BITS.into()).map_err(failed("unwrapping a data key"))?;
            // Tokens differ in how they say that a tag is wrong.
            Ok(session.decrypt(&Mechanism::AesGcm(parameters), handle, sealed).ok().map(Secret::new))
        })?;
        secret_key(opened).ok_or_else(damaged)
    }

    fn bytes(&self) -> Option<&Secret<[u8; KEY_BYTES]>> {
        None
    }
}

impl MasterKeyProvider for TokenProvider {
    fn place(&self) -> String {
        let TokenSettings { token, key, .. } = &self.token.settings;
        format!("the token {token:?} (keys with the label {key:?})")
    }

    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError> {
        let found = self.token.with_session(|session| self.token.find_keys(session))?;
        Ok(found.into_iter().map(|(_, fingerprint)| self.key(fingerprint)).collect())
    }

    fn create(&self, _: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        let fingerprint =
            self.token.with_session(|session| match self.token.find_keys(session)?.into_iter().next() {
                Some((_, fingerprint)) => Ok(fingerprint),
                None => self.token.generate_key(session),
            })?;
        Ok(self.key(fingerprint))
    }

    fn prepare_next(
        &self,
        _: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        if request.file.is_some() {
            return Err(MasterKeyError::NextKeyRefused);
        }
        let fingerprint = self.token.with_session(|session| {
            let found = self.token.find_keys(session)?;
            match found.into_iter().find(|(_, fingerprint)| !request.known.contains(fingerprint)) {
                Some((_, fingerprint)) => Ok(fingerprint),
                None => self.token.generate_key(session),
            }
        })?;
        Ok(self.key(fingerprint))
    }

    /// The new key is in the token, beside the former one.
    fn adopt_next(
        &self,
        former: &KeyFingerprint,
        next: &KeyFingerprint,
    ) -> Result<KeyAdoption, MasterKeyError> {
        if self.load()?.iter().any(|key| key.fingerprint() == next) {
            return Ok(KeyAdoption::InPlace(None));
        }
        Err(MasterKeyError::NotInPlace { place: self.place(), former: former.clone(), next: next.clone() })
    }
}

impl TokenProvider {
    fn key(&self, fingerprint: KeyFingerprint) -> Arc<dyn MasterKey> {
        Arc::new(TokenKey { token: self.token.clone(), fingerprint })
    }
}
