// The operators of the installation: invited, allowed, let in and out.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  enableOperator,
  inviteOperator,
  listOperatorInvitations,
  type Operator,
  type OperatorInvitation,
  revokeOperatorInvitation,
  setOperatorGrant,
} from "../api/operators";
import { isOperator } from "../api/session";
import { useApprovable } from "../approvable";
import { Confirm } from "../components/confirm";
import { CopyField } from "../components/copy-field";
import type { DataColumn } from "../components/data-table";
import { DialogFrame } from "../components/dialog-frame";
import { Field } from "../components/field";
import { isNewAsked, NewButton } from "../components/new-button";
import {
  type Grant,
  GrantFields,
  grantInput,
  roleName,
  scopesOfRole,
  useOperatorRoles,
} from "../components/operator-grant";
import { ResourceTable } from "../components/resource-table";
import { Answer, Badge, Card, catchFocus, Empty, Fact, Facts, Moment, Screen } from "../components/screen";
import { useOperators } from "../components/tenant-links";
import { useOneAtATime, useSubmit } from "../one-at-a-time";
import { detailHref, navigate, placeHref, replaceRoute, useIsShown } from "../router";
import { useAction, useConsole } from "../session-context";
import { fill, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

/** Does something about operators that may need a second one, then fetches them anew. Answers whether it was accepted. */
function useOperatorsAction(): (act: () => Promise<boolean>, done: string) => Promise<boolean> {
  const act = useApprovable();
  const client = useQueryClient();
  return async (change, done) => {
    const came = await act(change, done);
    await Promise.all(
      ["operators", "operator-invitations"].map((kind) => client.invalidateQueries({ queryKey: [kind] })),
    );
    return came !== "failed";
  };
}

/** Whether it is the reader. */
function useIsMe(): (id: string) => boolean {
  const { session } = useConsole();
  return (id) => isOperator(session) && session.operator.id === id;
}

export function OperatorsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { operators: words } = texts;
  const answer = useOperators();
  const roles = useOperatorRoles().data;
  const isMe = useIsMe();
  const columns: DataColumn<Operator>[] = [
    {
      id: "name",
      heading: texts.tenants.name,
      cell: ({ id, name }) => <span className="strong">{isMe(id) ? `${name} (${texts.you})` : name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    { id: "email", heading: texts.members.email, cell: ({ email }) => email, sortBy: ({ email }) => email },
    {
      id: "role",
      heading: words.role,
      cell: ({ role }) => roleName(texts, roles, role),
      sortBy: ({ role }) => roleName(texts, roles, role),
    },
    {
      id: "state",
      heading: texts.tenants.status,
      cell: (operator) => <OperatorBadge operator={operator} />,
      sortBy: ({ disabled }) => (disabled ? 1 : 0),
    },
    {
      id: "since",
      heading: words.since,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  return (
    <Screen
      heading={texts.nav.operators}
      wide
      actions={<NewButton label={words.invite} onPress={() => replaceRoute(placeHref("operators", { new: "true" }))} />}
    >
      <Answer query={answer}>
        {(operators) => (
          <ResourceTable
            label={texts.nav.operators}
            columns={columns}
            rows={operators}
            idOf={({ id }) => id}
            textOf={({ name, email, id }) => `${name} ${email} ${id}`}
            empty={texts.none}
            onOpen={({ id }) => navigate(detailHref("operator", id))}
          />
        )}
      </Answer>
      <Invitations />
      {isNewAsked(query) && <InvitationDialog close={() => replaceRoute(placeHref("operators"))} />}
    </Screen>
  );
}

function OperatorBadge({ operator }: { operator: Operator }) {
  const { operators: words } = useTexts();
  return operator.disabled ? <Badge tone="bad">{words.disabled}</Badge> : <Badge tone="good">{words.enabled}</Badge>;
}

function InvitationDialog({ close }: { close(): void }) {
  const texts = useTexts();
  const { operators: words } = texts;
  const change = useOperatorsAction();
  const roles = useOperatorRoles().data;
  const isShown = useIsShown();
  const [email, setEmail] = useUnsent("email of a new operator", "");
  const [name, setName] = useUnsent("name of a new operator", "");
  const [grant, setGrant] = useUnsent<Grant>("grant of a new operator", { role: "support", scopes: [] });
  const submit = useSubmit(async () => {
    const input = { email, ...(name.trim() === "" ? {} : { name }), ...grantInput(grant, roles) };
    if ((await change(() => inviteOperator(input), fill(texts.members.sent, { email }))) && isShown()) {
      close();
    }
  });
  return (
    <DialogFrame heading={words.invite} close={close}>
      <form id="invite-operator" onSubmit={submit}>
        <Field
          label={texts.members.email}
          type="email"
          value={email}
          onChange={setEmail}
          minLength={7}
          maxLength={100}
          isRequired
          autoFocus
        />
        <Field label={words.nameOptional} value={name} onChange={setName} maxLength={100} />
        <GrantFields grant={grant} onChange={setGrant} />
        <div className="answers">
          <Button className="button primary" type="submit">
            {texts.members.send}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

function Invitations() {
  const { members: words } = useTexts();
  const answer = useQuery({ queryKey: ["operator-invitations"], queryFn: listOperatorInvitations });
  return (
    <Card heading={words.pending} id="operator-invitations">
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

function InvitationItem({ invitation }: { invitation: OperatorInvitation }) {
  const texts = useTexts();
  const { members: words } = texts;
  const act = useAction();
  const client = useQueryClient();
  const roles = useOperatorRoles().data;
  const { id, email, name, role, expires_at } = invitation;
  const withdraw = async () => {
    await act(() => revokeOperatorInvitation(id), words.withdrawn);
    await client.invalidateQueries({ queryKey: ["operator-invitations"] });
  };
  return (
    <li className="line">
      <span>
        <strong>{name}</strong> <bdi>{email}</bdi> <Badge tone="plain">{roleName(texts, roles, role)}</Badge>
        <br />
        <span className="soft">
          {words.expires} <Moment at={expires_at} />
        </span>
      </span>
      <Button className="button small" aria-label={fill(words.withdrawOf, { email })} onPress={() => void withdraw()}>
        {words.withdraw}
      </Button>
    </li>
  );
}

export function OperatorScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { operators: words } = texts;
  const answer = useOperators();
  const roles = useOperatorRoles();
  const operator = answer.data?.find((one) => one.id === id);
  return (
    <Screen
      heading={operator?.name ?? words.operator}
      back={{ href: placeHref("operators"), label: texts.nav.operators }}
    >
      <Answer query={answer}>
        {() =>
          operator ? (
            <>
              <Card heading={texts.tenants.about}>
                <Facts>
                  <Fact term={texts.members.email}>{operator.email}</Fact>
                  <Fact term={texts.tenants.status}>
                    <OperatorBadge operator={operator} />
                  </Fact>
                  <Fact term={words.role}>{roleName(texts, roles.data, operator.role)}</Fact>
                  <Fact term={words.since}>
                    <Moment at={operator.created_at} />
                  </Fact>
                </Facts>
                <CopyField label={texts.copy.id} value={id} />
              </Card>
              <Answer query={roles}>
                {(all) => (
                  <GrantCard
                    key={`${operator.role} ${operator.scopes.join()}`}
                    operator={operator}
                    initial={{
                      role: operator.role ?? "",
                      scopes: operator.scopes.filter(
                        (scope) => !scopesOfRole(all, operator.role ?? "").includes(scope),
                      ),
                    }}
                  />
                )}
              </Answer>
              <Access operator={operator} />
            </>
          ) : (
            <Empty>{texts.errors.nothingHere}</Empty>
          )
        }
      </Answer>
    </Screen>
  );
}

function GrantCard({ operator, initial }: { operator: Operator; initial: Grant }) {
  const texts = useTexts();
  const { operators: words } = texts;
  const change = useOperatorsAction();
  const roles = useOperatorRoles().data;
  const [grant, setGrant] = useUnsent(`grant of operator ${operator.id}`, initial);
  const submit = useSubmit(async () => {
    if (await change(() => setOperatorGrant(operator.id, grantInput(grant, roles)), texts.members.saved)) {
      catchFocus();
    }
  });
  return (
    <Card heading={words.grant} id="grant">
      <form onSubmit={submit}>
        <GrantFields grant={grant} onChange={setGrant} />
        <div className="answers">
          <Button className="button primary" type="submit">
            {texts.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}

/** Lets an operator in no more, or again. */
function Access({ operator }: { operator: Operator }) {
  const { operators: words } = useTexts();
  const change = useOperatorsAction();
  const isMe = useIsMe();
  const [asked, setAsked] = useState(false);
  const { id, name, disabled } = operator;
  const enable = useOneAtATime(() => change(() => enableOperator(id, true), fill(words.isEnabled, { name })));
  const disable = useOneAtATime(() => change(() => enableOperator(id, false), fill(words.isDisabled, { name })));
  if (isMe(id)) {
    return null;
  }
  if (asked && disabled) {
    // Somebody else has disabled them meanwhile.
    setAsked(false);
  }
  return (
    <Card heading={words.access}>
      <p>{disabled ? words.enableMeans : words.disableMeans}</p>
      <div className="answers">
        <Button
          className={disabled ? "button" : "button danger"}
          onPress={() => (disabled ? enable() : setAsked(true))}
        >
          {disabled ? words.enable : words.disable}
        </Button>
      </div>
      <Confirm
        question={fill(words.disableQuestion, { name })}
        meaning={words.disableMeans}
        yes={words.disable}
        isOpen={asked}
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            disable();
          }
        }}
      />
    </Card>
  );
}
