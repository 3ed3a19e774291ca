//! `assay practice-statement`: what an operator tells the public about how ages are assured (ISO/IEC 27566-1, practice
//! statements), made of the settings in force.
//!
//! The order is that of the standard's characteristics: what is done, how well, with what left of privacy, how safely, and
//! for whom. Whatever is stated is read from the settings, the models or the program; what only the operator knows is asked
//! for by a line that says so.

use crate::{config::Config, out, services::Services};
use anyhow::Context as _;
use domain::age_verification::{AgeVerificationService, types::AgeMethod};
use std::fmt::Write as _;
use vision::model_manifest::{AgeErrorTable, ModelEntry, ModelOutput, ModelPack, ModelTask};

/// Print a practice statement after ISO/IEC 27566-1 of this server as it is set up, as Markdown.
#[derive(clap::Args)]
pub(crate) struct PracticeStatementArgs {
    /// Who answers for it: the operator's name.
    #[arg(long, value_name = "NAME")]
    operator: Option<String>,
    /// Where people complain or ask: an address.
    #[arg(long, value_name = "ADDRESS")]
    contact: Option<String>,
}

/// Ages that laws ask about, for examples.
const EXAMPLE_AGES: [i64; 5] = [13, 16, 18, 21, 25];
/// What stands where the operator has said nothing.
const NOT_STATED: &str = "(not stated; the operator adds it)";

impl PracticeStatementArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { age_verification: ages, world, .. } = Services::open_for_tool(config).await?;
        let models = config.model_settings();
        let pack =
            ModelPack::read(&models.folder).context("the models cannot be read; run `assay doctor`")?;
        let mut text = String::new();
        self.about(&mut text, config, world.now().strftime("%Y-%m-%d").to_string().as_str())?;
        function(&mut text, &ages)?;
        performance(&mut text, &ages, &pack)?;
        privacy(&mut text, &ages, config)?;
        security(&mut text, config)?;
        acceptability(&mut text, &ages)?;
        out::line(format_args!("{}", text.trim_end()));
        Ok(())
    }

    fn about(&self, text: &mut String, config: &Config, today: &str) -> std::fmt::Result {
        let said = |words: &Option<String>| words.clone().unwrap_or_else(|| NOT_STATED.to_owned());
        write!(
            text,
            "# Practice statement: age assurance\n\n\
             Made on {today} by `assay practice-statement` from the settings in force, in the order of the characteristics of \
             ISO/IEC 27566-1. It is the operator's own statement and no certificate; nobody else has examined it. It is made \
             anew whenever settings, models or the program change.\n\n\
             | | |\n|---|---|\n\
             | Operator | {} |\n\
             | Questions and complaints | {} |\n\
             | Where | {} |\n\
             | Program | Assay {} |\n\n\
             Three take part. A **business** (relying party) asks whether a person has reached an age, or how old they are. The \
             **operator** runs this server, which finds that out and answers. **Providers** are asked by the server where a \
             method needs somebody outside. The operator is to the business a processor or a party of its own, as their contract \
             says.\n\n",
            said(&self.operator),
            said(&self.contact),
            config.public_url(),
            env!("CARGO_PKG_VERSION"),
        )
    }
}

/// What kind of age assurance a method is, what it says, and whom it asks.
fn method_practice(method: AgeMethod) -> (&'static str, &'static str, &'static str) {
    match method {
        AgeMethod::AgeEstimation => {
            ("estimation", "an age, with its uncertainty, from a photo of the face", "nobody")
        }
        AgeMethod::DocScan => ("verification", "the date of birth on an identity document", "nobody"),
        AgeMethod::DigitalId => ("verification", "what a wallet's issuer has signed", "the person's wallet"),
        AgeMethod::CreditCard => {
            ("inference", "that a bank gave the person a credit card: 18", "a card provider")
        }
        AgeMethod::Mobile => ("inference", "what a network knows of a subscriber", "the mobile network"),
        AgeMethod::Email => {
            ("inference", "how long an address has been in use", "a service that knows addresses")
        }
        AgeMethod::ElectronicId => {
            ("verification", "the date of birth, or an age reached", "an identity provider")
        }
        AgeMethod::Singpass => ("verification", "the date of birth", "Singpass"),
        AgeMethod::LaWallet | AgeMethod::SocialSecurityNumber | AgeMethod::UsFloridaHb3 | AgeMethod::Cpf => {
            ("verification", "whether an age was reached", "a database of identities")
        }
        AgeMethod::SvcKey => ("an earlier result", "what was shown before, kept under a passkey", "nobody"),
        AgeMethod::DoubleAnonymity => {
            ("an earlier result", "a signed token over an age that names nobody", "a token's issuer")
        }
    }
}

