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
         * @description The last administrator stays one.
         */
        delete: operations["demote"];
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
    };
    "/accounts/{accountId}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the invitations that wait to be accepted. */
        get: operations["list_invitations"];
        /**
         * Invite somebody to an account.
         * @description He gets a mail with a link that makes him a member and signs him in, once. A new invitation to the same address
         *     takes the place of the old one.
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
        /** Take an invitation back. */
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
        /** Set what a member may do. */
        put: operations["set_scopes"];
        /**
         * Remove a member.
         * @description His sessions end with it. An administrator is removed by an administrator, and the last one not at all.
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
        /** Read a member's inbox: notifications of moderations that named him. A member reads his own alone. */
        get: operations["read_inbox"];
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
        /** Say that a notification is right. A later word of the same caller replaces an earlier one. */
        post: operations["accept_notification"];
    };
    "/accounts/{accountId}/notifications/{id}/dismiss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Say that a notification is wrong. The face is not matched to that profile again. */
        post: operations["dismiss_notification"];
    };
    "/accounts/{accountId}/notifications/{id}/reviews": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what was said of a notification. */
        get: operations["list_reviews"];
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What somebody says of a notification. */
        Comment: {
            /** @description Why; at most 500 characters. */
            comment?: string | null;
        };
        /** @description A content. */
        ContentBody: {
            /** @description Whether it was put away. */
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
            /** @description Who is known to be in it. */
            profile_ids: string[];
            /** @description Its title. */
            title?: string | null;
            /**
             * @description `IMAGE`, `VIDEO` or `LIVE_VIDEO`.
             * @example IMAGE
             */
            type: string;
            /**
             * Format: uuid
             * @description Who brought it.
             */
            uploader_id?: string | null;
            /**
             * @description Where it is.
             * @example https://media.example.com/1.jpg
             */
            url: string;
        };
        /** @description What was made. */
        Created_String: {
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
        };
        /** @description An invitation that waits to be accepted. */
        Invitation: {
            /** @description Whether he will be an administrator. */
            admin: boolean;
            /**
             * Format: date-time
             * @description When it was sent.
             */
            created_at: string;
            /** @description Whom it was sent to. */
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
            /** @description What he will be called. */
            username: string;
        };
        /** @description The invitations of an account. */
        Invitations: {
            /** @description Newest first. */
            invitations: components["schemas"]["Invitation"][];
        };
        /** @description A person who works in an account. */
        Member: {
            /** @description Whether he is an administrator. */
            admin: boolean;
            /**
             * Format: date-time
             * @description When he came in.
             */
            created_at: string;
            /** @description His address. */
            email: string;
            /**
             * Format: uuid
             * @description His id.
             */
            id: string;
            /** @description What he may do. */
            scopes: components["schemas"]["Scope"][];
            /** @description What he is called. */
            username: string;
        };
        /** @description The members of an account. */
        Members: {
            /** @description The longest there first. */
            members: components["schemas"]["Member"][];
        };
        /** @description Where in a list a page stands. */
        Meta: {
            /**
             * Format: int64
             * @description The page.
             */
            page: number;
            /**
             * Format: int64
             * @description How many the list has.
             */
            total_count: number;
        };
        /** @description Who is to be an administrator. */
        NewAdministrator: {
            /**
             * Format: uuid
             * @description The member.
             */
            member_id: string;
        };
        /** @description Whom to invite. */
        NewInvitation: {
            /** @description Whether he will be an administrator; false by default. Only an administrator may say so. */
            admin?: boolean | null;
            /**
             * @description His address, 7 to 100 characters.
             * @example ada@example.com
             */
            email: string;
            /** @description What he may do; nothing by default. An extension. */
            scopes?: components["schemas"]["Scope"][] | null;
            /** @description What he will be called, 1 to 100 characters; by default what stands before the `@`. An extension. */
            username?: string | null;
        };
        /** @description What a member is to be allowed. */
        NewScopes: {
            /** @description All that he may do; what is not among them he may do no more. */
            scopes: components["schemas"]["Scope"][];
        };
        /** @description A notification. */
        NotificationBody: {
            /**
             * Format: uuid
             * @description Whose it is.
             */
            account_id: string;
            /**
             * Format: int64
             * @description The mean of the reviews' scores, 0 to 100; 0 where there is none.
             */
            average_score: number;
            /**
             * Format: date-time
             * @description When it was written.
             */
            created_at: string;
            /** @description What it tells. */
            data: components["schemas"]["NotificationData"];
            /**
             * Format: uuid
             * @description Its id.
             */
            id: string;
            /**
             * Format: int64
             * @description How many reviews there are.
             */
            total_revies: number;
            /**
             * @description `FACE` or `ACTION`.
             * @example FACE
             */
            type: string;
        };
        /** @description What a notification tells. */
        NotificationData: {
            /** @description How old the face looks. */
            age_group?: string | null;
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
            /** @description `IMAGE`, `VIDEO` or `LIVE_VIDEO`. */
            content_type: string;
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
             * @description Whose face it is, where somebody knows.
             */
            profile_id?: string | null;
            /** @description `BANNED_PROFILE`, `AGE_ESTIMATION`, `UNKNOWN_FACE`, `STARTED` or `STOPPED`; one. */
            reasons: string[];
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
            /** @description Where it is. */
            url: string;
        };
        /** @description A page of notifications. */
        Notifications: {
            /** @description Where in the list they stand. */
            meta: components["schemas"]["Meta"];
            /** @description The notifications, newest first, 20 on a page. */
            notifications: components["schemas"]["NotificationBody"][];
        };
        /** @description A review. */
        ReviewBody: {
            /**
             * Format: date-time
             * @description When.
             */
            created_at: string;
            /** @description Why. */
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
             * @description Who said it: a member, or an API key.
             */
            user_id: string;
        };
        /** @description A page of reviews. */
        Reviews: {
            /** @description The reviews, newest first, 20 on a page. */
            reviews: components["schemas"]["ReviewBody"][];
            /**
             * Format: int64
             * @description How many the notification has.
             */
            total_count: number;
        };
        /** @enum {string} */
        Scope: "contents:list" | "contents:manage" | "contents:moderate" | "contents:view" | "contents:reports:list" | "contents:reports:moderate" | "flags:manage" | "members:manage" | "moderations:manage" | "moderations:view" | "notifications:manage" | "notifications:view" | "profiles:list" | "profiles:manage" | "profiles:view" | "reports:view" | "reports:manage";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
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
                "application/json": components["schemas"]["NewAdministrator"];
            };
        };
        responses: {
            /** @description He is one. */
            200: {
                headers: {
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
            /** @description He is none any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContentBody"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invitations"];
                };
            };
        };
    };
    invite: {
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
                "application/json": components["schemas"]["NewInvitation"];
            };
        };
        responses: {
            /** @description The mail is on its way. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Created_String"];
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
            /** @description Its link works no more. */
            204: {
                headers: {
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Members"];
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
                "application/json": components["schemas"]["NewScopes"];
            };
        };
        responses: {
            /** @description He may do this, from his next call on. */
            204: {
                headers: {
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
            /** @description He is no member any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    read_inbox: {
        parameters: {
            query?: {
                /** @description Seconds since 1970: those at or after this moment alone. */
                epoch?: number;
                /** @description From 1; 1 by default. */
                page?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
                };
            };
        };
    };
    list_notifications: {
        parameters: {
            query?: {
                /** @description Seconds since 1970: those at or after this moment alone. */
                epoch?: number;
                /** @description From 1; 1 by default. */
                page?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Notifications"];
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBody"];
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
                "application/json": components["schemas"]["Comment"];
            };
        };
        responses: {
            /** @description The notification with its reviews counted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBody"];
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
                "application/json": components["schemas"]["Comment"];
            };
        };
        responses: {
            /** @description The notification with its reviews counted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationBody"];
                };
            };
        };
    };
    list_reviews: {
        parameters: {
            query?: {
                /** @description From 1; 1 by default. */
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reviews"];
                };
            };
        };
    };
}
