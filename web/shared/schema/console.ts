// Written by `npm run generate` from openapi/console.json: not to be changed by hand.

export interface paths {
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
         * @description That it was given out is in the audit trail. It must not be cached.
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
        /** @description To whom. */
        AssignCaseRequest: {
            /**
             * Format: uuid
             * @description A member of the account who has not decided about the case yet.
             */
            member_id: string;
        };
        /** @description The secret from a link: exactly one of the two. */
        BeginSessionRequest: {
            /** @description From an invitation: the text after `#invite=`. */
            invitation?: string | null;
            /** @description From a sign-in link: the text after `#sign-in=`. */
            link?: string | null;
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
        /** @enum {string} */
        ConsoleScope: "documents:review" | "ages:review" | "cases:manage" | "queues:manage" | "sessions:view" | "sessions:manage" | "keys:manage" | "deliveries:view" | "deliveries:manage" | "sandbox:manage" | "usage:view" | "roles:manage" | "audit:view";
        /** @enum {string} */
        ContentType: "IMAGE" | "VIDEO" | "LIVE_VIDEO";
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
        NotificationReason: "BANNED_PROFILE" | "AGE_ESTIMATION" | "UNKNOWN_FACE" | "WAITING" | "STARTED" | "STOPPED" | "DONE" | "FAILED";
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
        /** @description Who is signed in, where, and what they may do. */
        Session: {
            /** @description The account they belong to. */
            account: components["schemas"]["Account"];
            /** @description What they may do in the console beyond that. */
            console_scopes: components["schemas"]["ConsoleScope"][];
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
