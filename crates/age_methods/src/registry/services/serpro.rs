//! Serpro's Consulta CPF (`consulta-cpf-df`, version 2): the register of taxpayers of Brazil's federal revenue. It knows the
//! date of birth, and says of minors only that they are, which is evidence about nobody: what was typed beside the number cannot
//! be compared.

use super::{ServiceContext, not_answered};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    registry::{CpfHolder, RegistrySubject},
    settings::{callable_url, read_secret},
    ttl_cache::TtlCache,
};
use base::{Environment, Secret, SignedDuration};
use jiff::civil::Date;
use media::fetch::{BufferedResponse, Fetcher};
use serde::Deserialize;
use std::{path::PathBuf, sync::Arc};
use zeroize::Zeroizing;

const SERPRO_LABEL: &str = "Serpro";
/// The longest that a token is used, and how long before its end it is replaced, seconds.
const TOKEN_SECONDS: i64 = 3600;
const TOKEN_MARGIN_SECONDS: i64 = 30;
/// `situacao.codigo` of taxpayers who can be asked about: regular, and those who owe a declaration.
const VALID_STATES: [&str; 2] = ["0", "4"];
/// Words between names.
const PARTICLES: [&str; 6] = ["de", "da", "do", "das", "dos", "e"];

/// How to reach Serpro.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct SerproSettings {
    /// The consumer key of the contract.
    pub consumer_key: String,
    /// A file with the consumer secret.
    pub consumer_secret_file: PathBuf,
    #[serde(default = "serpro_url")]
    pub url: String,
    #[serde(default = "serpro_token_url")]
    pub token_url: String,
}

fn serpro_url() -> String {
    "https://gateway.apiserpro.serpro.gov.br/consulta-cpf-df/v2".to_owned()
}

fn serpro_token_url() -> String {
    "https://gateway.apiserpro.serpro.gov.br/token".to_owned()
}

#[derive(Debug)]
pub(in crate::registry) struct SerproClient {
    context: ServiceContext,
    url: String,
    token_url: String,
    consumer_key: String,
    consumer_secret: Secret<String>,
    token: TtlCache<Secret<String>>,
}

#[derive(Deserialize)]
struct SerproToken {
    access_token: Secret<String>,
    expires_in: Option<i64>,
}

#[derive(Deserialize)]
struct Taxpayer {
    ni: Secret<String>,
    nome: Secret<String>,
    /// Day, month and year, eight digits.
    nascimento: Secret<String>,
    situacao: TaxpayerState,
}

#[derive(Deserialize)]
struct TaxpayerState {
    codigo: String,
}

impl SerproClient {
    pub(in crate::registry) fn open(
        settings: &SerproSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self {
            context: ServiceContext { fetcher: fetcher.clone(), environment: environment.clone() },
            url: callable_url("url", fetcher, &settings.url)?.trim_end_matches('/').to_owned(),
            token_url: callable_url("token_url", fetcher, &settings.token_url)?,
            consumer_key: settings.consumer_key.clone(),
            consumer_secret: read_secret("consumer_secret_file", &settings.consumer_secret_file)?,
            token: TtlCache::new(environment),
        })
    }

    pub(in crate::registry) async fn ask(
        &self,
        subject: &RegistrySubject,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let RegistrySubject::Cpf(holder) = subject else { return Err(not_answered(subject)) };
        let token = self.token().await?;
        let mut answered = self.look_up(&token, holder).await?;
        if answered.status == 401 {
            self.token.invalidate_if(|kept, _| *kept == token).await;
            answered = self.look_up(&self.token().await?, holder).await?;
        }
        match answered.status {
            // 206: the date of registration is missing, which is not needed.
            200 | 206 => self.judge(&http_client::parse_json(SERPRO_LABEL, &answered)?, holder),
            400 => Err(AgeMethodError::invalid("cpf")),
            // 422 and 451: the number is a minor's, and nothing says that it was the minor who typed it. An adult with a child's
            // number would pass as the child, or fail for good in its place.
            404 | 422 | 451 => Err(unknown()),
            _ => Err(http_client::unexpected_status(SERPRO_LABEL, &answered)),
        }
    }

    async fn look_up(
        &self,
        token: &Secret<String>,
        holder: &CpfHolder,
    ) -> Result<BufferedResponse, AgeMethodError> {
        let mut call = http_client::get_call();
        let bearer = Zeroizing::new(format!("Bearer {}", token.expose()));
        http_client::secret_header(&mut call, &http_client::AUTHORIZATION, &bearer)?;
        let url = Zeroizing::new(format!("{}/cpf/{}", self.url, holder.cpf()));
        http_client::send(&self.context.fetcher, SERPRO_LABEL, &url, call).await
    }

    /// The date of birth, if number, name and date are those of one person.
    fn judge(&self, known: &Taxpayer, holder: &CpfHolder) -> Result<AgeEvidence, AgeMethodError> {
        let born = parse_day(known.nascimento.expose());
        let born = born.ok_or_else(|| AgeMethodError::unavailable("Serpro's answer has no date of birth"))?;
        let is_theirs = known.ni.expose() == holder.cpf()
            && born == holder.person().date_of_birth()
            && has_words(known.nome.expose(), holder.person().full_name());
        if !is_theirs || !VALID_STATES.contains(&known.situacao.codigo.as_str()) {
            return Err(unknown());
        }
        Ok(AgeEvidence::new(
            AgeAttribute::DateOfBirth(born),
            Some(self.context.environment.uuid_v4().to_string()),
        ))
    }

    async fn token(&self) -> Result<Secret<String>, AgeMethodError> {
        self.token.get_or_fetch(async || self.fetch_token().await).await
    }

    async fn fetch_token(&self) -> Result<(Secret<String>, SignedDuration), AgeMethodError> {
        let basic = http_client::basic_auth(&self.consumer_key, &self.consumer_secret);
        let form = http_client::form_body(&[("grant_type", "client_credentials")]);
        let mut call = http_client::post_call(form, http_client::FORM_CONTENT_TYPE);
        http_client::secret_header(&mut call, &http_client::AUTHORIZATION, &basic)?;
        let answered = http_client::send(&self.context.fetcher, SERPRO_LABEL, &self.token_url, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(SERPRO_LABEL, &answered));
        }
        let granted: SerproToken = http_client::parse_json(SERPRO_LABEL, &answered)?;
        let seconds = granted.expires_in.unwrap_or(2 * TOKEN_MARGIN_SECONDS);
        let seconds = seconds.clamp(TOKEN_MARGIN_SECONDS, TOKEN_SECONDS) - TOKEN_MARGIN_SECONDS;
        Ok((granted.access_token, SignedDuration::from_secs(seconds)))
    }
}

