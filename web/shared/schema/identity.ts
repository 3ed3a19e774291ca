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
        /** Be through: the token is deleted, and the checks begin. */
        delete: operations["delete_token"];
    };
    "/idverify/v1/sessions/{sessionId}/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** What has to be supplied, and how the page looks. A person is told to wait while the business's own picture is missing. */
        get: operations["session_configuration"];
    };
    "/idverify/v1/sessions/{sessionId}/emails/{kind}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask the business for a mail: `instructions`, or `thank-you`. It is told by a notification, and sends the mail itself. */
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
         * Tell the operator that the page broke down. Nothing about the person may be in it: of each text only letters, digits
         *     and a few signs are kept, and few of them.
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
        /** Begin a picture of a face. */
        post: operations["add_face_capture"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/face-capture/{resourceId}/image": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Put the picture of a face in its place: the file `binary-content` of a form, JPEG or PNG, which shows one face. */
        put: operations["put_face_image"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/id-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin an identity document. */
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
         * Put a page of an identity document in its place: `multipart/form-data` with `descriptor` (JSON with `capture_method`)
         *     and the file `binary-content`, JPEG or PNG of at most 10 MiB.
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
         * Have an identity document read. Waits for it a while: a task that is still `PENDING` can be asked for again, or followed
         *     in the configuration.
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
        /** Begin a capture of a live face in one picture. */
        post: operations["add_static"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/static/{resourceId}/frames/{frame}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Put the picture of a live face in its place: the file `binary-content` of a form. */
        put: operations["put_static_frame"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/liveness/zoom": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin a capture of a live face that comes nearer. */
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
         * Keep a facemap that a client made: the file `binary-content` of a form, any bytes. This server makes one of its own where
         *     none came; it trusts neither more than the frames.
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
        /** Put a frame of a face that comes nearer in its place; at least three, at most seven. */
        put: operations["put_zoom_frame"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin a supplementary document. */
        post: operations["add_supplementary_document"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/file": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Put a supplementary document in its place as one file: JPEG, PNG or PDF. */
        put: operations["put_supplementary_file"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/pages/{page}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Put a page of a supplementary document in its place, as that of an identity document. */
        put: operations["put_supplementary_page"];
    };
    "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents/{resourceId}/text-extraction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Have a supplementary document read, as an identity document. */
        put: operations["extract_supplementary_document"];
    };
    "/idverify/v1/sessions/{sessionId}/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Begin an upload that may come in pieces: `Upload-Length` says how many bytes it has, at most 10 MiB. */
        post: operations["begin_upload"];
    };
    "/idverify/v1/sessions/{sessionId}/uploads/{uploadId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Ask where an upload stands. */
        head: operations["upload_offset"];
        /**
         * Add bytes to an upload: those that follow the first `Upload-Offset` ones. What arrives is kept though the connection
         *     breaks; where it stands is told by the answer, or else by `HEAD`.
         */
        patch: operations["append_to_upload"];
    };
    "/idverify/v1/supported-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the documents that are supported, by country. The list is public. */
        get: operations["supported_documents"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What is said of a document. */
        NewDocumentBody: {
            /** @description `PASSPORT`, `NATIONAL_ID`, `RESIDENCE_PERMIT` or `DRIVING_LICENCE`; of a supplementary document any word. */
            document_type?: string | null;
            /** @description ISO 3166-1 alpha-3. */
            issuing_country?: string | null;
            /** @description The requirement of the configuration that it is for. Default: the first that it fits. */
            requirement_id?: string | null;
        };
        /** @description For which requirement. */
        NewFaceBody: {
            /** @description The requirement of the configuration; the first of the caller's, where none is named. */
            requirement_id?: string | null;
        };
        /** @description An error of the page. */
        PageFault: {
            /** @description The file of the page, without its path. */
            file?: string | null;
            /**
             * Format: int32
             * @description The line in it.
             */
            line?: number | null;
            /** @description Its name, as `TypeError`. */
            name: string;
            /** @description The screen that was shown. */
            screen?: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    give_consent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is noted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    delete_token: {
        parameters: {
            query?: never;
            header?: never;
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
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    session_configuration: {
        parameters: {
            query?: never;
            header?: never;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    ask_for_mail: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description `instructions` or `thank-you`. */
                kind: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The business is told, where it wants to be. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    report_page_fault: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PageFault"];
            };
        };
        responses: {
            /** @description It is in the log. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    add_face_capture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFaceBody"];
            };
        };
        responses: {
            /** @description It is begun: its `id`, and how many `frames` it takes. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_face_image: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The picture's resource. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    add_id_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDocumentBody"];
            };
        };
        responses: {
            /** @description It is begun; its `id` goes into the paths of its pages. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_id_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The page, 0 to 9. */
                page: string;
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    extract_id_document: {
        parameters: {
            query?: never;
            header?: never;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    add_static: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is begun. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_static_frame: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 0 or 1. */
                frame: string;
                /** @description The capture. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    add_zoom: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is begun. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_facemap: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The capture. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is kept. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_zoom_frame: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description 0 to 7, in the order in which they were taken. */
                frame: string;
                /** @description The capture. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    add_supplementary_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDocumentBody"];
            };
        };
        responses: {
            /** @description It is begun. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_supplementary_file: {
        parameters: {
            query?: never;
            header?: never;
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
            /** @description It is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    put_supplementary_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The page, 0 to 9. */
                page: string;
                /** @description The document. */
                resourceId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    extract_supplementary_document: {
        parameters: {
            query?: never;
            header?: never;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    begin_upload: {
        parameters: {
            query?: never;
            header: {
                /** @description Its bytes. */
                "Upload-Length": number;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is begun: its `id`. The three latest of a session are kept, for half an hour. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    upload_offset: {
        parameters: {
            query?: never;
            header?: never;
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
            /** @description `Upload-Offset` of its `Upload-Length` bytes are there. */
            204: {
                headers: {
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
                /** @description How many bytes come before these. */
                "Upload-Offset": number;
            };
            path: {
                /** @description The session. */
                sessionId: string;
                /** @description The upload. */
                uploadId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/offset+octet-stream": string;
            };
        };
        responses: {
            /** @description `Upload-Offset` bytes are there. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    supported_documents: {
        parameters: {
            query?: {
                /** @description Whether documents count whose print is not in Latin letters alone. Default: false. */
                includeNonLatin?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Countries, each with the documents that it issues and that can be checked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
}
