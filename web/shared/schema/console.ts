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
    "/console/applications/{applicationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Change an application: its name, whether it is served, whose it is, what it may use and how much. */
        patch: operations["change_application"];
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
    "/console/applications/{applicationId}/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest requests of an application.
         * @description Those of people on pages are not among them, nor is the content of any. They are listed within a second, for 7 days and up to
         *     10,000 unless the operator has set otherwise (`request_log`). Of more than 100 in half a second, the latest 100 are listed.
         */
        get: operations["list_requests"];
    };
    "/console/applications/{applicationId}/test-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send a test event to an application's server.
         * @description It is queued, signed, sent and recorded as every message is, and says `{"type": "webhook.test", …}`. The answer has the id of
         *     the delivery, of which the attempts can be seen. For operators and members with `deliveries:manage`.
         */
        post: operations["send_test_event"];
    };
    "/console/applications/{applicationId}/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See how much an application uses, and of what it may use how much. */
        get: operations["application_usage"];
    };
    "/console/applications/{applicationId}/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See where an application's messages go, and how that goes.
         * @description For operators with `deliveries:manage`, and for members with `deliveries:view` or `deliveries:manage`.
         */
        get: operations["list_webhook_endpoints"];
    };
    "/console/applications/{applicationId}/webhook-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See which secrets an application's messages are signed with, without the secrets.
         * @description For operators with `deliveries:manage`, and for members with `deliveries:view` or `deliveries:manage`.
         */
        get: operations["list_webhook_secrets"];
        /**
         * Replace the secret that an application's messages are signed with.
         * @description Until the overlap has passed, messages have a signature by each, so that receivers can change without refusing one. For
         *     operators and members with `deliveries:manage`.
         */
        post: operations["rotate_webhook_secret"];
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
         * @description It is done in the same transaction. Nobody approves what they asked for themselves, and nothing is done for somebody who may
         *     not do it any more.
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
    "/console/audit-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See who did what.
         * @description For operators and members with `audit:view`; members see what concerns their account.
         */
        get: operations["list_audit_records"];
    };
    "/console/audit-records/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download records of the audit trail, oldest first, as JSON lines.
         * @description Each line is `{"hash": …, "record": …}` with the record as it is stored, as `assay audit export` prints it. A member's lines are
         *     those of their account, and do not chain to each other. That somebody exported is itself recorded. For operators and members
         *     with `audit:view`.
         */
        get: operations["export_audit_records"];
    };
    "/console/audit-trail/verification": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the audit trail.
         * @description Every record is read, one verification at a time. For operators with `audit:view`.
         */
        post: operations["verify_audit_trail"];
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
    "/console/cases/{caseId}/assignees": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See to which colleagues a case may be handed. */
        get: operations["list_assignees"];
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
         *     and has no effect. An appeal against the result of an age verification session cannot be made one, since its picture is deleted
         *     once it is decided.
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
         *     renewed. Nobody else gets them until their leases end. Then come those whose leases have ended, as long as more are wanted and
         *     nobody else has claimed them since.
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
        /**
         * Renew the leases of cases.
         * @description A lease that has ended goes on if nobody else has claimed the case since.
         */
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
    "/console/deletion-receipts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the accounts that were deleted. For operators with `audit:view`. */
        get: operations["list_deletion_receipts"];
    };
    "/console/deletion-receipts/{accountId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download the receipt of a deleted account. For operators with `audit:view`. */
        get: operations["download_deletion_receipt"];
    };
    "/console/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deliveries.
         * @description For operators with `deliveries:manage`, and for members with `deliveries:view` or `deliveries:manage`.
         */
        get: operations["list_deliveries"];
    };
    "/console/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See a delivery, what it says and how its attempts ended.
         * @description That somebody saw it is recorded in the audit trail. For operators with `deliveries:manage`, and for members with
         *     `deliveries:view` or `deliveries:manage`.
         */
        get: operations["get_delivery"];
    };
    "/console/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send a message again.
         * @description At once, and then on the usual schedule if that fails. Its `webhook-id` stays the same, so a receiver that has it already
         *     can tell. Refused with `CONFLICT` while it is being sent, and if what it said was erased. For operators and members with
         *     `deliveries:manage`.
         */
        post: operations["replay_delivery"];
    };
    "/console/deliveries/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Send many messages again.
         * @description The oldest first, at most 1,000 at once. What is being sent at this moment, or was erased, is left out. For operators and
         *     members with `deliveries:manage`.
         */
        post: operations["replay_deliveries"];
    };
    "/console/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See how the server was in the last hour. Needs `health:view`. */
        get: operations["get_health"];
    };
    "/console/job-lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the lanes, and what waits and runs in each. Needs `jobs:manage`. */
        get: operations["list_lanes"];
    };
    "/console/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List jobs. Needs `jobs:manage`. */
        get: operations["list_jobs"];
    };
    "/console/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a job. Needs `jobs:manage`. */
        get: operations["get_job"];
        /**
         * Delete a parked or waiting job; what it was to do is not done.
         * @description Refused with `CONFLICT` while it runs. Needs `jobs:manage`.
         */
        delete: operations["discard_job"];
    };
    "/console/jobs/{jobId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Run a parked or waiting job now.
         * @description Its failed attempts are forgotten. Refused with `CONFLICT` while it runs. Needs `jobs:manage`.
         */
        post: operations["retry_job"];
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
         *     `operators:manage`, who may give everything. What the member has already may stay. Where four eyes are needed
         *     (`console.four_eyes`), another operator must approve first that an operator gives `keys:manage` or `sessions:manage`.
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
    "/console/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the models: hashes, licences, where they come from, and what is known of how well they do. Needs `models:view`. */
        get: operations["list_models"];
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
         * @description Nobody can add a scope that they do not have themselves, and somebody must remain who may manage operators. Where four eyes
         *     are needed (`console.four_eyes`), another operator must approve it first if it adds a scope with which one asks for what needs
         *     an approval, or approves it.
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
         * @description Nobody can give a scope that they do not have themselves, and somebody must remain who may manage operators. Where four eyes
         *     are needed (`console.four_eyes`), another operator must approve it first if it adds a scope with which one asks for what needs
         *     an approval, or approves it.
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
         * Disable an operator.
         * @description Their sessions end, and the invitations that they sent. Somebody must remain who may manage operators.
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
        /**
         * Enable an operator again.
         * @description Where four eyes are needed (`console.four_eyes`), another operator must approve it first if they have a scope with which one asks
         *     for what needs an approval, or approves it.
         */
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
         * @description They receive an email with a link that makes them one and signs them in; it works once, and as long as whoever sent it could
         *     still send it. A new invitation to the same address replaces the old one. Nobody can give a scope that they do not have
         *     themselves. Where four eyes are needed (`console.four_eyes`), another operator must approve it first if it gives a scope with
         *     which one asks for what needs an approval, or approves it.
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
    "/console/organisations/{organisationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Change an organisation: its name, and whether its applications are served. */
        patch: operations["change_organisation"];
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
    "/console/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the services that can be tested. Needs `providers:test`. */
        get: operations["list_providers"];
    };
    "/console/providers/{provider}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Test a service.
         * @description It is really asked, and has half a minute to answer. Each operator may test ten times in a minute. Needs `providers:test`.
         */
        post: operations["test_provider"];
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
    "/console/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the reports of accuracy that `assay evaluate … --html` has written into the folder `reports` of the data directory. */
        get: operations["list_reports"];
    };
    "/console/reports/{reportName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Download a report of accuracy. */
        get: operations["download_report"];
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
    "/console/sandbox/age-sessions/{verificationSessionId}/response": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Set the outcome of an age verification session of the application's sandbox.
         * @description The session takes that state at once, and its webhook is sent.
         */
        put: operations["set_age_session_response"];
    };
    "/console/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Put the clock of sessions of the application's sandbox forward.
         * @description Everything that is due in them comes earlier by so much: the end of the person's time, the destruction of what was supplied,
         *     the deletion of the session. What is due by then happens within a minute. Their timelines show it.
         */
        post: operations["advance_sandbox_clock"];
    };
    "/console/sandbox/document-responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See what the application's sandbox answers about documents. */
        get: operations["get_document_responses"];
        /** Set what the application's sandbox answers about documents. */
        put: operations["set_document_responses"];
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
    "/console/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the settings in force, and where each comes from. Needs `settings:view`. */
        get: operations["list_settings"];
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
        /** List the sign-in methods of this server. */
        get: operations["sign_in_methods"];
    };
    "/console/sign-in/choices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what the person can sign in to, after the identity provider. */
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
         *     attempt to this browser. The session that the browser has now ends when somebody is signed in.
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
    "/console/signing-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the lives of this installation's keys. Needs `settings:view` or `trust:manage`. */
        get: operations["list_keys"];
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
    "/console/trust-list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See whose proofs of age are accepted, and until when.
         * @description The operator's list, the published one, this server itself, and keys that issuers publish, as far as they were fetched.
         *     Needs `settings:view` or `trust:manage`.
         */
        get: operations["get_trust_list"];
    };
    "/console/verification-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions of document and age verification.
         * @description No picture, no field of a document and no name is in it. Sessions that an older version of the server made are found
         *     without `outcome`, `step` and `reference`.
         */
        get: operations["list_verification_sessions"];
    };
    "/console/verification-sessions/{verificationSessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a session and what happened in it. */
        get: operations["get_verification_session"];
        /**
         * Erase a session with all that is known of its person, for good.
         * @description What its messages say is erased as well, and those that wait are not sent. Its steps stay in the funnel as numbers that
         *     belong to nobody. Where four eyes are needed (`console.four_eyes`) and an operator asks for it, another one must approve it
         *     first. A session of document verification cannot be erased while its checks run.
         */
        delete: operations["redact_verification_session"];
    };
    "/console/verification-sessions/{verificationSessionId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * End a session before its time.
         * @description A session of age verification is cancelled as its person can cancel it, and its application learns of it. The person's
         *     time in a session of document verification is over at once; one who has finished already cannot be stopped.
         */
        post: operations["cancel_verification_session"];
    };
    "/console/verification-sessions/funnel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See how many sessions and steps began within a period, and how they ended.
         * @description Sessions that were deleted since are counted as well, for 90 days.
         */
        get: operations["session_funnel"];
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
        /** @description A report of accuracy: one HTML file with figures, which can be read offline. */
        AccuracyReport: {
            /** Format: int64 */
            bytes: number;
            /**
             * @description The name of its file.
             * @example age-2026-11-27.html
             */
            name: string;
            /** Format: date-time */
            written_at: string;
        };
        /** @description Reports of accuracy. */
        AccuracyReportList: {
            /** @description The newest first. */
            reports: components["schemas"]["AccuracyReport"][];
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
        /** @description How far to put the clock forward. */
        AdvanceClockRequest: {
            /**
             * Format: int64
             * @description Seconds: up to 366 days.
             * @example 3600
             */
            seconds: number;
            /**
             * Format: uuid
             * @description Only of this session. Default: of the newest 200 sessions of the sandbox, of both kinds.
             */
            session_id?: string | null;
        };
        /** @description The sessions whose clock was put forward. */
        AdvancedClock: {
            /** @description How many there are. */
            sessions: number;
        };
        /** @description The errors of estimated ages. */
        AgeAccuracy: {
            bands: components["schemas"]["AgeErrorBand"][];
            /** @description Where the figures come from, and what they cover. */
            covers: string;
        };
        /**
         * @description An appeal against the result of an age verification session: the person was refused for their age. `UPHOLD` lets that
         *     stand; `OVERTURN` makes the session `COMPLETE`. Either way the application learns of it.
         */
        AgeAppeal: {
            /** Format: date-time */
            appealed_at: string;
            /**
             * Format: int64
             * @description Attempts that had ended by then, by any method.
             */
            attempts: number;
            /** @description What the age was estimated to be, if it was. */
            estimate?: components["schemas"]["EstimatedAge"];
            /** @description The check of liveness behind it. */
            level: components["schemas"]["LivenessLevel"];
            /** @description The method that refused them. */
            method: components["schemas"]["AgeMethod"];
            /**
             * @description Why they were refused, as a code.
             * @example UNDER_AGE
             */
            reason?: string;
            /** Format: date-time */
            refused_at: string;
            /** Format: uuid */
            session_id: string;
            /** @description The state of the session when the appeal was made. */
            session_state: components["schemas"]["AgeSessionStatus"];
            state: components["schemas"]["AppealState"];
            /** @description What the person says. */
            statement?: string;
            /**
             * Format: int64
             * @description The age that was asked for, years.
             */
            threshold: number;
            /** @description What the session asks about an age. */
            type: components["schemas"]["AgeSessionType"];
        };
        /** @description The errors of a band of estimated ages. */
        AgeErrorBand: {
            /**
             * Format: float
             * @description The estimated age at which the band begins, years; it ends where the next one begins.
             */
            from_years: number;
            /**
             * Format: float
             * @description Standard deviation of the error, years.
             */
            standard_deviation_years: number;
        };
        /** @enum {string} */
        AgeGroup: "threshold_met" | "not_required" | "unknown" | "child" | "teenager_young" | "teenager_old" | "adult_young" | "adult";
        /** @enum {string} */
        AgeMethod: "AGE_ESTIMATION" | "DIGITAL_ID" | "DOC_SCAN" | "CREDIT_CARD" | "MOBILE" | "EMAIL" | "ELECTRONIC_ID" | "LA_WALLET" | "SOCIAL_SECURITY_NUMBER" | "US_FLORIDA_HB3" | "SINGPASS" | "CPF" | "SVC_KEY" | "DOUBLE_ANONYMITY" | "DEVICE_SIGNAL";
        /** @enum {string} */
        AgeSessionStatus: "PENDING" | "IN_PROGRESS" | "PROCESSING" | "COMPLETE" | "FAIL" | "ERROR" | "CANCELLED" | "EXPIRED";
        /** @enum {string} */
        AgeSessionType: "AGE" | "OVER" | "UNDER";
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
        /** @enum {string} */
        AppealState: "OPEN" | "UPHELD" | "OVERTURNED" | "WITHDRAWN";
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
        /** @description How much an application uses. */
        ApplicationUsage: {
            /** @description The calls of each interface and day, the oldest first. Empty if requests are not logged (`request_log.days`). */
            days: components["schemas"]["UsageDay"][];
            /** @description What is limited, with what is used of it at this moment. */
            limits: components["schemas"]["LimitUsage"][];
        };
        /** @description What an operator asked for. */
        Approval: {
            /**
             * Format: uuid
             * @description The account that would be deleted, or whose member would be given something.
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
            /** @description The address that would be invited. */
            email?: string | null;
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
            /**
             * Format: uuid
             * @description The member who would be given something.
             */
            member_id?: string | null;
            /** @description The name of the key that would be created, of whoever would be invited, or of the role once it is changed. */
            name?: string | null;
            /**
             * Format: uuid
             * @description The operator who would be given something, or could come in again.
             */
            operator_id?: string | null;
            /** Format: date-time */
            requested_at: string;
            /**
             * Format: uuid
             * @description The operator who asked for it.
             */
            requested_by: string;
            /** @description The role that would be given, or changed: `administrator`, `support`, `auditor`, or the id of another. */
            role?: string | null;
            /**
             * @description What that key could do, where none means everything that the application may; or what would be given besides a role; or
             *     what the role would allow.
             */
            scopes?: string[] | null;
            /**
             * Format: uuid
             * @description The session that would be erased, and its kind.
             */
            session_id?: string | null;
            session_kind?: components["schemas"]["SessionKind"] | null;
            state: components["schemas"]["ApprovalState"];
        };
        /** @enum {string} */
        ApprovalAction: "account.delete" | "api-key.create" | "api-key.revoke" | "session.redact" | "operator-invitation.create" | "operator.set-scopes" | "operator.enable" | "operator-role.change" | "member.set-console-scopes";
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
        /** @description A member who may decide the case and has not done so. */
        Assignee: {
            /** Format: uuid */
            member_id: string;
            name: string;
        };
        /** @description To whom a case may be handed. */
        AssigneeList: {
            /** @description By name. */
            assignees: components["schemas"]["Assignee"][];
        };
        /** @description The last record of the trail. */
        AuditChainEnd: {
            /** @description Its hash, hexadecimal. */
            hash: string;
            /**
             * Format: int64
             * @description Its number; 0 before the first.
             */
            seq: number;
        };
        /** @description Who did what. */
        AuditEntry: {
            /**
             * Format: uuid
             * @description The moderation account that it concerns.
             */
            account_id?: string | null;
            /**
             * @description What was done, as `thing.verb`.
             * @example api-key.create
             */
            action: string;
            /**
             * @description Who did it: the kind of actor and their id, or `system`.
             * @example operator:018f3c8e-0000-4000-8000-00000000000a
             */
            actor: string;
            /**
             * Format: uuid
             * @description The application that it concerns.
             */
            application_id?: string | null;
            /** Format: date-time */
            at: string;
            /** @description What else is recorded: ids, numbers and words of the program, by name. */
            details: Record<string, never>;
            /** @description The id of the thing. */
            target?: string | null;
        };
        /** @description A record of the audit trail. */
        AuditRecord: {
            entry?: components["schemas"]["AuditEntry"] | null;
            /** @description SHA-256 of the hash of the record before, a line feed and the record's text; hexadecimal. */
            hash: string;
            /**
             * Format: int64
             * @description Its number.
             */
            seq: number;
        };
        /** @description A page of the audit trail. */
        AuditRecordList: {
            /**
             * Format: int64
             * @description `before` of the next page. Absent: this is the beginning of the trail.
             */
            next_before?: number | null;
            /**
             * @description The newest first. There may be fewer than fifty, even none, although there are more further back: one call looks through
             *     20,000 records at most.
             */
            records: components["schemas"]["AuditRecord"][];
        };
        /** @description Whether the audit trail is whole. */
        AuditVerification: {
            end?: components["schemas"]["AuditChainEnd"] | null;
            /** @description What is wrong with it, in words. */
            error?: string | null;
            /** @description Whether no record was changed, removed or moved. */
            is_whole: boolean;
            /**
             * Format: int64
             * @description How many records there are, if it is whole.
             */
            records?: number | null;
            /** Format: date-time */
            verified_at: string;
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
        /** Format: binary */
        BinaryContent: string;
        /** @enum {string} */
        BuiltInRole: "administrator" | "support" | "auditor";
        /** @description A role that every installation has. */
        BuiltInRoleScopes: {
            role: components["schemas"]["BuiltInRole"];
            scopes: components["schemas"]["OperatorScope"][];
        };
        /** @description A case with everything that it is judged by. */
        Case: components["schemas"]["CaseItem"] & {
            /** @description Of an appeal against the result of an age verification session. */
            age_appeal?: components["schemas"]["AgeAppeal"];
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
        /** @description What changes of an application; what is absent stays as it is. */
        ChangeApplicationRequest: {
            /** @description Where its use is billed. An application without gets its organisation's id when it is assigned to one. */
            billing_source_id?: string | null;
            /** @description The interfaces that it may use; with none, all are closed. */
            features?: components["schemas"]["Feature"][] | null;
            /** @description What it may take. */
            limits?: components["schemas"]["LimitChange"][] | null;
            /** @example Shop */
            name?: string | null;
            /**
             * Format: uuid
             * @description The organisation that it belongs to.
             */
            organisation_id?: string | null;
            state?: components["schemas"]["ApplicationState"] | null;
        };
        /** @description What changes of an organisation; what is absent stays as it is. */
        ChangeOrganisationRequest: {
            /** @example Example Ltd */
            name?: string | null;
            status?: components["schemas"]["OrganisationStatus"] | null;
        };
        /** @enum {string} */
        CheckAdvice: "APPROVE" | "REJECT" | "NOT_AVAILABLE" | "CONSIDER";
        /** @description The report of a check, for documents or captures that match. */
        CheckReportItem: {
            document_filter?: components["schemas"]["ResponseDocumentFilter"] | null;
            liveness_type?: components["schemas"]["LivenessType"] | null;
            result: components["schemas"]["CheckResultBody"];
            result_template?: components["schemas"]["ResultTemplate"] | null;
            secondary_document_filter?: components["schemas"]["ResponseDocumentFilter"] | null;
        };
        /** @description The reports of checks, by type. */
        CheckReports: {
            /**
             * Format: int64
             * @description Seconds by which reports are delayed.
             */
            async_report_delay?: number | null;
            /** @description Older clients send one item instead of a list. */
            FACE_COMPARISON?: components["schemas"]["CheckReportItem"][] | null;
            ID_DOCUMENT_AUTHENTICITY?: components["schemas"]["CheckReportItem"][] | null;
            ID_DOCUMENT_COMPARISON?: components["schemas"]["CheckReportItem"][] | null;
            ID_DOCUMENT_FACE_MATCH?: components["schemas"]["CheckReportItem"][] | null;
            ID_DOCUMENT_TEXT_DATA_CHECK?: components["schemas"]["CheckReportItem"][] | null;
            LIVENESS?: components["schemas"]["CheckReportItem"][] | null;
            SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK?: components["schemas"]["CheckReportItem"][] | null;
            /** @description A single item is read as well as a list. */
            THIRD_PARTY_IDENTITY?: components["schemas"]["CheckReportItem"][] | null;
            WATCHLIST_SCREENING?: components["schemas"]["CheckReportItem"][] | null;
        };
        /** @description The result of a check: a report or a template. */
        CheckResultBody: {
            /** @description The data that was read, for checks of text data; it is given out as it is. */
            document_fields?: {
                [key: string]: unknown;
            } | null;
            report?: components["schemas"]["ReportRequest"] | null;
            report_template?: components["schemas"]["ResultTemplate"] | null;
        };
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
        /** @description A new secret. */
        CreatedWebhookSecret: {
            /**
             * Format: date-time
             * @description Until when messages are signed with the old secrets, too.
             */
            old_ones_retire_at: string;
            /**
             * @description The secret, as receivers configure it. It cannot be shown again.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw1XkGpQ0kS3o=
             */
            secret: string;
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
        /** @description The data key under one master key. */
        DataKey: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /** @description The fingerprint of the master key. */
            master_key: string;
            /**
             * Format: date-time
             * @description When the master key was retired. Absent: it is not.
             */
            retired_at?: string | null;
            state: components["schemas"]["DataKeyState"];
        };
        /** @enum {string} */
        DataKeyState: "CURRENT" | "RETIRING" | "RETIRED";
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
        /** @description The deletion of an account. */
        Deletion: {
            /** Format: uuid */
            account_id: string;
            /**
             * Format: uuid
             * @description The application whose account it was.
             */
            application_id: string;
            /**
             * Format: date-time
             * @description When it was complete. Absent: it is not yet, and has no receipt.
             */
            completed_at?: string | null;
            /**
             * Format: uuid
             * @description The id of its receipt.
             */
            receipt_id: string;
            /** Format: date-time */
            requested_at: string;
            /** @description Who asked: `api key ID`, `member` or `operator`. */
            requested_by: string;
        };
        /** @description A page of deletions. */
        DeletionList: {
            /** @description The one that was requested last first. */
            deletions: components["schemas"]["Deletion"][];
            /** @description `after` of the next page. Absent: this is the last one. */
            next?: string | null;
        };
        /** @description What was deleted with an account, and the proof of it. */
        DeletionReceipt: {
            /** @description The claims as a JWS in compact form (RFC 7515), signed by `EdDSA` (RFC 8037). */
            jws: string;
            /** @description The public key that verifies the JWS. */
            key: components["schemas"]["Jwk"];
            /** @description The claims. */
            receipt: components["schemas"]["DeletionReceiptClaims"];
        };
        /** @description The claims of a receipt. */
        DeletionReceiptClaims: {
            /**
             * Format: uuid
             * @description The account that is gone.
             */
            account_id: string;
            /** @description Who asked: `api key ID`, `member` or `operator`. */
            by: string;
            /**
             * Format: date-time
             * @description When the deletion was complete.
             */
            completed_at: string;
            /**
             * Format: uuid
             * @description The receipt's id.
             */
            id: string;
            /**
             * Format: date-time
             * @description When the deletion was requested. From then on the account answered as one that does not exist.
             */
            requested_at: string;
            scope?: components["schemas"]["DeletionScope"] | null;
            /** @description How many of each kind were deleted; kinds of which there were none are left out. */
            what: {
                [key: string]: number;
            };
        };
        /** @description What a deletion reached when it was complete, and what it could not reach. */
        DeletionScope: {
            /** @description What is gone. */
            covers: string[];
            /** @description Where copies may remain, and until when. */
            excludes: string[];
        };
        /** @description A message to an application's server. */
        Delivery: {
            /** Format: uuid */
            application_id: string;
            /** @description Attempts that are recorded; the latest 30 are. */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was delivered or given up.
             */
            ended_at?: string | null;
            /**
             * Format: uuid
             * @description The `webhook-id` that its receiver sees.
             */
            id: string;
            last_attempt?: components["schemas"]["DeliveryAttempt"] | null;
            /**
             * Format: date-time
             * @description When the next attempt is due, while it waits.
             */
            next_attempt_at?: string | null;
            /**
             * @description The origin that it goes to.
             * @example https://hooks.example.com
             */
            origin: string;
            state: components["schemas"]["DeliveryState"];
            /**
             * @description What it is about: `proof.result`, `ages.result`, `moderation.notification`, `identity.` and a topic of document verification, or
             *     `webhook.test`.
             * @example ages.result
             */
            topic: string;
            /** @description Whether the receiver's certificate must be valid. */
            verify_tls: boolean;
        };
        /** @description One attempt at a delivery. */
        DeliveryAttempt: {
            /**
             * Format: date-time
             * @description When it began; the `webhook-timestamp` is this moment in whole seconds.
             */
            at: string;
            /** @description Why it failed, in words. Members learn of a call without an answer only that the address could not be called. */
            error?: string | null;
            /**
             * Format: int32
             * @description The HTTP status of the answer. Absent: there was none.
             */
            status?: number | null;
            /**
             * Format: int64
             * @description How long it took, milliseconds.
             */
            took_ms: number;
        };
        /** @description A delivery, with all that is kept of it. */
        DeliveryDetails: {
            /** @description The latest attempts, the oldest first. */
            attempts: components["schemas"]["DeliveryAttempt"][];
            delivery: components["schemas"]["Delivery"];
            message?: components["schemas"]["DeliveryMessage"] | null;
        };
        /** @description A header of a message. */
        DeliveryHeader: {
            name: string;
            /** @description Absent: the application gave it, so it may be a secret. */
            value?: string | null;
        };
        /** @description A page of deliveries. */
        DeliveryList: {
            /** @description The newest first. */
            deliveries: components["schemas"]["Delivery"][];
            /** @description `after` of the next page. Absent: this is the last one. */
            next?: string | null;
        };
        /** @description What a delivery says, without what may be a secret of the application. */
        DeliveryMessage: {
            /** @description The body as it is sent. */
            body: string;
            /** @description Whether the address has a query, which is not shown. */
            has_query: boolean;
            /** @description The headers besides `webhook-id`, `webhook-timestamp` and `webhook-signature`, which every attempt has. */
            headers: components["schemas"]["DeliveryHeader"][];
            method: components["schemas"]["WebhookMethod"];
            /**
             * @description Its address without the query; long segments of the path are cut, because they may be secrets.
             * @example https://hooks.slack.com/services/T024/B0D1/x7Gk…
             */
            url: string;
        };
        /** @enum {string} */
        DeliveryState: "WAITING" | "RUNNING" | "DELIVERED" | "FAILED";
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
        /** @description An estimated age, years. */
        EstimatedAge: {
            /** Format: float */
            high: number;
            /**
             * Format: float
             * @description The ends of the interval in which the age lies in 80 of 100 cases.
             */
            low: number;
            /** Format: float */
            years: number;
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
        /** @description The false match rate (ISO/IEC 19795-1) at a distance. */
        FalseMatchRate: {
            /**
             * Format: float
             * @description The distance between two faces below which they count as the same person's.
             */
            distance: number;
            /** Format: double */
            rate: number;
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
            /** @description Width and height of the picture that `face_edges` are in. Absent of findings that older versions made. */
            picture_size?: number[];
            /**
             * Format: float
             * @description How clear the face is, 0 to 1.
             */
            quality?: number;
            reason: components["schemas"]["NotificationReason"];
            /** @description Earlier findings in other contents of the same uploader. */
            uploader_history: components["schemas"]["CaseHistory"];
        };
        /** @description How a step went, of all sessions that began it within the period. */
        FunnelStep: {
            /** Format: int64 */
            failed: number;
            kind: components["schemas"]["SessionKind"];
            /**
             * Format: int64
             * @description Whose person went away, or did something else instead.
             */
            left: number;
            /**
             * Format: double
             * @description How long half of those took, at most, that ended and were not left.
             */
            median_seconds?: number | null;
            /**
             * Format: double
             * @description The same for nine of ten.
             */
            p90_seconds?: number | null;
            /** Format: int64 */
            passed: number;
            /**
             * Format: int64
             * @description How many began. Those that are in none of the numbers below are under way.
             */
            started: number;
            step: components["schemas"]["SessionStepKind"];
            /**
             * @description A method, a kind of document, a check; of `SESSION`, what it asks about an age.
             * @example AGE_ESTIMATION
             */
            subject: string;
            /**
             * Format: int64
             * @description That ended without saying either.
             */
            undecided: number;
        };
        /** @description The right answer. */
        GoldenCaseRequest: {
            /** @description One of the case's `decisions`. */
            decision: components["schemas"]["CaseDecision"];
        };
        /**
         * @description Figures over the last hour, of the process that answered. Other processes have figures of their own; those of jobs,
         *     deliveries and stored files are of the database that they share.
         */
        Health: {
            /** @description When the samples were taken (RFC 3339), the oldest first; a process that has just started has few. */
            at: string[];
            /**
             * Format: int64
             * @description Seconds between two samples.
             */
            interval_seconds: number;
            series: components["schemas"]["HealthSeries"][];
        };
        /** @description A figure over time. */
        HealthSeries: {
            /**
             * @description What it is of: `interface`, `status` (`2xx` to `5xx`), `quantile` (of latencies: `0.5`, `0.95`, `0.99`), `lane`, `state`,
             *     `outcome`.
             */
            labels: {
                [key: string]: string;
            };
            /**
             * @description What it is: `requests`, `latency`, `jobs`, `oldest_due_job`, `deliveries`, `oldest_due_delivery`, `delivery_attempts`,
             *     `stored_files`, `inference_queued`, `inference_running`, `inference_done`, `database_connections_used`,
             *     `database_connections_limit`, `memory` (resident) or `cpu`.
             * @example latency
             */
            name: string;
            /**
             * @description What it is measured in: `per second`, `seconds`, `bytes`, `cores`, `jobs`, `messages`, `images` or `connections`.
             * @example seconds
             */
            unit: string;
            /** @description One for each sample; null where the figure is not known, as that of latencies while nobody asks anything. */
            values: (number | null)[];
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
        /** @description A job. */
        Job: {
            /**
             * Format: uuid
             * @description The moderation account whose work it is.
             */
            account_id?: string | null;
            /**
             * Format: uuid
             * @description The application whose work it is. Absent: the server's own.
             */
            application_id?: string | null;
            /**
             * Format: int64
             * @description Runs that were started, without those that were interrupted.
             */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: int64
             * @description Runs that never ended, because their process died or was stopped.
             */
            interruptions: number;
            /**
             * @description What is to be done.
             * @example run-moderation
             */
            kind: string;
            /**
             * @description The name of its lane.
             * @example heavy
             */
            lane: string;
            /** @description Why the last run failed, cut after 4,000 characters. Absent: none has failed. */
            last_error?: string | null;
            /**
             * Format: date-time
             * @description When it is due; of a parked job, when it was parked.
             */
            run_at: string;
            state: components["schemas"]["JobState"];
            /** @description What it is about: ids by what they name, such as `moderation`. */
            subjects: {
                [key: string]: string;
            };
        };
        /** @description A page of jobs. */
        JobList: {
            /** @description The one that has been due for longest first. */
            jobs: components["schemas"]["Job"][];
            /** @description `after` of the next page. Absent: this is the last one. */
            next?: string | null;
        };
        /**
         * @description The state of a job.
         * @enum {string}
         */
        JobState: "WAITING" | "RUNNING" | "PARKED";
        /** @description A public key. `x` and `y` are those of elliptic curves (Ed25519 has no `y`), `n` and `e` those of RSA; base64url without padding. */
        Jwk: {
            /**
             * @description The algorithm that it verifies.
             * @example ES256
             */
            alg: string;
            /** @description The curve. */
            crv?: string | null;
            /** @description The exponent. */
            e?: string | null;
            /** @description The name of the key. */
            kid: string;
            /**
             * @description The family: `EC`, `OKP` or `RSA`.
             * @example EC
             */
            kty: string;
            /** @description The modulus. */
            n?: string | null;
            /**
             * @description What it is for: `sig`.
             * @example sig
             */
            use: string;
            /** @description A coordinate. */
            x?: string | null;
            /** @description A coordinate. */
            y?: string | null;
        };
        /** @description The keys of this installation, and the processes that have its master key. */
        KeyLifeList: {
            /** @description The data key, by the master keys that wrap it or wrapped it; the current one first. */
            data_keys: components["schemas"]["DataKey"][];
            /** @description The processes that ran a moment ago, and the master key that each would start with. */
            processes: components["schemas"]["MasterKeyHolder"][];
            /** @description Keys that sign, those that sign now first. */
            signing_keys: components["schemas"]["SigningKey"][];
        };
        /** @description How a lane is. */
        Lane: {
            /**
             * Format: int64
             * @description Jobs that are due and wait for a free slot.
             */
            due: number;
            lane: components["schemas"]["LaneName"];
            /**
             * Format: date-time
             * @description Since when the job has been due that has been due for longest. Absent: none is due.
             */
            oldest_due_at?: string | null;
            /**
             * Format: int64
             * @description Jobs that failed for good.
             */
            parked: number;
            /** Format: int64 */
            running: number;
            /**
             * Format: int64
             * @description Jobs that wait until they are due.
             */
            scheduled: number;
        };
        /** @description How all lanes are. */
        LaneList: {
            lanes: components["schemas"]["Lane"][];
        };
        /**
         * @description A group of jobs with workers of its own.
         * @enum {string}
         */
        LaneName: "quick" | "documents" | "heavy" | "live" | "upkeep";
        /** @description A limit to set. */
        LimitChange: {
            /**
             * Format: int64
             * @description At most this; 0: as much as there is; absent: what the configuration says. Of an application with `calls_per_minute` of
             *     its own, `burst` is as many calls as those where it is 0 or absent.
             */
            allowed?: number | null;
            limit: components["schemas"]["LimitKind"];
        };
        /** @enum {string} */
        LimitKind: "calls_per_minute" | "burst" | "running_jobs" | "waiting_jobs" | "live_streams" | "stored_bytes";
        /** @description A limit of an application. */
        LimitUsage: {
            /**
             * Format: int64
             * @description What is allowed; absent: as much as there is.
             */
            allowed?: number | null;
            /**
             * @description Whether an operator has set it for this application; otherwise it is the configuration's (`[limits]`) or, of `burst`, as many
             *     calls as the application's own `calls_per_minute`.
             */
            is_own: boolean;
            limit: components["schemas"]["LimitKind"];
            /**
             * Format: int64
             * @description Seconds until what is left of calls is full again.
             */
            reset_seconds?: number | null;
            /**
             * Format: int64
             * @description What is used. Of calls: in the present window, as far as the server's processes have reserved them.
             */
            used?: number | null;
        };
        /** @description The scores from which a face counts as live, by level of assurance, 0 to 1. */
        LivenessAccuracy: {
            /** Format: float */
            high: number;
            /** Format: float */
            low: number;
            /** Format: float */
            medium: number;
        };
        /** @enum {string} */
        LivenessLevel: "NONE" | "PASSIVE" | "ACTIVE";
        /** @enum {string} */
        LivenessType: "STATIC" | "ZOOM";
        /** @description A request, without its content. */
        LoggedRequest: {
            /**
             * @description The row of the interface's error table, if it was refused.
             * @example INVALID_REQUEST
             */
            error_code?: string | null;
            /**
             * Format: uuid
             * @description As its answer had it in `X-Request-Id`.
             */
            id: string;
            /** @example ages */
            interface: string;
            /**
             * Format: double
             * @description How long the answer took.
             */
            milliseconds: number;
            /** @example create_age_session */
            operation: string;
            /** Format: date-time */
            received_at: string;
            /** Format: int64 */
            status: number;
        };
        /** @description A page of requests. */
        LoggedRequestList: {
            /** @description For `after` of the next page. Absent: this is the last one. */
            next?: string | null;
            /** @description The latest first. */
            requests: components["schemas"]["LoggedRequest"][];
        };
        /** @description A process that runs. */
        MasterKeyHolder: {
            /** @description The fingerprint of the master key that it would start with. Absent: it finds no key of this database. */
            master_key?: string | null;
            /** @description What it is, where it runs, and its number there. */
            name: string;
            /** Format: date-time */
            seen_at: string;
        };
        /** @description How often different people are taken for the same. */
        MatchAccuracy: {
            thresholds: components["schemas"]["FalseMatchRate"][];
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
            /** @description What they may do, by themselves and by the role that the console has given them. */
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
        /** @description A model. */
        Model: {
            accuracy?: components["schemas"]["ModelAccuracy"] | null;
            /**
             * Format: int64
             * @description Size of its file.
             */
            bytes?: number | null;
            /** @description Its name, unique in the pack. */
            id: string;
            /** @description Whether it does that task in this server. */
            in_use: boolean;
            /** @description Whether its answers are not to be relied on yet. */
            is_experimental: boolean;
            /** @description Licence of the weights, as far as it is known. */
            licence: string;
            /** @description Doubts about that licence. */
            licence_note?: string | null;
            /** @description SHA-256 of its file, hexadecimal. Absent: it is built into the program. */
            sha256?: string | null;
            source?: components["schemas"]["ModelSource"] | null;
            /** @description `detect`, `age`, `embed`, `liveness`, `quality`, `find-text`, `turn-text` or `read-text`. */
            task: string;
            /** @description What it was trained on, as far as it is known. */
            training_data?: string | null;
        };
        /** @description What is recorded of how well a model does. */
        ModelAccuracy: (components["schemas"]["AgeAccuracy"] & {
            /** @enum {string} */
            of: "age-errors";
        }) | (components["schemas"]["MatchAccuracy"] & {
            /** @enum {string} */
            of: "false-matches";
        }) | (components["schemas"]["LivenessAccuracy"] & {
            /** @enum {string} */
            of: "liveness-thresholds";
        });
        /** @description The models of this server. */
        ModelList: {
            /** @description In the order of the pack. */
            models: components["schemas"]["Model"][];
        };
        /** @description Where a model was converted from. */
        ModelSource: {
            /** @description Version of the converter that made it. */
            converter: string;
            /** @description SHA-256 of the files that it was made of, by their paths. */
            files: {
                [key: string]: string;
            };
            package: string;
            version: string;
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
        /** @description A portrait, given out as it is. */
        PortraitRequest: {
            /**
             * @description `image/jpeg` or `image/png`.
             * @example image/jpeg
             */
            content_type: string;
            /** @description The picture in base64. */
            data: string;
        };
        /** @description A service that the settings name, or the server's mail or storage. */
        Provider: {
            /**
             * @description The host that is asked, where the settings name one.
             * @example api.stripe.com
             */
            host?: string | null;
            /**
             * @description Where the settings have it.
             * @example ages.credit_card
             */
            name: string;
            /**
             * @description What a test of it does. `MAIL` sends a mail to whoever asks; `STORAGE` writes a file, reads and deletes it;
             *     `OIDC_DISCOVERY` fetches the documents and keys of an issuer; `REACHABILITY` connects to the host, checks its certificate
             *     and that it answers, and says nothing of credentials; `SIMULATED` asks nobody.
             */
            test: components["schemas"]["ProviderTestKind"];
        };
        /** @description Everything that can be tested. */
        ProviderList: {
            providers: components["schemas"]["Provider"][];
        };
        /** @description Where to go to sign in. */
        ProviderRedirect: {
            /** @description The address of the identity provider. */
            location: string;
        };
        /** @enum {string} */
        ProviderTestKind: "MAIL" | "STORAGE" | "OIDC_DISCOVERY" | "REACHABILITY" | "SIMULATED";
        /** @description How a test ended. */
        ProviderTestOutcome: {
            /** @description What was shown, or what went wrong, in words. */
            message: string;
            /** @description Whether it went well. */
            succeeded: boolean;
            /** Format: date-time */
            tested_at: string;
            /**
             * Format: int64
             * @description How long it took, milliseconds.
             */
            took_ms: number;
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
        /** @description How the cases of one queue are decided. */
        QueueQuality: {
            /** @description Of the reviewers of the same cases with each other. */
            between_reviewers: components["schemas"]["Agreement"];
            /**
             * Format: int64
             * @description How many of these later than they were due.
             */
            overdue: number;
            /**
             * Format: uuid
             * @description Absent: cases that no queue took.
             */
            queue_id?: string;
            /** @description From the creation of a case until it was settled; absent where none was. */
            seconds_to_decision?: components["schemas"]["TimeToDecision"];
            /**
             * Format: int64
             * @description How many of its cases were settled.
             */
            settled: number;
            /** @description With the answers of golden cases. */
            with_golden: components["schemas"]["Agreement"];
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
             * @description Languages of the people concerned, such as `de`; of `de-AT` the `de` counts. A case of unknown language is not taken.
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
        /** @description The recommendation of a report. */
        RecommendationRequest: {
            /**
             * @description Required with `REJECT`.
             * @example TAMPERED
             */
            reason?: string | null;
            /**
             * @description Required with `REJECT`.
             * @example USE_ANOTHER_DOCUMENT
             */
            recovery_suggestion?: string | null;
            value: components["schemas"]["CheckAdvice"];
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
        /** @description Which messages to send again; those that every member fits. */
        ReplayDeliveries: {
            /**
             * Format: uuid
             * @description Of this application. Members replay those of their own, whether or not it is named.
             */
            application_id?: string | null;
            /**
             * Format: date-time
             * @description Queued at or after this moment.
             */
            from?: string | null;
            /** @description To this origin, such as `https://hooks.example.com`. */
            origin?: string | null;
            /** @default FAILED */
            state?: components["schemas"]["DeliveryState"] | null;
            /**
             * Format: uuid
             * @description About this session, moderation or profile.
             */
            subject_id?: string | null;
            /**
             * Format: date-time
             * @description Queued before this moment.
             */
            to?: string | null;
            /** @description About this, such as `ages.result`. */
            topic?: string | null;
        };
        /** @description How many messages are sent again. */
        ReplayedDeliveries: {
            /** Format: int64 */
            count: number;
            /** @description Whether there may be more that fit; the same call again sends the next ones. */
            may_have_more: boolean;
        };
        /** @description The report of a check. */
        ReportRequest: {
            breakdown?: components["schemas"]["SubCheckRequest"][] | null;
            recommendation?: components["schemas"]["RecommendationRequest"] | null;
        };
        /** @enum {string} */
        ResourceKind: "ID_DOCUMENT" | "SUPPLEMENTARY_DOCUMENT" | "LIVENESS" | "FACE_CAPTURE";
        /** @description What a sandbox answers, at most 256 KiB. Enumerated values are read in any case; null counts as absent. */
        ResponseConfigRequest: {
            /**
             * Format: int64
             * @description Seconds by which reports are delayed; `check_reports` may have it as well.
             * @default 0
             */
            async_report_delay?: number | null;
            check_reports?: components["schemas"]["CheckReports"] | null;
            task_results?: components["schemas"]["TaskResults"] | null;
        };
        /** @description The documents that an item applies to; an empty list matches everything. */
        ResponseDocumentFilter: {
            /** @description ISO 3166-1 alpha-3. */
            country_codes?: string[] | null;
            /** @description Types of identity documents, or names of other ones. */
            document_types?: string[] | null;
        };
        /** @enum {string} */
        ResultTemplate: "SUCCESS";
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
            /** @description Queues whose cases were decided, those with the most cases first. */
            queues: components["schemas"]["QueueQuality"][];
            /** @description The busiest first. */
            reviewers: components["schemas"]["ReviewerQuality"][];
        };
        /** @description How to replace a secret. */
        RotateWebhookSecret: {
            /**
             * Format: int64
             * @description For how many hours messages are signed with the old secrets beside the new one.
             * @default 24
             */
            overlap_hours?: number | null;
        };
        /** @description What the sandbox answers about documents. */
        SandboxDocumentResponses: {
            config: components["schemas"]["SentResponseConfig"];
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
        /** @description Where to send a test. */
        SendTestEvent: {
            /**
             * @description An https address of the application's server.
             * @example https://hooks.example.com/assay
             */
            url: string;
            /**
             * @description Whether its certificate must be valid.
             * @default true
             */
            verify_tls?: boolean | null;
        };
        /** @description A response configuration as it was sent: as `ResponseConfigRequest`, with its words in the case that they came in, and with whatever other members it had, but without nulls. Two empty objects where none was set. */
        SentResponseConfig: {
            async_report_delay?: number;
            check_reports?: Record<string, never>;
            task_results?: Record<string, never>;
        } & {
            [key: string]: unknown;
        };
        /** @description A member who is signed in, where, and what they may do. */
        Session: {
            /** @description The account they belong to. */
            account: components["schemas"]["Account"];
            /**
             * Format: uuid
             * @description The application that the account belongs to.
             */
            application_id: string;
            /** @description What they may do in the console beyond that. */
            console_scopes: components["schemas"]["ConsoleScope"][];
            /** @description The member who is signed in. */
            member: components["schemas"]["Member"];
            /** @description What they may do in it. */
            scopes: components["schemas"]["Scope"][];
            /** @description Whether a second factor is missing; until it is there, nothing else can be done. */
            second_factor: components["schemas"]["SecondFactorState"];
        };
        /** @description How sessions went, step by step. */
        SessionFunnel: {
            steps: components["schemas"]["FunnelStep"][];
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
        /** @enum {string} */
        SessionKind: "DOCUMENT" | "AGE";
        /** @description Where somebody is signed in. */
        SessionList: {
            /** @description The one that was used last first. */
            sessions: components["schemas"]["SessionItem"][];
        };
        /** @enum {string} */
        SessionStepKind: "SESSION" | "PAGE_OPENED" | "CONSENT" | "METHOD" | "CAPTURE" | "SUBMITTED" | "CHECK" | "REDACTION" | "APPEAL" | "CLOCK_ADVANCED";
        /** @enum {string} */
        SessionStepOutcome: "PASSED" | "FAILED" | "UNDECIDED" | "LEFT";
        /** @description The outcome to set for an age verification session of the sandbox. */
        SetAgeSessionResponseRequest: {
            /**
             * Format: int64
             * @description The age, years; only sessions of the type AGE report it.
             */
            age?: number | null;
            method?: components["schemas"]["AgeMethod"] | null;
            /** @description The state to set. */
            status?: components["schemas"]["AgeSessionStatus"];
        };
        /** @description What the sandbox is to answer about documents. */
        SetDocumentResponsesRequest: {
            /** @description As `PUT /sandbox/idverify/v1/apps/{sdkId}/response-config` takes it, up to 60 KiB. */
            config: components["schemas"]["ResponseConfigRequest"];
        };
        /** @description A password to set. */
        SetPasswordRequest: {
            password: string;
        };
        /** @description A setting. */
        Setting: {
            /**
             * @description Section and name, as in the configuration file.
             * @example delivery.keep_days
             */
            name: string;
            source: components["schemas"]["SettingSource"];
            /**
             * @description What it is measured in, as its name says.
             * @example days
             */
            unit?: string | null;
            /**
             * @description The value as JSON writes it; `null` where nothing is set and there is no default. Absent: it is set, and never shown,
             *     because it belongs to a provider and may be a secret.
             * @example 30
             */
            value?: string | null;
        };
        /** @description The settings in force, in the process that answered. */
        SettingList: {
            /** @description In the order of their names. */
            settings: components["schemas"]["Setting"][];
        };
        /**
         * @description Where the value of a setting comes from.
         * @enum {string}
         */
        SettingSource: "default" | "file" | "environment";
        /** @description A key that signs. Its private half is never shown. */
        SigningKey: {
            /** Format: date-time */
            created_at: string;
            /** @description How it is named where its public half is published. */
            id: string;
            purpose: components["schemas"]["SigningKeyPurpose"];
            /** @description Of blind tokens: whether it is one of the sandbox. */
            sandbox?: boolean | null;
            state: components["schemas"]["SigningKeyState"];
            /**
             * Format: date-time
             * @description While it signs: when it ceases to; afterwards: until when what it signed is accepted. Absent: no such moment is set.
             */
            until?: string | null;
            /**
             * Format: int64
             * @description Of blind tokens: the age that it stands for, years.
             */
            years?: number | null;
        };
        /** @enum {string} */
        SigningKeyPurpose: "age-webhooks" | "proof-of-age" | "blind-tokens";
        /** @enum {string} */
        SigningKeyState: "SIGNING" | "RETIRING";
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
        /** @description Something that the person can sign in to. */
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
        /** @description A number or a reason. It is left out if it has no name or no value. */
        SubCheckDetailRequest: {
            name: string;
            value: string;
        };
        /** @enum {string} */
        SubCheckProcess: "AUTOMATED" | "EXPERT_REVIEW";
        /** @description A sub-check that the report lists. */
        SubCheckRequest: {
            details?: components["schemas"]["SubCheckDetailRequest"][] | null;
            /** @default AUTOMATED */
            process?: components["schemas"]["SubCheckProcess"] | null;
            result: components["schemas"]["SubCheckResult"];
            sub_check: string;
        };
        /** @enum {string} */
        SubCheckResult: "PASS" | "FAIL";
        /** @enum {string} */
        TaskAdvice: "PROGRESS" | "SHOULD_TRY_AGAIN" | "MUST_TRY_AGAIN";
        /** @enum {string} */
        TaskAdviceReason: "QUALITY" | "USER_ERROR" | "ERROR";
        /** @description Why to try again. */
        TaskReasonRequest: {
            /**
             * @description The details, in one word.
             * @example GLARE
             */
            detail?: string | null;
            value?: components["schemas"]["TaskAdviceReason"];
        };
        /** @description What the end user is told to do. */
        TaskRecommendationRequest: {
            reason?: components["schemas"]["TaskReasonRequest"] | null;
            value: components["schemas"]["TaskAdvice"];
        };
        /** @description The result of a task. */
        TaskResultBody: {
            detected_country?: string | null;
            /** @description The data that was read, by field name; it is given out as it is. */
            document_fields?: {
                [key: string]: unknown;
            } | null;
            document_id_photo?: components["schemas"]["PortraitRequest"] | null;
            recommendation?: components["schemas"]["TaskRecommendationRequest"] | null;
            result_template?: components["schemas"]["ResultTemplate"] | null;
        };
        /** @description The result of a task for documents that match. */
        TaskResultItem: {
            /**
             * @description The country that was read; `result` or its `document_fields` may have it as well.
             * @example NOR
             */
            detected_country?: string | null;
            document_filter?: components["schemas"]["ResponseDocumentFilter"] | null;
            result?: components["schemas"]["TaskResultBody"] | null;
            result_template?: components["schemas"]["ResultTemplate"] | null;
        };
        /** @description The results of tasks, by type. */
        TaskResults: {
            ID_DOCUMENT_TEXT_DATA_EXTRACTION?: components["schemas"]["TaskResultItem"][] | null;
            SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION?: components["schemas"]["TaskResultItem"][] | null;
        };
        /** @description Something that happened in a session. */
        TimelineEntry: {
            /** Format: date-time */
            at: string;
            /**
             * Format: uuid
             * @description The delivery of a message.
             */
            delivery_id?: string | null;
            /**
             * Format: date-time
             * @description When it was over. Absent: it is under way, or took no time.
             */
            ended_at?: string | null;
            event: components["schemas"]["TimelineEvent"];
            /**
             * @description `PASSED`, `FAILED`, `UNDECIDED` or `LEFT`. Of a message: `WAITING`, `RUNNING`, `DELIVERED` or `FAILED`.
             * @example FAILED
             */
            outcome?: string | null;
            /**
             * @description Why, as a code.
             * @example UNDER_AGE
             */
            reason?: string | null;
            /**
             * @description A method, a kind of document, a check; of a message, its topic.
             * @example AGE_ESTIMATION
             */
            subject?: string | null;
        };
        /** @enum {string} */
        TimelineEvent: "CREATED" | "PAGE_OPENED" | "CONSENT" | "METHOD" | "CAPTURE" | "SUBMITTED" | "CHECK" | "REDACTION" | "APPEAL" | "CLOCK_ADVANCED" | "RESULT" | "MESSAGE";
        /** @description Seconds. */
        TimeToDecision: {
            /** Format: double */
            median: number;
            /**
             * Format: double
             * @description The 90th percentile.
             */
            p90: number;
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
        /** @description An issuer whose proofs of age are accepted. */
        TrustedIssuer: {
            /** @description In which formats: `cwt`, `sd-jwt-vc`, `jwt`, `mdoc`. */
            formats: string[];
            /** @description As its proofs name it. */
            id: string;
            /** @description Where its keys are fetched, if they are. */
            key_set_url?: string | null;
            /** @description Its keys and root certificates. */
            keys: components["schemas"]["TrustedKey"][];
            /** @description As results name it. */
            provider: string;
            /**
             * Format: date-time
             * @description From when its entry counts. Absent: always.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when its entry counts. Absent: always.
             */
            valid_until?: string | null;
        };
        /** @description A key of an issuer, or a root that certifies its keys. */
        TrustedKey: {
            /** @description Its name (`kid`), or its thumbprint (RFC 7638). Absent: it is a root certificate. */
            id?: string | null;
            kind: components["schemas"]["TrustedKeyKind"];
            /**
             * Format: date-time
             * @description From when it may be used. Absent: always.
             */
            valid_from?: string | null;
            /**
             * Format: date-time
             * @description Until when it may be used. Absent: always.
             */
            valid_until?: string | null;
        };
        /** @enum {string} */
        TrustedKeyKind: "LISTED" | "FETCHED" | "ROOT";
        /** @description The issuers whose proofs of age are accepted. */
        TrustList: {
            /**
             * Format: date-time
             * @description When the first of its lists expires, if one does. A list that has expired adds no issuers.
             */
            expires_at?: string | null;
            /** @description In the order of the list. */
            issuers: components["schemas"]["TrustedIssuer"][];
        };
        /** @description A case that is the reviewer's again. */
        UndoneDecision: {
            /**
             * Format: date-time
             * @description Until when, unless the lease is renewed.
             */
            lease_until: string;
        };
        /** @description The calls of an interface on a day. */
        UsageDay: {
            /** Format: int64 */
            calls: number;
            /**
             * Format: date-time
             * @description Its beginning (UTC).
             */
            day: string;
            /**
             * @description The interface: `ai`, `proof`, `moderation`, `identity`, `ages` or `oauth`.
             * @example ages
             */
            interface: string;
            /**
             * Format: int64
             * @description Those that were answered with a status from 400 on.
             */
            refused: number;
        };
        /** @enum {string} */
        VerificationCheckType: "ID_DOCUMENT_AUTHENTICITY" | "ID_DOCUMENT_TEXT_DATA_CHECK" | "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK" | "LIVENESS" | "ID_DOCUMENT_FACE_MATCH" | "FACE_COMPARISON" | "ID_DOCUMENT_COMPARISON" | "WATCHLIST_SCREENING" | "THIRD_PARTY_IDENTITY";
        /** @description A session of document or age verification, without anything of its person. */
        VerificationSession: {
            /** Format: uuid */
            application_id: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When nothing is left of the session.
             */
            deleted_at: string;
            /** Format: date-time */
            ended_at?: string | null;
            /**
             * Format: date-time
             * @description The end of the person's time.
             */
            expires_at: string;
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["SessionKind"];
            /**
             * @description The method, the kind of document or the check that came last.
             * @example AGE_ESTIMATION
             */
            last_step?: string | null;
            outcome?: components["schemas"]["SessionStepOutcome"] | null;
            /**
             * @description Why it ended so, as a code.
             * @example UNDER_AGE
             */
            reason?: string | null;
            /**
             * Format: date-time
             * @description When what was supplied is destroyed. Absent: it was, or nothing of the kind is stored.
             */
            resources_deleted_at?: string | null;
            /** @description Whether it belongs to the sandbox. Absent: an older version of the server made it, and does not say. */
            sandbox?: boolean | null;
            /**
             * @description As its interface says it. Of age verification: `PENDING`, `IN_PROGRESS`, `PROCESSING`, `COMPLETE`, `FAIL`, `ERROR`,
             *     `CANCELLED`, `EXPIRED`; of document verification: `ONGOING`, `COMPLETED`, `EXPIRED`.
             * @example COMPLETE
             */
            state: string;
        };
        /** @description A session, and what happened in it. */
        VerificationSessionHistory: {
            session: components["schemas"]["VerificationSession"];
            /**
             * @description In the order of time. Of sessions that an older version of the server made, it lacks what that version did not
             *     record.
             */
            timeline: components["schemas"]["TimelineEntry"][];
        };
        /** @description A page of sessions. */
        VerificationSessionList: {
            /** @description For `after` of the next page. Absent: this is the last one. */
            next?: string | null;
            /** @description The newest first. */
            sessions: components["schemas"]["VerificationSession"][];
        };
        /**
         * @description An origin that messages go to. Sessions, moderations and proofs name the addresses, so one is known once a message to it
         *     was queued.
         */
        WebhookEndpoint: {
            /**
             * Format: int64
             * @description Messages of the last seven days that it accepted.
             */
            delivered: number;
            /**
             * Format: int64
             * @description Messages of the last seven days that were given up.
             */
            failed: number;
            /**
             * Format: date-time
             * @description When it last accepted one of them.
             */
            last_delivered_at?: string | null;
            /**
             * Format: date-time
             * @description When one of them was last given up.
             */
            last_failed_at?: string | null;
            /** @example https://hooks.example.com */
            origin: string;
            /**
             * Format: int64
             * @description Messages of the last seven days that are not over.
             */
            pending: number;
            /** @description Whether its certificate must be valid. */
            verify_tls: boolean;
        };
        /** @description Where an application's messages of the last seven days went. */
        WebhookEndpointList: {
            /** @description In the order of their origins. */
            endpoints: components["schemas"]["WebhookEndpoint"][];
        };
        /** @enum {string} */
        WebhookMethod: "POST" | "GET";
        /** @description A secret that signs messages. The secret itself was shown when it was made. */
        WebhookSecret: {
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Until when it signs beside a newer one. Absent: it is the newest.
             */
            retires_at?: string | null;
        };
        /** @description What an application's messages are signed with. */
        WebhookSecretList: {
            /** @description The newest first. Empty: the first one is made for the first message. */
            secrets: components["schemas"]["WebhookSecret"][];
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
            /** @description The account is deleted. */
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
            /** @description The application is created and enabled; it has no keys yet. */
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
    change_application: {
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
                "application/json": components["schemas"]["ChangeApplicationRequest"];
            };
        };
        responses: {
            /** @description The application is changed, with immediate effect in every process. */
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
            /** @description The key is revoked. */
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
    list_requests: {
        parameters: {
            query?: {
                /** @description Where the list goes on: the member `next` of the page before. */
                after?: string;
                /** @description Only this request. */
                id?: string;
                /**
                 * @description Only requests of this interface: `ai`, `proof`, `moderation`, `identity`, `ages` or `oauth`.
                 * @example ages
                 */
                interface?: string;
                /**
                 * @description Only requests of this operation, as the interface's OpenAPI document calls it.
                 * @example create_age_session
                 */
                operation?: string;
                /** @description Only requests that were refused (a status from 400 on), or only others. */
                refused?: boolean;
            };
            header?: never;
            path: {
                /** @description The application. */
                applicationId: string;
            };
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
                    "application/json": components["schemas"]["LoggedRequestList"];
                };
            };
        };
    };
    send_test_event: {
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
                "application/json": components["schemas"]["SendTestEvent"];
            };
        };
        responses: {
            /** @description The test event is queued. */
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
    application_usage: {
        parameters: {
            query: {
                /**
                 * @description The beginning of the first day (RFC 3339, UTC).
                 * @example 2026-01-01T00:00:00Z
                 */
                from: string;
                /**
                 * @description The end of the last day, which does not belong to it: at most 400 days later.
                 * @example 2026-02-01T00:00:00Z
                 */
                to: string;
            };
            header?: never;
            path: {
                /** @description The application. */
                applicationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplicationUsage"];
                };
            };
        };
    };
    list_webhook_endpoints: {
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
            /** @description The endpoints. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointList"];
                };
            };
        };
    };
    list_webhook_secrets: {
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
            /** @description The secrets. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSecretList"];
                };
            };
        };
    };
    rotate_webhook_secret: {
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
                /**
                 * @example {
                 *       "overlap_hours": 24
                 *     }
                 */
                "application/json": components["schemas"]["RotateWebhookSecret"];
            };
        };
        responses: {
            /** @description The new secret, this once. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhookSecret"];
                };
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
            /** @description The request is approved and carried out. */
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
            /** @description The request is refused. */
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
    list_audit_records: {
        parameters: {
            query?: {
                /** @description Only what concerns this moderation account. Members see what concerns theirs, whether or not it is named. */
                account_id?: string;
                /** @description Only this, such as `api-key.create`, or anything done to a thing, such as `api-key`. */
                action?: string;
                /** @description Only what this actor did, such as `member:018f…`, or any of a kind: `operator`, `api-key`, `member`, `application`, `system`. */
                actor?: string;
                /** @description Only what concerns this application. */
                application_id?: string;
                /** @description Before which record the page begins: the member `next_before` of the page before. */
                before?: number;
                /** @description Only what was done at or after this moment (RFC 3339). */
                from?: string;
                /** @description Only what was done to the thing of this id. */
                target?: string;
                /** @description Only what was done before this moment (RFC 3339). */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the trail. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordList"];
                };
            };
        };
    };
    export_audit_records: {
        parameters: {
            query?: {
                /** @description Only what concerns this moderation account. Members see what concerns theirs, whether or not it is named. */
                account_id?: string;
                /** @description Only this, such as `api-key.create`, or anything done to a thing, such as `api-key`. */
                action?: string;
                /** @description Only what this actor did, such as `member:018f…`, or any of a kind: `operator`, `api-key`, `member`, `application`, `system`. */
                actor?: string;
                /** @description Only what concerns this application. */
                application_id?: string;
                /** @description Only what was done at or after this moment (RFC 3339). */
                from?: string;
                /** @description Only what was done to the thing of this id. */
                target?: string;
                /** @description Only what was done before this moment (RFC 3339). */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lines, until there are no more. A line that is cut off means that the database failed. */
            200: {
                headers: {
                    /** @description `no-store` */
                    "Cache-Control"?: string;
                    /** @description A name for the file. */
                    "Content-Disposition"?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    verify_audit_trail: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the audit trail is intact. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerification"];
                };
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
                /** @description Only cases about this finding: the one that was decided first, and the appeals. */
                notification_id?: string;
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
            /** @description The case is assigned to that member. */
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
    list_assignees: {
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
            /** @description Members of the account who may decide it. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssigneeList"];
                };
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
            /** @description The decision, which takes effect later. */
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
            /** @description The case is on hold. */
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
                    "image/jpeg": components["schemas"]["BinaryContent"];
                    "image/png": components["schemas"]["BinaryContent"];
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
            /** @description The case is back in its queue. */
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
            /** @description What the caller signs in with. */
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
    list_deletion_receipts: {
        parameters: {
            query?: {
                /** @description Behind which deletion the page begins: the member `next` of the page before. */
                after?: string;
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
                    "application/json": components["schemas"]["DeletionList"];
                };
            };
        };
    };
    download_deletion_receipt: {
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
            /** @description The receipt, as a file. */
            200: {
                headers: {
                    /** @description A name for the file. */
                    "Content-Disposition"?: string;
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletionReceipt"];
                };
            };
        };
    };
    list_deliveries: {
        parameters: {
            query?: {
                /** @description Behind which delivery the page begins: the member `next` of the page before. */
                after?: string;
                /** @description Only those of this application. Members see those of their own, whether or not it is named. */
                application_id?: string;
                /** @description Only those queued at or after this moment (RFC 3339). */
                from?: string;
                /** @description Only those to this origin, such as `https://hooks.example.com`. */
                origin?: string;
                /** @description Only those in this state. */
                state?: components["schemas"]["DeliveryState"];
                /** @description Only those about this session, moderation or profile. */
                subject_id?: string;
                /** @description Only those queued before this moment (RFC 3339). */
                to?: string;
                /** @description Only those about this, such as `ages.result`. */
                topic?: string;
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
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
        };
    };
    get_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery: the `webhook-id` that its receiver saw. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryDetails"];
                };
            };
        };
    };
    replay_delivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery: the `webhook-id` that its receiver saw. */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The message is queued again. */
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
    replay_deliveries: {
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
                 *       "origin": "https://hooks.example.com",
                 *       "state": "FAILED"
                 *     }
                 */
                "application/json": components["schemas"]["ReplayDeliveries"];
            };
        };
        responses: {
            /** @description The number of messages that are queued again. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayedDeliveries"];
                };
            };
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The figures. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    list_lanes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lanes. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LaneList"];
                };
            };
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description Behind which job the page begins: the member `next` of the page before. */
                after?: string;
                /** @description Only jobs of this application. */
                application_id?: string;
                /** @description Only jobs of this kind, such as `run-moderation`. */
                kind?: string;
                /** @description Only jobs of this lane. */
                lane?: components["schemas"]["LaneName"];
                /** @description Only jobs in this state. */
                state?: components["schemas"]["JobState"];
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
                    "application/json": components["schemas"]["JobList"];
                };
            };
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    discard_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job is deleted. */
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
    retry_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The job. */
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job runs as soon as a worker is free. */
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
            /** @description The permissions are set; they apply from the next call on. */
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
            /** @description All sessions of the member have ended. */
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
    list_models: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The models. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModelList"];
                };
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
            /** @description The role is created. */
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
            /** @description The role is changed. Calls from now on are judged by it. */
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
            /** @description The role is deleted. */
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
            /** @description The permissions are set; they apply from the next call on. */
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
            /** @description The operator is disabled, and their sessions have ended. */
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
            /** @description The operator can sign in again. */
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
            /** @description The invitation is revoked. */
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
            /** @description The organisation is created, and active. */
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
    change_organisation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The organisation. */
                organisationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeOrganisationRequest"];
            };
        };
        responses: {
            /** @description The organisation is changed, with immediate effect. */
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
            /** @description The passkey is added. */
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
            /** @description The passkey is renamed. */
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
            /** @description The passkey is removed. */
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
            /** @description The password is set. */
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
    list_providers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The services. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderList"];
                };
            };
        };
    };
    test_provider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of the service, as the list has it. */
                provider: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcome of the test, whether it succeeded or failed. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderTestOutcome"];
                };
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
                /** @description Only cases of this queue, which have one policy. */
                queue_id?: string;
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
            /** @description The queue is changed. */
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
            /** @description The queue is deleted. */
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
    list_reports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reports of this node. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccuracyReportList"];
                };
            };
        };
    };
    download_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The name of its file. */
                reportName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
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
            /** @description The role is created. */
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
            /** @description The role is changed. Calls from now on are judged by it. */
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
            /** @description The role is deleted. */
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
    set_age_session_response: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session, of either kind. The name of the parameter keeps it out of the log: whoever knows the id of an age
                 *     session and its application is its person.
                 */
                verificationSessionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "age": 34,
                 *       "method": "DOC_SCAN",
                 *       "status": "COMPLETE"
                 *     }
                 */
                "application/json": components["schemas"]["SetAgeSessionResponseRequest"];
            };
        };
        responses: {
            /** @description The outcome of the session is set. */
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
    advance_sandbox_clock: {
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
                 *       "seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["AdvanceClockRequest"];
            };
        };
        responses: {
            /** @description The clock of the sessions was put forward. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdvancedClock"];
                };
            };
        };
    };
    get_document_responses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The response configuration. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SandboxDocumentResponses"];
                };
            };
        };
    };
    set_document_responses: {
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
                 *       "config": {
                 *         "async_report_delay": 10,
                 *         "check_reports": {
                 *           "LIVENESS": [
                 *             {
                 *               "result": {
                 *                 "report_template": "SUCCESS"
                 *               }
                 *             }
                 *           ]
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["SetDocumentResponsesRequest"];
            };
        };
        responses: {
            /** @description The response configuration is set. */
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
            /** @description The session of the caller. */
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
            /** @description Signed in. */
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
            /** @description The session has ended. */
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
            /** @description The session has a second factor. */
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
            /** @description All other sessions have ended. */
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
            /** @description The session has ended. */
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
    list_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The settings. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingList"];
                };
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
            /** @description If the address belongs to a member or an operator, a sign-in link is sent to it. */
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
            /** @description The sign-in methods of this server. */
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
            /** @description What the person can sign in to. */
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
    list_keys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, without secrets. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyLifeList"];
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
            /** @description The secret, for the authenticator app. */
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
            /** @description The authenticator app is removed; its codes are no longer accepted. */
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
            /** @description The authenticator app is set up; its codes are accepted. */
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
    get_trust_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The issuers. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrustList"];
                };
            };
        };
    };
    list_verification_sessions: {
        parameters: {
            query?: {
                /** @description Where the list goes on: the member `next` of the page before. */
                after?: string;
                /** @description Only sessions of this application. Members see those of the application that their account belongs to. */
                application_id?: string;
                /** @description Only sessions created before this moment (RFC 3339). */
                created_before?: string;
                /** @description Only sessions created at or after this moment (RFC 3339). */
                created_from?: string;
                /** @description Only sessions of this kind. */
                kind?: components["schemas"]["SessionKind"];
                /** @description Only sessions that ended so. */
                outcome?: components["schemas"]["SessionStepOutcome"];
                /**
                 * @description Only sessions that the application gave this reference, or whose person it gave this reference: `reference_id`,
                 *     `account_id`, `user_tracking_id`, `subject_id`. Operators name the application as well.
                 */
                reference?: string;
                /** @description Only sessions of the sandbox, or only others. */
                sandbox?: boolean;
                /**
                 * @description Only sessions in this state, as their interface says it.
                 * @example FAIL
                 */
                state?: string;
                /**
                 * @description Only sessions in which this method, kind of document or check was begun.
                 * @example AGE_ESTIMATION
                 */
                step?: string;
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
                    "application/json": components["schemas"]["VerificationSessionList"];
                };
            };
        };
    };
    get_verification_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session, of either kind. The name of the parameter keeps it out of the log: whoever knows the id of an age
                 *     session and its application is its person.
                 */
                verificationSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationSessionHistory"];
                };
            };
        };
    };
    redact_verification_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session, of either kind. The name of the parameter keeps it out of the log: whoever knows the id of an age
                 *     session and its application is its person.
                 */
                verificationSessionId: string;
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
            /** @description The session is erased. */
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
    cancel_verification_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The session, of either kind. The name of the parameter keeps it out of the log: whoever knows the id of an age
                 *     session and its application is its person.
                 */
                verificationSessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
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
    session_funnel: {
        parameters: {
            query: {
                /** @description Only sessions of this application. Members see those of the application that their account belongs to. */
                application_id?: string;
                /** @description The beginning of the period (RFC 3339). */
                from: string;
                /** @description Only sessions of this kind. */
                kind?: components["schemas"]["SessionKind"];
                /** @description Sessions of the sandbox instead of the others. */
                sandbox?: boolean;
                /** @description Its end, which does not belong to it: at most 92 days later. */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Each step. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionFunnel"];
                };
            };
        };
    };
}
