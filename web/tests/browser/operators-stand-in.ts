// A stand-in for what operators see: tenants and their keys, accounts, approvals, and other operators.

import type { Operator, OperatorInvitation, OperatorRole } from "../../console/api/operators";
import { OPERATOR_SCOPES, type OperatorScope } from "../../console/api/session";
import {
  type AccountRecord,
  type ApiKey,
  type Application,
  type Approval,
  FEATURES,
  type Organisation,
} from "../../console/api/tenants";
import type { ConsolePaths, PathsBelow, RequestBodyOf } from "../../shared/schema";
import { refuse } from "./cases-stand-in";
import { HealthStandIn } from "./health-stand-in";
import { type Reply, reply } from "./holder-stand-in";
import { WorkStandIn } from "./work-stand-in";

type Operations = PathsBelow<ConsolePaths, "/console">;
type CreateKey = Operations["/applications/{applicationId}/keys"]["post"];
type CreateApplication = Operations["/applications"]["post"];
type Invite = Operations["/operators/invitations"]["post"];
type SetGrant = Operations["/operators/{operatorId}"]["put"];
type CreateRole = Operations["/operator-roles"]["post"];
type ChangeRole = Operations["/operator-roles/{roleId}"]["put"];
type Enable = Operations["/operators/{operatorId}/enable"]["post"];

const CREATED_AT = "2026-01-16T14:40:00Z";
const DAY_MS = 86_400_000;

