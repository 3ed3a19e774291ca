// Roles of operators: those that every installation has, and those that this one made.

import { useQueryClient } from "@tanstack/react-query";
import { changeOperatorRole, createOperatorRole, deleteOperatorRole, type OperatorRole } from "../api/operators";
import { OPERATOR_SCOPES, type OperatorScope } from "../api/session";
import type { DataColumn } from "../components/data-table";
import { isNewAsked, NewButton } from "../components/new-button";
import { useOperatorRoles } from "../components/operator-grant";
import { ResourceTable } from "../components/resource-table";
import { RoleDialog } from "../components/role-dialog";
import { ScopeBoxes } from "../components/scope-boxes";
import { Answer, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

export function OperatorRolesScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { roles: words, operators } = texts;
  const answer = useOperatorRoles();
  const scopeWords = (scopes: readonly OperatorScope[]) =>
    scopes.map((scope) => operators.scopes[scope]).join(", ") || texts.none;
  const columns: DataColumn<OperatorRole>[] = [
    {
      id: "name",
      heading: texts.tenants.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    { id: "scopes", heading: words.allows, cell: ({ scopes }) => <span className="soft">{scopeWords(scopes)}</span> },
    {
      id: "created",
      heading: texts.tenants.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  const isNew = isNewAsked(query);
  const open = answer.data?.roles?.find(({ id }) => id === query.get("role"));
  const close = () => replaceRoute(placeHref("operator-roles"));
  return (
    <Screen
      heading={texts.nav["operator-roles"]}
      wide
      actions={
        <NewButton label={words.create} onPress={() => replaceRoute(placeHref("operator-roles", { new: "true" }))} />
      }
    >
      <Answer query={answer}>
        {({ built_in, roles }) => (
          <>
            <ResourceTable
              label={texts.nav["operator-roles"]}
              columns={columns}
              rows={roles}
              idOf={({ id }) => id}
              textOf={({ name, id }) => `${name} ${id}`}
              empty={words.none}
              onOpen={({ id }) => replaceRoute(placeHref("operator-roles", { role: id }))}
            />
            <Card heading={words.builtIn}>
              <Facts>
                {built_in.map(({ role, scopes }) => (
                  <Fact key={role} term={operators.builtIn[role]}>
                    {scopeWords(scopes)}
                  </Fact>
                ))}
              </Facts>
            </Card>
          </>
        )}
      </Answer>
      {(open || isNew) && <OperatorRoleDialog key={open?.id ?? "new"} role={open} close={close} />}
    </Screen>
  );
}

function OperatorRoleDialog({ role, close }: { role: OperatorRole | undefined; close(): void }) {
  const { roles: words, operators } = useTexts();
  const { may } = useConsole();
  const client = useQueryClient();
  const keptAs = `operator role ${role?.id ?? "new"}`;
  const [scopes, setScopes] = useUnsent<readonly OperatorScope[]>(`scopes of ${keptAs}`, role?.scopes ?? []);
  return (
    <RoleDialog
      keptAs={keptAs}
      name={role?.name}
      onSave={async (name) => {
        const input = { name, scopes: [...scopes] };
        if (role) {
          return changeOperatorRole(role.id, input);
        }
        await createOperatorRole(input);
        return true;
      }}
      onDelete={() => deleteOperatorRole(role?.id ?? "")}
      onChanged={() => void client.invalidateQueries({ queryKey: ["operator-roles"] })}
      close={close}
    >
      <ScopeBoxes
        label={words.allows}
        all={OPERATOR_SCOPES}
        words={operators.scopes}
        chosen={scopes}
        onChange={setScopes}
        mayGive={may}
      />
    </RoleDialog>
  );
}
