//! `assay practice-statement`: an operator's public statement of how ages are assured (ISO/IEC 27566-1, practice statements),
//! generated from the settings in force.
//!
//! The sections are the standard's characteristics: function, performance, privacy, security, acceptability. Everything
//! stated comes from the settings, the models or the program; a placeholder marks what only the operator knows.

use crate::{config::Config, out};
use anyhow::Context as _;
use domain::{
    age_verification::{AgeVerificationService, AttemptLimits, types::AgeMethod},
    retention::{RetentionRule, RetentionSettings},
};
use services::Services;
use std::fmt::Write as _;
use vision::model_manifest::{AgeErrorTable, ModelEntry, ModelOutput, ModelPack, ModelTask};

/// Print a practice statement according to ISO/IEC 27566-1, from the settings in force, as Markdown.
#[derive(clap::Args)]
pub(crate) struct PracticeStatementArgs {
    /// The operator's name.
    #[arg(long, value_name = "NAME")]
    operator: Option<String>,
    /// The address for questions and complaints.
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
}

/// Ages in laws, as examples.
const EXAMPLE_AGES: [i64; 5] = [13, 16, 18, 21, 25];
/// The confidence in the example if the operator has set none.
const EXAMPLE_CONFIDENCE: f64 = 0.95;
/// The age model that the figures below are of.
const MEASURED_MODEL: &str = "age-pair-1";
/// What `assay evaluate age --relaxed --rate 0.05` measured at each threshold on the portraits of `docs/ACCURACY.md`.
const MEASURED_AT_THRESHOLDS: &str = "
What both let through and refuse, measured by the program's makers on 212 portraits of adults of 33 to 86 years in studio light \
(in brackets: 95 % intervals):

| Threshold | Younger people who pass, compared | with a confidence of 0.95 | Others who do not pass, compared | with a confidence of 0.95 |
|---|---|---|---|---|
| 25 | nobody is younger | nobody is younger | 0 % of 212 (0 to 1.8) | 3.3 % of 212 (1.6 to 6.7) |
| 30 | nobody is younger | nobody is younger | 0.5 % of 212 (0.1 to 2.6) | 8.5 % of 212 (5.4 to 13) |
| 40 | 52 % of 25 (34 to 70) | 16 % of 25 (6 to 35) | 5.9 % of 187 (3.3 to 10) | 24 % of 187 (19 to 31) |
| 50 | 21 % of 76 (13 to 32) | 2.6 % of 76 (0.7 to 9.1) | 9.6 % of 136 (5.7 to 16) | 44 % of 136 (36 to 52) |

**Nobody under 33 was measured.** How many minors pass at 18, and how many people of 18 to 32 years do not, is not known, with a \
confidence or without one.

";
/// In their place for other models.
const NOT_MEASURED: &str = "
What both let through and refuse was not measured for this model.

";
/// The placeholder for what the operator has not stated.
const NOT_STATED: &str = "(not stated; to be added by the operator)";

impl PracticeStatementArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { age_verification: ages, environment, retention, .. } =
            config.open_services_for_settings().await?;
        let models = config.model_settings();
        let pack =
            ModelPack::read(&models.folder).context("the models cannot be read; run `assay doctor`")?;
        let mut text = String::new();
        self.about(&mut text, config, environment.now().strftime("%Y-%m-%d").to_string().as_str())?;
        function(&mut text, &ages)?;
        performance(&mut text, &ages, &pack)?;
        privacy(&mut text, &ages, config)?;
        writeln!(text, "{}", retention_table(&retention))?;
        security(&mut text, config)?;
        acceptability(&mut text, &ages)?;
        out::line(format_args!("{}", text.trim_end()));
        Ok(())
    }

    fn about(&self, text: &mut String, config: &Config, today: &str) -> std::fmt::Result {
        let or_placeholder = |text: &Option<String>| text.clone().unwrap_or_else(|| NOT_STATED.to_owned());
        write!(
            text,
            "# Practice statement: age assurance\n\n\
             Generated on {today} by `assay practice-statement` from the settings in force, in the order of the characteristics \
             of ISO/IEC 27566-1. It is the operator's own statement, not a certificate; nobody else has examined it. It is \
             generated again whenever settings, models or the program change.\n\n\
             | | |\n|---|---|\n\
             | Operator | {} |\n\
             | Questions and complaints | {} |\n\
             | Where | {} |\n\
             | Program | Assay {} |\n\n\
             Three parties take part. A **business** (relying party) asks whether a person has reached an age, or how old they \
             are. The **operator** runs this server, which finds out and answers. **Providers** are asked by the server if a \
             method needs an outside service. Whether the operator acts as the business's processor or in its own right is for \
             their contract to say.\n\n",
            or_placeholder(&self.operator),
            or_placeholder(&self.contact),
            config.public_url(),
            env!("CARGO_PKG_VERSION"),
        )
    }
}