function numbered(kind: string, number: number): string {
  return `${kind}000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

export function operator(number: number, name: string, more: Partial<Operator> = {}): Operator {
  return {
    id: numbered("61", number),
    name,
    email: `${name.toLowerCase()}@example.com`,
    role: "administrator",
    scopes: [...OPERATOR_SCOPES],
    disabled: false,
    created_at: CREATED_AT,
    ...more,
  };
}

export function organisation(number: number, name: string, more: Partial<Organisation> = {}): Organisation {
  return { id: numbered("62", number), name, status: "ACTIVE", created_at: CREATED_AT, ...more };
}

export function application(number: number, name: string, more: Partial<Application> = {}): Application {
  return {
    id: numbered("63", number),
    organisation_id: numbered("62", 1),
    name,
    state: "ENABLED",
    billing_source_id: numbered("62", 1),
    features: [...FEATURES],
    created_at: CREATED_AT,
    ...more,
  };
}

export function apiKey(number: number, name: string, more: Partial<ApiKey> = {}): ApiKey {
  return { id: numbered("64", number), name, scopes: [], revoked: false, created_at: CREATED_AT, ...more };
}

export function account(number: number, name: string, more: Partial<AccountRecord> = {}): AccountRecord {
  return {
    id: numbered("65", number),
    application_id: numbered("63", 1),
    name,
    members: 3,
    state: "OPEN",
    created_at: CREATED_AT,
    ...more,
  };
}

export function approval(number: number, more: Partial<Approval> = {}): Approval {
  return {
    id: numbered("66", number),
    action: "account.delete",
    account_id: numbered("65", 1),
    requested_by: numbered("61", 2),
    requested_at: new Date(Date.now() - 3_600_000).toISOString(),
    expires_at: new Date(Date.now() + DAY_MS).toISOString(),
    state: "PENDING",
    ...more,
  };
}

/** An operation with a word for an id, where it has one. */
function named(asked: string, id: string, word: string): string {
  return id === "" ? asked : asked.replace(id, word);
}

const BUILT_IN: Record<"administrator" | "support" | "auditor", OperatorScope[]> = {
  administrator: [...OPERATOR_SCOPES],
  support: [
    "settings:view",
    "models:view",
    "providers:test",
    "jobs:manage",
    "deliveries:manage",
    "sessions:view",
    "sessions:manage",
    "health:view",
  ],
  auditor: ["settings:view", "models:view", "sessions:view", "audit:view", "health:view"],
};

/** What is given with a second operator, where four eyes are needed. */
const GIVEN_BY_TWO: readonly OperatorScope[] = [
  "organisations:manage",
  "keys:manage",
  "sessions:manage",
  "operators:manage",
  "deletions:approve",
];

/** What each operation demands; those that are left out are for every operator. */
const SCOPES: readonly (readonly [RegExp, OperatorScope])[] = [
  [/ \/(organisations|accounts)/, "organisations:manage"],
  [/ \/applications\/[^/]+\/keys/, "keys:manage"],
  [/ \/applications/, "applications:manage"],
  [/ \/approvals\/[^/]+\//, "deletions:approve"],
  [/ \/(jobs|job-lanes)/, "jobs:manage"],
  [/ \/deletion-receipts/, "audit:view"],
  [/ \/operators/, "operators:manage"],
  [/^(POST|PUT|DELETE) \/operator-roles/, "operators:manage"],
];

export class OperatorsStandIn {
  operators: Operator[] = [];
  invitations: OperatorInvitation[] = [];
  roles: OperatorRole[] = [];
  organisations: Organisation[] = [];
  applications: Application[] = [];
  readonly keys = new Map<string, ApiKey[]>();
  accounts: AccountRecord[] = [];
  approvals: Approval[] = [];
  fourEyes = false;
  #made = 100;

  readonly health = new HealthStandIn();
  readonly work = new WorkStandIn();

  answer(operation: string, body: unknown, me: Operator, query = new URLSearchParams()): Reply {
    const asked = operation.replace("/console", "");
    const needed = SCOPES.find(([pattern]) => pattern.test(asked))?.[1];
    if (needed && !me.scopes.includes(needed)) {
      return refuse(401, `the scope ${needed} is needed`, "UNAUTHORIZED");
    }
    return (
      this.health.answer(asked, me.scopes) ??
      this.work.answer(asked, query) ??
      this.#tenants(asked, body, me) ??
      this.#approved(asked, me) ??
      this.#people(asked, body, me) ??
      refuse(404, `there is no ${operation}`)
    );
  }

  #next(kind: string): string {
    this.#made += 1;
    return numbered(kind, this.#made);
  }

  /** Something waits for another operator. */
  #request(me: Operator, more: Partial<Approval>): string {
    const id = this.#next("66");
    const { account_id: _, ...plain } = approval(0);
    this.approvals.unshift({ ...plain, id, requested_by: me.id, ...more });
    return id;
  }

  #tenants(asked: string, body: unknown, me: Operator): Reply | undefined {
    const [, app = ""] = /^\w+ \/applications\/([\da-f-]{36})\/keys/.exec(asked) ?? [];
    const [, last = ""] = /\/([\da-f-]{36})$/.exec(asked) ?? [];
    switch (named(named(asked, app, "APP"), last, "ID")) {
      case "GET /organisations":
        return reply<Operations["/organisations"]["get"]>(200, { organisations: this.organisations });
      case "POST /organisations": {
        const { name } = body as RequestBodyOf<Operations["/organisations"]["post"]>;
        const made = organisation(0, name, { id: this.#next("62") });
        this.organisations.push(made);
        return reply<Operations["/organisations"]["post"]>(201, { id: made.id });
      }
      case "PATCH /organisations/ID": {
        const { name, status } = body as RequestBodyOf<Operations["/organisations/{organisationId}"]["patch"]>;
        const known = this.organisations.find(({ id }) => id === last);
        if (!known) {
          return refuse(404, `there is no organisation ${last}`, "NOT_FOUND");
        }
        Object.assign(known, { ...(name ? { name } : {}), ...(status ? { status } : {}) });
        return [204];
      }
      case "PATCH /applications/ID": {
        type Change = RequestBodyOf<Operations["/applications/{applicationId}"]["patch"]>;
        const { limits: _, ...change } = body as Change;
        const known = this.applications.find(({ id }) => id === last);
        if (!known) {
          return refuse(404, `there is no application ${last}`, "NOT_FOUND");
        }
        const owner = change.organisation_id ?? known.organisation_id;
        const isAssigned = Boolean(change.organisation_id ?? change.billing_source_id);
        if (isAssigned && !this.organisations.some(({ id }) => id === owner)) {
          return refuse(404, `there is no organisation ${owner}`, "NOT_FOUND");
        }
        Object.assign(known, change);
        return [204];
      }
      case "GET /applications":
        return reply<Operations["/applications"]["get"]>(200, { applications: this.applications });
      case "POST /applications": {
        const { name, organisation_id, features } = body as RequestBodyOf<CreateApplication>;
        if (!this.organisations.some(({ id }) => id === organisation_id)) {
          return refuse(404, "there is no such organisation", "NOT_FOUND");
        }
        const id = this.#next("63");
        this.applications.push(application(0, name, { id, organisation_id, features: features ?? [...FEATURES] }));
        return reply<CreateApplication>(201, { id });
      }
      case "GET /applications/APP/keys":
        return reply<Operations["/applications/{applicationId}/keys"]["get"]>(200, { keys: this.keys.get(app) ?? [] });
      case "POST /applications/APP/keys": {
        const { name, scopes, expires_at } = body as RequestBodyOf<CreateKey>;
        const key = "assay_2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM";
        if (this.fourEyes) {
          const wanted = { action: "api-key.create" as const, application_id: app, name, scopes };
          return reply<CreateKey>(202, { approval_id: this.#request(me, wanted), key });
        }
        const made = apiKey(0, name, { id: this.#next("64"), scopes, ...(expires_at ? { expires_at } : {}) });
        this.keys.set(app, [made, ...(this.keys.get(app) ?? [])]);
        return reply<CreateKey>(201, { id: made.id, key });
      }
      case "DELETE /applications/APP/keys/ID": {
        if (this.fourEyes) {
          const wanted = { action: "api-key.revoke" as const, application_id: app, key_id: last };
          type Revoke = Operations["/applications/{applicationId}/keys/{keyId}"]["delete"];
          return reply<Revoke>(202, { approval_id: this.#request(me, wanted) });
        }
        const revoked = this.keys.get(app)?.find(({ id }) => id === last);
        if (revoked) {
          revoked.revoked = true;
        }
        return [204];
      }
      case "GET /accounts":
        return reply<Operations["/accounts"]["get"]>(200, { accounts: this.accounts });
      case "DELETE /accounts/ID": {
        if (this.fourEyes) {
          const id = this.#request(me, { action: "account.delete", account_id: last });
          return reply<Operations["/accounts/{accountId}"]["delete"]>(202, { approval_id: id });
        }
        this.accounts = this.accounts.filter(({ id }) => id !== last);
        return [204];
      }
      default:
        return undefined;
    }
  }

  #approved(asked: string, me: Operator): Reply | undefined {
    if (asked === "GET /approvals") {
      return reply<Operations["/approvals"]["get"]>(200, { approvals: this.approvals });
    }
    const [, id, word] = /^POST \/approvals\/([\da-f-]{36})\/(approve|refuse)$/.exec(asked) ?? [];
    const found = this.approvals.find((one) => one.id === id);
    if (!word) {
      return undefined;
    }
    if (!found) {
      return refuse(404, "there is no such request", "NOT_FOUND");
    }
    if (found.requested_by === me.id && word === "approve") {
      return refuse(409, "you asked for it yourself; another operator must approve it", "CONFLICT");
    }
    found.state = word === "approve" ? "APPROVED" : "REFUSED";
    found.decided_by = me.id;
    found.decided_at = new Date().toISOString();
    if (word === "approve" && found.action === "account.delete") {
      this.accounts = this.accounts.filter((one) => one.id !== found.account_id);
    }
    return [204];
  }

  /** Whether a second operator must approve that these are given. */
  #needsTwo(scopes: readonly OperatorScope[]): boolean {
    return this.fourEyes && scopes.some((scope) => GIVEN_BY_TWO.includes(scope));
  }

  #people(asked: string, body: unknown, me: Operator): Reply | undefined {
    const [, id = ""] = /([\da-f-]{36})/.exec(asked) ?? [];
    const found = this.operators.find((one) => one.id === id);
    switch (named(asked, id, "ID")) {
      case "GET /operators":
        return reply<Operations["/operators"]["get"]>(200, { operators: this.operators });
      case "PUT /operators/ID": {
        const { role, scopes } = body as RequestBodyOf<SetGrant>;
        const added = [...this.#scopesOf(role), ...(scopes ?? [])].filter((scope) => !found?.scopes.includes(scope));
        if (this.#needsTwo(added)) {
          const action = "operator.set-scopes" as const;
          const wanted = { action, operator_id: id, role: role ?? null, scopes: scopes ?? [] };
          return reply<SetGrant>(202, { approval_id: this.#request(me, wanted) });
        }
        if (found) {
          found.role = role ?? null;
          found.scopes = [...new Set([...this.#scopesOf(role), ...(scopes ?? [])])];
        }
        return [204];
      }
      case "POST /operators/ID/disable":
      case "POST /operators/ID/enable":
        if (found && asked.endsWith("enable") && this.#needsTwo(found.scopes)) {
          const wanted = { action: "operator.enable" as const, operator_id: id };
          return reply<Enable>(202, { approval_id: this.#request(me, wanted) });
        }
        if (found) {
          found.disabled = asked.endsWith("disable");
        }
        return [204];
      case "GET /operators/invitations":
        return reply<Operations["/operators/invitations"]["get"]>(200, { invitations: this.invitations });
      case "POST /operators/invitations": {
        const { email, name, role, scopes } = body as RequestBodyOf<Invite>;
        if (this.#needsTwo([...this.#scopesOf(role), ...(scopes ?? [])])) {
          const action = "operator-invitation.create" as const;
          const wanted = { action, email, name: name ?? null, role: role ?? null, scopes: scopes ?? [] };
          return reply<Invite>(202, { approval_id: this.#request(me, wanted) });
        }
        const made = {
          id: this.#next("67"),
          email,
          name: name ?? email.split("@")[0] ?? "",
          role: role ?? null,
          scopes: scopes ?? [],
          created_at: CREATED_AT,
          expires_at: "2026-01-23T14:40:00Z",
        };
        this.invitations.unshift(made);
        return reply<Invite>(201, { id: made.id });
      }
      case "DELETE /operators/invitations/ID":
        this.invitations = this.invitations.filter((one) => one.id !== id);
        return [204];
      case "GET /operator-roles":
        return reply<Operations["/operator-roles"]["get"]>(200, {
          built_in: (["administrator", "support", "auditor"] as const).map((role) => ({
            role,
            scopes: BUILT_IN[role],
          })),
          roles: this.roles,
        });
      case "POST /operator-roles": {
        const { name, scopes } = body as RequestBodyOf<CreateRole>;
        const made = { id: this.#next("68"), name, scopes, created_at: CREATED_AT };
        this.roles.push(made);
        return reply<CreateRole>(201, { id: made.id });
      }
      case "PUT /operator-roles/ID": {
        const { name, scopes } = body as RequestBodyOf<CreateRole>;
        if (this.#needsTwo(scopes.filter((scope) => !this.#scopesOf(id).includes(scope)))) {
          const wanted = { action: "operator-role.change" as const, role: id, name, scopes };
          return reply<ChangeRole>(202, { approval_id: this.#request(me, wanted) });
        }
        this.roles = this.roles.map((one) => (one.id === id ? { ...one, name, scopes } : one));
        return [204];
      }
      case "DELETE /operator-roles/ID":
        if (this.operators.some(({ role }) => role === id)) {
          return refuse(409, "somebody has the role; give them another one first", "CONFLICT");
        }
        this.roles = this.roles.filter((one) => one.id !== id);
        return [204];
      default:
        return undefined;
    }
  }

  #scopesOf(role: string | null | undefined): readonly OperatorScope[] {
    return role === "administrator" || role === "support" || role === "auditor"
      ? BUILT_IN[role]
      : (this.roles.find(({ id }) => id === role)?.scopes ?? []);
  }
}
