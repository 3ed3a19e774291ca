// What an operator is to have: a role, and scopes besides.

import { useQuery } from "@tanstack/react-query";
import { listOperatorRoles, type OperatorRoles } from "../api/operators";
import { OPERATOR_SCOPES, type OperatorScope } from "../api/session";
import { useConsole } from "../session-context";
import { lookup, type Texts, useTexts } from "../texts";
import { Choice } from "./field";
import { ScopeBoxes } from "./scope-boxes";
import { Answer } from "./screen";

/** The empty role is none. */
export interface Grant {
  role: string;
  scopes: readonly OperatorScope[];
}

export function useOperatorRoles() {
  return useQuery({ queryKey: ["operator-roles"], queryFn: listOperatorRoles });
}

/** What a role is called: those that every installation has in the reader's words, its own by their names. */
export function roleName(texts: Texts, roles: OperatorRoles | undefined, role: string | null | undefined): string {
  if (!role) {
    return texts.operators.noRole;
  }
  return lookup(texts.operators.builtIn, role) ?? roles?.roles.find(({ id }) => id === role)?.name ?? role;
}

export function scopesOfRole(roles: OperatorRoles, role: string): readonly OperatorScope[] {
  const found = roles.built_in.find((one) => one.role === role) ?? roles.roles.find(({ id }) => id === role);
  return found?.scopes ?? [];
}

interface GrantFieldsProps {
  grant: Grant;
  onChange(grant: Grant): void;
}

export function GrantFields({ grant, onChange }: GrantFieldsProps) {
  const texts = useTexts();
  const { operators: words } = texts;
  const { may } = useConsole();
  const roles = useOperatorRoles();
  return (
    <Answer query={roles}>
      {(all) => {
        const ofRole = scopesOfRole(all, grant.role);
        const besides = OPERATOR_SCOPES.filter((scope) => !ofRole.includes(scope));
        return (
          <>
            <Choice
              label={words.role}
              value={grant.role}
              options={[
                ["", words.noRole] as const,
                ...all.built_in.map(({ role }) => [role as string, words.builtIn[role]] as const),
                ...all.roles.map(({ id, name }) => [id, name] as const),
              ]}
              onChange={(role) => onChange({ ...grant, role })}
            />
            {ofRole.length > 0 && (
              <p className="soft">
                {words.roleAllows} {ofRole.map((scope) => words.scopes[scope]).join(", ")}
              </p>
            )}
            {besides.length > 0 && (
              <ScopeBoxes
                label={words.besides}
                all={besides}
                words={words.scopes}
                chosen={grant.scopes.filter((scope) => besides.includes(scope))}
                onChange={(scopes) => onChange({ ...grant, scopes })}
                mayGive={may}
              />
            )}
          </>
        );
      }}
    </Answer>
  );
}

/** A grant as the server takes it: scopes that the role has already are not given besides. */
export function grantInput({ role, scopes }: Grant, roles: OperatorRoles | undefined) {
  const ofRole = roles ? scopesOfRole(roles, role) : [];
  return { role: role === "" ? null : role, scopes: scopes.filter((scope) => !ofRole.includes(scope)) };
}
