// The members of the account: invited, allowed, made administrators, removed.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { Invitation, Member } from "../api/account";
import { SCOPES, type Scope } from "../api/session";
import { Confirm } from "../components/confirm";
import { type DataColumn, DataTable } from "../components/data-table";
import { DialogFrame } from "../components/dialog-frame";
import { Field, Tick } from "../components/field";
import { Icon } from "../components/icon";
import { ConsoleGrant, MemberSessions, useConsoleMembers, useRoles } from "../components/member-console";
import { ScopeBoxes, useUnsentScopes } from "../components/scope-boxes";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { useOneAtATime, useSubmit } from "../one-at-a-time";
import { placeHref, replaceRoute, useIsShown } from "../router";
import { useAction, useSession } from "../session-context";
import { fill, type Texts, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

/** What somebody who is invited may do if nothing else is ticked. */
const USUAL_SCOPES: readonly Scope[] = ["notifications:manage", "notifications:view"];

/** Does something about the members, then has them fetched anew; nobody waits for that, who may have typed the next address by then. */
function useMembersAction(): (act: () => Promise<unknown>, done: string) => Promise<boolean> {
  const act = useAction();
  const client = useQueryClient();
  return async (change, done) => {
    const changed = await act(change, done);
    for (const kind of ["members", "invitations"]) {
      void client.invalidateQueries({ queryKey: [kind] });
    }
    return changed;
  };
}

export function MembersScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { account, session } = useSession();
  const members = useQuery({ queryKey: ["members"], queryFn: () => account.members() });
  const managed = query.get("member");
  const manage = (member?: string) => replaceRoute(placeHref("members", { member }));
  const granted = useConsoleMembers().data;
  const roles = useRoles().data;
  const roleOf = (id: string) => {
    const role = granted?.find(({ member }) => member.id === id)?.role_id;
    return roles?.find((one) => one.id === role)?.name;
  };
  const { members: words } = texts;
  const columns: DataColumn<Member>[] = [
    {
      id: "name",
      heading: words.name,
      cell: ({ id, username }) => (
        <span className="strong">
          {username}
          {id === session.member.id && ` (${texts.you})`}
        </span>
      ),
      sortBy: ({ username }) => username.toLowerCase(),
    },
    { id: "email", heading: words.email, cell: ({ email }) => email, sortBy: ({ email }) => email },
    {
      id: "role",
      heading: words.role,
      cell: ({ id, admin }) =>
        admin ? (
          <Badge tone="warn">{words.administrator}</Badge>
        ) : (
          <Badge tone="plain">{roleOf(id) ?? words.ordinary}</Badge>
        ),
      sortBy: ({ admin }) => (admin ? 0 : 1),
    },
    {
      id: "permissions",
      heading: words.permissions,
      cell: (member) => <span className="soft">{permissionsOf(texts, member)}</span>,
    },
    {
      id: "since",
      heading: words.since,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  return (
    <Screen heading={texts.nav.members} wide>
      <Answer query={members}>
        {(all) => {
          const open = all.find(({ id }) => id === managed);
          return (
            <>
              <div id="members">
                <DataTable
                  label={texts.nav.members}
                  columns={columns}
                  rows={all}
                  idOf={({ id }) => id}
                  empty={texts.none}
                  onOpen={({ id }) => manage(id)}
                />
              </div>
              {open && <MemberDialog key={open.id} member={open} close={() => manage()} />}
            </>
          );
        }}
      </Answer>
      <div className="columns">
        <InvitationForm />
        <Invitations />
      </div>
    </Screen>
  );
}

function permissionsOf({ members, none }: Texts, { admin, scopes }: Member): string {
  return admin ? members.everything : scopes.map((scope) => members.scopes[scope]).join(", ") || none;
}

function MemberDialog({ member, close }: { member: Member; close(): void }) {
  const texts = useTexts();
  const { members: words } = texts;
  const { account, session, may } = useSession();
  const change = useMembersAction();
  const { id, username, email, admin } = member;
  const isShown = useIsShown();
  // A role that is given or changed while the dialog is open changes what they have.
  const [scopes, setScopes] = useUnsentScopes(`scopes of member ${id}`, SCOPES, member.scopes);
  const [asked, setAsked] = useState(false);
  const mayTurn = session.member.admin;
  const mayRemove = mayTurn || !admin;
  const turn = useOneAtATime(() => change(() => account.setAdmin(id, !admin), words.saved));
  const submit = useSubmit(() => change(() => account.setScopes(id, [...scopes]), words.saved));
  const remove = useOneAtATime(async () => {
    if ((await change(() => account.remove(id), fill(words.removed, { name: username }))) && isShown()) {
      close();
    }
  });
  return (
    <DialogFrame heading={fill(words.manageOf, { name: username })} close={close} id="member">
      <Facts>
        <Fact term={words.email}>{email}</Fact>
        <Fact term={words.role}>{admin ? words.administrator : words.ordinary}</Fact>
      </Facts>
      {!admin && (
        <form onSubmit={submit}>
          <ScopeBoxes
            label={words.permissions}
            all={SCOPES}
            words={words.scopes}
            chosen={scopes}
            onChange={setScopes}
          />
          <div className="answers">
            <Button className="button primary" type="submit">
              {texts.save}
            </Button>
          </div>
        </form>
      )}
      {may("roles:manage") && <ConsoleGrant member={id} />}
      {(mayTurn || !admin) && <MemberSessions member={id} />}
      <div className="answers">
        {mayTurn && (
          <Button className="button" onPress={turn}>
            {admin ? words.makeOrdinary : words.makeAdministrator}
          </Button>
        )}
        {mayRemove && (
          <Button className="button danger" onPress={() => setAsked(true)}>
            {words.remove}
          </Button>
        )}
      </div>
      <Confirm
        question={fill(words.removeQuestion, { name: username })}
        meaning={words.removeMeans}
        yes={words.remove}
        isOpen={asked}
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            remove();
          }
        }}
      />
    </DialogFrame>
  );
}