fn methods() -> impl Iterator<Item = AgeMethod> {
    AgeMethod::VARIANTS.iter().filter_map(|word| word.parse().ok())
}

fn function(text: &mut String, ages: &AgeVerificationService) -> std::fmt::Result {
    text.push_str(
        "## 1. Function\n\n\
         A session asks for an age (`AGE`) or for a side of a threshold (`OVER`, `UNDER`). The business chooses methods and their \
         thresholds; the person chooses among them. A method that cannot tell is followed by the next. The business is told \
         whether the age is as asked (or the age, where it asked for it), by which method and when: nothing else of the \
         person.\n\n\
         | Method | Kind | Says | Asked |\n|---|---|---|---|\n",
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
    let sure = ages.settings().min_confidence;
    writeln!(
        text,
        "## 2. Performance\n\n\
         **Estimation.** A photo passes or fails only where the estimate makes it at least {:.1} % likely on which side of the \
         threshold the person is; between, the next method is offered.\n",
        sure * 100.0
    )?;
    if let Some((model, errors)) =
        serving_model(pack, ModelTask::Age).and_then(|model| Some((model, errors(model)?)))
    {
        described(text, model)?;
        writeln!(text, "\nStandard deviation of the error: {}\n", errors.covers)?;
        text.push_str("| Estimated from, years | Deviation, years |\n|---|---|\n");
        for band in &errors.bands {
            writeln!(text, "| {} | {:.1} |", band.from, band.st_dev)?;
        }
        text.push_str(
            "\nWhat that means for a sharp photo (what is harder to read is less sure):\n\n\
             | Asked for | Fails up to an estimate of | Passes from an estimate of |\n|---|---|---|\n",
        );
        for age in EXAMPLE_AGES {
            let [below, above] = errors.confidence_limits(age as f64, sure);
            let years =
                |years: Option<f64>| years.map_or_else(|| "never".to_owned(), |years| format!("{years:.1}"));
            writeln!(text, "| {age} | {} | {} |", years(below), years(above))?;
        }
        text.push('\n');
    }
    if let Some(model) = serving_model(pack, ModelTask::Liveness) {
        text.push_str("**Presentation attacks** (photos, displays, replays, masks). ");
        described(text, model)?;
        if let ModelOutput::PadSoftmax { thresholds, .. } | ModelOutput::PadSigmoid { thresholds, .. } =
            &model.output
        {
            writeln!(text, " A face is live from a score of {:.3} (0 to 1).", thresholds.medium)?;
        }
        text.push('\n');
    }
    text.push_str(
        "What was measured, on which pictures, how large the errors are for which groups of people, and where goals are missed \
         stands in the program's `docs/ACCURACY.md`. Those are figures of its makers on public pictures. Figures for the people \
         who come here are the operator's to measure (`assay evaluate age`, `assay evaluate antispoofing`, by group): ",
    );
    writeln!(text, "{NOT_STATED}.\n")?;
    text.push_str(
        "**Numbers and documents.** Check digits and formats are checked before anybody is asked. Documents are read, held \
         against themselves (zone, print, barcode, photo) and, where the business asks for it, against a live face, or shown to a \
         person. No feature that only a laboratory sees is examined.\n\n",
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

fn described(text: &mut String, model: &ModelEntry) -> std::fmt::Result {
    write!(text, "Model `{}`", model.id)?;
    if let Some(file) = &model.file {
        write!(text, " (SHA-256 `{}`)", file.sha256)?;
    }
    if model.experimental {
        text.push_str(", which its makers call experimental");
    }
    write!(text, ". Trained on: {}.", model.training_data)
}

fn privacy(text: &mut String, ages: &AgeVerificationService, config: &Config) -> std::fmt::Result {
    let settings = ages.settings();
    let days = |duration: base::SignedDuration| duration.as_hours() / 24;
    write!(
        text,
        "## 3. Privacy\n\n\
         | What | Kept |\n|---|---|\n\
         | Photos of faces, frames, what is computed from them | while the turn is answered, in memory |\n\
         | Card, phone, tax and security numbers, addresses, names, dates of birth | while the turn is answered, in memory |\n\
         | What a method must remember until the next turn | sealed, at the person's browser |\n\
         | Pictures of documents | sealed, until the age is known; then deleted with all that was read of them |\n\
         | The session: what was asked, tried and found out; an age only where one was asked for | sealed, {} days |\n\
         | A result under a passkey, where the person wants it: no name, no business, no session | {} days; the person can \
         delete it |\n\
         | Logs | requests by number, time and outcome; no address of a person, nothing that was typed or shown |\n\n",
        days(settings.session_retention),
        days(settings.stored_result_retention),
    )?;
    text.push_str(
        "Consent is asked for before a face is looked at, unless the business has it already and says so; who declines is offered \
         the other methods. The business learns the answer, not the evidence. Nothing is used to train models. Providers learn \
         what the method needs and the operator's name, never the business's.\n\n",
    );
    let located = config.locations.header.is_some() || config.locations.geoip.is_some();
    text.push_str(if located {
        "Where a business does not offer this everywhere, the caller's country is looked up at each call and not kept.\n\n"
    } else {
        "Where people are is not looked up.\n\n"
    });
    Ok(())
}

fn security(text: &mut String, config: &Config) -> std::fmt::Result {
    text.push_str(
        "## 4. Security\n\n\
         - Rows, files and what travels through browsers are sealed with AES-256-GCM under keys of this installation.\n\
         - A photo is taken by a page that proves when and where it was made (secure capture); its age is bounded, and it counts \
         once. With `ACTIVE` the person moves the head as chance says.\n\
         - One-time codes have six digits, ten minutes and five tries. Attempts are counted and limited.\n\
         - Answers to businesses are signed (RSASSA-PSS with SHA-256 and Standard Webhooks).\n\
         - Everything from outside is bounded in size, time and memory before it is read; videos and PDF files are opened in \
         processes that may do nothing else.\n\
         - A business sees its own sessions only.\n",
    );
    let perhaps = if config.public_url().starts_with("https://") {
        "- The server is reached by https."
    } else {
        "- **The server's address is not https**: what people type can be read on the way. This must not serve the public."
    };
    writeln!(text, "{perhaps}\n")
}

fn acceptability(text: &mut String, ages: &AgeVerificationService) -> std::fmt::Result {
    let biometric = |method: &AgeMethod| *method == AgeMethod::AgeEstimation;
    let others =
        methods().filter(|method| !biometric(method) && ages.available_methods(false).supports(*method));
    write!(
        text,
        "## 5. Acceptability\n\n\
         The page is in Arabic, English, French, German, Polish and Spanish. It is worked by keyboard and screen reader, in \
         light and dark, and its tests hold it to WCAG 2.2 AA as far as a program can tell. Methods that are set up here besides a photo of the face: \
         {}; which of them a person finds is the business's choice. Estimates are worse for some groups of people than for others \
         (see above): whoever is estimated wrongly is offered another method, never refused for good by a single doubtful \
         photo.\n\n\
         Whoever thinks that an answer is wrong may try again where the business allows it, and complain at the address above.\n",
        others.count(),
    )
}
