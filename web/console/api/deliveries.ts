// Messages to applications' servers: where they go, how their attempts ended, sending them again, what they are signed with.

import type { ConsolePaths, RequestBodyOf, ResponseOf } from "../../shared/schema";
import { call, queryOf } from "./client";

type List = ConsolePaths["/console/deliveries"]["get"];
type Get = ConsolePaths["/console/deliveries/{deliveryId}"]["get"];
type ReplayMany = ConsolePaths["/console/deliveries/replay"]["post"];
type Endpoints = ConsolePaths["/console/applications/{applicationId}/webhook-endpoints"]["get"];
type Secrets = ConsolePaths["/console/applications/{applicationId}/webhook-secrets"];
type TestEvent = ConsolePaths["/console/applications/{applicationId}/test-events"]["post"];

export type DeliveryList = ResponseOf<List>;
export type Delivery = DeliveryList["deliveries"][number];
export type DeliveryState = Delivery["state"];
export type DeliveryDetails = ResponseOf<Get>;
export type DeliveryAttempt = DeliveryDetails["attempts"][number];
export type DeliveryMessage = NonNullable<DeliveryDetails["message"]>;
export type WebhookEndpoint = ResponseOf<Endpoints>["endpoints"][number];
export type WebhookSecret = ResponseOf<Secrets["get"]>["secrets"][number];
export type NewWebhookSecret = ResponseOf<Secrets["post"]>;
export type ReplayedDeliveries = ResponseOf<ReplayMany>;
/** Which deliveries a list has. */
export type DeliveryFilter = NonNullable<List["parameters"]["query"]>;

export const DELIVERY_STATES = [
  "FAILED",
  "WAITING",
  "RUNNING",
  "DELIVERED",
] as const satisfies readonly DeliveryState[];

/** What messages are about, as far as this console knows. */
export const DELIVERY_TOPICS = [
  "ages.result",
  "ages.appeal",
  "identity.session_completion",
  "identity.check_completion",
  "identity.task_completion",
  "identity.resource_update",
  "identity.new_pdf_supplied",
  "identity.client_session_token_deleted",
  "identity.instructions_email_requested",
  "identity.thank_you_email_requested",
  "moderation.notification",
  "proof.result",
  "webhook.test",
] as const;

const delivery = (id: string, rest = "") => `/console/deliveries/${encodeURIComponent(id)}${rest}`;
const application = (id: string, rest: string) => `/console/applications/${encodeURIComponent(id)}${rest}`;

export function listDeliveries(filter: DeliveryFilter): Promise<DeliveryList> {
  return call<List>("GET", `/console/deliveries?${queryOf(filter)}`);
}

/** A delivery with what it says. That it was seen is recorded. */
export function getDelivery(id: string): Promise<DeliveryDetails> {
  return call<Get>("GET", delivery(id));
}

export async function replayDelivery(id: string): Promise<void> {
  await call("POST", delivery(id, "/replay"));
}

export function replayDeliveries(input: RequestBodyOf<ReplayMany>): Promise<ReplayedDeliveries> {
  return call<ReplayMany>("POST", "/console/deliveries/replay", input);
}

export async function listEndpoints(id: string): Promise<WebhookEndpoint[]> {
  return (await call<Endpoints>("GET", application(id, "/webhook-endpoints"))).endpoints;
}

export async function listSecrets(id: string): Promise<WebhookSecret[]> {
  return (await call<Secrets["get"]>("GET", application(id, "/webhook-secrets"))).secrets;
}

export function rotateSecret(id: string, input: RequestBodyOf<Secrets["post"]>): Promise<NewWebhookSecret> {
  return call<Secrets["post"]>("POST", application(id, "/webhook-secrets"), input);
}

/** Queues a test event; answers the id of its delivery. */
export async function sendTestEvent(id: string, input: RequestBodyOf<TestEvent>): Promise<string> {
  return (await call<TestEvent>("POST", application(id, "/test-events"), input)).id;
}
