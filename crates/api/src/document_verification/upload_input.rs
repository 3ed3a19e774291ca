//! The files of calls: in a form, or sent before as a resumable upload.

use super::{
    DocumentApiError, DocumentErrorCode,
    auth::{EndUserRequest, ReceivedRequest},
};
use crate::{
    ApiState,
    http::{header_text, is_json, json, multipart},
};
use axum::http::header;
use base::UploadId;
use domain::document_verification::{CapturedMedia, DocumentSessionError, types::CaptureMethod};
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
    /// How it was captured; upper or lower case.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "CAMERA")]
    capture_method: Option<CaptureMethod>,
}

/// A resumable upload, instead of the file itself.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct UploadReference {
    /// The `id` that was returned when the upload began.
    #[schema(value_type = Uuid)]
    upload: Option<String>,
    /// How it was captured; upper or lower case.
    #[serde(default, deserialize_with = "json::enum_value")]
    #[schema(default = "CAMERA")]
    capture_method: Option<CaptureMethod>,
}

/// A form with a picture: `descriptor`, and the file `binary-content`.
pub(crate) struct PictureForm;

/// The same with a document, which may be a PDF file as well.
pub(crate) struct DocumentForm;

/// The same with bytes of any kind.
pub(crate) struct BinaryForm;

/// The schema of a form whose file has one of the media types.
fn form_schema(file: &str, media_types: &str) -> RefOr<Schema> {
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

macro_rules! upload_forms {
    ($($form:ident: $media_types:literal, $file:literal;)*) => {$(
        impl PartialSchema for $form {
            fn schema() -> RefOr<Schema> {
                form_schema($file, $media_types)
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

upload_forms! {
    PictureForm: "image/jpeg, image/png", "JPEG or PNG of at most 10 MiB; the part has a filename.";
    DocumentForm: "image/jpeg, image/png, application/pdf", "JPEG, PNG or PDF of at most 10 MiB; the part has a filename.";
    BinaryForm: "application/octet-stream", "At most 10 MiB; the part has a filename.";
}

impl EndUserRequest {
    /// Reads the file of a call: from a form, or from a resumable upload that a JSON body names.
    pub(super) async fn read_upload(&self, api: &ApiState) -> Result<CapturedMedia, DocumentApiError> {
        if !is_json(&self.request.headers) {
            return self.request.read_form_upload().await;
        }
        let reference: UploadReference = json::parse(self.request.json())?;
        let id = reference.upload.ok_or_else(|| {
            DocumentApiError::violation(
                "upload",
                "it is the id of an upload, or the body is a form with the file itself",
            )
        })?;
        let id: UploadId = id.parse().map_err(|_| DocumentSessionError::ItemNotFound("upload"))?;
        let capture_method = reference.capture_method.unwrap_or(CaptureMethod::Camera);
        Ok(CapturedMedia {
            bytes: api.document_verification.read_upload(&self.user.stored, id).await?,
            capture_method,
        })
    }
}

impl ReceivedRequest {
    /// Reads a form's file `binary-content`, and how it was captured.
    pub(super) async fn read_form_upload(&self) -> Result<CapturedMedia, DocumentApiError> {
        let content_type = header_text(&self.headers, &header::CONTENT_TYPE).unwrap_or_default();
        let boundary = multipart::boundary(content_type).ok_or_else(|| {
            DocumentApiError::new(
                DocumentErrorCode::UnsupportedMediaType,
                "the body is multipart/form-data with a boundary",
            )
        })?;
        let parts = multipart::parse_parts(self.body.clone(), &boundary).await.map_err(|words| {
            DocumentApiError::new(
                DocumentErrorCode::MalformedRequest,
                format!("the form cannot be read: {words}"),
            )
        })?;
        let part = |name: &str| parts.iter().find(|part| part.name == name);
        let descriptor = match part("descriptor") {
            Some(part) => parse_descriptor(&part.bytes)?,
            None => CaptureDescriptor::default(),
        };
        let file = part("binary-content")
            .ok_or_else(|| DocumentApiError::violation("binary-content", "it is required"))?;
        if file.filename.is_none() {
            return Err(DocumentApiError::violation(
                "binary-content",
                "it is a file: its part needs a filename",
            ));
        }
        let capture_method = descriptor.capture_method.unwrap_or(CaptureMethod::Camera);
        Ok(CapturedMedia { bytes: file.bytes.to_vec(), capture_method })
    }
}

/// Reads the part `descriptor`; the paths of violations begin with its name.
fn parse_descriptor(part: &[u8]) -> Result<CaptureDescriptor, DocumentApiError> {
    let (descriptor, mut violations) = json::parse_lenient(part)?;
    for violation in &mut violations {
        violation.path = format!("descriptor.{}", violation.path).into();
    }
    if violations.is_empty() { Ok(descriptor) } else { Err(violations.into()) }
}
