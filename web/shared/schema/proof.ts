// Written by `npm run generate` from openapi/proof.json: not to be changed by hand.

export interface paths {
    "/poa/v1/holder/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Redeem an invitation for a batch of credentials. */
        post: operations["redeem_invitation"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Credentials for a holder's page. */
        CredentialBatchResponse: {
            /**
             * Format: int64
             * @description How many more batches the invitation allows.
             */
            batches_left: number;
            /** @description Base64url, one for each key, in their order. */
            credentials: string[];
            /**
             * Format: date-time
             * @description Until when they can be presented.
             */
            expires_at: string;
        };
        /** @description The public keys of a holder's page. */
        RedeemInvitationRequest: {
            /** @description Base64url of uncompressed P-256 points (65 bytes), 1 to 120; each gets a credential of its own. */
            keys: string[];
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
    redeem_invitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeemInvitationRequest"];
            };
        };
        responses: {
            /** @description The credentials. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialBatchResponse"];
                };
            };
        };
    };
}
