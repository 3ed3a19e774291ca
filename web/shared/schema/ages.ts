// Written by `npm run generate` from openapi/ages.json: not to be changed by hand.

export interface paths {
    "/age/v1/anonymity/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the public keys that tokens are signed with. */
        get: operations["age_token_keys"];
    };
    "/age/v1/anonymity/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin a session in which an age is proved to the issuer.
         * @description The session belongs to the operator's own application; the issuer does not learn which relying party needs the
         *     token.
         */
        post: operations["begin_age_issuing"];
    };
    "/age/v1/keys/forget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Delete the result that is stored under a passkey.
         * @description With an empty body, the answer is what to ask the browser; with the browser's answer, the result that is stored
         *     under its passkey is deleted.
         */
        post: operations["forget_age_result"];
    };
    "/age/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the session for its page.
         * @description Once its time is over, the answer is 410, but not while a check is still running (`PROCESSING`), nor within ten minutes after the
         *     session has ended and its time is over: so the end user sees what came of it. Nothing else can be done in it any more, except
         *     that consent can be taken back while the check is running.
         */
        get: operations["see_age_session"];
    };
    "/age/v1/sessions/{sessionId}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Open a method.
         * @description An unfinished attempt at another method is abandoned, and does not count. Where blind tokens are asked for or issued, no
         *     answer is kept, so `Idempotency-Key` has no effect there.
         */
        post: operations["open_age_attempt"];
    };
    "/age/v1/sessions/{sessionId}/attempts/{attemptId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Take a turn of an attempt. */
        post: operations["take_age_turn"];
    };
    "/age/v1/sessions/{sessionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Cancel the session. */
        post: operations["cancel_age_session"];
    };
    "/age/v1/sessions/{sessionId}/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Give or refuse consent to the use of one's face.
         * @description Once the time of the session is over, the answer is 410, but consent can be taken back while a check is still running
         *     (`PROCESSING`). It can also be taken back where the session is blocked.
         */
        post: operations["give_age_consent"];
    };
    "/age/v1/sessions/{sessionId}/faults": {
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
        post: operations["report_age_fault"];
    };
    "/age/v1/sessions/{sessionId}/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Store the result under a passkey of the end user.
         * @description With an empty body, the answer is what to ask the browser; with the browser's answer, the result is stored.
         */
        post: operations["keep_age_result"];
    };
    "/age/v1/sessions/{sessionId}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a proof of age to take along, for use at tills. */
        post: operations["take_age_proof"];
    };
    "/age/v1/sessions/{sessionId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Have a blinded message signed after the age was proved.
         * @description Until the session expires, the same message gets the same answer, so that a lost answer can be fetched again; a
         *     different message is refused (`INVALID_STATUS`).
         */
        post: operations["issue_age_token"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        AgeFailureReason: "UNDER_AGE" | "OVER_AGE" | "AGE_UNCERTAIN" | "AGE_NOT_TOLD" | "NO_SUCH_AGE" | "NOT_FOUND" | "PROVIDER_UNAVAILABLE" | "NOT_CONFIGURED" | "SANDBOX_ERROR" | "TOO_MANY_TURNS" | "CHALLENGE_NOT_MET" | "LIVENESS_NOT_PROVEN" | "TOO_MANY_CODES" | "TOO_MANY_CARDS" | "TOO_MANY_QUESTIONS" | "WRONG_CODE" | "NO_KEY" | "KEPT_RESULT_TOO_OLD" | "KEPT_RESULT_NOT_ENOUGH" | "NO_TOKEN" | "TOKEN_SPENT" | "DECLINED" | "NO_CREDENTIAL" | "WALLET_ERROR" | "UNTRUSTED_ISSUER" | "CREDENTIAL_EXPIRED" | "CREDENTIAL_REVOKED" | "NOT_ACCEPTED" | "SIGNAL_TOO_WEAK" | "NOT_ATTESTED" | "DOCUMENT_SESSION_ENDED" | "NO_DATE_OF_BIRTH" | "EXPIRED_DOCUMENT" | "DATA_MISMATCH" | "DOC_NUMBER_INVALID" | "TAMPERED" | "DOCUMENT_COPY" | "FRAUD_LIST_MATCH" | "DIFFERENT_PERSON" | "LARGE_AGE_GAP" | "PHOTO_OF_PHOTO" | "FACE_NOT_FOUND" | "MULTIPLE_FACES" | "COUNTRY_NOT_SUPPORTED" | "DOCUMENT_NOT_SUPPORTED" | "DOCUMENT_NOT_ACCEPTED";
        /** @enum {string} */
        AgeMethod: "AGE_ESTIMATION" | "DIGITAL_ID" | "DOC_SCAN" | "CREDIT_CARD" | "MOBILE" | "EMAIL" | "ELECTRONIC_ID" | "LA_WALLET" | "SOCIAL_SECURITY_NUMBER" | "US_FLORIDA_HB3" | "SINGPASS" | "CPF" | "SVC_KEY" | "DOUBLE_ANONYMITY" | "DEVICE_SIGNAL";
        /** @enum {string} */
        AgeSessionStatus: "PENDING" | "IN_PROGRESS" | "PROCESSING" | "COMPLETE" | "FAIL" | "ERROR" | "CANCELLED" | "EXPIRED";
        /** @enum {string} */
        AgeSessionType: "AGE" | "OVER" | "UNDER";
        /** @description The age to prove to the issuer. */
        BeginIssuingRequest: {
            /**
             * Format: int64
             * @description The age of one of the issuer's keys, years.
             */
            threshold: number;
        };
        /** @description Where the page gets the proof of capture for a photo. */
        CaptureModule: {
            /**
             * @description The path of the secure capture protocol.
             * @example /ai/sm/v1/secure/1
             */
            path: string;
        };
        /** @description Proof that a photo was taken by the capture module. */
        CaptureProof: {
            /** @description Base64url of the ECDSA P-256 signature over the characters of `verification`. */
            signature?: string | null;
            /** @description The session token of `GET /ai/sm/v1/secure/1/token`. */
            token?: string | null;
            /** @description Base64url of `{"image": base64url(sha256(image bytes)), "multiframe": false}`. */
            verification?: string | null;
            /** @description Protocol version, `"1"`. */
            version?: string | null;
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
        /** @enum {string} */
        CodeChannel: "SMS" | "EMAIL";
        /** @description The end user's answer to whether their face may be used. */
        ConsentRequest: {
            /** @description `true` if they consent, `false` if they refuse. */
            given: boolean;
        };
        /** @description What to ask the browser, or whether there was a result to delete. */
        ForgetResultResponse: components["schemas"]["PasskeyChallenge"] | {
            /** @description Whether there was a stored result. */
            forgotten: boolean;
        };
        /** @enum {string} */
        HeadMovement: "LEFT" | "RIGHT" | "UP" | "NEARER" | "FARTHER";
        /** @enum {string} */
        InputProblemCode: "REQUIRED" | "INVALID" | "TRY_AGAIN" | "UNUSABLE_IMAGE" | "NO_FACE" | "SEVERAL_FACES" | "FACE_TOO_SMALL" | "TOO_BRIGHT" | "TOO_DARK" | "NOT_CENTRED" | "FACE_COVERED" | "TOO_SOON" | "NO_MORE_CODES" | "EXPIRED_CODE" | "WRONG_CODE";
        /** @description The signed message. */
        IssuedToken: {
            /** @description A `TokenResponse` (RFC 9578, section 6.2), base64url. */
            token_response: string;
        };
        /** @description The keys of an issuer: the directory of RFC 9578, section 4. */
        IssuerDirectory: {
            /**
             * @description The address at which requests for tokens begin, relative to the directory.
             * @example sessions
             */
            "issuer-request-uri": string;
            /** @description The keys; of each age, the newest first. */
            "token-keys": components["schemas"]["IssuerDirectoryKey"][];
        };
        /** @description A key that tokens are signed with. `threshold` and `not-after` are not members of the standard. */
        IssuerDirectoryKey: {
            /**
             * Format: int64
             * @description Until when its tokens are accepted, Unix seconds.
             */
            "not-after": number;
            /**
             * Format: int64
             * @description From when it signs, Unix seconds.
             */
            "not-before": number;
            /**
             * Format: int32
             * @description The age that its tokens attest, years.
             */
            threshold: number;
            /** @description The public key, base64url of its `SubjectPublicKeyInfo`. */
            "token-key": string;
            /**
             * Format: int32
             * @description The type of its tokens: 2, blind RSA signatures.
             * @example 2
             */
            "token-type": number;
        };
        /** @description A blinded message to be signed. */
        IssueTokenRequest: {
            /** @description The `key` that the session began with. */
            key: string;
            /** @description A `TokenRequest` (RFC 9578, section 6.1), base64url. */
            token_request: string;
        };
        /** @description A session of the issuer. */
        IssuingSession: {
            /**
             * Format: date-time
             * @description When the session expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description The session.
             */
            id: string;
            /**
             * @description A secret for the tab that began the session: without it no method is opened and nothing is signed in the
             *     session.
             */
            key: string;
            /** @description The origins of other servers whose pages may receive the token from the issuer's page. */
            redeemers: string[];
            /**
             * Format: uuid
             * @description The operator's own application, to which the session belongs.
             */
            sdk_id: string;
        };
        /** @description What to ask the browser, or the session whose result is stored. */
        KeepResultResponse: components["schemas"]["PasskeyChallenge"] | components["schemas"]["PageSession"];
        /** @enum {string} */
        LivenessLevel: "NONE" | "PASSIVE" | "ACTIVE";
        /** @description The method to open. */
        OpenAttemptRequest: {
            /** @description Required in a session of the issuer of blind tokens: the `key` that was returned when the session began. */
            key?: string | null;
            /**
             * @description The language of the page, BCP 47. Codes are sent in it if it is supported.
             * @default en
             */
            locale?: string | null;
            /** @description The method. */
            method: components["schemas"]["AgeMethod"];
        };
        /** @description Where the end user goes afterwards. */
        PageCallback: {
            /** @description Whether the page sends them there without a button. */
            auto: boolean;
            /** @description The address, with the session's id in its query. */
            url: string;
        };
        /** @description Consent to the use of biometric data. */
        PageConsent: {
            /** @description The end user's answer, once there is one. */
            given: boolean | null;
            /** @description Whether the end user may give it now, also after they refused it. */
            may_give: boolean;
            /** @description Whether consent is required. */
            required: boolean;
        };
        /** @description A field of a form. */
        PageFormField: {
            /** @description The autofill token (HTML, `autocomplete`). */
            autocomplete: string;
            /**
             * Format: int32
             * @description The maximum length, characters.
             */
            max: number;
            /** @description The name under which the value is sent back. */
            name: string;
            /** @description Whether it must be filled in. */
            required: boolean;
            /** @description The kind of value. */
            type: components["schemas"]["PageFormFieldType"];
        };
        /**
         * @description The kind of value that a field takes.
         * @enum {string}
         */
        PageFormFieldType: "text" | "tel" | "email" | "digits" | "date";
        /** @description What was wrong with the last input. */
        PageInputProblem: {
            /** @description The kind of problem. */
            code: components["schemas"]["InputProblemCode"];
            /** @description The field that it is about, if any. */
            field?: string | null;
            /**
             * Format: int64
             * @description Tries that are left, if they are limited.
             */
            remaining?: number | null;
        };
        /** @description A method that can be used. */
        PageMethod: {
            /**
             * Format: int64
             * @description Attempts that ended.
             */
            attempts: number;
            /**
             * Format: int64
             * @description Attempts that are left.
             */
            attempts_remaining: number;
            /** @description Whether an attempt may begin now. */
            available: boolean;
            /** @description Whether it uses a face. */
            biometric: boolean;
            /** @description Whether the end user may continue on a phone. */
            hand_off: boolean;
            /** @description Whether only the relying party's app can use it, and not this page. */
            in_app: boolean;
            /** @description How the method checks that a live person is in front of the camera. */
            level: components["schemas"]["LivenessLevel"];
            /** @description The method. */
            method: components["schemas"]["AgeMethod"];
            /**
             * @description The last part of the address of its page.
             * @example doc_scan
             */
            path: string;
            /** @description The country that the document page preselects, ISO 3166-1 alpha-3. */
            preset_issuing_country: string | null;
            /** @description Whether the page tries it by itself at the start, instead of offering it. */
            silent: boolean;
            /** @description The state of the method. */
            state: components["schemas"]["PageMethodState"];
            /**
             * Format: int64
             * @description The age that is asked for, years.
             */
            threshold: number;
        };
        /**
         * @description The state of a method.
         * @enum {string}
         */
        PageMethodState: "OPEN" | "FAILED" | "EXHAUSTED" | "DECLINED";
        /** @description What the end user may take along. */
        PageOffers: {
            /** @description Whether the result may be stored under a passkey. */
            key: boolean;
            /** @description Whether a proof of age may be taken along. */
            proof: boolean;
        };
        /** @description The outcome of the last attempt that ended. */
        PageResult: {
            /** @description The method of the attempt. */
            method: components["schemas"]["AgeMethod"];
            reason: components["schemas"]["AgeFailureReason"] | null;
            /** @description Whether it passed. */
            status: components["schemas"]["PageResultStatus"];
        };
        /**
         * @description The outcome of an attempt.
         * @enum {string}
         */
        PageResultStatus: "COMPLETE" | "FAIL" | "ERROR";
        /** @description How long results are kept. */
        PageRetention: {
            /**
             * Format: int64
             * @description Days.
             */
            days: number;
        };
        /** @description A session, as its page sees it. */
        PageSession: {
            /** @description The relying party's name. */
            business: string;
            callback: components["schemas"]["PageCallback"] | null;
            /** @description Where the end user goes after cancelling. */
            cancel_url: string | null;
            /** @description Consent to the use of biometric data. */
            consent: components["schemas"]["PageConsent"];
            /**
             * Format: date-time
             * @description When the session expires.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description The session.
             */
            id: string;
            /**
             * Format: int32
             * @description In a session of the issuer of blind tokens: the age that the token attests, years.
             */
            issues: number | null;
            /** @description How long results are kept. */
            keeps: components["schemas"]["PageRetention"];
            /** @description Whether the end user is in a location that the session blocks; only given by `GET`. */
            location_blocked?: boolean | null;
            /** @description The methods that can be used, in the order in which they are offered. */
            methods: components["schemas"]["PageMethod"][];
            /** @description What the end user may take along. */
            offers: components["schemas"]["PageOffers"];
            /** @description The address of the relying party's privacy policy. */
            privacy_policy: string | null;
            result: components["schemas"]["PageResult"] | null;
            /** @description Whether the session has failed and another attempt may begin. */
            retry: boolean;
            /** @description Whether it is a session of the sandbox. */
            sandbox: boolean;
            /**
             * Format: int64
             * @description Seconds until then, rounded up.
             */
            seconds_left: number;
            /** @description The state of the session. */
            status: components["schemas"]["AgeSessionStatus"];
            /** @description The origin of the page that shows the session in a frame. */
            target_origin_url: string | null;
            /** @description The address of the relying party's terms and conditions. */
            terms_and_conditions: string | null;
            /** @description What is asked about the age. */
            type: components["schemas"]["AgeSessionType"];
        };
        /** @description What the page is to do next; `kind` says which. */
        PageStep: {
            /** @description Where the page gets the proof of capture for the photo. */
            capture: components["schemas"]["CaptureModule"];
            /** @enum {string} */
            kind: "camera";
            /** @description How the method checks that a live person is in front of the camera. */
            level: components["schemas"]["LivenessLevel"];
        } | {
            /** @description Where the page gets the proof of capture for the photo. */
            capture: components["schemas"]["CaptureModule"];
            /** @enum {string} */
            kind: "frames";
            /** @description The movements, in this order. */
            moves: components["schemas"]["HeadMovement"][];
        } | {
            /** @description The fields of the form. */
            fields: components["schemas"]["PageFormField"][];
            /** @enum {string} */
            kind: "form";
        } | {
            /** @description How it was sent. */
            channel: components["schemas"]["CodeChannel"];
            /** @enum {string} */
            kind: "code";
            /**
             * @description Number of digits.
             * @example 6
             */
            length: number;
            /**
             * Format: int64
             * @description Seconds until another may be sent.
             */
            resend_in: number;
            /**
             * @description Where it was sent, masked.
             * @example +44 •••• ••• 123
             */
            sent_to: string;
        } | {
            /** @enum {string} */
            kind: "choose";
            /** @description The options. */
            options: components["schemas"]["PageStepOption"][];
        } | {
            /** @enum {string} */
            kind: "redirect";
            /** @description The address. */
            url: string;
        } | {
            /** @enum {string} */
            kind: "passkey";
            /** @description What to ask the browser. */
            options: components["schemas"]["PasskeyOptions"];
            /** @description Whether the page uses it without being told to. */
            silent: boolean;
        } | {
            /** @enum {string} */
            kind: "document";
            /** @description The address of its page. */
            url: string;
        } | {
            /** @description What it is for: a `TokenChallenge` (RFC 9577, section 2.1), base64url. */
            challenge: string;
            /** @description The address of the issuer's page. */
            issuer_url: string;
            /** @description The key that is to sign the token, base64url of its `SubjectPublicKeyInfo`. */
            key: string;
            /** @enum {string} */
            kind: "token";
            /**
             * Format: int32
             * @description The age that tokens of this key attest, years.
             */
            threshold: number;
        } | {
            /** @enum {string} */
            kind: "wallet";
            /** @description Addresses that call a wallet on this device. */
            links: string[];
            /**
             * Format: int32
             * @description Milliseconds until the next poll.
             */
            poll_ms: number;
            /** @description The address that calls a wallet on another device, to be shown as a QR code. */
            url: string;
        } | {
            /**
             * @description The digits.
             * @example 4821
             */
            code: string;
            /** @enum {string} */
            kind: "app_code";
            /**
             * Format: int32
             * @description Milliseconds until the next poll.
             */
            poll_ms: number;
        } | {
            /** @enum {string} */
            kind: "wait";
            /**
             * Format: int32
             * @description Milliseconds until the next poll.
             */
            poll_ms: number;
        };
        /** @description An option of a choice. */
        PageStepOption: {
            /** @description The value to send as `choice`. */
            id: string;
            /** @description The name to show. */
            name: string;
        };
        /** @description A passkey request. */
        PasskeyChallenge: {
            /** @description To be sent back with the answer; valid for five minutes. */
            continuation: string;
            /** @description What to ask the browser. */
            options: components["schemas"]["PasskeyOptions"];
        };
        /** @description What `PublicKeyCredential.toJSON()` gives: `RegistrationResponseJSON` or `AuthenticationResponseJSON` (Web Authentication Level 3, section 5.1). */
        PasskeyCredential: {
            [key: string]: unknown;
        };
        /** @description Options for `navigator.credentials.create` or `get`: under `publicKey` the JSON form of `PublicKeyCredentialCreationOptions` or `PublicKeyCredentialRequestOptions` (Web Authentication Level 3, section 5.4 and 5.5). */
        PasskeyOptions: {
            [key: string]: unknown;
        };
        /** @description An answer to a passkey request; empty to get the request. */
        PasskeyResponse: {
            /** @description The `continuation` of the request. */
            continuation?: string | null;
            credential?: components["schemas"]["PasskeyCredential"] | null;
        };
        /** @description An invitation to the holder's page. */
        ProofInvitation: {
            /** @description The address; it works once. */
            url: string;
        };
        /** @description The input of a turn: what the last step asks for, or nothing, to poll. */
        TurnRequest: {
            /** @description `choose`: the id of an option. */
            choice?: string | null;
            /** @description `code`: the code that was typed. */
            code?: string | null;
            /** @description The `continuation` of the last answer. */
            continuation: string;
            credential?: components["schemas"]["PasskeyCredential"] | null;
            /**
             * @description `token`: whether the issuer gave no token.
             * @default false
             */
            declined?: boolean | null;
            /** @description `form`: what was typed, by the names of the fields. */
            fields?: {
                [key: string]: string;
            } | null;
            /** @description `frames`: JPEG pictures of at most 512 KiB that show the moves, base64. */
            frames?: string[] | null;
            /** @description `camera` and `frames`: a JPEG photo of at most 4 MiB, base64. */
            img?: string | null;
            /**
             * @description `code`: whether another code is asked for.
             * @default false
             */
            resend?: boolean | null;
            /** @description `redirect` and `wallet`: the parameters with which the end user returned. */
            returned?: {
                [key: string]: string;
            } | null;
            secure?: components["schemas"]["CaptureProof"] | null;
            /** @description `frames`: when each was taken, milliseconds. Default: three a second. */
            times?: number[] | null;
            /** @description `token`: a Token (RFC 9577, section 2.2), base64url. */
            token?: string | null;
        };
        /** @description The state of a session after a turn. Without a step the attempt has ended, or a check goes on without the end user. */
        TurnResponse: {
            /**
             * Format: uuid
             * @description The attempt that is under way.
             */
            attempt: string | null;
            /** @description What the page sends back with the next turn. */
            continuation: string | null;
            problem: components["schemas"]["PageInputProblem"] | null;
            /** @description The session. */
            session: components["schemas"]["PageSession"];
            step: components["schemas"]["PageStep"] | null;
        };
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
    age_token_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/private-token-issuer-directory": components["schemas"]["IssuerDirectory"];
                };
            };
        };
    };
    begin_age_issuing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "threshold": 18
                 *     }
                 */
                "application/json": components["schemas"]["BeginIssuingRequest"];
            };
        };
        responses: {
            /** @description The session. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuingSession"];
                };
            };
        };
    };
    forget_age_result: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasskeyResponse"];
            };
        };
        responses: {
            /** @description What the browser is asked, or whether there was something. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgetResultResponse"];
                };
            };
        };
    };
    see_age_session: {
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
            /** @description The session as it stands. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
        };
    };
    open_age_attempt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
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
                 *       "locale": "en",
                 *       "method": "AGE_ESTIMATION"
                 *     }
                 */
                "application/json": components["schemas"]["OpenAttemptRequest"];
            };
        };
        responses: {
            /** @description What the person does first. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnResponse"];
                };
            };
        };
    };
    take_age_turn: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The attempt. */
                attemptId: string;
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TurnRequest"];
            };
        };
        responses: {
            /** @description What the person does next. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnResponse"];
                };
            };
        };
    };
    cancel_age_session: {
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
            /** @description The cancelled session. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
        };
    };
    give_age_consent: {
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
                "application/json": components["schemas"]["ConsentRequest"];
            };
        };
        responses: {
            /** @description The session, with the decision recorded. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageSession"];
                };
            };
        };
    };
    report_age_fault: {
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
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    keep_age_result: {
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
                "application/json": components["schemas"]["PasskeyResponse"];
            };
        };
        responses: {
            /** @description What the browser is asked, or the session. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeepResultResponse"];
                };
            };
        };
    };
    take_age_proof: {
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
            /** @description The invitation. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProofInvitation"];
                };
            };
        };
    };
    issue_age_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A session of the issuer that is COMPLETE. */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueTokenRequest"];
            };
        };
        responses: {
            /** @description The signature. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedToken"];
                };
            };
        };
    };
}
