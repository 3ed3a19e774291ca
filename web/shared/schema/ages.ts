// Written by `npm run generate` from openapi/ages.json: not to be changed by hand.

export interface paths {
    "/age/v1/anonymity/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The public keys that tokens are signed with: the directory of RFC 9578, section 4. Beside the standard's members each key
         *     has `threshold`, the age that its tokens show, and `not-after`, until when they count, Unix seconds.
         */
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
         * Begin a session in which an age is shown to the issuer: one of the operator's own application, which knows of no other.
         *     `key` is for the tab that began it alone: without it no method is opened and nothing is signed in the session.
         *     `redeemers` are the origins of other servers to whose pages the issuer's page may hand what is signed in it.
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
        /** Forget what is kept under a key, whoever's: without a body the browser is asked for it, with its answer it is forgotten. */
        post: operations["forget_age_result"];
    };
    "/age/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The session, as its page sees it. */
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
         * Open a method. An attempt at another that has not ended is given up, and does not count. In a session of the issuer of
         *     blind tokens `key` is what it began with; without it there is none.
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
        /** Take a turn. */
        post: operations["take_age_turn"];
    };
    "/age/v1/sessions/{sessionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Call the session off. */
        post: operations["cancel_age_session"];
    };
    "/age/v1/sessions/{sessionId}/consent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say yes or no to the use of one's face. */
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
         * Tell the operator that the page broke down. Nothing about the person may be in it: of each text only letters, digits
         *     and a few signs are kept, and few of them.
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
        /** Keep the result under a key of one's own: without a body the browser is asked to make one, with its answer it is kept. */
        post: operations["keep_age_result"];
    };
    "/age/v1/sessions/{sessionId}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Take a proof along, for tills: an address of the holder's page, once. */
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
         * Have a blinded message signed when the age was shown. The same message is answered alike until the session's time is
         *     over, so an answer that was lost can be had again; another one is refused (`INVALID_STATUS`).
         */
        post: operations["issue_age_token"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
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
                    "application/private-token-issuer-directory": unknown;
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
        /** @description `{"threshold": 18}`: the age of one of the keys. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description It is made: `id`, `sdk_id`, `key`, `expires_at`, `redeemers`. */
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
    forget_age_result: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description `{}`, then `{"continuation": "…", "credential": {…}}` */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What the browser is asked, or whether there was something. */
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
    open_age_attempt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. Not where blind tokens are asked for or issued: of those no answer is kept. */
                "Idempotency-Key"?: string | null;
            };
            path: {
                /** @description The session. */
                sessionId: string;
            };
            cookie?: never;
        };
        /** @description `{"method": "AGE_ESTIMATION", "locale": "en"}` */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What to do. */
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
        /** @description `{"continuation": "…"}` and what the step asks for. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What to do next. */
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
            /** @description It is cancelled. */
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
        /** @description `{"given": true}` */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description It is noted. */
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
        /** @description `{}`, then `{"continuation": "…", "credential": {…}}` */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description What the browser is asked, or the session. */
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
            /** @description The address. */
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
        /** @description `{"token_request": "…", "key": "…"}`: a TokenRequest (RFC 9578, section 6.1), base64url, and the `key` that the session began with. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description `{"token_response": "…"}`: a TokenResponse, base64url. */
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
