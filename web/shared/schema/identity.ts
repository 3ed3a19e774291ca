// Written by `npm run generate` from openapi/identity.json: not to be changed by hand.

export interface paths {
    "/idverify/v1/sessions/{sessionId}/biometric-consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Consent to the use of biometric data. */
        post: operations["give_consent"];
    };
    "/idverify/v1/sessions/{sessionId}/client-session-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Finish: the token is deleted, and the checks begin. */
        delete: operations["delete_token"];
    };
    "/idverify/v1/sessions/{sessionId}/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what has to be supplied, and how the page looks.
         * @description An end user gets `SESSION_NOT_READY` as long as the relying party's own picture is missing.
         */
        get: operations["session_configuration"];
    };
    "/idverify/v1/sessions/{sessionId}/emails/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask the relying party for an email.
         * @description The relying party receives a notification, and sends the email itself.
         */
        post: operations["ask_for_mail"];
    };
    "/idverify/v1/sessions/{sessionId}/page-faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Report an error of the page to the operator.
         * @description The report must not identify the end user: each text is reduced to letters, digits and a few punctuation marks, and
         *     cut to 64 characters.
         */
        post: operations["report_page_fault"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/face-capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a resource for the picture of a face to compare with.
         * @description A repeat with the same `Idempotency-Key` and body makes nothing more for as long as there is the session.
         */
        post: operations["add_face_capture"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/face-capture/{resourceId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Upload the picture of a face; it must show exactly one.
         * @description A relying party sends a form, an end user a form or the `id` of an upload.
         */
        put: operations["put_face_image"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/id-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a resource for an identity document.
         * @description Its `id` is part of the paths of its pages. A repeat with the same `Idempotency-Key` and body makes nothing more for as
         *     long as there is the session.
         */
        post: operations["add_id_document"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/pages/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Upload a page of an identity document.
         * @description The picture is in a form, or was sent before as a resumable upload. A second picture of the same page replaces the
         *     first.
         */
        put: operations["put_id_page"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/id-documents/{resourceId}/text-extraction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Extract the text of an identity document.
         * @description Waits a while for the result: a task that is still `PENDING` can be requested again, or followed in the
         *     configuration. Documents are read in the order in which they were requested; `Retry-After` tells in how many seconds
         *     this one will probably be read. Where that is longer than a call waits, the first call is answered at once.
         */
        put: operations["extract_id_document"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/static": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a capture of a live face in one picture.
         * @description Each capture uses up one attempt of the requirement. A repeat with the same `Idempotency-Key` and body makes nothing more
         *     for as long as there is the session.
         */
        post: operations["add_static"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/static/{resourceId}/frames/{frame}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Upload the picture of a live face.
         * @description The capture is judged at once.
         */
        put: operations["put_static_frame"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a capture of a live face in several pictures, as it comes nearer.
         * @description Each capture uses up one attempt of the requirement. A repeat with the same `Idempotency-Key` and body makes nothing more
         *     for as long as there is the session.
         */
        post: operations["add_zoom"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/facemap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Store a facemap that the client made.
         * @description If none is sent, this server makes one of its own; neither is trusted more than the frames.
         */
        post: operations["put_facemap"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom/{resourceId}/frames/{frame}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Upload a frame of a face that comes nearer; a capture has three to seven.
         * @description The seventh frame has the capture judged at once. A capture that ends with fewer is judged when the person has finished.
         */
        put: operations["put_zoom_frame"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Create a resource for a supplementary document.
         * @description Its `id` is part of the paths of its pages, or of its file. A repeat with the same `Idempotency-Key` and body makes nothing
         *     more for as long as there is the session.
         */
        post: operations["add_supplementary_document"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Upload a supplementary document as one file: JPEG, PNG or PDF. */
        put: operations["put_supplementary_file"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/pages/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Upload a page of a supplementary document.
         * @description The picture is in a form, or was sent before as a resumable upload. A second picture of the same page replaces the
         *     first.
         */
        put: operations["put_supplementary_page"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Extract the text of a supplementary document.
         * @description Waits a while for the result: a task that is still `PENDING` can be requested again, or followed in the
         *     configuration. Documents are read in the order in which they were requested; `Retry-After` tells in how many seconds
         *     this one will probably be read. Where that is longer than a call waits, the first call is answered at once.
         */
        put: operations["extract_supplementary_document"];
    };
    "/idverify/v1/sessions/{sessionId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a resumable upload.
         * @description A session keeps its three latest uploads, for half an hour.
         */
        post: operations["begin_upload"];
        /** Ask which parts of tus this server supports. */
        options: operations["upload_options"];
    };
    "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the progress of an upload. */
        head: operations["upload_offset"];
        /**
         * Add bytes to an upload, from `Upload-Offset` on.
         * @description Bytes that arrived are kept even if the connection breaks; the answer has the new offset, and so has `HEAD`.
         */
        patch: operations["append_to_upload"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A country, and its documents that are accepted. */
        AcceptedCountry: {
            /**
             * @description ISO 3166-1 alpha-3.
             * @example SWE
             */
            code: string;
            supported_documents: components["schemas"]["AcceptedDocument"][];
        };
        /** @description A document that is accepted. */
        AcceptedDocument: {
            /** @description Whether its text is in Latin letters only. */
            is_strictly_latin: boolean;
            type: components["schemas"]["IdDocumentType"];
        };
        /** @description Attempts that are left. */
        AttemptsRemaining: {
            /** Format: int64 */
            GENERIC: number;
            /**
             * Format: int64
             * @description Further attempts after a document turned out to be another one than was said, or one that is not accepted.
             */
            RECLASSIFICATION?: number;
        };
        /** Format: binary */
        BinaryContent: string;
        BinaryForm: {
            /**
             * Format: binary
             * @description At most 10 MiB; the part has a filename.
             */
            "binary-content": string;
            descriptor?: components["schemas"]["CaptureDescriptor"];
        };
        /** @enum {string} */
        BiometricConsentFlow: "EARLY" | "JUST_IN_TIME";
        /** @description How something was captured. */
        CaptureDescriptor: {
            /** @default CAMERA */
            capture_method?: components["schemas"]["CaptureMethod"] | null;
        };
        /** @enum {string} */
        CaptureMethod: "CAMERA" | "UPLOAD";
        /** @enum {string} */
        CaptureMethods: "CAMERA_AND_UPLOAD" | "CAMERA";
        /** @description What has to be supplied. */
        CaptureRequirementsView: {
            biometric_consent: components["schemas"]["ConsentState"];
            /** @description In the order in which the page asks for them. */
            required_resources: components["schemas"]["RequiredResource"][];
        };
        /** @description An error of a page. */
        ClientErrorReport: {
            /** @description The file of the page, without its path. */
            file?: string | null;
            /**
             * Format: int64
             * @description The line in it.
             */
            line?: number | null;
            /** @description The error's name, such as `TypeError`. */
            name: string;
            /** @description The screen that was shown. */
            screen?: string | null;
        };
        /**
         * @description Whether the end user has consented to the use of biometric data.
         * @enum {string}
         */
        ConsentState: "NOT_ALLOWED" | "GIVEN" | "REQUIRED";
        /** @description A picture that is expected. */
        CreatedFaceCapture: {
            /**
             * Format: int32
             * @description How many pictures it takes.
             */
            frames: number;
            /**
             * Format: uuid
             * @description The resource's id, for the path of the picture.
             */
            id: string;
        };
        /** @description A capture that was begun. */
        CreatedLivenessCapture: {
            /**
             * Format: uuid
             * @description The capture's id, for the paths of its frames.
             */
            id: string;
        };
        /** @description An upload that was begun. */
        CreatedUpload: {
            /**
             * Format: uuid
             * @description The upload's id, for its path and for the body of the call that stores the file.
             */
            id: string;
        };
        /** @enum {string} */
        DarkMode: "ON" | "OFF" | "AUTO";
        DocumentForm: {
            /**
             * Format: binary
             * @description JPEG, PNG or PDF of at most 10 MiB; the part has a filename.
             */
            "binary-content": string;
            descriptor?: components["schemas"]["CaptureDescriptor"];
        };
        /**
         * @description An email that the end user can request.
         * @enum {string}
         */
        EmailKind: "instructions" | "thank-you";
        /** @description A check that a task asked for. */
        GeneratedCheck: {
            /** Format: uuid */
            id: string;
            type: components["schemas"]["VerificationCheckType"];
        };
        /** @enum {string} */
        IdDocumentType: "PASSPORT" | "NATIONAL_ID" | "RESIDENCE_PERMIT" | "DRIVING_LICENCE";
        /** @description An identity document. */
        IdDocumentView: {
            /** Format: date-time */
            created_at: string;
            /** @description The data that was read from it, once there is any. */
            document_fields?: components["schemas"]["MediaHolder"];
            /** @description The portrait on it, once it was found. */
            document_id_photo?: components["schemas"]["MediaHolder"];
            document_type?: components["schemas"]["IdDocumentType"];
            /** Format: uuid */
            id: string;
            /** @description ISO 3166-1 alpha-3. */
            issuing_country?: string;
            /** Format: date-time */
            last_updated: string;
            pages: components["schemas"]["PageView"][];
            source: components["schemas"]["SourceView"];
            tasks: components["schemas"]["TaskView"][];
        };
        /** @enum {string} */
        LivenessType: "STATIC" | "ZOOM";
        /** @description A place for a media. */
        MediaHolder: {
            /** @description Absent where it was deleted. */
            media?: components["schemas"]["MediaView"];
        };
        /** @enum {string} */
        MediaType: "IMAGE" | "JSON" | "BINARY" | "PDF";
        /** @description Something whose contents can be read by its id. */
        MediaView: {
            /** Format: date-time */
            created: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_updated: string;
            type: components["schemas"]["MediaType"];
        };
        /** @description The requirement of the configuration that it is for. */
        NewFaceCapture: {
            /** @description The requirement's `id`. Default: the caller's first. */
            requirement_id?: string | null;
        };
        /** @description The identity document to create a resource for. */
        NewIdDocument: {
            /**
             * @description `PASSPORT`, `NATIONAL_ID`, `RESIDENCE_PERMIT` or `DRIVING_LICENCE`, in any case.
             * @example PASSPORT
             */
            document_type: string;
            /**
             * @description ISO 3166-1 alpha-3.
             * @example SWE
             */
            issuing_country: string;
            /** @description The requirement of the configuration that it is for. Default: the first that it satisfies. */
            requirement_id?: string | null;
        };
        /** @description The requirement of the configuration that it is for. */
        NewLivenessCapture: {
            /** @description The requirement's `id`. Default: the first of the type. */
            requirement_id?: string | null;
        };
        /** @description The supplementary document to create a resource for. */
        NewSupplementaryDocument: {
            /**
             * @description Any word.
             * @example UTILITY_BILL
             */
            document_type?: string | null;
            /**
             * @description ISO 3166-1 alpha-3.
             * @example SWE
             */
            issuing_country?: string | null;
            /** @description The requirement of the configuration that it is for. Default: the first that it satisfies. */
            requirement_id?: string | null;
        };
        /** @description What a supplementary document is to prove. */
        ObjectiveView: {
            type: components["schemas"]["SupplementaryObjective"];
        };
        /** @description A page of a document. */
        PageView: {
            capture_method: components["schemas"]["CaptureMethod"];
            /** @description Intermediate pictures; this server keeps none. */
            frames: components["schemas"]["MediaHolder"][];
            /** @description Absent where it was deleted. */
            media?: components["schemas"]["MediaView"];
        };
        PictureForm: {
            /**
             * Format: binary
             * @description JPEG or PNG of at most 10 MiB; the part has a filename.
             */
            "binary-content": string;
            descriptor?: components["schemas"]["CaptureDescriptor"];
        };
        /** @description The state of the text extraction of a document. */
        RequestedTaskView: {
            /**
             * Format: uuid
             * @description The latest task; absent while there is none.
             */
            id?: string;
            recommendation?: components["schemas"]["TaskRecommendation"];
            /** @description `REQUIRED` as long as there is no task, and when the document has to be tried again. */
            state: components["schemas"]["RequirementState"];
            type: components["schemas"]["TaskType"];
        };
        /** @description Something that has to be supplied. */
        RequiredResource: {
            /** @description How pictures of a document may be captured. */
            allowed_capture_methods?: components["schemas"]["CaptureMethods"];
            /** @description Who supplies it. */
            allowed_sources: components["schemas"]["SourceView"][];
            /** @description Attempts that are left. */
            attempts_remaining: components["schemas"]["AttemptsRemaining"];
            /** @description The countries of supplementary documents that are accepted, ISO 3166-1 alpha-3; empty for all. */
            country_codes?: string[];
            /** @description The types of supplementary documents that are accepted; empty for all. */
            document_types?: string[];
            /**
             * Format: uuid
             * @description The id of the requirement.
             */
            id: string;
            /** @description How a live face is captured. */
            liveness_type?: components["schemas"]["LivenessType"];
            /** @description What a supplementary document is to prove. */
            objective?: components["schemas"]["ObjectiveView"];
            /** @description What the end user should do after the latest capture of a live face, once it was judged. */
            recommendation?: components["schemas"]["TaskRecommendation"];
            /** @description The text extraction of a document, at most one task. */
            requested_tasks?: components["schemas"]["RequestedTaskView"][];
            /**
             * Format: uuid
             * @description The supplied resource that counts for it.
             */
            resource_id?: string;
            /** @description True if an attempt failed and another is needed. */
            retry?: boolean;
            state: components["schemas"]["RequirementState"];
            /** @description The identity documents that are accepted. */
            supported_countries?: components["schemas"]["AcceptedCountry"][];
            type: components["schemas"]["ResourceKind"];
        };
        /** @enum {string} */
        RequirementState: "REQUIRED" | "IN_PROGRESS" | "FULFILLED";
        /** @enum {string} */
        ResourceKind: "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" | "LIVENESS" | "FACE_CAPTURE";
        /** @enum {string} */
        ResourceSource: "END_USER" | "RELYING_BUSINESS";
        /** @description How the page looks and behaves, as configured for the session. */
        SdkConfigView: {
            /** @description Whether the end user may continue on another device. */
            allow_handoff: boolean;
            allowed_capture_methods?: components["schemas"]["CaptureMethods"];
            attempts_configuration?: {
                [key: string]: {
                    [key: string]: number;
                };
            };
            /** @description When the page asks for consent to the use of biometric data. Default: `EARLY`. */
            biometric_consent_flow?: components["schemas"]["BiometricConsentFlow"];
            /** @description Whether the page is dark. Default: `AUTO`. */
            dark_mode?: components["schemas"]["DarkMode"];
            error_url?: string;
            font_colour?: string;
            locale?: string;
            preset_issuing_country?: string;
            primary_colour?: string;
            primary_colour_dark_mode?: string;
            privacy_policy_url?: string;
            secondary_colour?: string;
            success_url?: string;
            suppressed_screens?: string[];
        };
        /** @description What has to be supplied, and how the page looks. */
        SessionConfigurationView: {
            capture: components["schemas"]["CaptureRequirementsView"];
            /**
             * Format: int64
             * @description Seconds that the end user has left.
             */
            client_session_token_ttl: number;
            /** @description The emails that the end user can request from the relying party. */
            emails: components["schemas"]["EmailKind"][];
            /** @description What is checked afterwards. */
            requested_checks: components["schemas"]["VerificationCheckType"][];
            sdk_config: components["schemas"]["SdkConfigView"];
            /** Format: uuid */
            session_id: string;
        };
        /** @description Who supplies something. */
        SourceView: {
            type: components["schemas"]["ResourceSource"];
        };
        /** @description A frame that was stored; with its last frame, what a capture was judged to be. */
        StoredFrame: {
            /** @description Attempts that are left. */
            attempts_remaining?: components["schemas"]["AttemptsRemaining"];
            media: components["schemas"]["MediaView"];
            /** @description What the end user should do, once the capture is complete and was judged: `MUST_TRY_AGAIN` asks for another capture. */
            recommendation?: components["schemas"]["TaskRecommendation"];
        };
        /** @description A media that was stored. */
        StoredMedia: {
            media: components["schemas"]["MediaView"];
        };
        /** @description A document that proves something else about a person, an address for example. */
        SupplementaryDocumentView: {
            /** Format: date-time */
            created_at: string;
            /** @description The data that was read from it, once there is any. */
            document_fields?: components["schemas"]["MediaHolder"];
            /** @description The type that was given when the resource was created, if one was. */
            document_type?: string;
            /** @description The document as one file, if it was sent as one. */
            file?: components["schemas"]["MediaHolder"];
            /** Format: uuid */
            id: string;
            /** @description ISO 3166-1 alpha-3, if one was given. */
            issuing_country?: string;
            /** Format: date-time */
            last_updated: string;
            pages: components["schemas"]["PageView"][];
            source: components["schemas"]["SourceView"];
            tasks: components["schemas"]["TaskView"][];
        };
        /** @enum {string} */
        SupplementaryObjective: "PROOF_OF_ADDRESS";
        /** @enum {string} */
        TaskAdvice: "PROGRESS" | "SHOULD_TRY_AGAIN" | "MUST_TRY_AGAIN";
        /** @enum {string} */
        TaskAdviceReason: "QUALITY" | "USER_ERROR" | "ERROR";
        /** @description What the end user should do after a task. */
        TaskRecommendation: {
            reason?: components["schemas"]["TaskRecommendationReason"];
            value: components["schemas"]["TaskAdvice"];
        };
        /** @description Why to try again. */
        TaskRecommendationReason: {
            /**
             * @description The details, in one word.
             * @example GLARE
             */
            detail?: string;
            value: components["schemas"]["TaskAdviceReason"];
        };
        /** @enum {string} */
        TaskState: "CREATED" | "PENDING" | "DONE" | "FAILED";
        /** @enum {string} */
        TaskType: "ID_DOCUMENT_TEXT_DATA_EXTRACTION" | "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION";
        /** @description The text extraction of a document, while the end user waits. */
        TaskView: {
            /** Format: date-time */
            created: string;
            /** @description Checks that it asked for. */
            generated_checks: components["schemas"]["GeneratedCheck"][];
            /** @description The media that it produced. */
            generated_media: components["schemas"]["MediaView"][];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            last_updated: string;
            /** @description What the end user should do, once it has ended. */
            recommendation?: components["schemas"]["TaskRecommendation"];
            state: components["schemas"]["TaskState"];
            type: components["schemas"]["TaskType"];
        };
        /** @description A resumable upload, instead of the file itself. */
        UploadReference: {
            /** @default CAMERA */
            capture_method?: components["schemas"]["CaptureMethod"] | null;
            /**
             * Format: uuid
             * @description The `id` that was returned when the upload began.
             */
            upload: string;
        };
        /** @enum {string} */
        VerificationCheckType: "ID_DOCUMENT_AUTHENTICITY" | "ID_DOCUMENT_TEXT_DATA_CHECK" | "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK" | "LIVENESS" | "ID_DOCUMENT_FACE_MATCH" | "FACE_COMPARISON" | "ID_DOCUMENT_COMPARISON" | "WATCHLIST_SCREENING" | "THIRD_PARTY_IDENTITY";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description Calls that are allowed at once. It is told where the call was counted. */
        "RateLimit-Limit": number;
        /** @description Calls that are allowed now. */
        "RateLimit-Remaining": number;
        /** @description Seconds until all are allowed again or, when none is left, until the next one is. */
        "RateLimit-Reset": number;
        /** @description Seconds until it is worth trying again. */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    give_consent: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The consent is recorded. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    delete_token: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checks begin. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    session_configuration: {
        parameters: {
            query?: {
                /** @description A UUID that is used once, where the request is signed. */
                nonce?: string;
                /** @description The application, where the request is signed. */
                sdkId?: string;
                /** @description When the request was signed, seconds since 1970; required with a signature. */
                timestamp?: string;
            };
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As it stands. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionConfigurationView"];
                };
            };
        };
    };
    ask_for_mail: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description Which mail. */
                kind: components["schemas"]["EmailKind"];
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The relying party is notified, if it subscribed to the topic. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    report_page_fault: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientErrorReport"];
            };
        };
        responses: {
            /** @description The error is in the log. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    add_face_capture: {
        parameters: {
            query?: {
                /** @description A UUID that is used once, where the request is signed. */
                nonce?: string;
                /** @description The application, where the request is signed. */
                sdkId?: string;
                /** @description When the request was signed, seconds since 1970; required with a signature. */
                timestamp?: string;
            };
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requirement_id": "018f3c8e-4f0a-4b6c-9d1e-2a7b5c3d9e10"
                 *     }
                 */
                "application/json": components["schemas"]["NewFaceCapture"];
            };
        };
        responses: {
            /** @description The resource is created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedFaceCapture"];
                };
            };
        };
    };
    put_face_image: {
        parameters: {
            query?: {
                /** @description A UUID that is used once, where the request is signed. */
                nonce?: string;
                /** @description The application, where the request is signed. */
                sdkId?: string;
                /** @description When the request was signed, seconds since 1970; required with a signature. */
                timestamp?: string;
            };
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The picture's resource. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["PictureForm"];
            };
        };
        responses: {
            /** @description The picture is stored. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredMedia"];
                };
            };
        };
    };
    add_id_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "document_type": "PASSPORT",
                 *       "issuing_country": "SWE"
                 *     }
                 */
                "application/json": components["schemas"]["NewIdDocument"];
            };
        };
        responses: {
            /** @description The resource is created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdDocumentView"];
                };
            };
        };
    };
    put_id_page: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The page. */
                page: number;
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["PictureForm"];
            };
        };
        responses: {
            /** @description The page is stored. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredMedia"];
                };
            };
        };
    };
    extract_id_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task, with its recommendation when it has ended. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description Seconds until it will probably be read; while it is `PENDING`. */
                    "Retry-After"?: number;
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskView"];
                };
            };
        };
    };
    add_static: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requirement_id": "018f3c8e-4f0a-4b6c-9d1e-2a7b5c3d9e10"
                 *     }
                 */
                "application/json": components["schemas"]["NewLivenessCapture"];
            };
        };
        responses: {
            /** @description The capture is created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedLivenessCapture"];
                };
            };
        };
    };
    put_static_frame: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description Its number. */
                frame: number;
                /** @description The capture. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["PictureForm"];
            };
        };
        responses: {
            /** @description The picture is stored. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFrame"];
                };
            };
        };
    };
    add_zoom: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requirement_id": "018f3c8e-4f0a-4b6c-9d1e-2a7b5c3d9e10"
                 *     }
                 */
                "application/json": components["schemas"]["NewLivenessCapture"];
            };
        };
        responses: {
            /** @description The capture is created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedLivenessCapture"];
                };
            };
        };
    };
    put_facemap: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The capture. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["BinaryForm"];
            };
        };
        responses: {
            /** @description The facemap is stored. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredMedia"];
                };
            };
        };
    };
    put_zoom_frame: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description Its number, in the order in which frames were taken. */
                frame: number;
                /** @description The capture. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["PictureForm"];
            };
        };
        responses: {
            /** @description The frame is stored. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFrame"];
                };
            };
        };
    };
    add_supplementary_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "document_type": "UTILITY_BILL",
                 *       "issuing_country": "SWE"
                 *     }
                 */
                "application/json": components["schemas"]["NewSupplementaryDocument"];
            };
        };
        responses: {
            /** @description The resource is created. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SupplementaryDocumentView"];
                };
            };
        };
    };
    put_supplementary_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["DocumentForm"];
            };
        };
        responses: {
            /** @description The file is stored. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredMedia"];
                };
            };
        };
    };
    put_supplementary_page: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The page. */
                page: number;
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadReference"];
                "multipart/form-data": components["schemas"]["PictureForm"];
            };
        };
        responses: {
            /** @description The page is stored. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredMedia"];
                };
            };
        };
    };
    extract_supplementary_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The task, with its recommendation when it has ended. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description Seconds until it will probably be read; while it is `PENDING`. */
                    "Retry-After"?: number;
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskView"];
                };
            };
        };
    };
    begin_upload: {
        parameters: {
            query?: never;
            header: {
                /** @description `1.0.0`, of a client that speaks tus. */
                "Tus-Resumable"?: string | null;
                /** @description Its bytes. */
                "Upload-Length": number;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload is created. */
            201: {
                headers: {
                    /** @description Its address, relative to that of the call. */
                    Location?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description `1.0.0`. */
                    "Tus-Resumable"?: string;
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedUpload"];
                };
            };
        };
    };
    upload_options: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. It is not looked at. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The protocol's version, its extensions and the largest upload. */
            204: {
                headers: {
                    /** @description `creation`. */
                    "Tus-Extension"?: string;
                    /** @description Bytes of an upload, at most. */
                    "Tus-Max-Size"?: number;
                    /** @description `1.0.0`. */
                    "Tus-Version"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    upload_offset: {
        parameters: {
            query?: never;
            header?: {
                /** @description `1.0.0`, of a client that speaks tus. */
                "Tus-Resumable"?: string | null;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
                /** @description The upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many of its bytes are there. */
            204: {
                headers: {
                    /** @description `no-store`. */
                    "Cache-Control"?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description `1.0.0`. */
                    "Tus-Resumable"?: string;
                    /** @description Its bytes. */
                    "Upload-Length"?: number;
                    /** @description Bytes that are there. */
                    "Upload-Offset"?: number;
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    append_to_upload: {
        parameters: {
            query?: never;
            header: {
                /** @description `1.0.0`, of a client that speaks tus. */
                "Tus-Resumable"?: string | null;
                /** @description How many bytes come before these. */
                "Upload-Offset": number;
                /** @description What the client library knows of the device: base64 of a JSON object as `DeviceMetadata`, at most 8192 characters. */
                "X-Svc-Device-Meta"?: string;
            };
            path: {
                /** @description The session. */
                sessionId: string;
                /** @description The upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        /** @description At most 10 MiB. */
        requestBody: {
            content: {
                "application/offset+octet-stream": components["schemas"]["BinaryContent"];
            };
        };
        responses: {
            /** @description How many of its bytes are there. */
            204: {
                headers: {
                    /** @description `no-store`. */
                    "Cache-Control"?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description `1.0.0`. */
                    "Tus-Resumable"?: string;
                    /** @description Its bytes. */
                    "Upload-Length"?: number;
                    /** @description Bytes that are there. */
                    "Upload-Offset"?: number;
                    /** @description The id of the request, as the log has it. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