/// The kind of age assurance that a method is, what it finds out, and whom it asks.
fn method_practice(method: AgeMethod) -> (&'static str, &'static str, &'static str) {
    match method {
        AgeMethod::AgeEstimation => {
            ("estimation", "an age, with its uncertainty, from a photo of the face", "nobody")
        }
        AgeMethod::DocScan => ("verification", "the date of birth on an identity document", "nobody"),
        AgeMethod::DigitalId => ("verification", "what a wallet's issuer has signed", "the person's wallet"),
        AgeMethod::CreditCard => {
            ("inference", "that the person has a credit card, which implies an age of 18", "a card provider")
        }
        AgeMethod::Mobile => ("inference", "what a network knows of a subscriber", "the mobile network"),
        AgeMethod::Email => {
            ("inference", "how long an address has been in use", "a service that knows addresses")
        }
        AgeMethod::ElectronicId => {
            ("verification", "the date of birth, or an age reached", "an identity provider")
        }
        AgeMethod::Singpass => ("verification", "the date of birth", "Singpass"),
        AgeMethod::LaWallet => (
            "verification",
            "whether an age was reached, as the holder agrees to tell",
            "LA Wallet, through a service",
        ),
        AgeMethod::SocialSecurityNumber | AgeMethod::UsFloridaHb3 | AgeMethod::Cpf => {
            ("verification", "whether an age was reached", "a database of identities")
        }
        AgeMethod::SvcKey => ("an earlier result", "what was shown before, stored under a passkey", "nobody"),
        AgeMethod::DeviceSignal => (
            "self-declaration, or verification by the platform",
            "the age band that a phone's system states",
            "the business's app, for which the phone's platform vouches",
        ),
        AgeMethod::DoubleAnonymity => {
            ("an earlier result", "a signed token that states an age and names nobody", "a token's issuer")
        }
    }
}

fn methods() -> impl Iterator<Item = AgeMethod> {
    AgeMethod::VARIANTS.iter().filter_map(|word| word.parse().ok())
}

fn function(text: &mut String, ages: &AgeVerificationService) -> std::fmt::Result {
    text.push_str(
        "## 1. Function\n\n\
         A session asks for an age (`AGE`) or for one side of a threshold (`OVER`, `UNDER`). The business chooses methods and \
         their thresholds; the person chooses among them. If a method cannot decide, the next is offered. The business learns \
         whether the age is as asked (or the age itself, if it asked for that), by which method and when, and nothing else about \
         the person.\n\n\
         | Method | Kind | Finds out | Who is asked |\n|---|---|---|---|\n",
    );
    let (set_up, not): (Vec<AgeMethod>, Vec<AgeMethod>) =
        methods().partition(|method| ages.available_methods(false).supports(*method));
    for method in set_up {
        let (kind, says, asked) = method_practice(method);
        writeln!(text, "| `{}` | {kind} | {says} | {asked} |", method.block_name())?;
    }
    if !not.is_empty() {
        let names: Vec<_> = not.iter().map(|method| format!("`{}`", method.block_name())).collect();
        writeln!(text, "\nNot set up here, and never offered: {}.", names.join(", "))?;
    }
    text.push('\n');
    Ok(())
}

