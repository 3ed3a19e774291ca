// Which messages a list has: by state, endpoint and topic, by what they are about, and by day.

import type { FormEvent } from "react";
import { Button } from "react-aria-components/Button";
import {
  DELIVERY_STATES,
  DELIVERY_TOPICS,
  type Delivery,
  type DeliveryFilter,
  type DeliveryState,
} from "../api/deliveries";
import { isOperator } from "../api/session";
import { beginOf, dayIn, endOf } from "../days";
import { useDraft } from "../draft";
import { isId, oneOf, placeHref, replaceRoute } from "../router";
import { useConsole } from "../session-context";
import { useTexts } from "../texts";
import { useEndpoints } from "./application-webhooks";
import { Choice, Field } from "./field";

const MAX_TOPIC_CHARS = 100;
const MAX_ORIGIN_CHARS = 300;
const ID_CHARS = 36;

/** What the address asks for, each as it stands there. */
export interface DeliveriesAsked {
  application_id: string;
  state: DeliveryState | "";
  topic: string;
  origin: string;
  subject_id: string;
  from: string;
  until: string;
}

export function deliveriesAskedIn(query: URLSearchParams): DeliveriesAsked {
  const id = (name: string) => (isId(query.get(name)) ? (query.get(name) ?? "") : "");
  return {
    application_id: id("application_id"),
    state: oneOf<DeliveryState | "">(["", ...DELIVERY_STATES], query.get("state"), ""),
    topic: (query.get("topic") ?? "").slice(0, MAX_TOPIC_CHARS),
    origin: (query.get("origin") ?? "").slice(0, MAX_ORIGIN_CHARS),
    subject_id: id("subject_id"),
    from: dayIn(query, "from"),
    until: dayIn(query, "until"),
  };
}

/** What the server is asked: days are those of the reader's clock, and the last one is among them. */
export function deliveryFilter(asked: DeliveriesAsked): Omit<DeliveryFilter, "after"> {
  const { application_id, state, topic, origin, subject_id, from, until } = asked;
  return {
    ...(application_id === "" ? {} : { application_id }),
    ...(state === "" ? {} : { state }),
    ...(topic === "" ? {} : { topic }),
    ...(origin === "" ? {} : { origin }),
    ...(subject_id === "" ? {} : { subject_id }),
    ...(from === "" ? {} : { from: beginOf(from) }),
    ...(until === "" ? {} : { to: endOf(until) }),
  };
}

interface DeliveriesFilterProps {
  given: DeliveriesAsked;
  /** What is listed: its endpoints and topics can be chosen, too. */
  seen: readonly Delivery[];
}

export function DeliveriesFilter({ given, seen }: DeliveriesFilterProps) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const { session } = useConsole();
  const application = isOperator(session) ? given.application_id : session.application_id;
  const endpoints = useEndpoints(application).data ?? [];
  const [typed, setTyped] = useDraft(given, `${given.subject_id} ${given.from} ${given.until}`);
  const change = (changed: Partial<DeliveriesAsked>) => replaceRoute(placeHref("deliveries", { ...given, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change({ subject_id: typed.subject_id.trim(), from: typed.from, until: typed.until });
  };
  const origins = [...endpoints, ...seen].map(({ origin }) => origin);
  const topics = [...DELIVERY_TOPICS, ...seen.map(({ topic }) => topic)];
  return (
    <search className="part">
      <div className="filters">
        <Choice<DeliveryState | "">
          label={texts.tenants.status}
          value={given.state}
          options={[
            ["", texts.cases.anyState] as const,
            ...DELIVERY_STATES.map((one) => [one, words.states[one]] as const),
          ]}
          onChange={(state) => change({ state })}
        />
        <Choice
          label={words.endpoint}
          value={given.origin}
          options={[["", words.anyEndpoint] as const, ...once(origins, given.origin)]}
          onChange={(origin) => change({ origin })}
        />
        <Choice
          label={words.topic}
          value={given.topic}
          options={[["", words.anyTopic] as const, ...once(topics, given.topic)]}
          onChange={(topic) => change({ topic })}
        />
      </div>
      <form className="filters" onSubmit={submit}>
        <Field
          label={words.about}
          value={typed.subject_id}
          onChange={(subject_id) => setTyped({ ...typed, subject_id })}
          maxLength={ID_CHARS}
          pattern="\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\s*"
          title={words.aboutHint}
        />
        <Field label={words.from} type="date" value={typed.from} onChange={(from) => setTyped({ ...typed, from })} />
        <Field
          label={words.until}
          type="date"
          value={typed.until}
          onChange={(until) => setTyped({ ...typed, until })}
        />
        <Button className="button" type="submit">
          {texts.people.find}
        </Button>
      </form>
    </search>
  );
}

/** Each of some values once, in their order, with the one that is chosen. */
function once(all: readonly string[], chosen: string): (readonly [string, string])[] {
  const values = new Set([...all, chosen].filter((one) => one !== ""));
  return [...values].map((one) => [one, one] as const);
}
