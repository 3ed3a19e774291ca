// Written by `npm run generate` from openapi/moderation.json: not to be changed by hand.

export interface paths {
    "/accounts/{accountId}/admin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Make a member an administrator. */
        post: operations["promote"];
    };
    "/accounts/{accountId}/admin/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Make an administrator an ordinary member.
         * @description The last administrator cannot be demoted.
         */
        delete: operations["demote"];
    };
    "/accounts/{accountId}/contents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the contents of an account.
         * @description The status is 201, as this interface defines it.
         */
        get: operations["list_contents"];
        /**
         * Register a content.
         * @description Of an address nothing else is stored; the media is fetched when the content is moderated. A file that was uploaded is kept
         *     until the content is deleted; each may be given to one content.
         */
        post: operations["register_content"];
    };
    "/accounts/{accountId}/contents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a content. */
        get: operations["get_content"];
        /**
         * Delete a content.
         * @description Its moderations with everything that they found, its reports and its links to profiles are gone when this is answered.
         *     Moderations that run are stopped. The data at its address is not touched; a file that was uploaded is deleted.
         */
        delete: operations["delete_content"];
    };
    "/accounts/{accountId}/contents/{id}/moderations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the moderations of a content. */
        get: operations["list_content_moderations"];
    };
    "/accounts/{accountId}/contents/{id}/reports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the reports on a content. */
        get: operations["list_reports"];
        /** Report a content. */
        post: operations["report_content"];
    };
    "/accounts/{accountId}/contents/{id}/reports/{reportId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Decide on a report. */
        put: operations["resolve_report"];
    };
    "/accounts/{accountId}/findings/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find out where somebody was seen: past findings, by a picture or by a profile.
         * @description Needs the scopes `profiles:list` and `reports:view`. It sees the faces that moderations of this account found and whose
         *     embeddings are kept, `moderation.keep_embeddings_days` after the moderation's end, of archived contents too. It cannot see
         *     what was found before, what was deleted, and faces that no moderation found. Nothing of the picture is stored.
         */
        post: operations["search_findings"];
    };
    "/accounts/{accountId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the pending invitations. */
        get: operations["list_invitations"];
        /**
         * Invite somebody to an account.
         * @description They receive an email with a link that makes them a member and signs them in; it works once, and as long as you could
         *     still send it: not after you were removed, or your key was revoked. A new invitation to the same address replaces the old
         *     one.
         */
        post: operations["invite"];
    };
    "/accounts/{accountId}/invitations/{invitationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Revoke an invitation. */
        delete: operations["revoke_invitation"];
    };
    "/accounts/{accountId}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the members. */
        get: operations["list_members"];
    };
    "/accounts/{accountId}/members/{memberId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a member. */
        get: operations["get_member"];
        /**
         * Set what a member may do.
         * @description Nobody can give a scope that they do not have themselves; what the member has already may stay. A role that the console
         *     has given them, and that allows more than the given set, is taken from them.
         */
        put: operations["set_scopes"];
        /**
         * Remove a member.
         * @description Their sessions end. Only an administrator can remove an administrator; the last one cannot be removed.
         */
        delete: operations["remove_member"];
    };
    "/accounts/{accountId}/members/{memberId}/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a member's inbox.
         * @description It has the notifications of moderations that named the member. Members can read only their own, and need no scope for
         *     it; an API key needs `notifications:view`.
         */
        get: operations["read_inbox"];
    };
    "/accounts/{accountId}/moderations/{moderationId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the content of a moderation and the people it is about. */
        get: operations["moderation_overview"];
        /**
         * Delete a moderation.
         * @description Its findings with their embeddings, notifications and reviews are gone when this is answered. One that runs is stopped.
         *     The content stays.
         */
        delete: operations["delete_moderation"];
    };
    "/accounts/{accountId}/moderations/{moderationId}/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See the request and the status of a moderation. */
        get: operations["moderation_details"];
    };
    "/accounts/{accountId}/moderations/{moderationId}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notifications of a moderation. */
        get: operations["list_moderation_notifications"];
    };
    "/accounts/{accountId}/moderations/{moderationId}/results": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what a moderation found; the report has more details.
         * @deprecated
         */
        get: operations["moderation_results"];
    };
    "/accounts/{accountId}/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the notifications of an account. */
        get: operations["list_notifications"];
    };
    "/accounts/{accountId}/notifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** See a notification. */
        get: operations["get_notification"];
    };
    "/accounts/{accountId}/notifications/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Accept a notification as right.
         * @description A later decision of the same caller replaces the earlier one, and what it said of the platform's decision.
         */
        post: operations["accept_notification"];
    };
    "/accounts/{accountId}/notifications/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Dismiss a notification as wrong.
         * @description The face is not matched to that profile again, nor are faces that are nearer to it than to the profile's own. Where it is
         *     hardly another face than the profile's, that holds in this content alone. It can be listed and undone at the profile; to
         *     accept the notification undoes it, too. A later decision of the same caller replaces the earlier one.
         */
        post: operations["dismiss_notification"];
    };
    "/accounts/{accountId}/notifications/{id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the reviews of a notification. */
        get: operations["list_reviews"];
    };
    "/accounts/{accountId}/notifications/{id}/statement-of-reasons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See the statement of reasons for an accepted notification.
         * @description There is one for a notification about a face as long as its last review accepted it. `accept` takes what this server cannot
         *     know, as `decision`; whatever was not given is absent here, and named in `missing`.
         */
        get: operations["statement_of_reasons"];
    };
    "/accounts/{accountId}/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles.
         * @description Newest first, 20 a page; deleted profiles are included, as not active.
         */
        get: operations["list_profiles"];
        /**
         * Create a profile.
         * @description A face that looks like that of another profile is accepted: people have twins, and an account may know a person
         *     twice. If that other one is banned, the answer warns.
         */
        post: operations["enrol_profile"];
    };
    "/accounts/{accountId}/profiles/{profileId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See a profile.
         * @description Of a deleted profile, only its id and its times are left; `active` is false.
         */
        get: operations["get_profile"];
        /**
         * Delete a profile.
         * @description Its texts, faces, pictures, embeddings, groups and labels are deleted before this is answered. The profile stays in
         *     lists as not active; every operation on it except GET answers 404.
         */
        delete: operations["delete_profile"];
        /** Change a profile. */
        patch: operations["change_profile"];
    };
    "/accounts/{accountId}/profiles/{profileId}/ban": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ban a person.
         * @description From now on, every moderation of the account notifies about this person. Banning them again replaces reason and end. A
         *     profile that nobody can be recognised by, of `profile_type` 2 or without a face, is refused. A body is not needed.
         */
        post: operations["ban_profile"];
    };
    "/accounts/{accountId}/profiles/{profileId}/dismissals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List dismissals.
         * @description The faces that reviewers dismissed as not being this profile's, by dismissing a notification. A face is not matched to the
         *     profile where it is nearer to a dismissed face than to the profile's own.
         */
        get: operations["list_dismissals"];
    };
    "/accounts/{accountId}/profiles/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look for a person by a picture, among everybody or in groups.
         * @description Finds only active profiles that searches may return (`profile_type` 1). Nothing of the picture is stored.
         */
        post: operations["search_profiles"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The acceptance of a notification. */
        AcceptNotificationBody: {
            /** @description The reason for the decision. */
            comment?: string | null;
            decision?: components["schemas"]["StatementDecision"] | null;
            /**
             * Format: uuid
             * @description The member whose decision it is, if an API key passes it on; without one, the key's own. A member decides for
             *     themselves.
             */
            member_id?: string | null;
        };
        /** @enum {string} */
        AgeGroup: "threshold_met" | "not_required" | "unknown" | "child" | "teenager_young" | "teenager_old" | "adult_young" | "adult";
        /** @enum {string} */
        AutomatedDecision: "AUTOMATED_DECISION_FULLY" | "AUTOMATED_DECISION_PARTIALLY" | "AUTOMATED_DECISION_NOT_AUTOMATED";
        /** @description A ban. */
        Ban: {
            /** @description Why the person is banned. */
            reason?: string | null;
            /**
             * Format: date-time
             * @description Since when.
             */
            since: string;
            /**
             * Format: date-time
             * @description When it ends by itself.
             */
            until?: string | null;
            /**
             * Format: uuid
             * @description Who banned them: a member, or an API key.
             */
            user_id: string;
        };
        /** @description A ban. */
        BanProfileRequest: {
            /**
             * @description Why the person is banned.
             * @example threatened staff on 16 January
             */
            reason?: string | null;
            /**
             * Format: date-time
             * @description When the ban ends by itself, to the minute; never, if absent.
             */
            until?: string | null;
        };
        /**
         * @description A camera's user name and password. They are answered to a Digest challenge (RFC 7616, RFC 2069), and to a Basic one over
         *     TLS (`rtsps`) only.
         */
        CameraCredentialsRequest: {
            /** @description The password. */
            password: string;
            /** @description The user name, without colon. */
            username: string;
        };
        /** @description What to change: an absent member stays as it is, null or an empty text removes its value. */
        ChangeProfileRequest: {
            /**
             * @description Where the person's consent to biometrics is recorded. It cannot be removed while the profile has faces: delete
             *     them first.
             */
            biometric_consent?: string | null;
            /** @description Where that record can be read, `http://` or `https://`. */
            consent_link?: string | null;
            /** @description The name to show for the person. */
            display_name?: string | null;
            /** @description An identity verification that belongs to the person. */
            id_verification?: string | null;
            /** @description Whether the person is known to be an adult. */
            is_adult?: boolean | null;
            /** @description Whether that verification succeeded. */
            is_id_verified?: boolean | null;
            /**
             * Format: int64
             * @description 1: searches return the profile; 2: they never do.
             */
            profile_type?: number | null;
            /** @description Your own reference for the person. */
            reference?: string | null;
        };
        /** @description A content. */
        Content: {
            /** @description Whether it is archived. */
            archived: boolean;
            /**
             * Format: date-time
             * @description When it was registered.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description Profiles that are known to be in it. */
            profile_ids: string[];
            /** @description Its title. */
            title?: string | null;
            /** @description The kind of content. */
            type: components["schemas"]["ContentType"];
            /**
             * Format: uuid
             * @description The file that was uploaded.
             */
            upload_id?: string | null;
            /**
             * Format: uuid
             * @description Who uploaded it.
             */
            uploader_id?: string | null;
            /**
             * @description Its address; none of a file that was uploaded.
             * @example https://media.example.com/1.jpg
             */
            url?: string | null;
        };
        /** @description A page of contents. */
        ContentList: {
            /** @description The contents, newest first. */
            contents: components["schemas"]["Content"][];
            /**
             * Format: uuid
             * @description The id of the first content on the page.
             */
            id?: string | null;
            /**
             * Format: int64
             * @description How many the account has of those that were asked for.
             */
            total_count: number;
        };
        /** @description A report on a content. */
        ContentReport: {
            /**
             * Format: uuid
             * @description The content.
             */
            content_id: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description What is wrong with the content. */
            reason: string;
            /** @description The decision; absent until there is one. */
            resolution?: string | null;
            /**
             * Format: date-time
             * @description When it was decided.
             */
            reviewed_at?: string | null;
        };
        /** @description A page of reports. */
        ContentReportList: {
            /** @description The reports, newest first. */
            reports: components["schemas"]["ContentReport"][];
            /**
             * Format: int64
             * @description How many the content has.
             */
            total_count: number;
        };
        /** @enum {string} */
        ContentType: "IMAGE" | "VIDEO" | "LIVE_VIDEO";
        /** @description What was created. */
        CreatedResource: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
        };
        /** @enum {string} */
        DecisionAccount: "DECISION_ACCOUNT_SUSPENDED" | "DECISION_ACCOUNT_TERMINATED";
        /** @enum {string} */
        DecisionGround: "DECISION_GROUND_ILLEGAL_CONTENT" | "DECISION_GROUND_INCOMPATIBLE_CONTENT";
        /** @enum {string} */
        DecisionMonetary: "DECISION_MONETARY_SUSPENSION" | "DECISION_MONETARY_TERMINATION" | "DECISION_MONETARY_OTHER";
        /** @enum {string} */
        DecisionProvision: "DECISION_PROVISION_PARTIAL_SUSPENSION" | "DECISION_PROVISION_TOTAL_SUSPENSION" | "DECISION_PROVISION_PARTIAL_TERMINATION" | "DECISION_PROVISION_TOTAL_TERMINATION";
        /** @enum {string} */
        DecisionVisibility: "DECISION_VISIBILITY_CONTENT_REMOVED" | "DECISION_VISIBILITY_CONTENT_DISABLED" | "DECISION_VISIBILITY_CONTENT_DEMOTED" | "DECISION_VISIBILITY_CONTENT_AGE_RESTRICTED" | "DECISION_VISIBILITY_CONTENT_INTERACTION_RESTRICTED" | "DECISION_VISIBILITY_CONTENT_LABELLED" | "DECISION_VISIBILITY_OTHER";
        /** @description A face that was dismissed as not being the profile's. */
        Dismissal: {
            /**
             * Format: uuid
             * @description The content in which the face was seen.
             */
            content_id?: string;
            /**
             * Format: date-time
             * @description When it was dismissed.
             */
            created_at: string;
            /**
             * Format: double
             * @description How far the face is from the profile's nearest one, in the embedding space of the model; smaller means more alike.
             */
            distance?: number;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The notification that was dismissed. Absent, like the next three, where the dismissal is older than this list.
             */
            notification_id?: string;
            /** @description Whether it counts in that content alone, because the face is hardly another one than the profile's. */
            this_content_only: boolean;
            /**
             * Format: uuid
             * @description Who dismissed it: a member, or an API key.
             */
            user_id?: string;
        };
        /** @description The faces that were dismissed as not being a profile's. */
        DismissalList: {
            /** @description Newest first; of more than 200, the oldest are forgotten. */
            dismissals: components["schemas"]["Dismissal"][];
        };
        /** @description A profile that was created. */
        EnrolledProfile: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description Banned people whom the face looks like; absent where there are none. */
            warnings?: components["schemas"]["EnrolmentWarning"][];
        };
        /** @description Somebody banned may have been enrolled again. */
        EnrolmentWarning: {
            /** @description `BANNED_PERSON`. */
            code: string;
            /**
             * Format: uuid
             * @description The banned profile.
             */
            profile_id: string;
            /**
             * Format: double
             * @description How similar the faces are: 1 for the same picture, 0.5 at the limit for one person.
             */
            similarity: number;
        };
        /** @description The profile to create. An empty text counts as absent. */
        EnrolProfileRequest: {
            /**
             * @description Where the person's consent to biometrics is recorded. Required with a face.
             * @example consent form of 2026-01-16
             */
            biometric_consent?: string | null;
            /** @description Where that record can be read, `http://` or `https://`. */
            consent_link?: string | null;
            /**
             * @description The name to show for the person.
             * @example Ada
             */
            display_name?: string | null;
            /**
             * @description A picture of exactly one face, JPEG or PNG in base64: sharp, lit and looking into the camera. Without one the
             *     profile is known by name only, until a face is added.
             */
            face?: string | null;
            /** @description An identity verification that belongs to the person. */
            id_verification?: string | null;
            /** @description Whether the person is known to be an adult: moderations then report `not_required` instead of an age group. */
            is_adult?: boolean | null;
            /** @description Whether that verification succeeded. */
            is_id_verified?: boolean | null;
            /**
             * Format: int64
             * @description 1: searches return the profile; 2: they never do.
             * @default 1
             */
            profile_type?: number | null;
            /** @description Your own reference for the person, which stays when the name changes. */
            reference?: string | null;
        };
        /**
         * @description A face of a profile. Its picture, if stored, only serves to compute the embedding of another model, and is never
         *     given out.
         */
        Face: {
            /**
             * Format: date-time
             * @description When it was enrolled.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: double
             * @description How well the face can be seen.
             */
            quality: number;
        };
        /** @description An appearance of a face. */
        FaceCheckResult: {
            /** @description The age group that it looks like. */
            age_group: components["schemas"]["AgeGroup"];
            /**
             * Format: int64
             * @description Lower edge.
             */
            face_bottom: number;
            /**
             * Format: int64
             * @description Left edge.
             */
            face_left: number;
            /**
             * Format: int64
             * @description Right edge.
             */
            face_right: number;
            /**
             * Format: int64
             * @description Upper edge, pixels of the content.
             */
            face_top: number;
            /**
             * Format: double
             * @description The position in the content, seconds.
             */
            frame_time: number;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description Whether it belongs to a banned profile. */
            is_banned: boolean;
            measurements?: components["schemas"]["FaceMeasurements"] | null;
            /**
             * Format: uuid
             * @description The profile that it belongs to, if known.
             */
            profile_id?: string | null;
        };
        /** @description The numbers behind what is said of a face. */
        FaceMeasurements: {
            /**
             * Format: float
             * @description The distance to the nearest face of the profile that it matches.
             */
            distance?: number | null;
            /**
             * Format: float
             * @description The greatest distance at which it would have matched a profile.
             */
            max_distance: number;
            /** @description SHA-256 of the model that compares faces, hexadecimal. */
            model: string;
            /**
             * Format: float
             * @description How clear the face is in its best picture.
             */
            quality: number;
            /**
             * Format: float
             * @description How sure the detector is that it is one.
             */
            score: number;
            /**
             * Format: float
             * @description The estimated age, years; in a video the median of the clearest pictures.
             */
            years?: number | null;
            /**
             * Format: float
             * @description The upper end.
             */
            years_high?: number | null;
            /**
             * Format: float
             * @description The lower end of the age's 80 % interval, years.
             */
            years_low?: number | null;
        };
        /** @description A face that was seen. */
        FindingMatch: {
            /** @description The age group that it looks like. */
            age_group: components["schemas"]["AgeGroup"];
            /**
             * Format: uuid
             * @description The content.
             */
            content_id: string;
            /** @description The kind of content. */
            content_type: components["schemas"]["ContentType"];
            /**
             * Format: double
             * @description The distance to the face that was looked for, in the model's own measure; 0 for the same picture.
             */
            distance: number;
            /**
             * Format: int64
             * @description Lower edge.
             */
            face_bottom: number;
            /**
             * Format: int64
             * @description Left edge.
             */
            face_left: number;
            /**
             * Format: int64
             * @description Right edge.
             */
            face_right: number;
            /**
             * Format: int64
             * @description Upper edge, pixels of the content.
             */
            face_top: number;
            /**
             * Format: double
             * @description The share of strangers who are as near or nearer, 0 to 1, as measured of the model; at the ends of what was measured, at
             *     least or at most this. Absent where the model states none.
             */
            false_match_rate?: number;
            /**
             * Format: uuid
             * @description The line of the moderation's report: the `id` in `face_check_results`.
             */
            finding_id: string;
            /**
             * Format: double
             * @description The position in the content, seconds.
             */
            frame_time: number;
            /** @description Whether the moderation took it for a banned profile. */
            is_banned: boolean;
            /**
             * Format: uuid
             * @description The moderation.
             */
            moderation_id: string;
            /**
             * Format: date-time
             * @description When it was seen.
             */
            observed_at: string;
            /**
             * Format: uuid
             * @description The profile that the moderation took it for, if any.
             */
            profile_id?: string | null;
            /**
             * Format: double
             * @description How similar the faces are: 1 for the same picture, 0.5 at the limit where two faces count as the same person's.
             */
            similarity: number;
            /** @description The content's address; none of a file that was uploaded. */
            url?: string | null;
        };
        /** @description Where somebody was seen. */
        FindingMatches: {
            /**
             * Format: int64
             * @description How many findings were compared, the newest first; at most 20,000 in one search.
             */
            compared: number;
            /**
             * Format: uuid
             * @description Only where older findings were left out: the value for another search that goes on behind them.
             */
            continue_from?: string | null;
            /** @description The most similar first; of those that are as similar, the newest. */
            findings: components["schemas"]["FindingMatch"][];
            /**
             * Format: int64
             * @description For how many days after the end of its moderation a face can be compared. Where somebody was seen before that
             *     cannot be found any more.
             */
            keep_embeddings_days: number;
            /**
             * Format: int64
             * @description How many could not be compared, because another model of the server found them.
             */
            not_comparable: number;
            /**
             * Format: date-time
             * @description When the oldest of these was seen; absent where there was none.
             */
            searched_back_to?: string | null;
            /**
             * Format: int64
             * @description How many are similar enough, of those that were compared; more than `findings` has, if it is greater.
             */
            total_count: number;
        };
        /** @description A group. */
        Group: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * @description Its label.
             * @example Staff
             */
            label: string;
        };
        /** @description A pending invitation. */
        Invitation: {
            /** @description Whether they will be an administrator. */
            admin: boolean;
            /**
             * Format: date-time
             * @description When it was sent.
             */
            created_at: string;
            /** @description The address it was sent to. */
            email: string;
            /**
             * Format: date-time
             * @description Until when it may be accepted.
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description The user name they will have. */
            username: string;
        };
        /** @description The invitations of an account. */
        InvitationList: {
            /** @description Newest first. */
            invitations: components["schemas"]["Invitation"][];
        };
        /** @description Whom to invite. */
        InviteRequest: {
            /**
             * @description Whether they will be an administrator. Only an administrator may set this.
             * @default false
             */
            admin?: boolean | null;
            /**
             * @description Their email address.
             * @example ada@example.com
             */
            email: string;
            /** @description What they may do; nothing by default, and nothing that you may not do yourself. An extension. */
            scopes?: components["schemas"]["Scope"][] | null;
            /** @description Their user name; by default the part of the address before the `@`. An extension. */
            username?: string | null;
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
        /** @description The members of an account. */
        MemberList: {
            /** @description The earliest member first. */
            members: components["schemas"]["Member"][];
        };
        /** @description A check. */
        ModerationCheck: {
            /** @description What is checked. */
            check_type: components["schemas"]["ModerationCheckType"];
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
        };
        /** @enum {string} */
        ModerationCheckType: "UNKNOWN_FACE" | "AGE_ESTIMATION" | "BANNED_PROFILE" | "KNOWN_FACE";
        /** @description A moderation, wrapped as this interface defines it. */
        ModerationDetails: {
            /** @description The moderation. */
            contents: components["schemas"]["ModerationItem"];
        };
        /** @description Why a moderation failed. */
        ModerationFailure: {
            /**
             * @description A code for programs.
             * @example NO_VIDEO_STREAM
             */
            code: string;
            /** @description A sentence for people. */
            message: string;
        };
        /** @description A moderation. */
        ModerationItem: components["schemas"]["ModerationStatus"] & {
            /** @description What is checked. */
            checks: components["schemas"]["ModerationCheck"][];
            /**
             * Format: uuid
             * @description The content.
             */
            content_id: string;
            /** @description The kind of content. */
            content_type: components["schemas"]["ContentType"];
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description Where notifications go. */
            notifications: components["schemas"]["NotificationDestination"][];
            /** @description What the moderation was started with. */
            requested: components["schemas"]["RequestedModeration"];
            /** @description The content's address; none of a file that was uploaded. */
            url?: string | null;
        };
        /** @description A page of moderations. */
        ModerationList: {
            /** @description The moderations, newest first. */
            contents: components["schemas"]["ModerationItem"][];
        };
        /** @description A moderation with its content and the people it is about. */
        ModerationOverview: {
            /** @description The content. */
            content: components["schemas"]["OverviewContent"];
            /** @description The moderation. */
            moderation: components["schemas"]["OverviewModeration"];
        };
        /** @description What a moderation found. */
        ModerationResults: {
            /** @description The kind of content. */
            content_type: components["schemas"]["ContentType"];
            /** @description A page of them, in the order in which they began. */
            face_check_results: components["schemas"]["FaceCheckResult"][];
            /** @description Whether it has ended: until then there may be more, and one that failed or was stopped did not see everything. */
            state: components["schemas"]["ModerationState"];
            /**
             * Format: int64
             * @description How many appearances of faces there are.
             */
            total_count: number;
            /** @description The content's address; none of a file that was uploaded. */
            url?: string | null;
        };
        /** @enum {string} */
        ModerationState: "QUEUED" | "RUNNING" | "STOPPING" | "DONE" | "STOPPED" | "FAILED";
        /** @description The status of a moderation. */
        ModerationStatus: {
            /**
             * Format: date-time
             * @description When it was requested.
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ended.
             */
            ended_at?: string | null;
            error?: components["schemas"]["ModerationFailure"] | null;
            /**
             * Format: double
             * @description Seconds of the content that have been checked.
             */
            position: number;
            /**
             * Format: date-time
             * @description When it began.
             */
            started_at?: string | null;
            /** @description The state of the moderation. */
            state: components["schemas"]["ModerationState"];
            /**
             * Format: int64
             * @description The most faces of one picture that were found and not judged: of an image, 200 are judged, of each picture of a
             *     video, 50, those with the highest scores.
             */
            unjudged_faces: number;
        };
        /** @description A notification. */
        Notification: {
            /**
             * Format: uuid
             * @description The account that it belongs to.
             */
            account_id: string;
            /**
             * Format: date-time
             * @description When it was created.
             */
            created_at: string;
            /** @description The details. */
            data: components["schemas"]["NotificationData"];
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description What it is about. */
            type: components["schemas"]["NotificationType"];
        };
        /** @description The details of a notification. Members of a face are absent if it is not about one. */
        NotificationData: {
            age_group?: components["schemas"]["AgeGroup"] | null;
            /**
             * Format: int64
             * @description Lower edge.
             */
            bottom?: number | null;
            /**
             * Format: uuid
             * @description The content.
             */
            content_id: string;
            /** @description The kind of content. */
            content_type: components["schemas"]["ContentType"];
            error?: components["schemas"]["ModerationFailure"] | null;
            /**
             * Format: uuid
             * @description The line of the moderation's report that it is about: the `id` in `face_check_results`.
             */
            finding_id?: string | null;
            /**
             * Format: double
             * @description Where in the content the face was seen best, seconds.
             */
            frame_time?: number | null;
            /**
             * Format: int64
             * @description Left edge.
             */
            left?: number | null;
            /**
             * Format: uuid
             * @description The moderation.
             */
            moderation_id: string;
            /**
             * Format: double
             * @description When it was seen, seconds since 1970.
             */
            observed_at: number;
            /**
             * Format: uuid
             * @description The profile that the face belongs to, if known.
             */
            profile_id?: string | null;
            /** @description The reason for the notification; always one. */
            reasons: components["schemas"]["NotificationReason"][];
            /**
             * @description `true` where it tells of the past: the person was banned after they had been seen. `observed_at` says when that
             *     was, `created_at` when it was told. Absent otherwise.
             */
            retroactive?: boolean;
            /**
             * Format: int64
             * @description Right edge.
             */
            right?: number | null;
            /**
             * Format: int64
             * @description Upper edge of the face, pixels of the content.
             */
            top?: number | null;
            /** @description The content's address; none of a file that was uploaded. */
            url?: string | null;
        };
        /** @description A destination of notifications. */
        NotificationDestination: {
            /** @description The address. */
            destination: string;
            /** @description How notifications are sent to it. */
            notification_type: components["schemas"]["NotificationDestinationType"];
        };
        /**
         * @description How notifications are sent to a destination.
         * @enum {string}
         */
        NotificationDestinationType: "HTTP" | "SLACK";
        /** @description A page of notifications. */
        NotificationList: {
            /** @description The position of the page in the list. */
            meta: components["schemas"]["PaginationMeta"];
            /** @description The notifications, newest first. */
            notifications: components["schemas"]["ReviewedNotification"][];
        };
        /** @enum {string} */
        NotificationReason: "BANNED_PROFILE" | "AGE_ESTIMATION" | "UNKNOWN_FACE" | "WAITING" | "STARTED" | "STOPPED" | "DONE" | "FAILED";
        /** @description A page of reviews. */
        NotificationReviewList: {
            /** @description The reviews, newest first. */
            reviews: components["schemas"]["Review"][];
            /**
             * Format: int64
             * @description How many the notification has.
             */
            total_count: number;
        };
        /** @enum {string} */
        NotificationType: "FACE" | "ACTION";
        /** @description A content, and the people and groups that have to do with it. */
        OverviewContent: {
            /** @description The groups that the moderation names. */
            groups: components["schemas"]["Group"][];
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /** @description The profiles that the moderation or the content names. */
            profiles: components["schemas"]["Person"][];
            /** @description The kind of content. */
            type: components["schemas"]["ContentType"];
            uploader?: components["schemas"]["Person"] | null;
            /** @description Its address; none of a file that was uploaded. */
            url?: string | null;
        };
        /** @description A moderation and its status. */
        OverviewModeration: components["schemas"]["ModerationStatus"] & {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
        };
        /** @description The position of a page in a list. */
        PaginationMeta: {
            /**
             * Format: int64
             * @description The page.
             */
            page: number;
            /**
             * Format: int64
             * @description How many entries the list has.
             */
            total_count: number;
        };
        /** @description A person, as far as they are known. */
        Person: {
            /** @description The name to show; empty if it is not known. */
            display_name: string;
            /**
             * Format: uuid
             * @description The id of a profile, or the application's own id of the uploader.
             */
            id: string;
            /** @description The reference; empty if there is none. */
            reference: string;
        };
        /** @description A profile. */
        Profile: components["schemas"]["ProfileItem"] & {
            ban?: components["schemas"]["Ban"] | null;
            /** @description Where the person's consent to biometrics is recorded; absent if it is not. */
            biometric_consent?: string;
            /** @description Where that record can be read; absent if there is no such place. */
            consent_link?: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            created_at: string;
            /** @description The faces, oldest first. */
            faces: components["schemas"]["Face"][];
            /** @description The groups it is in, by label. */
            groups: components["schemas"]["Group"][];
            /** @description An identity verification that belongs to the person; absent if there is none. */
            id_verification?: string;
            /** @description Whether the person is known to be an adult. */
            is_adult: boolean;
            /** @description Whether that verification succeeded. */
            is_id_verified: boolean;
            /**
             * Format: int64
             * @description 1: searches return the profile; 2: they never do.
             */
            profile_type: number;
            /**
             * Format: date-time
             * @description When it was last changed.
             */
            updated_at: string;
        };
        /** @description A profile in a list. */
        ProfileItem: {
            /** @description When false, the profile is deleted and further actions on it are impossible. */
            active: boolean;
            /** @description The name to show for the person; absent if there is none. */
            display_name?: string;
            /**
             * @deprecated
             * @description The same as `active`. Deprecated.
             */
            is_active: boolean;
            /**
             * @deprecated
             * @description Whether the person is banned. Deprecated.
             */
            is_banned: boolean;
            /**
             * Format: uuid
             * @description Its id.
             */
            profile_id: string;
            /** @description Your own reference for the person; absent if there is none. */
            reference?: string;
        };
        /** @description A person who was found. */
        ProfileMatch: {
            /** @description The name to show for the person; absent if there is none. */
            display_name?: string;
            /**
             * Format: double
             * @description The distance of the nearest face of the profile, in the model's own measure; 0 for the same picture.
             */
            distance: number;
            /**
             * Format: uuid
             * @description The nearest face of the profile.
             */
            face_id: string;
            /**
             * Format: double
             * @description The share of strangers who are as near or nearer, 0 to 1, as measured of the model; at the ends of what was measured, at
             *     least or at most this. Absent where the model states none.
             */
            false_match_rate?: number;
            /** @description Whether the person is banned. */
            is_banned: boolean;
            /**
             * Format: uuid
             * @description The profile.
             */
            profile_id: string;
            /** @description Your own reference for the person; absent if there is none. */
            reference?: string;
            /**
             * Format: double
             * @description How similar the faces are: 1 for the same picture, 0.5 at the limit where two faces count as the same person's.
             */
            similarity: number;
        };
        /** @description Who was found. */
        ProfileMatches: {
            /** @description The most similar first; only profiles that are similar enough to be the same person. */
            profiles: components["schemas"]["ProfileMatch"][];
        };
        /** @description A page of profiles. */
        Profiles: {
            /** @description The profiles, newest first. */
            profiles: components["schemas"]["ProfileItem"][];
            /**
             * Format: date-time
             * @description Only where `name` was given and older profiles were not looked through: when the oldest of the others was created. Ask
             *     with this as `created_before` for what is behind.
             */
            searched_back_to?: string;
            /**
             * Format: int64
             * @description How many the account has of those that were asked for.
             */
            total_count: number;
        };
        /** @description The member to make an administrator. */
        PromoteMemberRequest: {
            /**
             * Format: uuid
             * @description The member.
             */
            member_id: string;
        };
        /** @description The content to register. */
        RegisterContentRequest: {
            credentials?: components["schemas"]["CameraCredentialsRequest"] | null;
            /** @description Profiles that are known to be in it. */
            profile_ids?: string[] | null;
            /** @description Its title. */
            title?: string | null;
            /** @description The kind of content. */
            type: components["schemas"]["ContentType"];
            /**
             * Format: uuid
             * @description The file that was uploaded (`POST /accounts/{accountId}/uploads`), of an image or a video.
             */
            upload_id?: string | null;
            /**
             * Format: uuid
             * @description Who uploaded it: an id of your own, or a profile's.
             */
            uploader_id?: string | null;
            /**
             * @description Its address on the public internet: https, and of a live video also rtsp or rtsps, without a user name. Exactly one of this and `upload_id` is required.
             * @example https://media.example.com/1.jpg
             */
            url?: string | null;
        };
        /** @description A report on a content. */
        ReportContentRequest: {
            /** @description Why the content should be reviewed. */
            reason: string;
        };
        /** @description What a moderation was started with. */
        RequestedModeration: {
            /**
             * Format: int32
             * @description Unknown faces that look younger are reported: years.
             */
            age_estimation?: number;
            /** @description The groups whose profiles count as known, those that were removed meanwhile, too. */
            group_ids: string[];
            /**
             * Format: uuid
             * @description The member in whose inbox the notifications are put.
             */
            member_id?: string;
            /**
             * Format: double
             * @description How similar a face must be to a profile's.
             */
            min_similarity?: number;
            /** @description The profiles that count as known; those that were deleted meanwhile are left out. */
            profile_ids: string[];
            /** @description Whether faces that match no known profile are reported. */
            unknown_faces: boolean;
        };
        /** @description The decision on a report. */
        ResolveReportRequest: {
            /**
             * @description What is done about it.
             * @example taken down
             */
            resolution: string;
        };
        /** @description A review. */
        Review: {
            /**
             * Format: date-time
             * @description When it was reviewed.
             */
            created_at: string;
            /** @description The reviewer's comment. */
            description: string;
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: uuid
             * @description The notification.
             */
            notification_id: string;
            /**
             * Format: int64
             * @description 100 where it was accepted, 0 where it was dismissed.
             */
            score: number;
            /**
             * Format: uuid
             * @description Who reviewed it: a member, or an API key.
             */
            user_id: string;
        };
        /** @description A notification with the summary of its reviews. */
        ReviewedNotification: components["schemas"]["Notification"] & {
            /**
             * Format: int64
             * @description The mean of the reviews' scores; 0 where there is none.
             */
            average_score: number;
            /**
             * Format: int64
             * @description The number of reviews. The spelling of the member is the interface's.
             */
            total_revies: number;
        };
        /** @description A review of a notification. */
        ReviewNotificationBody: {
            /** @description The reason for the decision. */
            comment?: string | null;
            /**
             * Format: uuid
             * @description The member whose decision it is, if an API key passes it on; without one, the key's own. A member decides for
             *     themselves.
             */
            member_id?: string | null;
        };
        /** @enum {string} */
        Scope: "contents:list" | "contents:manage" | "contents:moderate" | "contents:view" | "contents:reports:list" | "contents:reports:moderate" | "flags:manage" | "members:manage" | "moderations:manage" | "moderations:view" | "notifications:manage" | "notifications:view" | "profiles:list" | "profiles:manage" | "profiles:view" | "reports:view" | "reports:manage";
        /** @description Whom to look for: either `face` or `profile_id`. */
        SearchFindingsRequest: {
            /**
             * Format: uuid
             * @description Go on behind this finding: the `continue_from` of the answer before.
             */
            continue_from?: string | null;
            /**
             * @description A picture of exactly one face, JPEG or PNG in base64. It may be smaller, darker and less sharp than for
             *     enrolment.
             */
            face?: string | null;
            /**
             * Format: double
             * @description How similar a face must be: 1 for the same picture, 0.5 at the distance up to which two faces are taken for one
             *     person's. The operator bounds it. If absent, the server's own limit for searches. Unclear faces must be nearer.
             */
            min_similarity?: number | null;
            /**
             * Format: int64
             * @description The maximum number of findings to return.
             * @default 20
             */
            most?: number | null;
            /**
             * Format: uuid
             * @description A profile with a face, of `profile_type` 1. Faces that were dismissed as not being theirs are left out.
             */
            profile_id?: string | null;
        };
        /** @description Whom to look for. */
        SearchProfilesRequest: {
            /**
             * @description A picture of exactly one face, JPEG or PNG in base64. It may be smaller, darker and less sharp than for
             *     enrolment.
             */
            face: string;
            /** @description Groups whose members are looked for; everybody, if absent. */
            group_ids?: string[] | null;
            /**
             * Format: double
             * @description How similar a profile's face must be: 1 for the same picture, 0.5 at the distance up to which two faces are taken
             *     for one person's. The operator bounds it. If absent, the server's own limit for searches.
             */
            min_similarity?: number | null;
            /**
             * Format: int64
             * @description The maximum number of profiles to return.
             * @default 5
             */
            most?: number | null;
        };
        /** @description The scopes to set for a member. */
        SetScopesRequest: {
            /** @description All that they may do; scopes that are left out are revoked. */
            scopes: components["schemas"]["Scope"][];
        };
        /** @enum {string} */
        StatementContentType: "CONTENT_TYPE_IMAGE" | "CONTENT_TYPE_VIDEO";
        /**
         * @description What the platform decided, and why: all that this server cannot know. Its JSON is stored sealed, and older builds wrote
         *     it: add members with defaults only.
         */
        StatementDecision: {
            /**
             * @description The day from which it holds, `YYYY-MM-DD`.
             * @default null
             * @example 2026-11-26
             */
            application_date?: string | null;
            /** @default null */
            automated_decision?: components["schemas"]["AutomatedDecision"] | null;
            /**
             * @description The category of the statement, a word of the Transparency Database.
             * @default null
             * @example STATEMENT_CATEGORY_SCOPE_OF_PLATFORM_SERVICE
             */
            category?: string | null;
            /** @default null */
            decision_account?: components["schemas"]["DecisionAccount"] | null;
            /**
             * @description The facts in the platform's own words, in place of this server's. No personal data of others belongs here.
             * @default null
             */
            decision_facts?: string | null;
            /** @default null */
            decision_ground?: components["schemas"]["DecisionGround"] | null;
            /**
             * @description Where that can be read.
             * @default null
             */
            decision_ground_reference_url?: string | null;
            /** @default null */
            decision_monetary?: components["schemas"]["DecisionMonetary"] | null;
            /**
             * @description What `DECISION_MONETARY_OTHER` is.
             * @default null
             */
            decision_monetary_other?: string | null;
            /** @default null */
            decision_provision?: components["schemas"]["DecisionProvision"] | null;
            /**
             * @description How the visibility of the content is restricted.
             * @default []
             */
            decision_visibility?: components["schemas"]["DecisionVisibility"][];
            /**
             * @description What `DECISION_VISIBILITY_OTHER` is.
             * @default null
             */
            decision_visibility_other?: string | null;
            /**
             * @description The same of the account.
             * @default null
             */
            end_date_account_restriction?: string | null;
            /**
             * @description The same of payments.
             * @default null
             */
            end_date_monetary_restriction?: string | null;
            /**
             * @description The same of the service.
             * @default null
             */
            end_date_service_restriction?: string | null;
            /**
             * @description The day on which the restriction of the visibility ends; absent where it has no end.
             * @default null
             */
            end_date_visibility_restriction?: string | null;
            /**
             * @description Why the content is against it.
             * @default null
             */
            illegal_content_explanation?: string | null;
            /**
             * @description The law.
             * @default null
             */
            illegal_content_legal_ground?: string | null;
            /**
             * @description Why the content is against it.
             * @default null
             */
            incompatible_content_explanation?: string | null;
            /**
             * @description The clause of the terms.
             * @default null
             */
            incompatible_content_ground?: string | null;
            /** @default null */
            incompatible_content_illegal?: components["schemas"]["YesOrNo"] | null;
            /**
             * @description What the recipient can do against it: the complaint to the platform, out-of-court settlement, a court.
             * @default null
             */
            redress?: string | null;
            /** @default null */
            source_type?: components["schemas"]["StatementSource"] | null;
            /**
             * @description Where the restriction holds: ISO 3166-1 codes of two letters.
             * @default []
             * @example [
             *       "DE",
             *       "FR"
             *     ]
             */
            territorial_scope?: string[];
        };
        /** @description What was found. It names no profile. */
        StatementFacts: {
            age_group?: components["schemas"]["AgeGroup"] | null;
            /**
             * Format: uuid
             * @description The content.
             */
            content_id: string;
            /**
             * Format: uuid
             * @description The line of its report.
             */
            finding_id?: string | null;
            /**
             * Format: double
             * @description The position in the content, seconds.
             */
            frame_time?: number | null;
            measurements?: components["schemas"]["FaceMeasurements"] | null;
            /**
             * Format: uuid
             * @description The moderation.
             */
            moderation_id: string;
            /**
             * Format: double
             * @description When the face was seen, seconds since 1970.
             */
            observed_at: number;
            /** @description What the notification reported. */
            reason: components["schemas"]["NotificationReason"];
            /** @description Whether the person was banned after they had been seen. */
            retroactive: boolean;
        };
        /**
         * @description Why a restriction was imposed (Regulation (EU) 2022/2065, Article 17). Members that the DSA Transparency Database has are
         *     spelt as there. What whoever accepted the notification said of the decision stands beside what this server found.
         */
        StatementOfReasons: components["schemas"]["StatementDecision"] & {
            /** @description Whether it was found by automated means: always. */
            automated_detection: components["schemas"]["YesOrNo"];
            /** @description The kind of content. */
            content_type: components["schemas"]["StatementContentType"][];
            /**
             * Format: date-time
             * @description When it was accepted.
             */
            decided_at: string;
            /** @description What was found, for programs; `decision_facts` says it in words. */
            facts: components["schemas"]["StatementFacts"];
            /**
             * @description The names of the members that are asked for and that nobody gave. `decision_visibility` stands for any restriction.
             * @example [
             *       "redress"
             *     ]
             */
            missing: string[];
            /**
             * Format: uuid
             * @description The notification that was accepted: unique to this statement.
             */
            puid: string;
        };
        /** @enum {string} */
        StatementSource: "SOURCE_ARTICLE_16" | "SOURCE_TRUSTED_FLAGGER" | "SOURCE_TYPE_OTHER_NOTIFICATION" | "SOURCE_VOLUNTARY";
        /** @enum {string} */
        YesOrNo: "Yes" | "No";
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
    promote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromoteMemberRequest"];
            };
        };
        responses: {
            /** @description The member is an administrator now. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    demote: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is no longer an administrator. */
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
    list_contents: {
        parameters: {
            query?: {
                /** @description Only archived contents, or only those that are not. */
                archived?: boolean;
                /** @description Only contents registered before this moment (RFC 3339). */
                created_before?: string;
                /** @description Only contents registered at or after this moment (RFC 3339). */
                created_from?: string;
                /** @description The page, from 1. */
                page?: number;
                /** @description Only contents whose title contains this text; A to Z count like a to z. */
                title?: string;
                /** @description Only contents of this type. */
                type?: components["schemas"]["ContentType"];
                /** @description Only contents that this uploader uploaded. */
                uploader_id?: string;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them; empty past the end. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentList"];
                };
            };
        };
    };
    register_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Front page of 16 January",
                 *       "type": "IMAGE",
                 *       "url": "https://media.example.com/1.jpg"
                 *     }
                 */
                "application/json": components["schemas"]["RegisterContentRequest"];
            };
        };
        responses: {
            /** @description The content is registered. */
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
    get_content: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The content. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Content"];
                };
            };
        };
    };
    delete_content: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The content. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content is deleted. */
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
    list_content_moderations: {
        parameters: {
            query?: {
                /** @description The page, from 1. */
                page?: number;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The content. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them; empty past the end. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationList"];
                };
            };
        };
    };
    list_reports: {
        parameters: {
            query?: {
                /** @description The page, from 1. */
                page?: number;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The content. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them; empty past the end. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentReportList"];
                };
            };
        };
    };
    report_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The content. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "reason": "The person in it has not agreed."
                 *     }
                 */
                "application/json": components["schemas"]["ReportContentRequest"];
            };
        };
        responses: {
            /** @description The content is reported. */
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
    resolve_report: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The content. */
                id: string;
                /** @description The report. */
                reportId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveReportRequest"];
            };
        };
        responses: {
            /** @description The report is decided. */
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
    search_findings: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchFindingsRequest"];
            };
        };
        responses: {
            /** @description Where the person was seen; the list may be empty. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindingMatches"];
                };
            };
        };
    };
    list_invitations: {
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
            /** @description The invitations. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvitationList"];
                };
            };
        };
    };
    invite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "scopes": [
                 *         "notifications:view",
                 *         "notifications:manage"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["InviteRequest"];
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
    revoke_invitation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The invitation. */
                invitationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invitation is revoked; its link no longer works. */
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
    list_members: {
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
            /** @description The members. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemberList"];
                };
            };
        };
    };
    get_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
        };
    };
    set_scopes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetScopesRequest"];
            };
        };
        responses: {
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
    remove_member: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member is removed. */
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
    read_inbox: {
        parameters: {
            query?: {
                /** @description Only those before this moment (RFC 3339). */
                created_before?: string;
                /** @description Only those at or after this moment, seconds since 1970. */
                epoch?: number;
                /** @description The page, from 1. */
                page?: number;
                /** @description Only those for this reason. */
                reason?: components["schemas"]["NotificationReason"];
                /** @description Only those that somebody has accepted or dismissed, or only those that nobody has. */
                reviewed?: boolean;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The member. */
                memberId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of it, newest first. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
        };
    };
    moderation_overview: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The moderation. */
                moderationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The overview. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationOverview"];
                };
            };
        };
    };
    delete_moderation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The moderation. */
                moderationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The moderation is deleted. */
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
    moderation_details: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The moderation. */
                moderationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The moderation. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationDetails"];
                };
            };
        };
    };
    list_moderation_notifications: {
        parameters: {
            query?: {
                /** @description Only those before this moment (RFC 3339). */
                created_before?: string;
                /** @description Only those at or after this moment, seconds since 1970. */
                epoch?: number;
                /** @description The page, from 1. */
                page?: number;
                /** @description Only those for this reason. */
                reason?: components["schemas"]["NotificationReason"];
                /** @description Only those that somebody has accepted or dismissed, or only those that nobody has. */
                reviewed?: boolean;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The moderation. */
                moderationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them, newest first. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
        };
    };
    moderation_results: {
        parameters: {
            query?: {
                /** @description The page, from 1; each has 10,000 appearances. */
                page?: number;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The moderation. */
                moderationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was found so far. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModerationResults"];
                };
            };
        };
    };
    list_notifications: {
        parameters: {
            query?: {
                /** @description Only those before this moment (RFC 3339). */
                created_before?: string;
                /** @description Only those at or after this moment, seconds since 1970. */
                epoch?: number;
                /** @description The page, from 1. */
                page?: number;
                /** @description Only those for this reason. */
                reason?: components["schemas"]["NotificationReason"];
                /** @description Only those that somebody has accepted or dismissed, or only those that nobody has. */
                reviewed?: boolean;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them, newest first. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
        };
    };
    get_notification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notification. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewedNotification"];
                };
            };
        };
    };
    accept_notification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptNotificationBody"];
            };
        };
        responses: {
            /** @description The notification with its reviews counted. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewedNotification"];
                };
            };
        };
    };
    dismiss_notification: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewNotificationBody"];
            };
        };
        responses: {
            /** @description The notification with its reviews counted. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReviewedNotification"];
                };
            };
        };
    };
    list_reviews: {
        parameters: {
            query?: {
                /** @description The page, from 1. */
                page?: number;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of them; empty past the end. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationReviewList"];
                };
            };
        };
    };
    statement_of_reasons: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The notification. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statement. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatementOfReasons"];
                };
            };
        };
    };
    list_profiles: {
        parameters: {
            query?: {
                /** @description Only profiles that exist, or only deleted ones. */
                active?: boolean;
                /** @description Only banned people, or only those who are not. */
                banned?: boolean;
                /** @description Only profiles created before this moment (RFC 3339). */
                created_before?: string;
                /** @description Only profiles created at or after this moment (RFC 3339). */
                created_from?: string;
                /** @description Only members of this group. */
                group_id?: string;
                /**
                 * @description Only profiles whose name contains this text, of which letters and digits count, without their case and accents. The
                 *     10,000 newest profiles that the other parameters allow are looked through; see `searched_back_to` of the answer.
                 */
                name?: string;
                /** @description The page, from 1. */
                page?: number;
                /** @description Only profiles with exactly this reference. */
                reference?: string;
            };
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of profiles. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profiles"];
                };
            };
        };
    };
    enrol_profile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Repeats with the same key and body are answered alike, for 24 hours. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "biometric_consent": "consent form of 2026-01-16",
                 *       "display_name": "Ada",
                 *       "face": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAEB…"
                 *     }
                 */
                "application/json": components["schemas"]["EnrolProfileRequest"];
            };
        };
        responses: {
            /** @description The profile is created, and searches find it. */
            201: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolledProfile"];
                };
            };
        };
    };
    get_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The profile. */
                profileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    delete_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The profile. */
                profileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profile is deleted. */
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
    change_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The profile. */
                profileId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProfileRequest"];
            };
        };
        responses: {
            /** @description The profile as it is now. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Profile"];
                };
            };
        };
    };
    ban_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The profile. */
                profileId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BanProfileRequest"] | null;
            };
        };
        responses: {
            /** @description The person is banned. */
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
    list_dismissals: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
                /** @description The profile. */
                profileId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All dismissals of the profile. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DismissalList"];
                };
            };
        };
    };
    search_profiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The account. */
                accountId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchProfilesRequest"];
            };
        };
        responses: {
            /** @description The matching profiles, nearest first; the list may be empty. */
            200: {
                headers: {
                    "RateLimit-Limit": components["headers"]["RateLimit-Limit"];
                    "RateLimit-Remaining": components["headers"]["RateLimit-Remaining"];
                    "RateLimit-Reset": components["headers"]["RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileMatches"];
                };
            };
        };
    };
}