fn performance(text: &mut String, ages: &AgeVerificationService, pack: &ModelPack) -> std::fmt::Result {
    let confidence = ages.settings().estimate_confidence;
    text.push_str(
        "## 2. Performance\n\n\
         **Estimation.** A photo passes if the estimate is on the side of the threshold that was asked for. One on the other side \
         proves no age: another method may be used, and without another the session fails. The business chooses the threshold \
         (`threshold`) and can add a buffer to the age that it means. It can also ask for a confidence (`confidence`): then a photo \
         passes or fails only if the estimate and its deviation make it at least as certain, and is undecided otherwise. ",
    );
    match confidence {
        Some(confidence) => {
            writeln!(text, "A session that names none has the operator's: {:.1} %.\n", confidence * 100.0)?;
        }
        None => text.push_str("The operator has set none for sessions that name none.\n\n"),
    }
    if let Some((model, errors)) =
        serving_model(pack, ModelTask::Age).and_then(|model| Some((model, errors(model)?)))
    {
        describe_model(text, model)?;
        if let Ok(Some(other)) = pack.averaged_model(model) {
            text.push_str(" Averaged with it: ");
            describe_model(text, other)?;
        }
        writeln!(text, "\nStandard deviation of the error: {}\n", errors.covers)?;
        text.push_str("| Estimated from, years | Deviation, years |\n|---|---|\n");
        for band in &errors.bands {
            writeln!(text, "| {} | {:.1} |", band.from, band.st_dev)?;
        }
        let confidence = confidence.unwrap_or(EXAMPLE_CONFIDENCE);
        writeln!(
            text,
            "\nWhat that means for a sharp photo (the estimate from a worse one is less certain):\n\n\
             | Threshold | Compared: passes from an estimate of | With a confidence of {confidence}: passes from | fails up to |\n\
             |---|---|---|---|"
        )?;
        for age in EXAMPLE_AGES {
            let [below, above] = errors.confidence_limits(age as f64, confidence);
            let years =
                |years: Option<f64>| years.map_or_else(|| "never".to_owned(), |years| format!("{years:.1}"));
            writeln!(text, "| {age} | {age}.0 | {} | {} |", years(above), years(below))?;
        }
        text.push_str(if model.id == MEASURED_MODEL { MEASURED_AT_THRESHOLDS } else { NOT_MEASURED });
    }
    if let Some(model) = serving_model(pack, ModelTask::Liveness) {
        text.push_str("**Presentation attacks** (photos, displays, replays, masks). ");
        describe_model(text, model)?;
        if let ModelOutput::PadSoftmax { thresholds, .. } | ModelOutput::PadSigmoid { thresholds, .. } =
            &model.output
        {
            writeln!(text, " A face counts as live from a score of {:.3} (0 to 1).", thresholds.medium)?;
        }
        text.push('\n');
    }
    text.push_str(
        "The program's `docs/ACCURACY.md` says what was measured, on which pictures, how large the errors are for different groups \
         of people, and which goals are missed. Those are its makers' figures, on public pictures. Figures for the people who use \
         this service are for the operator to measure (`assay evaluate age`, `assay evaluate antispoofing`, by group): ",
    );
    writeln!(text, "{NOT_STATED}.\n")?;
    text.push_str(
        "**Numbers and documents.** Check digits and formats are checked before anybody is asked. Documents are read, checked for \
         consistency (zone, print, barcode, photo) and, if the business asks for it, compared with a live face or shown to a \
         reviewer. No feature that only a laboratory can see is examined.\n\n",
    );
    Ok(())
}

fn serving_model(pack: &ModelPack, task: ModelTask) -> Option<&ModelEntry> {
    let id = pack.serves.get(&task)?;
    pack.models.iter().find(|model| model.id == *id)
}

fn errors(model: &ModelEntry) -> Option<&AgeErrorTable> {
    match &model.output {
        ModelOutput::AgeScalar { errors, .. } | ModelOutput::AgeSoftmax { errors, .. } => Some(errors),
        _ => None,
    }
}

fn describe_model(text: &mut String, model: &ModelEntry) -> std::fmt::Result {
    write!(text, "Model `{}`", model.id)?;
    if let Some(file) = &model.file {
        write!(text, " (SHA-256 `{}`)", file.sha256)?;
    }
    if model.experimental {
        text.push_str(", which its makers call experimental");
    }
    write!(text, ". Trained on: {}.", model.training_data)
}

fn whole_days(duration: base::SignedDuration) -> i64 {
    duration.as_hours() / 24
}

fn privacy(text: &mut String, ages: &AgeVerificationService, config: &Config) -> std::fmt::Result {
    let settings = ages.settings();
    write!(
        text,
        "## 3. Privacy\n\n\
         | What | Kept |\n|---|---|\n\
         | Photos of faces, frames, and what is computed from them, except for what the session keeps (below) | while the turn is \
         answered, in memory |\n\
         | Card, phone, tax and security numbers, addresses, names, dates of birth | while the turn is answered, in memory |\n\
         | That a recipient got codes, or a card was asked about: how often, under a keyed hash | 24 hours |\n\
         | What a method must remember until the next turn | encrypted, in the person's browser |\n\
         | Pictures of documents | encrypted, until the age is known; then deleted with everything that was read from them |\n\
         | The session: what was asked, tried and found out; an age only if one was asked for; of an estimate that did not pass, the \
         years and the 80 % interval, for an appeal | encrypted, {} days after the session expires |\n\
         | A result under a passkey, if the person wants it: no name, no business, no session | {} days; the person can \
         delete it |\n\
         | Logs | requests by number, time and outcome; no address of a person, nothing that was typed or shown |\n\n",
        whole_days(settings.session_retention),
        whole_days(settings.stored_result_retention),
    )?;
    text.push_str(
        "Consent is asked for before a face is analysed, unless the business already has it and says so; people who decline are \
         offered the other methods. The business learns the answer, not the evidence. Nothing is used to train models. Providers \
         learn what the method needs and the operator's name, never the business's.\n\n",
    );
    let located = config.locations.location_header.is_some() || config.locations.geoip_database.is_some();
    text.push_str(if located {
        "If a business does not offer this everywhere, the caller's country is looked up at each call and not stored.\n\n"
    } else {
        "People's location is not looked up.\n\n"
    });
    Ok(())
}