function InvitationForm() {
  const { members: words } = useTexts();
  const { account, session } = useSession();
  const change = useMembersAction();
  const [email, setEmail] = useUnsent("email of a new member", "");
  const [admin, setAdmin] = useUnsent("whether a new member is an administrator", false);
  const [scopes, setScopes] = useUnsent("scopes of a new member", USUAL_SCOPES);
  const submit = useSubmit(async () => {
    if (await change(() => account.invite(email, admin, [...scopes]), fill(words.sent, { email }))) {
      setEmail("");
      setAdmin(false);
      setScopes(USUAL_SCOPES);
    }
  });
  return (
    <Card heading={words.invite}>
      <form id="invite" onSubmit={submit}>
        <Field
          label={words.email}
          type="email"
          value={email}
          onChange={setEmail}
          minLength={7}
          maxLength={100}
          isRequired
        />
        {session.member.admin && <Tick label={words.administrator} isTicked={admin} onChange={setAdmin} />}
        {!admin && (
          <Disclosure className="disclosure">
            <Heading level={3}>
              <Button slot="trigger" className="disclosure-button">
                <Icon name="forward" /> {words.permissions}
              </Button>
            </Heading>
            <DisclosurePanel>
              <ScopeBoxes
                label={words.permissions}
                all={SCOPES}
                words={words.scopes}
                chosen={scopes}
                onChange={setScopes}
              />
            </DisclosurePanel>
          </Disclosure>
        )}
        <div className="answers">
          <Button className="button primary" type="submit">
            {words.send}
          </Button>
        </div>
      </form>
    </Card>
  );
}

function Invitations() {
  const { members: words } = useTexts();
  const { account } = useSession();
  const answer = useQuery({ queryKey: ["invitations"], queryFn: () => account.invitations() });
  return (
    <Card heading={words.pending} id="invitations">
      <Answer query={answer}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className="soft">{words.noPending}</p>
          ) : (
            <ul className="lines">
              {invitations.map((invitation) => (
                <InvitationItem key={invitation.id} invitation={invitation} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

function InvitationItem({ invitation }: { invitation: Invitation }) {
  const { members: words } = useTexts();
  const { account } = useSession();
  const change = useMembersAction();
  const { id, email, admin, expires_at } = invitation;
  return (
    <li className="line">
      <span>
        <strong>{email}</strong> {admin && <Badge tone="warn">{words.administrator}</Badge>}
        <br />
        <span className="soft">
          {words.expires} <Moment at={expires_at} />
        </span>
      </span>
      <Button
        className="button small"
        aria-label={fill(words.withdrawOf, { email })}
        onPress={() => void change(() => account.revoke(id), words.withdrawn)}
      >
        {words.withdraw}
      </Button>
    </li>
  );
}