fn unknown() -> AgeMethodError {
    AgeMethodError::inconclusive("Serpro knows no such taxpayer, or other data of them")
}

fn parse_day(text: &str) -> Option<Date> {
    if text.len() != 8 || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |from: usize, to: usize| text[from..to].parse().ok();
    Date::new(text[4..].parse().ok()?, part(2, 4)?, part(0, 2)?).ok()
}

/// Whether a name begins as that of the register does and ends with one of its further names. Somebody with one name has no
/// other to give. The register writes names in capitals and may leave accents out.
fn has_words(known: &str, claimed: &str) -> bool {
    let names = |full_name: &str| -> Vec<String> {
        let words = full_name.split_whitespace().map(plain);
        words.filter(|word| !PARTICLES.contains(&word.as_str())).collect()
    };
    match (&names(known)[..], &names(claimed)[..]) {
        ([known], claimed) => claimed == std::slice::from_ref(known),
        ([first, others @ ..], [claimed, .., last]) => first == claimed && others.contains(last),
        _ => false,
    }
}

/// A word in capitals without the accents of Portuguese.
fn plain(word: &str) -> String {
    let letter = |letter: char| match letter {
        'á' | 'à' | 'â' | 'ã' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'ì' | 'î' | 'ï' => 'i',
        'ó' | 'ò' | 'ô' | 'õ' | 'ö' => 'o',
        'ú' | 'ù' | 'û' | 'ü' => 'u',
        'ç' => 'c',
        'ñ' => 'n',
        other => other,
    };
    word.to_lowercase().chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_names_are_read_as_the_register_writes_them() {
        assert_eq!(parse_day("24011980"), Some(jiff::civil::date(1980, 1, 24)));
        for bad in ["", "24011", "2401198x", "31021980", "١٢٣٤٥٦٧٨"] {
            assert_eq!(parse_day(bad), None, "{bad}");
        }
        assert!(has_words("LEONARDO DE ALMEIDA DIAS", "Leonardo Dias"));
        assert!(has_words("JOAO DA CONCEICAO", "João Conceição"));
        assert!(
            !has_words("LEONARDO DE ALMEIDA DIAS", "Ana Dias") && !has_words("LEONARDO DIAS", "Dias Souza")
        );
        for short in ["Leonardo", "Leonardo de", "Leonardo Leonardo", "de", ""] {
            assert!(!has_words("LEONARDO DE ALMEIDA DIAS", short), "{short}");
        }
        assert!(has_words("MARIA MARIA", "Maria Maria") && !has_words("MARIA MARIA", "Maria"));
        assert!(has_words("RAONI", "Raoni") && !has_words("RAONI", "Raoni Dias") && !has_words("", ""));
    }
}
