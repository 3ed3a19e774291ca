// Written by `npm run generate` from openapi/console.json: not to be changed by hand.

export interface paths {
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See who is signed in. */
        get: operations["get_session"];
        /**
         * Accept an invitation, or sign in by a link.
         * @description Each works once. The session is returned as a cookie.
         */
        post: operations["begin_session"];
        /** End the session, if there is one. */
        delete: operations["end_session"];
    };
    "/console/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask for an email with a sign-in link.
         * @description Neither the answer nor its timing depends on whether the address is known: a job looks up the member later.
         */
        post: operations["ask_for_link"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description An account. */
        Account: {
            /**
             * Format: date-time
             * @description When it was opened.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * @description Its name.
             * @example Production
             */
            name: string;
        };
        /** @description The secret from a link: exactly one of the two. */
        BeginSessionRequest: {
            /** @description From an invitation: the text after `#invite=`. */
            invitation?: string | null;
            /** @description From a sign-in link: the text after `#sign-in=`. */
            link?: string | null;
        };
        /** @description A person who works in an account. */
        Member: {
            /** @description Whether they are an administrator. */
            admin: boolean;
            /**
             * Format: date-time
             * @description When they became a member.
             */
            created_at: string;
            /** @description Their email address. */
            email: string;
            /**
             * Format: uuid
             * @description Their id.
             */
            id: string;
            /** @description What they may do. */
            scopes: components["schemas"]["Scope"][];
            /** @description Their user name. */
            username: string;
        };
        /** @enum {string} */
        Scope: "contents:list" | "contents:manage" | "contents:moderate" | "contents:view" | "contents:reports:list" | "contents:reports:moderate" | "flags:manage" | "members:manage" | "moderations:manage" | "moderations:view" | "notifications:manage" | "notifications:view" | "profiles:list" | "profiles:manage" | "profiles:view" | "reports:view" | "reports:manage";
        /** @description Who is signed in, where, and what they may do. */
        Session: {
            /** @description The account they belong to. */
            account: components["schemas"]["Account"];
            /** @description The member who is signed in. */
            member: components["schemas"]["Member"];
            /** @description What they may do in it. */
            scopes: components["schemas"]["Scope"][];
        };
        /** @description Who wants to sign in. */
        SignInRequest: {
            /**
             * @description Their email address.
             * @example ada@example.com
             */
            email: string;
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
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whose session it is. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    begin_session: {
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
                 *       "link": "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM"
                 *     }
                 */
                "application/json": components["schemas"]["BeginSessionRequest"];
            };
        };
        responses: {
            /** @description They are in. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The session. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Nobody is signed in. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description Takes the session away. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ask_for_link: {
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
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            /** @description Whoever is a member gets a mail. */
            202: {
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
}