/// What is known of people, where it is, how long it is kept, and by which setting: a table in Markdown.
pub(super) fn retention_table(settings: &RetentionSettings) -> String {
    let mut text = "| What | Where | Kept | Setting |\n|---|---|---|---|\n".to_owned();
    for RetentionRule { kind, tables, elsewhere, period, setting } in settings.rules() {
        let tables = tables.iter().map(|table| format!("`{table}`"));
        let places: Vec<String> = tables.chain(elsewhere.map(str::to_owned)).collect();
        let setting = setting.map(|setting| format!("`{setting}`")).unwrap_or_default();
        writeln!(text, "| {kind} | {} | {period} | {setting} |", places.join(", "))
            .expect("a String takes all text");
    }
    text
}

fn security(text: &mut String, config: &Config) -> std::fmt::Result {
    text.push_str(
        "## 4. Security\n\n\
         - Rows, files and state that is kept in browsers are encrypted with AES-256-GCM under keys of this installation.\n\
         - A photo is signed in the browser for the session that it is for (secure capture): it must be at most ten minutes old, \
         and counts once, in that session alone. That shows neither that a camera took it nor that the page was not altered. With \
         `ACTIVE` the person turns their head in random directions.\n\
         - One-time codes have six digits, and are valid for ten minutes and five tries.",
    );
    let AttemptLimits {
        codes_per_session,
        codes_per_recipient,
        cards_per_session,
        cards_per_card,
        questions_per_session,
        ..
    } = config.ages.limits;
    writeln!(
        text,
        " Codes, and questions about cards, to registries and to identity providers, are counted before they leave the \
         server: at most {codes_per_session} codes, {cards_per_session} cards and {questions_per_session} questions to \
         registries and identity providers in a session, {codes_per_recipient} codes to a recipient and {cards_per_card} \
         questions about a card in 24 hours, with further limits for ranges of numbers, countries, \
         businesses and the whole server.",
    )?;
    text.push_str(
        "\
         - Answers to businesses are signed (RSASSA-PSS with SHA-256 and Standard Webhooks).\n\
         - All input is limited in size, time and memory before it is read; videos and PDF files are opened in sandboxed \
         processes.\n\
         - A business sees only its own sessions.\n",
    );
    let transport = if config.public_url().starts_with("https://") {
        "- The server is reached over https."
    } else {
        "- **The server's address is not https**: what people type can be read in transit. It must not serve the public like this."
    };
    writeln!(text, "{transport}\n")
}

fn acceptability(text: &mut String, ages: &AgeVerificationService) -> std::fmt::Result {
    let biometric = |method: &AgeMethod| *method == AgeMethod::AgeEstimation;
    let others =
        methods().filter(|method| !biometric(method) && ages.available_methods(false).supports(*method));
    write!(
        text,
        "## 5. Acceptability\n\n\
         The page is in Arabic, English, French, German, Polish and Spanish. It can be used with a keyboard and a screen reader, in \
         light and dark mode, and is tested against WCAG 2.2 AA as far as a program can do that. Methods set up here besides a \
         photo of the face: {}; the business chooses which of them a person is offered. Estimates are worse for some groups of \
         people than for others (see above): a person whose age is estimated wrongly is offered another method if the business \
         allows one; otherwise the session fails.",
        others.count(),
    )?;
    let appeal_days = whole_days(ages.settings().appeal_window);
    if appeal_days > 0 {
        write!(
            text,
            " Within {appeal_days} days of the refusal the business can ask for an appeal, which a person decides."
        )?;
    }
    text.push_str(
        "\n\nPeople who think that an answer is wrong can try again if the business allows it, and complain at the address above.\n",
    );
    Ok(())
}
