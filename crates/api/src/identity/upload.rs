//! What a call puts in its place: the file of a form, or an upload that came in pieces before.

use super::{
    Code, Problem,
    caller::{EndUserRequest, ReceivedRequest},
};
use crate::{
    Api,
    http::{header_text, json, multipart},
};
use axum::http::header;
use base::UploadId;
use domain::identity::{NotDone, Upload, words::CaptureMethod};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ObjectBuilder, Ref, RefOr, Schema, Type,
        schema::{SchemaFormat, SchemaType},
    },
};

/// How something was captured.
#[derive(Default, serde::Deserialize, ToSchema)]
pub(crate) struct CaptureDescriptor {
    /// Where it comes from; in any case.
    #[serde(default, deserialize_with = "json::word")]
    #[schema(default = "CAMERA")]
    capture_method: Option<CaptureMethod>,
}

/// An upload that came in pieces, instead of the file itself.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct UploadReference {
    /// The `id` that the upload was begun with.
    #[schema(value_type = Uuid)]
    upload: Option<String>,
    /// Where it comes from; in any case.
    #[serde(default, deserialize_with = "json::word")]
    #[schema(default = "CAMERA")]
    capture_method: Option<CaptureMethod>,
}

/// A form with a picture: `descriptor`, and the file `binary-content`.
pub(crate) struct PictureForm;

/// The same with a document, which may be a PDF file as well.
pub(crate) struct DocumentForm;

/// The same with bytes of any kind.
pub(crate) struct BinaryForm;

/// The schema of a form whose file has one of these content types.
fn form(file: &str, media_types: &str) -> RefOr<Schema> {
    let file = ObjectBuilder::new()
        .schema_type(SchemaType::Type(Type::String))
        .format(Some(SchemaFormat::Custom("binary".to_owned())))
        .content_media_type(media_types)
        .description(Some(file));
    let form = ObjectBuilder::new()
        .property("descriptor", Ref::from_schema_name("CaptureDescriptor"))
        .property("binary-content", file)
        .required("binary-content");
    form.into()
}

macro_rules! forms {
    ($($form:ident: $media_types:literal, $file:literal;)*) => {$(
        impl PartialSchema for $form {
            fn schema() -> RefOr<Schema> {
                form($file, $media_types)
            }
        }

        impl ToSchema for $form {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                CaptureDescriptor::schemas(schemas);
                schemas.push((CaptureDescriptor::name().into_owned(), CaptureDescriptor::schema()));
            }
        }
    )*};
}

forms! {
    PictureForm: "image/jpeg, image/png", "JPEG or PNG of at most 10 MiB; the part has a filename.";
    DocumentForm: "image/jpeg, image/png, application/pdf", "JPEG, PNG or PDF of at most 10 MiB; the part has a filename.";
    BinaryForm: "application/octet-stream", "At most 10 MiB; the part has a filename.";
}

impl EndUserRequest {
    /// What a call puts in its place: the file of a form, or an upload that came in pieces before, which a JSON body names.
    pub(super) async fn upload(&self, api: &Api) -> Result<Upload, Problem> {
        let content_type = header_text(&self.request.headers, &header::CONTENT_TYPE).unwrap_or_default();
        if !content_type.trim_start().to_ascii_lowercase().starts_with("application/json") {
            return self.request.form_upload().await;
        }
        let reference: UploadReference = json::parse(self.request.json())?;
        let id = reference.upload.ok_or_else(|| {
            Problem::violation(
                "upload",
                "it is the id of an upload, or the body is a form with the file itself",
            )
        })?;
        let id: UploadId = id.parse().map_err(|_| NotDone::Missing("upload"))?;
        let capture_method = reference.capture_method.unwrap_or(CaptureMethod::Camera);
        Ok(Upload { bytes: api.identities.uploaded(&self.user.held, id).await?, capture_method })
    }
}

impl ReceivedRequest {
    /// A form's file `binary-content`, and how it was captured.
    pub(super) async fn form_upload(&self) -> Result<Upload, Problem> {
        let content_type = header_text(&self.headers, &header::CONTENT_TYPE).unwrap_or_default();
        let boundary = multipart::boundary(content_type).ok_or_else(|| {
            Problem::new(Code::UnsupportedMediaType, "the body is multipart/form-data with a boundary")
        })?;
        let parts = multipart::parts(self.body.clone(), &boundary).await.map_err(|words| {
            Problem::new(Code::MalformedRequest, format!("the form cannot be read: {words}"))
        })?;
        let part = |name: &str| parts.iter().find(|part| part.name == name);
        let descriptor = match part("descriptor") {
            Some(part) => describe(&part.bytes)?,
            None => CaptureDescriptor::default(),
        };
        let file =
            part("binary-content").ok_or_else(|| Problem::violation("binary-content", "it is required"))?;
        if file.filename.is_none() {
            return Err(Problem::violation("binary-content", "it is a file: its part needs a filename"));
        }
        let capture_method = descriptor.capture_method.unwrap_or(CaptureMethod::Camera);
        Ok(Upload { bytes: file.bytes.to_vec(), capture_method })
    }
}

/// Reads the part `descriptor`; what is wrong with it is told by its path in the form.
fn describe(part: &[u8]) -> Result<CaptureDescriptor, Problem> {
    let (descriptor, mut violations) = json::parse_lenient(part)?;
    for violation in &mut violations {
        violation.path = format!("descriptor.{}", violation.path).into();
    }
    if violations.is_empty() { Ok(descriptor) } else { Err(violations.into()) }
}
