// Roles of the account: sets of scopes that members are given together.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { changeRole, createRole, deleteRole, listRoles, type MemberRole } from "../api/roles";
import { CONSOLE_SCOPES, type ConsoleScope, SCOPES, type Scope } from "../api/session";
import type { DataColumn } from "../components/data-table";
import { isNewAsked, NewButton } from "../components/new-button";
import { ResourceTable } from "../components/resource-table";
import { RoleDialog } from "../components/role-dialog";
import { ScopeBoxes } from "../components/scope-boxes";
import { Answer, Moment, Screen } from "../components/screen";
import { placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

export function RolesScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { roles: words, members } = texts;
  const answer = useQuery({ queryKey: ["roles"], queryFn: listRoles });
  const columns: DataColumn<MemberRole>[] = [
    {
      id: "name",
      heading: texts.tenants.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    {
      id: "scopes",
      heading: words.moderation,
      cell: ({ scopes }) => (
        <span className="soft">{scopes.map((scope) => members.scopes[scope]).join(", ") || texts.none}</span>
      ),
    },
    {
      id: "console",
      heading: words.console,
      cell: ({ console_scopes: scopes }) => (
        <span className="soft">{scopes.map((scope) => members.consoleScopes[scope]).join(", ") || texts.none}</span>
      ),
    },
    {
      id: "created",
      heading: texts.tenants.created,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  const isNew = isNewAsked(query);
  const open = answer.data?.find(({ id }) => id === query.get("role"));
  const close = () => replaceRoute(placeHref("roles"));
  return (
    <Screen
      heading={texts.nav.roles}
      wide
      actions={<NewButton label={words.create} onPress={() => replaceRoute(placeHref("roles", { new: "true" }))} />}
    >
      <Answer query={answer}>
        {(roles) => (
          <ResourceTable
            label={texts.nav.roles}
            columns={columns}
            rows={roles}
            idOf={({ id }) => id}
            textOf={({ name, id }) => `${name} ${id}`}
            empty={words.none}
            onOpen={({ id }) => replaceRoute(placeHref("roles", { role: id }))}
          />
        )}
      </Answer>
      {(open || isNew) && <MemberRoleDialog key={open?.id ?? "new"} role={open} close={close} />}
    </Screen>
  );
}

function MemberRoleDialog({ role, close }: { role: MemberRole | undefined; close(): void }) {
  const { roles: words, members } = useTexts();
  const { may } = useConsole();
  const client = useQueryClient();
  const keptAs = `role ${role?.id ?? "new"}`;
  const [scopes, setScopes] = useUnsent<readonly Scope[]>(`scopes of ${keptAs}`, role?.scopes ?? []);
  const [consoleScopes, setConsoleScopes] = useUnsent<readonly ConsoleScope[]>(
    `console scopes of ${keptAs}`,
    role?.console_scopes ?? [],
  );
  return (
    <RoleDialog
      keptAs={keptAs}
      name={role?.name}
      onSave={async (name) => {
        const input = { name, scopes: [...scopes], console_scopes: [...consoleScopes] };
        await (role ? changeRole(role.id, input) : createRole(input));
        return true;
      }}
      onDelete={() => deleteRole(role?.id ?? "")}
      onChanged={() => {
        void client.invalidateQueries({ queryKey: ["roles"] });
        void client.invalidateQueries({ queryKey: ["members"] });
      }}
      close={close}
    >
      <ScopeBoxes
        label={words.moderation}
        all={SCOPES}
        words={members.scopes}
        chosen={scopes}
        onChange={setScopes}
        mayGive={may}
      />
      <ScopeBoxes
        label={words.console}
        all={CONSOLE_SCOPES}
        words={members.consoleScopes}
        chosen={consoleScopes}
        onChange={setConsoleScopes}
        mayGive={may}
      />
    </RoleDialog>
  );
}
