"""Reads answers of the interface for document sessions as a client with types does: decode.py ANSWERS.json

ANSWERS.json is a list of {operation, stage, body}. A member that is not known is passed over; one that is missing, is null or has
another type ends the program with its path. Prints how many answers were read.
"""

import dataclasses
import json
import re
import sys
import typing
from dataclasses import dataclass
from datetime import datetime
from typing import Dict, List, Literal, Optional, Union
from uuid import UUID


class Undecodable(Exception):
    pass


class Day(str):
    """A date without a time."""


class Anything(dict):
    """An object whose members are the business's own."""


def decode(kind, value, path):
    """Reads a value as this type."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if value is None:
        raise Undecodable(f"{path}: it is null")
    if origin is Literal:
        if value not in arguments:
            raise Undecodable(f"{path}: {value!r} is not known")
        return value
    if origin in (list, List):
        require(isinstance(value, list), path, value, "list")
        return [decode(arguments[0], item, f"{path}[{at}]") for at, item in enumerate(value)]
    if origin in (dict, Dict):
        require(isinstance(value, dict), path, value, "object")
        return {name: decode(arguments[1], item, f"{path}.{name}") for name, item in value.items()}
    if dataclasses.is_dataclass(kind):
        require(isinstance(value, dict), path, value, "object")
        types = typing.get_type_hints(kind)
        members = {}
        for field in dataclasses.fields(kind):
            member, wanted = f"{path}.{field.name}", types[field.name]
            optional = typing.get_origin(wanted) is Union
            if field.name in value:
                inner = typing.get_args(wanted)[0] if optional else wanted
                members[field.name] = decode(inner, value[field.name], member)
            elif optional:
                members[field.name] = None
            else:
                raise Undecodable(f"{member}: it is missing")
        return kind(**members)
    if kind is bool or kind is int:
        require(type(value) is kind, path, value, kind.__name__)
        return value
    require(isinstance(value, dict if kind is Anything else str), path, value, kind.__name__)
    if kind is UUID:
        return UUID(value)
    if kind is datetime:
        require(value.endswith("Z"), path, value, "time in UTC")
        # Python reads six digits of a second at most, and before 3.11 three or six.
        return datetime.fromisoformat(re.sub(r"\.\d+", "", value.replace("Z", "+00:00")))
    if kind is Day:
        datetime.strptime(value, "%Y-%m-%d")
    return value


def require(fits, path, value, what):
    if not fits:
        raise Undecodable(f"{path}: {value!r} is no {what}")


IdDocumentType = Literal["PASSPORT", "NATIONAL_ID", "RESIDENCE_PERMIT", "DRIVING_LICENCE"]
TaskType = Literal["ID_DOCUMENT_TEXT_DATA_EXTRACTION", "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION"]
CheckType = Literal[
    "ID_DOCUMENT_AUTHENTICITY",
    "ID_DOCUMENT_TEXT_DATA_CHECK",
    "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK",
    "LIVENESS",
    "ID_DOCUMENT_FACE_MATCH",
    "FACE_COMPARISON",
    "ID_DOCUMENT_COMPARISON",
    "WATCHLIST_SCREENING",
    "THIRD_PARTY_IDENTITY",
]
Advice = Literal["APPROVE", "REJECT", "NOT_AVAILABLE", "CONSIDER"]
RequirementState = Literal["REQUIRED", "IN_PROGRESS", "FULFILLED"]


@dataclass
class Source:
    type: Literal["END_USER", "RELYING_BUSINESS"]


@dataclass
class Media:
    id: UUID
    type: Literal["IMAGE", "JSON", "BINARY", "PDF"]
    created: datetime
    last_updated: datetime


@dataclass
class Holder:
    media: Optional[Media]


@dataclass
class Stored:
    media: Media


@dataclass
class Reason:
    value: Literal["QUALITY", "USER_ERROR", "ERROR"]
    detail: Optional[str]


@dataclass
class TaskRecommendation:
    value: Literal["PROGRESS", "SHOULD_TRY_AGAIN", "MUST_TRY_AGAIN"]
    reason: Optional[Reason]


@dataclass
class GeneratedCheck:
    id: UUID
    type: CheckType


@dataclass
class Task:
    id: UUID
    type: TaskType
    state: Literal["CREATED", "PENDING", "DONE", "FAILED"]
    created: datetime
    last_updated: datetime
    generated_media: List[Media]
    generated_checks: List[GeneratedCheck]
    recommendation: Optional[TaskRecommendation]


@dataclass
class Page:
    capture_method: Literal["CAMERA", "UPLOAD"]
    frames: List[Holder]
    media: Optional[Media]


@dataclass
class IdDocument:
    id: UUID
    source: Source
    document_type: IdDocumentType
    issuing_country: str
    pages: List[Page]
    document_fields: Optional[Holder]
    document_id_photo: Optional[Holder]
    created_at: datetime
    last_updated: datetime
    tasks: List[Task]


@dataclass
class SupplementaryDocument:
    id: UUID
    source: Source
    document_type: Optional[str]
    issuing_country: Optional[str]
    pages: List[Page]
    file: Optional[Holder]
    document_fields: Optional[Holder]
    created_at: datetime
    last_updated: datetime
    tasks: List[Task]


@dataclass
class LivenessCapture:
    id: UUID
    source: Source
    liveness_type: Literal["STATIC", "ZOOM"]
    frames: List[Holder]
    facemap: Optional[Holder]
    image: Optional[Holder]
    created_at: datetime
    last_updated: datetime
    tasks: List[Task]


@dataclass
class FaceCapture:
    id: UUID
    source: Source
    image: Optional[Holder]
    created_at: datetime
    last_updated: datetime
    tasks: List[Task]


@dataclass
class Resources:
    id_documents: List[IdDocument]
    supplementary_documents: List[SupplementaryDocument]
    liveness_capture: List[LivenessCapture]
    face_capture: List[FaceCapture]


@dataclass
class Detail:
    name: str
    value: str


@dataclass
class SubCheck:
    sub_check: str
    result: Literal["PASS", "FAIL"]
    details: List[Detail]
    process: Literal["AUTOMATED", "EXPERT_REVIEW"]


@dataclass
class Recommendation:
    value: Advice
    reason: Optional[str]
    recovery_suggestion: Optional[str]

    def __post_init__(self):
        if self.value == "REJECT" and (self.reason is None or self.recovery_suggestion is None):
            raise Undecodable("a rejection has no reason, or no suggestion")


@dataclass
class Report:
    recommendation: Recommendation
    breakdown: List[SubCheck]


@dataclass
class Check:
    id: UUID
    type: CheckType
    state: Literal["CREATED", "READY", "PENDING", "DONE", "INTERNAL_ERROR"]
    resources_used: List[UUID]
    generated_media: List[Media]
    report: Optional[Report]
    created: datetime
    last_updated: datetime


@dataclass
class RequirementNotMet:
    failure_type: str
    document_type: str
    document_country_iso_code: str
    audit_id: str
    details: str


@dataclass
class FailureReason:
    reason_code: str
    requirements_not_met_details: List[RequirementNotMet]


@dataclass
class Scheme:
    type: str
    objective: Optional[str]


@dataclass
class Compliance:
    scheme: Scheme
    requirements_met: bool
    requirements_not_met_info: Optional[str]


@dataclass
class IdentityProfileReport:
    trust_framework: str
    schemes_compliance: List[Compliance]
    media: Media


@dataclass
class IdentityProfile:
    subject_id: Optional[str]
    result: Literal["DONE", "ABORTED"]
    failure_reason: Optional[FailureReason]
    identity_profile_report: Optional[IdentityProfileReport]


@dataclass
class Session:
    session_id: UUID
    sessionId: UUID
    client_session_token_ttl: int
    client_session_token: Optional[UUID]
    user_tracking_id: Optional[str]
    biometric_consent: Optional[datetime]
    state: Literal["ONGOING", "COMPLETED", "EXPIRED"]
    created_at: datetime
    resources: Resources
    checks: List[Check]
    identity_profile: Optional[IdentityProfile]


@dataclass
class CreatedSession:
    session_id: UUID
    sessionId: UUID
    client_session_token: UUID
    client_session_token_ttl: int
    session_deadline: datetime
    url: str


@dataclass
class StoredFrame:
    media: Media
    recommendation: Optional[TaskRecommendation]
    attempts_remaining: Optional[Dict[str, int]]


@dataclass
class RequestedTask:
    type: TaskType
    state: RequirementState
    id: Optional[UUID]
    recommendation: Optional[TaskRecommendation]


@dataclass
class AcceptedDocument:
    type: IdDocumentType
    is_strictly_latin: bool


@dataclass
class AcceptedCountry:
    code: str
    supported_documents: List[AcceptedDocument]


@dataclass
class Objective:
    type: str


@dataclass
class RequiredResource:
    id: UUID
    type: Literal["ID_DOCUMENT", "SUPPLEMENTARY_DOCUMENT", "LIVENESS", "FACE_CAPTURE"]
    state: RequirementState
    allowed_sources: List[Source]
    attempts_remaining: Dict[str, int]
    resource_id: Optional[UUID]
    retry: Optional[bool]
    requested_tasks: Optional[List[RequestedTask]]
    supported_countries: Optional[List[AcceptedCountry]]
    allowed_capture_methods: Optional[Literal["CAMERA", "CAMERA_AND_UPLOAD"]]
    document_types: Optional[List[str]]
    country_codes: Optional[List[str]]
    objective: Optional[Objective]
    liveness_type: Optional[Literal["STATIC", "ZOOM"]]
    recommendation: Optional[TaskRecommendation]

    NEEDED = {
        "ID_DOCUMENT": ("requested_tasks", "supported_countries", "allowed_capture_methods"),
        "SUPPLEMENTARY_DOCUMENT": ("requested_tasks", "document_types", "country_codes", "allowed_capture_methods"),
        "LIVENESS": ("liveness_type",),
        "FACE_CAPTURE": (),
    }

    def __post_init__(self):
        for name in self.NEEDED[self.type]:
            if getattr(self, name) is None:
                raise Undecodable(f"a required resource {self.type} has no {name}")


@dataclass
class Capture:
    biometric_consent: Literal["REQUIRED", "GIVEN", "NOT_ALLOWED"]
    required_resources: List[RequiredResource]


@dataclass
class SdkConfig:
    allow_handoff: bool
    allowed_capture_methods: Optional[str]
    primary_colour: Optional[str]
    primary_colour_dark_mode: Optional[str]
    secondary_colour: Optional[str]
    font_colour: Optional[str]
    locale: Optional[str]
    preset_issuing_country: Optional[str]
    success_url: Optional[str]
    error_url: Optional[str]
    privacy_policy_url: Optional[str]
    biometric_consent_flow: Optional[Literal["EARLY", "JUST_IN_TIME"]]
    dark_mode: Optional[Literal["ON", "OFF", "AUTO"]]
    attempts_configuration: Optional[Dict[str, Dict[str, int]]]
    suppressed_screens: Optional[List[str]]


@dataclass
class Configuration:
    session_id: UUID
    client_session_token_ttl: int
    requested_checks: List[CheckType]
    emails: List[str]
    capture: Capture
    sdk_config: SdkConfig


@dataclass
class DocumentRequirements:
    date_from: Day


@dataclass
class SupportedDocument:
    type: IdDocumentType
    is_strictly_latin: bool
    requirements: DocumentRequirements


@dataclass
class SupportedCountry:
    code: str
    supported_documents: List[SupportedDocument]


@dataclass
class SupportedDocuments:
    supported_countries: List[SupportedCountry]


@dataclass
class CreatedResource:
    id: UUID


@dataclass
class CreatedFaceCapture:
    id: UUID
    frames: int


@dataclass
class TrackedDevice:
    event: str
    created: datetime
    resource_id: Optional[UUID]
    device: Dict[str, str]


@dataclass
class ResponseConfig:
    check_reports: Optional[Anything]
    task_results: Optional[Anything]
    async_report_delay: Optional[int]


@dataclass
class DocumentFields:
    full_name: str
    date_of_birth: Optional[Day]
    structured_postal_address: Optional[Dict[str, str]]


@dataclass
class AgentReport:
    outcome: Literal["FINISHED", "LEFT", "STUCK"]
    session: Session


@dataclass
class Review:
    app_id: UUID
    check_id: UUID
    session_id: UUID
    created_at: datetime
    kind: CheckType
    proposed: Advice
    decided_at: Optional[datetime]
    decision: Optional[Advice]
    reason: Optional[str]
    reviewer: Optional[str]


@dataclass
class ReviewList:
    reviews: List[Review]


@dataclass
class ReviewWithReport:
    review: Review
    report: Optional[Report]


@dataclass
class FraudListEntry:
    id: UUID
    type: Literal["DOCUMENT", "FACE"]
    reason: str
    author: str
    created_at: datetime
    expires_at: Optional[datetime]


@dataclass
class FraudList:
    entries: List[FraudListEntry]
    total_count: int


@dataclass
class Violation:
    property: str
    message: str


@dataclass
class Refusal:
    code: str
    message: str
    errors: Optional[List[Violation]]


OPERATIONS = {
    "create a session": CreatedSession,
    "read a session": Session,
    "read a configuration": Configuration,
    "list supported documents": SupportedDocuments,
    "add an identity document": IdDocument,
    "add a supplementary document": SupplementaryDocument,
    "add a liveness capture": CreatedResource,
    "add a face capture": CreatedFaceCapture,
    "put a media": Stored,
    "put a frame": StoredFrame,
    "extract text": Task,
    "begin an upload": CreatedResource,
    "list devices": List[TrackedDevice],
    "read responses": ResponseConfig,
    "read document fields": DocumentFields,
    "run the agent": AgentReport,
    "list reviews": ReviewList,
    "read a review": ReviewWithReport,
    "add to the fraud list": FraudListEntry,
    "list the fraud list": FraudList,
    "refuse": Refusal,
}

with open(sys.argv[1], encoding="utf-8") as file:
    answers = json.load(file)
for answer in answers:
    decode(OPERATIONS[answer["operation"]], answer["body"], f"{answer['operation']}, {answer['stage']}")
print(len(answers))
