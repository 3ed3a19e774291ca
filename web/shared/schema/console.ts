// Written by `npm run generate` from openapi/console.json: not to be changed by hand.

export interface paths {
    "/console/accounts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the moderation accounts of all applications. */
        get: operations["list_accounts"];
    };
    "/console/accounts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Delete an account and everything under it, for good.
         * @description Where four eyes are needed (`console.four_eyes`), another operator must approve it first.
         */
        delete: operations["delete_account"];
    };
    "/console/applications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the applications. */
        get: operations["list_applications"];
        /** Create an application. */
        post: operations["create_application"];
    };
    "/console/applications/{applicationId}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the API keys of an application. */
        get: operations["list_api_keys"];
        /**
         * Create an API key.
         * @description Where four eyes are needed (`console.four_eyes`), it works once another operator has approved it.
         */
        post: operations["create_api_key"];
    };
    "/console/applications/{applicationId}/keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Revoke an API key.
         * @description It stops working at once or, where four eyes are needed (`console.four_eyes`), once another operator has approved it.
         */
        delete: operations["revoke_api_key"];
    };
    "/console/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See what operators asked for within the last month. */
        get: operations["list_approvals"];
    };
    "/console/approvals/{approvalId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Approve what another operator asked for.
         * @description It is done in the same transaction. Nobody approves what they asked for themselves.
         */
        post: operations["approve_request"];
    };
    "/console/approvals/{approvalId}/refuse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Refuse what another operator asked for. */
        post: operations["refuse_request"];
    };
    "/console/cases": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List cases. */
        get: operations["list_cases"];
    };
    "/console/cases/{caseId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a case, whoever holds it. */
        get: operations["get_case"];
    };
    "/console/cases/{caseId}/appeal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Have a decision that is settled looked at again, by somebody who has not decided about the case. Needs `cases:manage`. */
        post: operations["create_appeal"];
    };
    "/console/cases/{caseId}/assign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Hand a case to a member, who alone gets it from then on. */
        post: operations["assign_case"];
    };
    "/console/cases/{caseId}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Decide a case that the reviewer holds. */
        put: operations["decide_case"];
        /** Take back a decision that is not settled yet. */
        delete: operations["undo_decision"];
    };
    "/console/cases/{caseId}/golden": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Make a golden case of one that is settled. Needs `queues:manage`.
         * @description Reviewers who have not decided about it get it among the cases of its queue, as often as the queue says. It looks like all others
         *     and has no effect.
         */
        post: operations["create_golden_case"];
    };
    "/console/cases/{caseId}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Put a case on hold; it comes back to its queue by itself. */
        post: operations["hold_case"];
    };
    "/console/cases/{caseId}/pictures/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a picture of a case.
         * @description For whoever holds the case, was handed it or has decided about it, and for leads (`cases:manage`). That it was given out is in
         *     the audit trail. It must not be cached.
         */
        get: operations["get_picture"];
    };
    "/console/cases/{caseId}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Give a case back to its queue.
         * @description A lead (`cases:manage`) may also take one from whoever has it.
         */
        post: operations["release_case"];
    };
    "/console/cases/{caseId}/views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Report which pictures of a case were looked at, and for how long. */
        post: operations["record_views"];
    };
    "/console/cases/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Claim cases.
         * @description The answer has everything that the reviewer holds: cases that were claimed before come first, and their leases are
         *     renewed. Nobody else gets them until their leases end.
         */
        post: operations["claim_cases"];
    };
    "/console/cases/renew": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Renew the leases of cases. */
        post: operations["renew_leases"];
    };
    "/console/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See what one has to sign in with. */
        get: operations["list_credentials"];
    };
    "/console/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members of the account, with what they have of the console. */
        get: operations["list_console_members"];
    };
    "/console/members/{memberId}/console-scopes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Set what a member has of the console.
         * @description For members who have `roles:manage`, who give only what they have themselves; and for operators who have
         *     `operators:manage`, who may give everything. What the member has already may stay.
         */
        put: operations["set_console_scopes"];
    };
    "/console/members/{memberId}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See where a member of the account is signed in.
         * @description For those who manage members; the sessions of an administrator are for administrators.
         */
        get: operations["list_member_sessions"];
        /**
         * End all sessions of a member of the account.
         * @description For those who manage members; the sessions of an administrator are for administrators.
         */
        delete: operations["end_member_sessions"];
    };
    "/console/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Come back from the identity provider.
         * @description Browsers are sent here, so it always leads on to `/console/`: signed in, with `#choose=TICKET` if there are several places
         *     to choose from, or with `#sign-in-failed=` and `refused`, `busy` or `unavailable`.
         */
        get: operations["oidc_callback"];
    };
    "/console/operator-roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the roles that operators can have. */
        get: operations["list_operator_roles"];
        /**
         * Make a role.
         * @description Nobody can put a scope into it that they do not have themselves.
         */
        post: operations["create_operator_role"];
    };
    "/console/operator-roles/{roleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Change a role, for everybody who has it.
         * @description Nobody can add a scope that they do not have themselves, and somebody must remain who may manage operators.
         */
        put: operations["change_operator_role"];
        /** Delete a role that nobody has. */
        delete: operations["delete_operator_role"];
    };
    "/console/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the operators. */
        get: operations["list_operators"];
    };
    "/console/operators/{operatorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Set what an operator may do.
         * @description Nobody can give a scope that they do not have themselves, and somebody must remain who may manage operators.
         */
        put: operations["set_operator_grant"];
    };
    "/console/operators/{operatorId}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Let an operator in no more.
         * @description Their sessions end. Somebody must remain who may manage operators.
         */
        post: operations["disable_operator"];
    };
    "/console/operators/{operatorId}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Let an operator in again. */
        post: operations["enable_operator"];
    };
    "/console/operators/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the invitations that can still be accepted. */
        get: operations["list_operator_invitations"];
        /**
         * Invite an operator.
         * @description They receive an email with a link that makes them one and signs them in; it works once. A new invitation to the same
         *     address replaces the old one. Nobody can give a scope that they do not have themselves.
         */
        post: operations["invite_operator"];
    };
    "/console/operators/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Revoke an invitation. */
        delete: operations["revoke_operator_invitation"];
    };
    "/console/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the organisations. */
        get: operations["list_organisations"];
        /** Create an organisation. */
        post: operations["create_organisation"];
    };
    "/console/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Add a passkey.
         * @description It counts as a second factor: if none was presented in this session before, the session has one now, and a new cookie.
         */
        post: operations["add_passkey"];
    };
    "/console/passkeys/{passkeyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Give a passkey another name. */
        put: operations["rename_passkey"];
        /** Remove a passkey. */
        delete: operations["remove_passkey"];
    };
    "/console/passkeys/challenge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to make a passkey.
         * @description Give `options` to `navigator.credentials.create`, and send what it returns with the challenge to `POST /console/passkeys`.
         *     Whoever has a second factor must have presented it in this session.
         */
        post: operations["begin_passkey"];
    };
    "/console/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Set one's password.
         * @description For operators. All of their other sessions end.
         */
        put: operations["set_password"];
    };
    "/console/quality": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See how well reviewers agree with each other and with golden answers. Needs `queues:manage`. */
        get: operations["reviewer_quality"];
    };
    "/console/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the queues whose cases the reviewer may decide, with their figures. */
        get: operations["list_queues"];
        /** Create a queue behind the others. Needs `queues:manage`. */
        post: operations["create_queue"];
    };
    "/console/queues/{queueId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Change a queue. Cases that it has keep what they were given. Needs `queues:manage`. */
        put: operations["change_queue"];
        /** Delete a queue. Its cases stay, in no queue. Needs `queues:manage`. */
        delete: operations["delete_queue"];
    };
    "/console/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the roles of the account. */
        get: operations["list_member_roles"];
        /**
         * Make a role of the account.
         * @description Nobody can put a scope into it that they do not have themselves.
         */
        post: operations["create_member_role"];
    };
    "/console/roles/{roleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Change a role, for everybody who has it.
         * @description Nobody can add a scope that they do not have themselves.
         */
        put: operations["change_member_role"];
        /** Delete a role that nobody has. */
        delete: operations["delete_member_role"];
    };
    "/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See who is signed in.
         * @description It also says whether a second factor is missing. Until it is there, only the operations for it are open.
         */
        get: operations["get_session"];
        /**
         * Sign in, or accept an invitation.
         * @description Invitations, links, challenges and codes each work once. The session is returned as a cookie; the one that the browser
         *     had before ends. What was wrong with a password is not said.
         */
        post: operations["begin_session"];
        /** End the session, if there is one. */
        delete: operations["end_session"];
    };
    "/console/session/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Present a second factor.
         * @description The session gets a new cookie. After several wrong codes in a row nothing is judged for a while.
         */
        post: operations["present_second_factor"];
    };
    "/console/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See where one is signed in. */
        get: operations["list_sessions"];
        /** End all sessions but this one. */
        delete: operations["end_other_sessions"];
    };
    "/console/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** End one of one's own sessions. */
        delete: operations["end_one_session"];
    };
    "/console/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask for an email with sign-in links.
         * @description Neither the answer nor its timing depends on whether the address is known: a job looks up members and operators later.
         */
        post: operations["ask_for_link"];
    };
    "/console/sign-in-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See how one can sign in. */
        get: operations["sign_in_methods"];
    };
    "/console/sign-in/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the places that one may come in at, after the identity provider. */
        post: operations["sign_in_choices"];
    };
    "/console/sign-in/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to sign in through the identity provider.
         * @description Go to `location`. The provider sends the browser back to `/console/oidc/callback`, which leads to `/console/`: signed in,
         *     with `#choose=TICKET` if there are several places to choose from, or with `#sign-in-failed=CODE`. The cookie binds the
         *     attempt to this browser.
         */
        post: operations["begin_provider_sign_in"];
    };
    "/console/sign-in/passkey": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to sign in with a passkey.
         * @description Give `options` to `navigator.credentials.get`, and send what it returns with the challenge to `POST /console/session` or,
         *     as a second factor, to `POST /console/session/second-factor`.
         */
        post: operations["begin_passkey_sign_in"];
    };
    "/console/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Begin to set up codes of an authenticator app.
         * @description They count from the first code on that is sent to `POST /console/totp/confirmation`. An earlier beginning is forgotten.
         */
        post: operations["begin_totp"];
        /** Remove one's codes. */
        delete: operations["remove_totp"];
    };
    "/console/totp/confirmation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete the setup of codes with a first one.
         * @description It counts as a second factor: if none was presented in this session before, the session has one now, and a new cookie.
         */
        post: operations["confirm_totp"];
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
        /** @description A moderation account, as operators see it. */
        AccountRecord: {
            /** Format: uuid */
            application_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: int64
             * @description How many members it has.
             */
            members: number;
            name: string;
            /** @description `OPEN`, or `CLOSING` while everything under it is being deleted. */
            state: string;
        };
        /** @description The moderation accounts of all applications. */
        AccountRecordList: {
            /** @description The oldest first. */
            accounts: components["schemas"]["AccountRecord"][];
        };
        /** @description A passkey that a browser made. */
        AddPasskeyRequest: {
            /** @description The challenge that it answers. */
            challenge: string;
            /** @description The output of `PublicKeyCredential.toJSON()`. */
            credential: Record<string, never>;
            /**
             * @description What its holder calls it.
             * @example Work laptop
             */
            name: string;
        };
        /** @enum {string} */
        AgeGroup: "threshold_met" | "not_required" | "unknown" | "child" | "teenager_young" | "teenager_old" | "adult_young" | "adult";
        /** @description How often two decide the same. */
        Agreement: {
            /**
             * Format: int64
             * @description Cases that both have decided.
             */
            cases: number;
            /**
             * Format: double
             * @description Cohen's kappa: 1 for full agreement, 0 for as much as by chance; absent where chance alone makes them agree.
             */
            kappa?: number;
            /**
             * Format: double
             * @description The share of these on which they agree, 0 to 1.
             */
            share?: number;
        };
        /** @description Who is signed in: a member of an account, or an operator of the installation. */
        AnySession: components["schemas"]["Session"] | components["schemas"]["OperatorSession"];
        /** @description An API key. The key itself was shown when it was created. */
        ApiKey: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Absent: it works until it is revoked.
             */
            expires_at?: string | null;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description To the hour. Absent: it was not used yet.
             */
            last_used_at?: string | null;
            name: string;
            revoked: boolean;
            /** @description What it may do; empty: everything that the application may. */
            scopes: string[];
        };
        /** @description The API keys of an application. */
        ApiKeyList: {
            /** @description The newest first. */
            keys: components["schemas"]["ApiKey"][];
        };
        /** @description An application of an organisation. */
        Application: {
            /** @description Where its use is billed. Absent: its signed calls are refused. */
            billing_source_id?: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The interfaces that it may use. */
            features: components["schemas"]["Feature"][];
            /**
             * Format: uuid
             * @description Its id, which callers know as the SDK id.
             */
            id: string;
            name: string;
            /**
             * Format: uuid
             * @description Absent: it belongs to none, and is refused.
             */
            organisation_id?: string | null;
            state: components["schemas"]["ApplicationState"];
        };
        /** @description All applications. */
        ApplicationList: {
            /** @description The oldest first. */
            applications: components["schemas"]["Application"][];
        };
        /** @enum {string} */
        ApplicationState: "ENABLED" | "DISABLED";
        /** @description What an operator asked for. */
        Approval: {
            /**
             * Format: uuid
             * @description The account that would be deleted.
             */
            account_id?: string | null;
            action: components["schemas"]["ApprovalAction"];
            /**
             * Format: uuid
             * @description The application that it concerns.
             */
            application_id?: string | null;
            /** Format: date-time */
            decided_at?: string | null;
            /**
             * Format: uuid
             * @description The operator who decided.
             */
            decided_by?: string | null;
            /**
             * Format: date-time
             * @description Until when it can be approved.
             */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The key that would be revoked.
             */
            key_id?: string | null;
            /** @description The name of the key that would be created. */
            name?: string | null;
            /** Format: date-time */
            requested_at: string;
            /**
             * Format: uuid
             * @description The operator who asked for it.
             */
            requested_by: string;
            /** @description What that key could do; empty: everything that the application may. */
            scopes?: string[] | null;
            state: components["schemas"]["ApprovalState"];
        };
        /** @enum {string} */
        ApprovalAction: "account.delete" | "api-key.create" | "api-key.revoke";
        /** @description What operators asked for within the last month. */
        ApprovalList: {
            /** @description The newest first. */
            approvals: components["schemas"]["Approval"][];
        };
        /** @enum {string} */
        ApprovalState: "PENDING" | "APPROVED" | "REFUSED";
        /** @description To whom. */
        AssignCaseRequest: {
            /**
             * Format: uuid
             * @description A member of the account who has not decided about the case yet.
             */
            member_id: string;
        };
        /** @description What somebody comes in with: exactly one of these. */
        BeginSessionRequest: {
            choice?: components["schemas"]["ChosenPlace"] | null;
            /** @description From an invitation to an account: the text after `#invite=`. */
            invitation?: string | null;
            /** @description From a member's sign-in link: the text after `#sign-in=`. */
            link?: string | null;
            /** @description From an invitation to be an operator: the text after `#operator-invite=`. */
            operator_invitation?: string | null;
            /** @description From an operator's sign-in link: the text after `#operator-sign-in=`. */
            operator_link?: string | null;
            passkey?: components["schemas"]["PasskeyAnswer"] | null;
            password?: components["schemas"]["PasswordCredential"] | null;
        };
        /** @enum {string} */
        BuiltInRole: "administrator" | "support" | "auditor";
        /** @description A role that every installation has. */
        BuiltInRoleScopes: {
            role: components["schemas"]["BuiltInRole"];
            scopes: components["schemas"]["OperatorScope"][];
        };
        /** @description A case with everything that it is judged by. */
        Case: components["schemas"]["CaseItem"] & {
            /** @description The decisions that end it. */
            decisions: components["schemas"]["CaseDecision"][];
            /**
             * Format: date-time
             * @description When what it shows is deleted at the latest, where there is such a moment.
             */
            deletes_at?: string;
            /** @description Of a check of a document verification session. */
            document_check?: components["schemas"]["DocumentCheck"];
            /** @description Of a finding. */
            finding?: components["schemas"]["Finding"];
            /** @description The pictures, by name; read them at `/console/cases/{caseId}/pictures/{name}`. */
            pictures: components["schemas"]["CasePicture"][];
            /** @description What the queue wants reviewers to know; empty if there is nothing. */
            policy: string;
            /** @description Reasons that can be given a decision with one key. */
            reason_codes: components["schemas"]["ReasonCode"][];
        };
        /** @description An estimated age, in years. */
        CaseAge: {
            /** Format: float */
            high?: number;
            /**
             * Format: float
             * @description The ends of the interval in which the age lies in 80 of 100 cases.
             */
            low?: number;
            /**
             * Format: int32
             * @description The age that the moderation asks for.
             */
            threshold?: number;
            /** Format: float */
            years: number;
        };
        /** @description The content that a face was found in. */
        CaseContent: {
            /** Format: uuid */
            id: string;
            /** @description Whether it was archived or deleted meanwhile. */
            is_gone: boolean;
            title?: string;
            type: components["schemas"]["ContentType"];
            /** Format: uuid */
            uploader_id?: string;
            /** @description Where it is; absent if it was uploaded. */
            url?: string;
        };
        /** @enum {string} */
        CaseDecision: "CONFIRM" | "FALSE_ALARM" | "APPROVE" | "CONSIDER" | "REJECT" | "UPHOLD" | "OVERTURN";
        /** @description A number or reason, by name. */
        CaseDetail: {
            name: string;
            value: string;
        };
        /** @description A field of a document, as it was read in up to three places. */
        CaseField: {
            /** @description Whether all places say the same; absent where there is one only. */
            agrees?: boolean;
            barcode?: string;
            name: string;
            print?: string;
            zone?: string;
        };
        /** @description What was said about earlier findings; at most the latest 1,000 are counted. */
        CaseHistory: {
            /** Format: int64 */
            confirmed: number;
            /** Format: int64 */
            dismissed: number;
            /** Format: int64 */
            findings: number;
        };
        /** @description A case, without what it is judged by. */
        CaseItem: {
            /**
             * Format: uuid
             * @description Whom it was handed to.
             */
            assigned_to?: string;
            /**
             * Format: date-time
             * @description When it was settled or withdrawn.
             */
            closed_at?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it should be decided.
             */
            due_at: string;
            /**
             * Format: uuid
             * @description Who works on it.
             */
            held_by?: string;
            /**
             * Format: date-time
             * @description When it comes back from being on hold.
             */
            held_until?: string;
            /** Format: uuid */
            id: string;
            /** @description Whether it is an appeal against an earlier decision. */
            is_appeal: boolean;
            /** @description Whether it is past that. */
            is_overdue: boolean;
            kind: components["schemas"]["CaseKind"];
            /** @description The language of the person concerned, where it is known. */
            language?: string;
            /**
             * Format: date-time
             * @description Until when it is theirs, unless their page renews it.
             */
            lease_until?: string;
            /** @description Why it was put on hold. */
            note?: string;
            /** @description What was decided, once that is settled. */
            outcome?: components["schemas"]["CaseDecision"];
            /**
             * Format: int64
             * @description Higher comes first.
             */
            priority: number;
            queue?: components["schemas"]["QueueName"] | null;
            /** @description Why it is there: the reason of a notification, or the type of a check. */
            reason: string;
            state: components["schemas"]["CaseState"];
        };
        /** @enum {string} */
        CaseKind: "FINDING" | "DOCUMENT_CHECK" | "AGE_APPEAL";
        /** @description A page of cases. */
        CaseList: {
            /** @description Those that are due first. */
            cases: components["schemas"]["CaseItem"][];
            /**
             * Format: int64
             * @description The page.
             */
            page: number;
            /**
             * Format: int64
             * @description How many there are in all.
             */
            total_count: number;
        };
        /** @description A measure of a document. */
        CaseMeasure: {
            /** @description What was measured. */
            check: string;
            /** @description The limit, in words. */
            limit: string;
            reason: string;
            /**
             * Format: float
             * @description The number, in the unit of the limit.
             */
            value: number;
            /** @description `pass`, `doubt` or `fail`. */
            verdict: string;
        };
        /** @description A person. */
        CasePerson: {
            /** @description Why they are banned. */
            ban_reason?: string;
            display_name?: string;
            /** @description How many faces are enrolled. */
            faces: number;
            is_banned: boolean;
            /** Format: uuid */
            profile_id: string;
            reference?: string;
        };
        /** @description A picture of a case. */
        CasePicture: {
            /** Format: int32 */
            height?: number;
            /** @description Its name in this case. */
            name: string;
            /**
             * Format: uuid
             * @description The resource of the session that it belongs to.
             */
            resource_id?: string;
            role: components["schemas"]["CasePictureRole"];
            /**
             * Format: double
             * @description The position in the content, in seconds.
             */
            time?: number;
            /**
             * Format: int32
             * @description Pixels; absent where they are not known before the picture is read.
             */
            width?: number;
        };
        /**
         * @description What a picture shows.
         * @enum {string}
         */
        CasePictureRole: "PAGE" | "PORTRAIT" | "SELFIE" | "FACE" | "FRAME" | "STRIP" | "ENROLLED";
        /** @description A document or a face that was supplied. */
        CaseResource: {
            /** @description What the person says the document is. */
            document_type?: string;
            /** @description What is wrong with the photos, the worst first. */
            faults: string[];
            /** @description What was read, field by field, in each place where it was read. */
            fields: components["schemas"]["CaseField"][];
            /** Format: uuid */
            id: string;
            /** @description Who the person says issued it, ISO 3166-1 alpha-3. */
            issuing_country?: string;
            kind: components["schemas"]["ResourceKind"];
            /** @description What was measured. */
            measures: components["schemas"]["CaseMeasure"][];
            /** @description The lines of the machine-readable zone. */
            zone: string[];
        };
        /** @enum {string} */
        CaseState: "OPEN" | "HELD" | "DECIDED" | "SETTLED" | "WITHDRAWN" | "GOLDEN";
        /** @description One thing that was checked. */
        CaseSubCheck: {
            /** @description Numbers and reasons, by name. */
            details: components["schemas"]["CaseDetail"][];
            passed: boolean;
            sub_check: string;
        };
        /** @enum {string} */
        CheckAdvice: "APPROVE" | "REJECT" | "NOT_AVAILABLE" | "CONSIDER";
        /** @description A ticket from the identity provider's way back. */
        ChoicesRequest: {
            /** @description The text after `#choose=`. */
            ticket: string;
        };
        /** @description One of several places that somebody may come in at. */
        ChosenPlace: {
            /**
             * Format: uuid
             * @description The chosen one, as `POST /console/sign-in/choices` lists it.
             */
            id: string;
            /** @description The text after `#choose=`. */
            ticket: string;
        };
        /** @description Which cases, and how many. */
        ClaimCasesRequest: {
            /**
             * @description How many cases the reviewer wants to hold.
             * @default 1
             */
            count?: number | null;
            /**
             * Format: uuid
             * @description The queue; without one, cases of all queues.
             */
            queue_id?: string | null;
        };
        /** @description The cases that a reviewer holds. */
        ClaimedCases: {
            /** @description In the order in which they are to be decided; fewer than wanted if there are no more. */
            cases: components["schemas"]["Case"][];
            exposure: components["schemas"]["Exposure"];
        };
        /** @description A first code. */
        ConfirmTotpRequest: {
            /** @example 287082 */
            code: string;
        };
        /** @description What a member is to have of the console. */
        ConsoleGrantRequest: {
            /** @description What they may do in the console besides; scopes that are left out are revoked. */
            console_scopes: components["schemas"]["ConsoleScope"][];
            /**
             * Format: uuid
             * @description Their role, with all of its scopes; absent: none.
             */
            role_id?: string | null;
        };
        /** @description A member, with what they have of the console. */
        ConsoleMember: {
            /** @description What they were given in the console besides. */
            console_scopes: components["schemas"]["ConsoleScope"][];
            member: components["schemas"]["Member"];
            /**
             * Format: uuid
             * @description Their role.
             */
            role_id?: string | null;
        };
        /** @description The members of an account, with what they have of the console. */
        ConsoleMemberList: {
            /** @description The earliest member first. */
            members: components["schemas"]["ConsoleMember"][];
        };
        /** @enum {string} */
        ConsoleScope: "documents:review" | "ages:review" | "cases:manage" | "queues:manage" | "sessions:view" | "sessions:manage" | "keys:manage" | "deliveries:view" | "deliveries:manage" | "sandbox:manage" | "usage:view" | "roles:manage" | "audit:view";
        /** @enum {string} */
        ContentType: "IMAGE" | "VIDEO" | "LIVE_VIDEO";
        /** @description An API key to create. */
        CreateApiKeyRequest: {
            /**
             * Format: date-time
             * @description Until when it works; absent: until it is revoked.
             */
            expires_at?: string | null;
            /** @example Production */
            name: string;
            /** @description What it may do, as scopes of the interfaces; empty: everything that the application may. */
            scopes: string[];
        };
        /** @description An application to create. */
        CreateApplicationRequest: {
            /** @description Where its use is billed; by default the organisation's id. */
            billing_source_id?: string | null;
            /** @description The interfaces that it may use; by default all. */
            features?: components["schemas"]["Feature"][] | null;
            /** @example Shop */
            name: string;
            /**
             * Format: uuid
             * @description The organisation that it belongs to.
             */
            organisation_id: string;
        };
        /** @description A key that was created. */
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            /**
             * @description The key. It cannot be shown again.
             * @example assay_2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM
             */
            key: string;
        };
        /** @description A case that was created. */
        CreatedCase: {
            /** Format: uuid */
            id: string;
        };
        /** @description A queue that was created. */
        CreatedQueue: {
            /** Format: uuid */
            id: string;
        };
        /** @description What was created. */
        CreatedResource: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
        };
        /** @description An organisation to create. */
        CreateOrganisationRequest: {
            /** @example Example Ltd */
            name: string;
        };
        /** @description What somebody has to sign in with. */
        Credentials: {
            /** @description Whether codes of an authenticator app are set up. */
            codes: boolean;
            /** @description Whether they have signed in through the identity provider, which knows them from then on. */
            identity_provider: boolean;
            /** @description The oldest first. */
            passkeys: components["schemas"]["Passkey"][];
            /** @description Whether they have a password. */
            password: boolean;
        };
        /** @description A decision. */
        DecideCaseRequest: {
            /** @description Why, in words. Stored encrypted. */
            comment?: string | null;
            /** @description One of the case's `decisions`. */
            decision: components["schemas"]["CaseDecision"];
            /**
             * Format: double
             * @description How long the reviewer looked at pictures of the case, in seconds.
             */
            exposure_seconds?: number | null;
            /**
             * @description Why, as one word of capital letters. A decision about a document needs it, or a comment.
             * @example DATA_MISMATCH
             */
            reason_code?: string | null;
        };
        /** @description A check of a document verification session. */
        DocumentCheck: {
            /** @description What was checked, one by one. */
            breakdown: components["schemas"]["CaseSubCheck"][];
            /** Format: uuid */
            check_id: string;
            /** @description What this server would decide. */
            proposed: components["schemas"]["CheckAdvice"];
            /** @description Why, as a code. */
            proposed_reason?: string;
            /** @description What was supplied: documents first. */
            resources: components["schemas"]["CaseResource"][];
            /** Format: uuid */
            session_id: string;
            type: components["schemas"]["VerificationCheckType"];
        };
        /** @description How long a reviewer has looked at pictures. */
        Exposure: {
            /**
             * Format: int64
             * @description As long as they should in a day, in seconds; absent without a limit.
             */
            budget_seconds?: number;
            /** @description Whether a break is proposed. */
            is_break_due: boolean;
            /**
             * Format: double
             * @description Today (UTC), in seconds.
             */
            seconds_today: number;
        };
        /** @enum {string} */
        Feature: "moderation" | "image-ai" | "proof-of-age" | "identity" | "ages";
        /** @description A finding of a moderation. */
        Finding: {
            /** @description The estimated age. */
            age?: components["schemas"]["CaseAge"];
            age_group?: components["schemas"]["AgeGroup"];
            content: components["schemas"]["CaseContent"];
            /**
             * Format: float
             * @description The distance to the person's nearest face; smaller is more alike.
             */
            distance?: number;
            /** @description Top, right, bottom and left of the face, in pixels of the content. */
            face_edges?: number[];
            /**
             * Format: double
             * @description The share of strangers who are as near to the person or nearer, 0 to 1, as measured of the model; at the ends of what was
             *     measured, at least or at most this.
             */
            false_match_rate?: number;
            /**
             * Format: double
             * @description The position of the best picture in the content, in seconds.
             */
            frame_time?: number;
            /**
             * Format: float
             * @description Up to which distance a face matches.
             */
            max_distance?: number;
            /** Format: uuid */
            moderation_id: string;
            /** Format: uuid */
            notification_id: string;
            /**
             * Format: double
             * @description When it was observed, seconds since 1970.
             */
            observed_at: number;
            /** @description The person that it was matched to. */
            person?: components["schemas"]["CasePerson"];
            /** @description Earlier findings of the person. */
            person_history: components["schemas"]["CaseHistory"];
            /**
             * Format: float
             * @description How clear the face is, 0 to 1.
             */
            quality?: number;
            reason: components["schemas"]["NotificationReason"];
            /** @description Earlier findings in other contents of the same uploader. */
            uploader_history: components["schemas"]["CaseHistory"];
        };
        /** @description The right answer. */
        GoldenCaseRequest: {
            /** @description One of the case's `decisions`. */
            decision: components["schemas"]["CaseDecision"];
        };
        /** @description Until when, and why. */
        HoldCaseRequest: {
            /** @description What others should know. */
            note?: string | null;
            /**
             * Format: date-time
             * @description When it comes back, at most 31 days from now.
             */
            until: string;
        };
        /** @description Whom to invite. */
        InviteOperatorRequest: {
            /**
             * @description Their email address.
             * @example grace@example.com
             */
            email: string;
            /** @description Their name; by default the part of the address before the `@`. */
            name?: string | null;
            /**
             * @description A role: `administrator`, `support`, `auditor`, or the id of one of your own. Absent: none.
             * @example support
             */
            role?: string | null;
            /** @description What they may do besides. */
            scopes?: components["schemas"]["OperatorScope"][] | null;
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
        /** @description A role: a set of scopes that has a name. */
        MemberRole: {
            /** @description What it allows in the console beyond that. */
            console_scopes: components["schemas"]["ConsoleScope"][];
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            name: string;
            /** @description What it allows in content moderation. */
            scopes: components["schemas"]["Scope"][];
        };
        /** @description The roles of an account. */
        MemberRoleList: {
            /** @description By name. */
            roles: components["schemas"]["MemberRole"][];
        };
        /** @description A role to make, or what to make of one. */
        MemberRoleRequest: {
            /** @description What it allows in the console beyond that; nothing by default. */
            console_scopes?: components["schemas"]["ConsoleScope"][] | null;
            /** @example Lead reviewer */
            name: string;
            /** @description What it allows in content moderation; nothing by default. */
            scopes?: components["schemas"]["Scope"][] | null;
        };
        /** @enum {string} */
        NotificationReason: "BANNED_PROFILE" | "AGE_ESTIMATION" | "UNKNOWN_FACE" | "WAITING" | "STARTED" | "STOPPED" | "DONE" | "FAILED";
        /** @description An operator. */
        Operator: {
            /**
             * Format: date-time
             * @description When they became an operator.
             */
            created_at: string;
            /** @description Whether they can come in no more. */
            disabled: boolean;
            /** @description Their email address. */
            email: string;
            /**
             * Format: uuid
             * @description Their id.
             */
            id: string;
            /** @description Their name. */
            name: string;
            /** @description Their role: `administrator`, `support`, `auditor`, or the id of one of your own. */
            role?: string | null;
            /** @description Everything they may do. */
            scopes: components["schemas"]["OperatorScope"][];
        };
        /** @description What an operator may do. */
        OperatorGrantRequest: {
            /**
             * @description A role: `administrator`, `support`, `auditor`, or the id of one of your own. Absent: none.
             * @example support
             */
            role?: string | null;
            /** @description What they may do besides. */
            scopes?: components["schemas"]["OperatorScope"][] | null;
        };
        /** @description An invitation to be an operator. */
        OperatorInvitation: {
            /** Format: date-time */
            created_at: string;
            email: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            name: string;
            /** @description The role that they will have. */
            role?: string | null;
            /** @description What they will be able to do besides. */
            scopes: components["schemas"]["OperatorScope"][];
        };
        /** @description Invitations that were not accepted yet. */
        OperatorInvitationList: {
            /** @description The newest first. */
            invitations: components["schemas"]["OperatorInvitation"][];
        };
        /** @description The operators of the installation. */
        OperatorList: {
            /** @description The earliest first. */
            operators: components["schemas"]["Operator"][];
        };
        /** @description A role that the installation made. */
        OperatorRole: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            name: string;
            scopes: components["schemas"]["OperatorScope"][];
        };
        /** @description The roles that operators can have. */
        OperatorRoleList: {
            /** @description Those that every installation has. */
            built_in: components["schemas"]["BuiltInRoleScopes"][];
            /** @description Those that this one made, by name. */
            roles: components["schemas"]["OperatorRole"][];
        };
        /** @description A role to make, or what to make of one. */
        OperatorRoleRequest: {
            /** @example On call */
            name: string;
            /** @description What the role may do. */
            scopes: components["schemas"]["OperatorScope"][];
        };
        /** @enum {string} */
        OperatorScope: "organisations:manage" | "applications:manage" | "keys:manage" | "settings:view" | "models:view" | "providers:test" | "trust:manage" | "jobs:manage" | "deliveries:manage" | "sessions:view" | "sessions:manage" | "operators:manage" | "audit:view" | "health:view" | "deletions:approve";
        /** @description An operator who is signed in. */
        OperatorSession: {
            /** @description The operator. */
            operator: components["schemas"]["Operator"];
            /** @description Whether a second factor is missing; until it is there, nothing else can be done. */
            second_factor: components["schemas"]["SecondFactorState"];
        };
        /** @description An organisation: a tenant. */
        Organisation: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            name: string;
            status: components["schemas"]["OrganisationStatus"];
        };
        /** @description All organisations. */
        OrganisationList: {
            /** @description The oldest first. */
            organisations: components["schemas"]["Organisation"][];
        };
        /** @enum {string} */
        OrganisationStatus: "ACTIVE" | "SUSPENDED";
        /** @description A passkey. */
        Passkey: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Absent: it was not used yet.
             */
            last_used_at?: string | null;
            /** @description What its holder calls it. */
            name: string;
        };
        /** @description What a browser answers with a passkey. */
        PasskeyAnswer: {
            /** @description The challenge that it answers. */
            challenge: string;
            /** @description The output of `PublicKeyCredential.toJSON()`. */
            credential: Record<string, never>;
        };
        /** @description What a browser needs to use or make a passkey. */
        PasskeyPrompt: {
            /** @description To be sent back with the answer, once, within ten minutes. */
            challenge: string;
            /** @description The options for `navigator.credentials`, in the JSON form of WebAuthn level 3, under `publicKey`. */
            options: Record<string, never>;
        };
        /** @description An operator's address and password. */
        PasswordCredential: {
            /** @description The code of their authenticator app, if they have set one up. */
            code?: string | null;
            /**
             * @description Their email address.
             * @example ada@example.com
             */
            email: string;
            /** @description Their password. */
            password: string;
        };
        /** @description A key that works once another operator has approved it. */
        PendingApiKey: {
            /**
             * Format: uuid
             * @description The request: another operator approves or refuses it within a day.
             */
            approval_id: string;
            /** @description The key. It cannot be shown again, not even to who approves it. */
            key: string;
        };
        /** @description What waits for another operator. */
        PendingApproval: {
            /**
             * Format: uuid
             * @description The request: another operator approves or refuses it within a day.
             */
            approval_id: string;
        };
        /**
         * Format: binary
         * @description The bytes of a picture.
         */
        PictureBytes: string;
        /** @description A picture that was looked at. */
        PictureViewInput: {
            /** @description The name of the picture in the case. */
            picture: string;
            /**
             * Format: double
             * @description For how long, in seconds.
             */
            seconds: number;
        };
        /** @description Where to go to sign in. */
        ProviderRedirect: {
            /** @description The address of the identity provider. */
            location: string;
        };
        /** @description A queue. */
        Queue: {
            /** Format: date-time */
            created_at: string;
            figures: components["schemas"]["QueueFigures"];
            /** Format: int64 */
            golden_percent: number;
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Whether it takes checks of documents and appeals, which are the application's. */
            of_application: boolean;
            /** Format: int64 */
            opinions: number;
            policy: string;
            /** Format: int64 */
            priority: number;
            reason_codes: components["schemas"]["ReasonCode"][];
            rules: components["schemas"]["QueueRules"];
            /** Format: int64 */
            second_opinion_percent: number;
            /** Format: int64 */
            target_minutes: number;
        };
        /** @description How a queue stands. */
        QueueFigures: {
            /**
             * Format: date-time
             * @description When the first of them is, or was, due.
             */
            first_due_at?: string;
            /**
             * Format: int64
             * @description On hold.
             */
            held: number;
            /**
             * Format: int64
             * @description Handed to the reader.
             */
            mine: number;
            /**
             * Format: int64
             * @description Cases that wait or are worked on.
             */
            open: number;
            /**
             * Format: int64
             * @description Of these, how many should have been decided by now.
             */
            overdue: number;
        };
        /** @description The queues of a reviewer. */
        QueueList: {
            exposure: components["schemas"]["Exposure"];
            /** @description In the order in which they are asked whether they take a case. */
            queues: components["schemas"]["Queue"][];
            /** @description The figures of cases that no queue took. */
            without_queue: components["schemas"]["QueueFigures"];
        };
        /** @description A queue, by its name. */
        QueueName: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description A queue, as it is set up. */
        QueueRequest: {
            /**
             * Format: int64
             * @description How many of a hundred cases that a reviewer gets are golden ones.
             * @default 0
             */
            golden_percent?: number | null;
            name: string;
            /**
             * @description Whether it takes checks of documents and appeals, which are the application's, and not findings of the account.
             *     A queue keeps what it was created with.
             * @default false
             */
            of_application?: boolean | null;
            /**
             * Format: int64
             * @description How many reviewers decide about each case independently.
             * @default 1
             */
            opinions?: number | null;
            /** @description What reviewers read beside its cases. */
            policy?: string | null;
            /**
             * Format: int64
             * @description Added to the priority of its cases.
             * @default 0
             */
            priority?: number | null;
            /** @description Reasons that reviewers give decisions with one key. */
            reason_codes?: components["schemas"]["ReasonCode"][] | null;
            rules?: components["schemas"]["QueueRules"] | null;
            /**
             * Format: int64
             * @description About how many of a hundred cases one more reviewer decides.
             * @default 0
             */
            second_opinion_percent?: number | null;
            /**
             * Format: int64
             * @description Minutes from the creation of a case until it is due.
             * @default 1440
             */
            target_minutes?: number | null;
        };
        /** @description Which cases a queue takes: those that every list allows. An empty list allows all. */
        QueueRules: {
            /**
             * @description Kinds of cases.
             * @default []
             */
            kinds?: components["schemas"]["CaseKind"][];
            /**
             * @description Languages of the people concerned, such as `de`. A case of unknown language is not taken.
             * @default []
             */
            languages?: string[];
            /**
             * @description Reasons: of findings `BANNED_PROFILE`, `AGE_ESTIMATION` and `UNKNOWN_FACE`, of checks their types.
             * @default []
             */
            reasons?: string[];
        };
        /** @description A reason that reviewers give a decision with one key. */
        ReasonCode: {
            /** @description One word of capital letters, such as `DATA_MISMATCH`; at most 64 bytes. */
            code: string;
            /** @description The comment that it begins with; at most 500 characters. */
            comment?: string;
            /** @description What reviewers read; 1 to 100 characters. */
            label: string;
        };
        /** @description A decision that was recorded. */
        RecordedDecision: {
            /**
             * Format: date-time
             * @description Until then it can be taken back; nothing of it leaves the server before.
             */
            settles_at: string;
        };
        /** @description Which pictures were looked at. */
        RecordViewsRequest: {
            views?: components["schemas"]["PictureViewInput"][] | null;
        };
        /** @description A name for a passkey. */
        RenamePasskeyRequest: {
            /** @example Old laptop */
            name: string;
        };
        /** @description A lease that goes on. */
        RenewedLease: {
            /** Format: uuid */
            case_id: string;
            /** Format: date-time */
            lease_until: string;
        };
        /** @description The leases that go on. */
        RenewedLeases: {
            /** @description Cases that are missing are the reviewer's no more. */
            leases: components["schemas"]["RenewedLease"][];
        };
        /** @description Which leases. */
        RenewLeasesRequest: {
            /** @description The cases that the page shows or has fetched ahead. */
            case_ids: string[];
        };
        /** @enum {string} */
        ResourceKind: "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" | "LIVENESS" | "FACE_CAPTURE";
        /** @description How one reviewer decides. */
        ReviewerQuality: {
            /**
             * Format: int64
             * @description How many cases they decided.
             */
            decided: number;
            /**
             * Format: double
             * @description Seconds at pictures, on average of a case.
             */
            exposure_seconds: number;
            /** Format: uuid */
            member_id: string;
            /** @description With the answers of golden cases. */
            with_golden: components["schemas"]["Agreement"];
            /** @description With the other reviewers of the same cases. */
            with_others: components["schemas"]["Agreement"];
        };
        /** @description How reviewers decide. */
        ReviewerQualityList: {
            /** @description The busiest first. */
            reviewers: components["schemas"]["ReviewerQuality"][];
        };
        /** @enum {string} */
        Scope: "contents:list" | "contents:manage" | "contents:moderate" | "contents:view" | "contents:reports:list" | "contents:reports:moderate" | "flags:manage" | "members:manage" | "moderations:manage" | "moderations:view" | "notifications:manage" | "notifications:view" | "profiles:list" | "profiles:manage" | "profiles:view" | "reports:view" | "reports:manage";
        /** @description A second factor: exactly one of the two. */
        SecondFactorRequest: {
            /**
             * @description The code of an authenticator app.
             * @example 287082
             */
            code?: string | null;
            passkey?: components["schemas"]["PasskeyAnswer"] | null;
        };
        /** @enum {string} */
        SecondFactorState: "not-required" | "presented" | "required" | "enrolment-required";
        /** @description A member who is signed in, where, and what they may do. */
        Session: {
            /** @description The account they belong to. */
            account: components["schemas"]["Account"];
            /** @description What they may do in the console beyond that. */
            console_scopes: components["schemas"]["ConsoleScope"][];
            /** @description The member who is signed in. */
            member: components["schemas"]["Member"];
            /** @description What they may do in it. */
            scopes: components["schemas"]["Scope"][];
            /** @description Whether a second factor is missing; until it is there, nothing else can be done. */
            second_factor: components["schemas"]["SecondFactorState"];
        };
        /** @description A session that has not ended. */
        SessionItem: {
            /**
             * @description The family of the browser, as far as it says.
             * @example Firefox
             */
            browser?: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description Whether it is the one that asks. */
            current: boolean;
            /**
             * Format: date-time
             * @description When it ends at the latest.
             */
            ends_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description To ten minutes.
             */
            last_used_at: string;
            /** @description How they came in. */
            method: components["schemas"]["SignInMethod"];
            /**
             * @description The network, with its last part cut off.
             * @example 198.51.100.0/24
             */
            network?: string | null;
            /** @description Whether a second factor was presented. */
            second_factor: boolean;
        };
        /** @description Where somebody is signed in. */
        SessionList: {
            /** @description The one that was used last first. */
            sessions: components["schemas"]["SessionItem"][];
        };
        /** @description A password to set. */
        SetPasswordRequest: {
            password: string;
        };
        /** @enum {string} */
        SignInMethod: "invitation" | "mail-link" | "passkey" | "password" | "oidc";
        /** @description The ways of signing in that there are here. */
        SignInMethods: {
            /** @description What the button of the identity provider says, if there is one. */
            identity_provider?: string | null;
            /** @description Whether there has ever been an operator. Until then `assay init` makes one. */
            is_set_up: boolean;
            /** @description Whether sign-in links can be sent by mail. */
            mail_links: boolean;
            /** @description Whether passkeys can be used at this address. */
            passkeys: boolean;
        };
        /** @description A place that somebody may come in at. */
        SignInPlace: {
            /** @description The name of an account; absent: as an operator of the installation. */
            account?: string | null;
            /**
             * Format: uuid
             * @description For `choice.id` of `POST /console/session`.
             */
            id: string;
        };
        /** @description The places to choose from. */
        SignInPlaces: {
            places: components["schemas"]["SignInPlace"][];
        };
        /** @description Who wants to sign in. */
        SignInRequest: {
            /**
             * @description Their email address.
             * @example ada@example.com
             */
            email: string;
        };
        /** @description What an authenticator app is set up with. It is shown once. */
        TotpSecret: {
            /** @description To be typed: base32. */
            secret: string;
            /**
             * @description To be shown as a QR code.
             * @example otpauth://totp/Assay:ada%40example.com?secret=…&issuer=Assay
             */
            uri: string;
        };
        /** @description A case that is the reviewer's again. */
        UndoneDecision: {
            /**
             * Format: date-time
             * @description Until when, unless the lease is renewed.
             */
            lease_until: string;
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
    list_accounts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The accounts. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountRecordList"];
                };
            };
        };
    };
    delete_account: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Another operator must approve it. */
            202: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingApproval"];
                };
            };
            /** @description Nothing is left of it. */
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
    list_applications: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The applications. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationList"];
                };
            };
        };
    };
    create_application: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApplicationRequest"];
            };
        };
        responses: {
            /** @description It is enabled, and has no keys yet. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedResource"];
                };
            };
        };
    };
    list_api_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The application. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    create_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The application. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKeyRequest"];
            };
        };
        responses: {
            /** @description The key, this once. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description The key, this once; another operator must approve it. */
            202: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingApiKey"];
                };
            };
        };
    };
    revoke_api_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The application. */
                applicationId: string;
                /** @description The key. */
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Another operator must approve it. */
            202: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingApproval"];
                };
            };
            /** @description It opens nothing any more. */
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
    list_approvals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The requests. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
        };
    };
    approve_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The request. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is done. */
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
    refuse_request: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The request. */
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It will not be done. */
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
    list_cases: {
        parameters: {
            query?: {
                /** @description Only cases of this kind. */
                kind?: components["schemas"]["CaseKind"];
                /** @description Only cases that this member holds, or was handed. */
                member_id?: string;
                /** @description Only cases that should have been decided by now. */
                overdue?: boolean;
                /** @description The page, from 1. */
                page?: number;
                /** @description Only cases of this queue. */
                queue_id?: string;
                /** @description Only cases for this reason. */
                reason?: string;
                /** @description Only cases in this state. */
                state?: components["schemas"]["CaseState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaseList"];
                };
            };
        };
    };
    get_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The case, with what it is judged by. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Case"];
                };
            };
        };
    };
    create_appeal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The appeal, a case of its own. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCase"];
                };
            };
        };
    };
    assign_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "member_id": "c0f1e7b2-52a5-4b11-9a57-1f4b6f6a9d21"
                 *     }
                 */
                "application/json": components["schemas"]["AssignCaseRequest"];
            };
        };
        responses: {
            /** @description It waits for that member. */
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
    decide_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "FALSE_ALARM",
                 *       "exposure_seconds": 3.5
                 *     }
                 */
                "application/json": components["schemas"]["DecideCaseRequest"];
            };
        };
        responses: {
            /** @description It will be settled. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordedDecision"];
                };
            };
        };
    };
    undo_decision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The case is the reviewer's again. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UndoneDecision"];
                };
            };
        };
    };
    create_golden_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "decision": "CONFIRM"
                 *     }
                 */
                "application/json": components["schemas"]["GoldenCaseRequest"];
            };
        };
        responses: {
            /** @description The golden case. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCase"];
                };
            };
        };
    };
    hold_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": "The uploader was asked for the original.",
                 *       "until": "2026-01-17T09:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["HoldCaseRequest"];
            };
        };
        responses: {
            /** @description It is on hold. */
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
    get_picture: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
                /** @description The picture, by its name in the case. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "image/jpeg": components["schemas"]["PictureBytes"];
                    "image/png": components["schemas"]["PictureBytes"];
                };
            };
        };
    };
    release_case: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is anybody's again. */
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
    record_views: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The case. */
                caseId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "views": [
                 *         {
                 *           "picture": "face",
                 *           "seconds": 2.4
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RecordViewsRequest"];
            };
        };
        responses: {
            /** @description How long they have looked by now. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Exposure"];
                };
            };
        };
    };
    claim_cases: {
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
                 *       "count": 2
                 *     }
                 */
                "application/json": components["schemas"]["ClaimCasesRequest"];
            };
        };
        responses: {
            /** @description What the reviewer holds now. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimedCases"];
                };
            };
        };
    };
    renew_leases: {
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
                 *       "case_ids": [
                 *         "0192f0c1-7d3a-7c55-8d06-0b6f3f6f1a01"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RenewLeasesRequest"];
            };
        };
        responses: {
            /** @description The leases that go on. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenewedLeases"];
                };
            };
        };
    };
    list_credentials: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of it. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Credentials"];
                };
            };
        };
    };
    list_console_members: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The members. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleMemberList"];
                };
            };
        };
    };
    set_console_scopes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The member, of the caller's account. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConsoleGrantRequest"];
            };
        };
        responses: {
            /** @description They may do this, from their next call on. */
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
    list_member_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The member, of the caller's account. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All sessions of the member. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    end_member_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The member, of the caller's account. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They must sign in again. */
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
    oidc_callback: {
        parameters: {
            query?: {
                /** @description From the provider. */
                code?: string;
                /** @description From the provider. */
                error?: string;
                /** @description From the provider. */
                iss?: string;
                /** @description From the provider. */
                state?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    list_operator_roles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The roles. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorRoleList"];
                };
            };
        };
    };
    create_operator_role: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorRoleRequest"];
            };
        };
        responses: {
            /** @description It can be given. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedResource"];
                };
            };
        };
    };
    change_operator_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The role. */
                roleId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorRoleRequest"];
            };
        };
        responses: {
            /** @description It is that, from the next calls on. */
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
    delete_operator_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The role. */
                roleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
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
    list_operators: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The operators. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorList"];
                };
            };
        };
    };
    set_operator_grant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The operator. */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OperatorGrantRequest"];
            };
        };
        responses: {
            /** @description They may do this, from their next call on. */
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
    disable_operator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The operator. */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They are out. */
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
    enable_operator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The operator. */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description They can come in. */
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
    list_operator_invitations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitations. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorInvitationList"];
                };
            };
        };
    };
    invite_operator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InviteOperatorRequest"];
            };
        };
        responses: {
            /** @description The mail is on its way. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedResource"];
                };
            };
        };
    };
    revoke_operator_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The invitation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its link makes nobody an operator. */
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
    list_organisations: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The organisations. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationList"];
                };
            };
        };
    };
    create_organisation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateOrganisationRequest"];
            };
        };
        responses: {
            /** @description It is active. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedResource"];
                };
            };
        };
    };
    add_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AddPasskeyRequest"];
            };
        };
        responses: {
            /** @description It can be used. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The session, if it has a new secret. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedResource"];
                };
            };
        };
    };
    rename_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The passkey. */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RenamePasskeyRequest"];
            };
        };
        responses: {
            /** @description It is called that. */
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
    remove_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The passkey. */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It signs nobody in any more. */
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
    begin_passkey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the browser needs. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyPrompt"];
                };
            };
        };
    };
    set_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetPasswordRequest"];
            };
        };
        responses: {
            /** @description It signs them in. */
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
    reviewer_quality: {
        parameters: {
            query?: {
                /** @description Decisions before this moment (RFC 3339). */
                before?: string;
                /** @description Decisions at or after this moment (RFC 3339); without one, of the last 30 days. */
                from?: string;
                /** @description Only cases of this kind. */
                kind?: components["schemas"]["CaseKind"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every reviewer who decided something. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewerQualityList"];
                };
            };
        };
    };
    list_queues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The queues. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueList"];
                };
            };
        };
    };
    create_queue: {
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
                 *       "name": "Banned people",
                 *       "rules": {
                 *         "kinds": [
                 *           "FINDING"
                 *         ],
                 *         "reasons": [
                 *           "BANNED_PROFILE"
                 *         ]
                 *       },
                 *       "target_minutes": 60
                 *     }
                 */
                "application/json": components["schemas"]["QueueRequest"];
            };
        };
        responses: {
            /** @description The queue. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedQueue"];
                };
            };
        };
    };
    change_queue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The queue. */
                queueId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Banned people",
                 *       "rules": {
                 *         "reasons": [
                 *           "BANNED_PROFILE"
                 *         ]
                 *       },
                 *       "target_minutes": 30
                 *     }
                 */
                "application/json": components["schemas"]["QueueRequest"];
            };
        };
        responses: {
            /** @description It is changed. */
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
    delete_queue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The queue. */
                queueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
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
    list_member_roles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The roles. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberRoleList"];
                };
            };
        };
    };
    create_member_role: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberRoleRequest"];
            };
        };
        responses: {
            /** @description It can be given. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedResource"];
                };
            };
        };
    };
    change_member_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The role. */
                roleId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MemberRoleRequest"];
            };
        };
        responses: {
            /** @description It is that, from the next calls on. */
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
    delete_member_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The role. */
                roleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
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
                    "application/json": components["schemas"]["AnySession"];
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
                    "application/json": components["schemas"]["AnySession"];
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
    present_second_factor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorRequest"];
            };
        };
        responses: {
            /** @description The session has it. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The session. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All sessions. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    end_other_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Only this one is left. */
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
    end_one_session: {
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
            /** @description It has ended. */
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
            /** @description Whoever works here gets a mail. */
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
    sign_in_methods: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The ways that there are. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInMethods"];
                };
            };
        };
    };
    sign_in_choices: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChoicesRequest"];
            };
        };
        responses: {
            /** @description The places. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInPlaces"];
                };
            };
        };
    };
    begin_provider_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Where to go. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The attempt. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderRedirect"];
                };
            };
        };
    };
    begin_passkey_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the browser needs. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyPrompt"];
                };
            };
        };
    };
    begin_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description For the app. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpSecret"];
                };
            };
        };
    };
    remove_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Codes of the app count no more. */
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
    confirm_totp: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmTotpRequest"];
            };
        };
        responses: {
            /** @description Codes count from now on. */
            204: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    /** @description The session, if it has a new secret. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
