// A stand-in for what members have of the console: roles of the account, scopes besides, and where they are signed in.

import type { Member } from "../../console/api/account";
import type { OpenSession } from "../../console/api/credentials";
import type { MemberRole } from "../../console/api/roles";
import { type ConsoleScope, SCOPES } from "../../console/api/session";
import type { ConsolePaths, PathsBelow, RequestBodyOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { type Reply, reply } from "./holder-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type CreateRole = Operations["/roles"]["post"];
type SetGrant = Operations["/members/{memberId}/console-scopes"]["put"];

export class RolesStandIn {
  all: MemberRole[] = [];
  /** What members were given, by their ids. */
  readonly granted = new Map<string, { role: string | undefined; scopes: ConsoleScope[] }>();
  /** Where members are signed in. */
  readonly sessions = new Map<string, OpenSession[]>();

  /** What a member may do in content moderation, with what their role allows. */
  scopesOf({ id, scopes }: Member): Member["scopes"] {
    const role = this.#roleOf(id);
    return SCOPES.filter((scope) => scopes.includes(scope) || role?.scopes.includes(scope));
  }

  /** Sets all of that: a role that allows more is taken away, and what one that stays allows does not become the member's own. */
  setScopes(member: Member, scopes: Member["scopes"]): void {
    const allowed = this.#roleOf(member.id)?.scopes ?? [];
    const held = this.granted.get(member.id);
    if (held && allowed.some((scope) => !scopes.includes(scope))) {
      held.role = undefined;
      member.scopes = scopes;
    } else {
      member.scopes = scopes.filter((scope) => member.scopes.includes(scope) || !allowed.includes(scope));
    }
  }

  #roleOf(member: string): MemberRole | undefined {
    return this.all.find(({ id }) => id === this.granted.get(member)?.role);
  }

  answer(operation: string, body: unknown, members: readonly Member[], own: readonly ConsoleScope[]): Reply {
    const [, id = ""] = /([\da-f-]{36})/.exec(operation) ?? [];
    const asked = operation.replace(id || "-", "ID").replace("/console", "");
    if (!asked.endsWith("/sessions") && !own.includes("roles:manage")) {
      return refuse(401, "the scope roles:manage is needed", "UNAUTHORIZED");
    }
    switch (asked) {
      case "GET /roles":
        return reply<Operations["/roles"]["get"]>(200, { roles: this.all });
      case "POST /roles": {
        const { name, scopes, console_scopes } = body as RequestBodyOf<CreateRole>;
        const made = {
          id: `69000000-0000-4000-8000-${String(this.all.length + 1).padStart(12, "0")}`,
          name,
          scopes: scopes ?? [],
          console_scopes: console_scopes ?? [],
          created_at: "2026-01-16T14:40:00Z",
        };
        this.all.push(made);
        return reply<CreateRole>(201, { id: made.id });
      }
      case "PUT /roles/ID": {
        const { name, scopes, console_scopes } = body as RequestBodyOf<CreateRole>;
        const change = { name, scopes: scopes ?? [], console_scopes: console_scopes ?? [] };
        this.all = this.all.map((one) => (one.id === id ? { ...one, ...change } : one));
        return [204];
      }
      case "DELETE /roles/ID":
        this.all = this.all.filter((one) => one.id !== id);
        return [204];
      case "GET /members":
        return reply<Operations["/members"]["get"]>(200, {
          members: members.map((member) => {
            const { role, scopes } = this.granted.get(member.id) ?? { role: undefined, scopes: [] };
            return { member, console_scopes: scopes, ...(role ? { role_id: role } : {}) };
          }),
        });
      case "PUT /members/ID/console-scopes": {
        const { role_id, console_scopes } = body as RequestBodyOf<SetGrant>;
        this.granted.set(id, { role: role_id ?? undefined, scopes: console_scopes });
        return [204];
      }
      case "GET /members/ID/sessions":
        return reply<Operations["/members/{memberId}/sessions"]["get"]>(200, { sessions: this.sessions.get(id) ?? [] });
      case "DELETE /members/ID/sessions":
        this.sessions.delete(id);
        return [204];
      default:
        return refuse(404, `there is no ${operation}`);
    }
  }
}
