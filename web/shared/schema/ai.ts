// Written by `npm run generate` from openapi/ai.json: not to be changed by hand.

export interface paths {
    "/ai/sm/v1/secure/{version}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Start a secure capture session in a browser. */
        get: operations["issue_secure_token"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description A secure session. */
        SecureTokenResponse: {
            /**
             * Format: int64
             * @description Seconds until it expires.
             * @example 600
             */
            expires_in: number;
            /** @description To be sent back as `secure.token`. */
            token: string;
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
    issue_secure_token: {
        parameters: {
            query: {
                /** @description Base64url of the browser's P-256 public key, an uncompressed point of 65 bytes. */
                key: string;
                /** @description The SDK ID of the application. */
                sdkId: string;
                /** @description The age session that photos will be taken for, if any. The token then counts in that session alone, and once. */
                sessionId?: string;
            };
            header?: never;
            path: {
                /** @description Protocol version, `1`. */
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecureTokenResponse"];
                };
            };
        };
    };
}
