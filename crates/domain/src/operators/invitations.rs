//! How people become operators: by an invitation of another operator, or by `assay init`, which invites the first one. An
//! invitation works as long as whoever sent it could still send it.

use super::{
    BuiltInRole, MAX_OPERATORS, Operator, OperatorChangeError, OperatorGrant, OperatorRole, OperatorScope,
    find, find_by_address, is_set_up, lock_all, lock_enabled, scopes::scopes_json,
};
use crate::{
    authentication::{EmailAddress, console_link, generate_token, hash_token},
    erasure_keys,
    mail::{EmailMessage, MailConfigError, Mailer},
};
use base::{
    Environment, Id as _, InvitationId, OperatorId, OperatorRoleId, Secret, SignedDuration, Timestamp,
};
use db::{AuditEvent, Db, DbError, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;

/// The longest name of an operator or a role, in characters.
pub const MAX_NAME_CHARS: usize = 100;

/// How operators are invited.
#[derive(Clone, Debug)]
pub struct OperatorServiceSettings {
    /// Where the console is reached, without a trailing slash.
    pub public_url: String,
    /// How long an invitation can be accepted.
    pub invitation_ttl: SignedDuration,
    /// How long a sign-in link works.
    pub sign_in_link_ttl: SignedDuration,
}

/// Invites operators, and makes links for them; cheap to clone.
#[derive(Clone, Debug)]
pub struct OperatorService {
    environment: Arc<dyn Environment>,
    mail: Mailer,
    settings: Arc<OperatorServiceSettings>,
}

/// Somebody to invite.
#[derive(Clone, Debug)]
pub struct OperatorInvitee {
    pub email: EmailAddress,
    /// By default the part of the address before the `@`.
    pub name: Option<String>,
    pub grant: OperatorGrant,
}

/// An invitation that has not been accepted yet.
#[derive(Clone, Debug, FromRow)]
pub struct OperatorInvitation {
    pub id: InvitationId,
    pub email: String,
    pub name: String,
    /// A [`BuiltInRole`].
    pub role: Option<String>,
    pub role_id: Option<OperatorRoleId>,
    #[sqlx(json)]
    pub scopes: Vec<OperatorScope>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub expires_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// An invitation that has just been made.
#[derive(Debug)]
pub struct IssuedOperatorInvitation {
    pub id: InvitationId,
    /// The link that accepts it, once. It is known only now.
    pub link: Secret<String>,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
    /// Whether a mail with the link was queued.
    pub mailed: bool,
}

/// Why nobody was invited.
#[derive(Debug, thiserror::Error)]
pub enum OperatorInvitationError {
    /// The installation has an operator, so there is no first one to be made.
    #[error(
        "this installation has operators already; one of them invites others, or `assay operator invite` does"
    )]
    AlreadySetUp,
    /// The address is that of an operator.
    #[error("there is an operator with that address")]
    Operator,
    /// The name is empty or too long, or has control characters.
    #[error("a name has 1 to {MAX_NAME_CHARS} characters and no control characters")]
    Name,
    /// There are as many operators and invitations as there may be.
    #[error("an installation has at most {MAX_OPERATORS} operators and open invitations")]
    TooMany,
    /// The grant cannot be given.
    #[error(transparent)]
    Grant(OperatorChangeError),
    /// This server cannot send mail, so the link would not arrive.
    #[error(transparent)]
    Mail(#[from] MailConfigError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

impl From<OperatorChangeError> for OperatorInvitationError {
    fn from(error: OperatorChangeError) -> Self {
        match error {
            OperatorChangeError::Db(error) => Self::Db(error),
            error => Self::Grant(error),
        }
    }
}

impl OperatorService {
    /// Invites by `settings`; links are sent by `mail`.
    pub fn new(environment: Arc<dyn Environment>, mail: Mailer, settings: OperatorServiceSettings) -> Self {
        Self { environment, mail, settings: Arc::new(settings) }
    }

    /// Invites the first operator of an installation, who may do everything. An invitation that nobody accepted yet is
    /// replaced.
    pub async fn invite_first(
        &self,
        tx: &mut WriteTx,
        email: EmailAddress,
        name: Option<String>,
    ) -> Result<IssuedOperatorInvitation, OperatorInvitationError> {
        if is_set_up(tx).await? {
            return Err(OperatorInvitationError::AlreadySetUp);
        }
        tx.execute(sql!("DELETE FROM operator_invitations")).await?;
        let invitee =
            OperatorInvitee { email, name, grant: OperatorGrant::of_role(BuiltInRole::Administrator) };
        self.invite(tx, None, &invitee).await
    }

    /// Invites somebody by mail; refused if this server cannot send any.
    pub async fn invite_by_mail(
        &self,
        tx: &mut WriteTx,
        inviter: &Operator,
        invitee: &OperatorInvitee,
    ) -> Result<InvitationId, OperatorInvitationError> {
        self.mail.ensure_configured()?;
        Ok(self.invite(tx, Some(inviter), invitee).await?.id)
    }

    /// Whether [`Self::invite_by_mail`] would give a scope that [needs approval](OperatorScope::needs_approval). Refuses what
    /// that one refuses, so that nobody is asked to approve what cannot be done.
    pub async fn invitation_needs_approval(
        &self,
        tx: &mut WriteTx,
        inviter: &Operator,
        invitee: &OperatorInvitee,
    ) -> Result<bool, OperatorInvitationError> {
        self.mail.ensure_configured()?;
        let (_, granted) = check_invitation(tx, Some(inviter), invitee).await?;
        Ok(granted.into_iter().any(OperatorScope::needs_approval))
    }

    /// Invites somebody; an earlier invitation of the same address is replaced. `inviter` must have the scopes that they
    /// give; without one, it is somebody with a shell on the server. A mail is queued if this server can send mail.
    pub async fn invite(
        &self,
        tx: &mut WriteTx,
        inviter: Option<&Operator>,
        invitee: &OperatorInvitee,
    ) -> Result<IssuedOperatorInvitation, OperatorInvitationError> {
        let (name, granted) = check_invitation(tx, inviter, invitee).await?;
        let address = invitee.email.normalised();
        let now = self.environment.now();
        tx.execute(sql!(
            "DELETE FROM operator_invitations WHERE address = $1 OR expires_at <= $2",
            address,
            now
        ))
        .await?;
        let count = tx
            .count(sql!(
                "SELECT (SELECT count(*) FROM operators) + (SELECT count(*) FROM operator_invitations)"
            ))
            .await?;
        if count >= MAX_OPERATORS {
            return Err(OperatorInvitationError::TooMany);
        }
        let id = InvitationId::new(&*self.environment);
        let (token, expires_at) = (generate_token(&*self.environment), now + self.settings.invitation_ttl);
        tx.execute(sql!(
            "INSERT INTO operator_invitations
                (id, email, address, name, role, role_id, scopes, hash, created_at, expires_at, invited_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            id,
            invitee.email.as_str(),
            address,
            name,
            invitee.grant.built_in().map(BuiltInRole::as_str),
            invitee.grant.custom(),
            scopes_json(&invitee.grant.scopes),
            hash_token(token.expose()),
            now,
            expires_at,
            inviter.map(|inviter| inviter.id),
        ))
        .await?;
        let event = AuditEvent::new("operator-invitation.create").target(id);
        tx.audit(event.detail("scopes", scopes_json(&granted)));
        let link = console_link(&self.settings.public_url, "operator-invite", &token);
        let mailed = self.mail.ensure_configured().is_ok();
        if mailed {
            let message = EmailMessage::operator_invitation(
                invitee.email.as_str(),
                &self.settings.public_url,
                &link,
                expires_at,
            );
            self.mail.enqueue(tx, None, &message, expires_at).await?;
        }
        Ok(IssuedOperatorInvitation { id, link, expires_at, mailed })
    }

    /// The invitations that can still be accepted, newest first.
    pub async fn invitations(&self, view: &mut ReadTx) -> Result<Vec<OperatorInvitation>, DbError> {
        #[derive(FromRow)]
        struct SentOperatorInvitationRow {
            #[sqlx(flatten)]
            invitation: OperatorInvitation,
            invited_by: Option<OperatorId>,
        }
        let rows: Vec<SentOperatorInvitationRow> = view
            .fetch_all(sql!(
                "SELECT id, email, name, role, role_id, scopes, expires_at, created_at, invited_by
                   FROM operator_invitations WHERE expires_at > $1 ORDER BY created_at DESC, id DESC LIMIT 2000",
                self.environment.now(),
            ))
            .await?;
        let mut open = Vec::with_capacity(rows.len());
        for SentOperatorInvitationRow { invitation, invited_by } in rows {
            let OperatorInvitation { role, role_id, scopes, .. } = &invitation;
            let role = OperatorRole::of_columns(role.as_deref(), *role_id);
            let grant = OperatorGrant { role, scopes: scopes.clone() };
            if could_still_invite(view, invited_by, &grant).await? {
                open.push(invitation);
            }
        }
        Ok(open)
    }

    /// Revokes an invitation; returns whether there was one that could still be accepted.
    pub async fn revoke_invitation(&self, tx: &mut WriteTx, id: InvitationId) -> Result<bool, DbError> {
        let rows = tx
            .execute(sql!(
                "DELETE FROM operator_invitations WHERE id = $1 AND expires_at > $2",
                id,
                self.environment.now()
            ))
            .await?;
        if rows == 1 {
            tx.audit(AuditEvent::new("operator-invitation.revoke").target(id));
            erasure_keys::record_erasure(tx).await?;
        }
        Ok(rows == 1)
    }

    /// Whether an invitation with this token can be accepted: before anything is written.
    pub async fn is_invited(&self, view: &mut ReadTx, token: &str) -> Result<bool, DbError> {
        let known = view
            .count(sql!(
                "SELECT count(*) FROM operator_invitations WHERE hash = $1 AND expires_at > $2",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        Ok(known > 0)
    }

    /// Makes an operator of whoever has the token of an invitation, and deletes the invitation; `None` if there is no such
    /// invitation, it has expired, or whoever sent it could not send it any more.
    pub async fn accept(&self, tx: &mut WriteTx, token: &str) -> Result<Option<Operator>, DbError> {
        #[derive(FromRow)]
        struct AcceptedOperatorRow {
            email: String,
            address: String,
            name: String,
            role: Option<String>,
            role_id: Option<OperatorRoleId>,
            #[sqlx(json)]
            scopes: Vec<OperatorScope>,
            invited_by: Option<OperatorId>,
        }
        let accepted: Option<AcceptedOperatorRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM operator_invitations WHERE hash = $1 AND expires_at > $2
                 RETURNING email, address, name, role, role_id, scopes, invited_by",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        let Some(row) = accepted else { return Ok(None) };
        let role = OperatorRole::of_columns(row.role.as_deref(), row.role_id);
        let grant = OperatorGrant { role, scopes: row.scopes.clone() };
        if !could_still_invite(tx, row.invited_by, &grant).await? {
            return Ok(None);
        }
        let id = OperatorId::new(&*self.environment);
        let rows = tx
            .execute(sql!(
                "INSERT INTO operators (id, email, address, name, role, role_id, scopes, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING",
                id,
                row.email,
                row.address,
                row.name,
                row.role,
                row.role_id,
                scopes_json(&row.scopes),
                self.environment.now(),
            ))
            .await?;
        if rows == 0 {
            return Ok(None);
        }
        let operator = find(tx, id).await?;
        if let Some(operator) = &operator {
            let event = AuditEvent::new("operator.join").target(id);
            tx.audit(event.detail("scopes", scopes_json(&operator.scopes)));
        }
        Ok(operator)
    }

    /// A link that signs an operator in, once, and until when it works. `None` if nobody who can come in has the address,
    /// or they were sent `max_per_hour` links within the hour.
    pub async fn create_sign_in_link(
        &self,
        tx: &mut WriteTx,
        address: &str,
        max_per_hour: Option<i64>,
    ) -> Result<Option<(Operator, Secret<String>, Timestamp)>, DbError> {
        let now = self.environment.now();
        let Some(operator) = find_by_address(tx, address).await? else { return Ok(None) };
        // Whoever is disabled loses the links that there are: a later one would work as soon as they are let in again.
        if !lock_enabled(tx, operator.id).await? {
            return Ok(None);
        }
        if let Some(most) = max_per_hour {
            let sent = tx
                .count(sql!(
                    "SELECT count(*) FROM operator_sign_in_links WHERE operator_id = $1 AND created_at > $2",
                    operator.id,
                    now - SignedDuration::from_hours(1),
                ))
                .await?;
            if sent >= most {
                return Ok(None);
            }
        }
        let (token, expires_at) = (generate_token(&*self.environment), now + self.settings.sign_in_link_ttl);
        tx.execute(sql!(
            "INSERT INTO operator_sign_in_links (id, operator_id, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5)",
            self.environment.uuid_v7(),
            operator.id,
            hash_token(token.expose()),
            now,
            expires_at,
        ))
        .await?;
        let link = console_link(&self.settings.public_url, "operator-sign-in", &token);
        Ok(Some((operator, link, expires_at)))
    }

    /// Whether a sign-in link with this token works: before anything is written.
    pub async fn is_sign_in_link(&self, view: &mut ReadTx, token: &str) -> Result<bool, DbError> {
        let known = view
            .count(sql!(
                "SELECT count(*) FROM operator_sign_in_links WHERE hash = $1 AND used_at IS NULL AND expires_at > $2",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        Ok(known > 0)
    }

    /// The operator whose sign-in link this is. It works once.
    pub async fn use_sign_in_link(&self, tx: &mut WriteTx, token: &str) -> Result<Option<Operator>, DbError> {
        #[derive(FromRow)]
        struct OperatorOfLinkRow {
            operator_id: OperatorId,
        }
        let found: Option<OperatorOfLinkRow> = tx
            .fetch_optional(sql!(
                "SELECT operator_id FROM operator_sign_in_links WHERE hash = $1",
                hash_token(token)
            ))
            .await?;
        let Some(OperatorOfLinkRow { operator_id }) = found else { return Ok(None) };
        if !lock_enabled(tx, operator_id).await? {
            return Ok(None);
        }
        let used = tx
            .execute(sql!(
                "UPDATE operator_sign_in_links SET used_at = $2
                  WHERE hash = $1 AND used_at IS NULL AND expires_at > $2",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        if used == 1 { find(tx, operator_id).await } else { Ok(None) }
    }
}

/// The name that somebody would have, and the scopes that they would be given, all of which the inviter has. No other
/// transaction changes operators until this one ends.
async fn check_invitation<'a>(
    tx: &mut WriteTx,
    inviter: Option<&Operator>,
    invitee: &'a OperatorInvitee,
) -> Result<(&'a str, Vec<OperatorScope>), OperatorInvitationError> {
    let name = invitee.name.as_deref().unwrap_or_else(|| invitee.email.local_part());
    let name = validate_name(name).ok_or(OperatorInvitationError::Name)?;
    lock_all(tx).await?;
    let granted = invitee.grant.resolve(tx).await?;
    if let Some(scope) = inviter.and_then(|inviter| inviter.lacks_one_of(&granted)) {
        return Err(OperatorChangeError::ScopeNotHeld(scope).into());
    }
    if find_by_address(tx, invitee.email.normalised()).await?.is_some() {
        return Err(OperatorInvitationError::Operator);
    }
    Ok((name, granted))
}

/// Whether whoever sent an invitation could still send it. Without an inviter, it was somebody with a shell on the server.
async fn could_still_invite(
    view: &mut ReadTx,
    invited_by: Option<OperatorId>,
    grant: &OperatorGrant,
) -> Result<bool, DbError> {
    let Some(inviter) = invited_by else { return Ok(true) };
    let granted = match grant.resolve(view).await {
        Ok(granted) => granted,
        Err(OperatorChangeError::Db(error)) => return Err(error),
        Err(_) => return Ok(false),
    };
    Ok(find(view, inviter).await?.is_some_and(|inviter| inviter.may_invite(&granted)))
}

/// A name without the white space around it, if it is one.
pub(super) fn validate_name(name: &str) -> Option<&str> {
    let name = name.trim();
    let fits = (1..=MAX_NAME_CHARS).contains(&name.chars().count());
    (fits && !name.contains(char::is_control)).then_some(name)
}

/// Deletes expired invitations and links, at most 5,000 of each; returns how many. Links stay for an hour at least, because
/// they are counted for as long.
pub(crate) async fn purge_expired(db: &Db, environment: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, environment.now());
    let invitations = tx
        .execute(sql!(
            "DELETE FROM operator_invitations WHERE id IN
                (SELECT id FROM operator_invitations WHERE expires_at < $1 LIMIT 5000)",
            now,
        ))
        .await?;
    let links = tx
        .execute(sql!(
            "DELETE FROM operator_sign_in_links WHERE id IN
                (SELECT id FROM operator_sign_in_links WHERE created_at < $1 AND expires_at < $2 LIMIT 5000)",
            now - SignedDuration::from_hours(1),
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(invitations + links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use db::testing::TestDb;

    #[tokio::test]
    async fn a_sign_in_link_is_kept_while_it_is_counted_and_while_it_works() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let mut tx = test.db.write().await.unwrap();
        let operator = OperatorId::new(&env);
        tx.execute(sql!(
            "INSERT INTO operators (id, email, address, name, scopes, created_at) VALUES ($1, $2, $2, $2, $3, $4)",
            operator,
            "ada@example.com",
            scopes_json(&[]),
            env.now(),
        ))
        .await
        .unwrap();
        for (token, minutes) in [("short", 15), ("long", 240)] {
            tx.execute(sql!(
                "INSERT INTO operator_sign_in_links (id, operator_id, hash, created_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5)",
                env.uuid_v7(),
                operator,
                hash_token(token),
                env.now(),
                env.now() + SignedDuration::from_mins(minutes),
            ))
            .await
            .unwrap();
        }
        tx.commit().await.unwrap();
        // 20, 61, 239 and 241 minutes after they were made.
        for (minutes, left) in [(20, 2), (41, 1), (178, 1), (2, 0)] {
            env.advance(SignedDuration::from_mins(minutes));
            purge_expired(&test.db, &env).await.unwrap();
            let mut view = test.db.read().await.unwrap();
            assert_eq!(view.count(sql!("SELECT count(*) FROM operator_sign_in_links")).await.unwrap(), left);
        }
    }
}
