// What a member has of the console, and where they are signed in.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import {
  type ConsoleMember,
  endMemberSessions,
  listConsoleMembers,
  listMemberSessions,
  listRoles,
  type MemberRole,
  setConsoleScopes,
} from "../api/roles";
import { CONSOLE_SCOPES } from "../api/session";
import { useSubmit } from "../one-at-a-time";
import { useAction, useConsole } from "../session-context";
import { useTexts } from "../texts";
import { useUnsentChanges } from "../unsent";
import { Choice } from "./field";
import { OpenSessions } from "./open-sessions";
import { ScopeBoxes, useUnsentScopes } from "./scope-boxes";
import { Answer } from "./screen";

/** The members with what they have of the console, for whoever may give it. */
export function useConsoleMembers() {
  const { may } = useConsole();
  return useQuery({
    queryKey: ["members", "console"],
    queryFn: listConsoleMembers,
    enabled: may("roles:manage"),
  });
}

export function useRoles() {
  const { may } = useConsole();
  return useQuery({ queryKey: ["roles"], queryFn: listRoles, enabled: may("roles:manage") });
}

/** A role, and scopes of the console besides. */
export function ConsoleGrant({ member }: { member: string }) {
  const members = useConsoleMembers();
  const roles = useRoles();
  return (
    <Answer query={members}>
      {(all) => {
        const found = all.find((one) => one.member.id === member);
        return found ? (
          <Answer query={roles}>{(roles) => <ConsoleGrantForm granted={found} roles={roles} />}</Answer>
        ) : null;
      }}
    </Answer>
  );
}

function ConsoleGrantForm({ granted, roles }: { granted: ConsoleMember; roles: readonly MemberRole[] }) {
  const texts = useTexts();
  const { members: words } = texts;
  const { may } = useConsole();
  const act = useAction();
  const client = useQueryClient();
  const of = `of member ${granted.member.id}`;
  // Saving the permissions of content moderation may take the role away while this form is open.
  const [{ role }, setRole] = useUnsentChanges(`role ${of}`, { role: granted.role_id ?? "" });
  const [scopes, setScopes] = useUnsentScopes(`console scopes ${of}`, CONSOLE_SCOPES, granted.console_scopes);
  const submit = useSubmit(async () => {
    const input = { role_id: role === "" ? null : role, console_scopes: [...scopes] };
    await act(() => setConsoleScopes(granted.member.id, input), words.saved);
    await client.invalidateQueries({ queryKey: ["members"] });
  });
  return (
    <form id="console-grant" onSubmit={submit}>
      <Choice
        label={words.role}
        value={role}
        options={[["", texts.operators.noRole] as const, ...roles.map(({ id, name }) => [id, name] as const)]}
        onChange={(role) => setRole({ role })}
      />
      <ScopeBoxes
        label={words.consolePermissions}
        all={CONSOLE_SCOPES}
        words={words.consoleScopes}
        chosen={scopes}
        onChange={setScopes}
        mayGive={may}
      />
      <div className="answers">
        <Button className="button primary" type="submit">
          {words.saveConsole}
        </Button>
      </div>
    </form>
  );
}

export function MemberSessions({ member }: { member: string }) {
  const { members: words, openSessions } = useTexts();
  const act = useAction();
  const client = useQueryClient();
  const answer = useQuery({ queryKey: ["member-sessions", member], queryFn: () => listMemberSessions(member) });
  const end = async () => {
    await act(() => endMemberSessions(member), words.sessionsEnded);
    await client.invalidateQueries({ queryKey: ["member-sessions", member] });
  };
  return (
    <section id="member-sessions" className="part" aria-labelledby="member-sessions-heading">
      <h3 id="member-sessions-heading">{words.sessions}</h3>
      <Answer query={answer}>
        {(sessions) => (
          <>
            <OpenSessions sessions={sessions} empty={openSessions.none} />
            {sessions.length > 0 && (
              <div className="answers">
                <Button className="button danger" onPress={() => void end()}>
                  {words.endSessions}
                </Button>
              </div>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
