// Where an application's messages go, and what they are signed with.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { listEndpoints, listSecrets, rotateSecret, sendTestEvent, type WebhookEndpoint } from "../api/deliveries";
import { useSubmit } from "../one-at-a-time";
import { detailHref, navigate, useIsShown } from "../router";
import { useAction } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { UnverifiedBadge } from "./delivery-words";
import { DialogFrame } from "./dialog-frame";
import { Choice, Field, Tick } from "./field";
import { Answer, Badge, Card, Moment } from "./screen";
import { useShowSecret } from "./secret-once";

const REFRESH_MS = 10_000;
/** Endpoints that are shown before somebody asks for all of them. */
const FIRST_ENDPOINTS = 3;
const HOUR_SECONDS = 3600;
const MAX_URL_CHARS = 2000;
/** For how many hours the old secrets sign beside a new one. */
const OVERLAP_HOURS = ["0", "1", "24", "72", "168"] as const;

export function useEndpoints(application: string) {
  return useQuery({
    queryKey: ["webhook-endpoints", application],
    queryFn: () => listEndpoints(application),
    enabled: application !== "",
    refetchInterval: REFRESH_MS,
  });
}

interface EndpointsProps {
  application: string;
  /** Where the messages to an origin are listed. */
  hrefOf(origin: string): string;
}

export function Endpoints({ application, hrefOf }: EndpointsProps) {
  const { deliveries: words } = useTexts();
  const format = useFormat();
  const [isWhole, setIsWhole] = useState(false);
  const answer = useEndpoints(application);
  return (
    <Card heading={words.endpoints} id="endpoints">
      <Answer query={answer}>
        {(all) =>
          all.length === 0 ? (
            <p className="soft">{words.noEndpoints}</p>
          ) : (
            <>
              <ul className="lines">
                {byTrouble(all, isWhole).map((one) => (
                  <EndpointLine key={`${one.origin} ${one.verify_tls}`} endpoint={one} href={hrefOf(one.origin)} />
                ))}
              </ul>
              {!isWhole && all.length > FIRST_ENDPOINTS && (
                <div className="answers">
                  <Button className="button small" onPress={() => setIsWhole(true)}>
                    {fill(words.allEndpoints, { count: format.number(all.length) })}
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Answer>
    </Card>
  );
}

/** Those that did not take everything come first. */
function byTrouble(all: readonly WebhookEndpoint[], isWhole: boolean): WebhookEndpoint[] {
  const sorted = [...all].sort((one, other) => other.failed - one.failed || other.pending - one.pending);
  return isWhole ? sorted : sorted.slice(0, FIRST_ENDPOINTS);
}

function EndpointLine({ endpoint, href }: { endpoint: WebhookEndpoint; href: string }) {
  const { deliveries: words } = useTexts();
  const format = useFormat();
  const { origin, verify_tls, pending, delivered, failed, last_delivered_at, last_failed_at } = endpoint;
  return (
    <li>
      <span className="line">
        <a href={href}>{origin}</a>
        <span className="badges">
          {!verify_tls && <UnverifiedBadge />}
          {pending > 0 && <Badge tone="warn">{fill(words.pendingCount, { count: format.number(pending) })}</Badge>}
          {failed > 0 && <Badge tone="bad">{fill(words.failedCount, { count: format.number(failed) })}</Badge>}
          <Badge tone={delivered > 0 ? "good" : "plain"}>
            {fill(words.deliveredCount, { count: format.number(delivered) })}
          </Badge>
        </span>
      </span>
      {last_delivered_at && (
        <span className="soft detail">
          {words.lastDelivered} <Moment at={last_delivered_at} />
        </span>
      )}
      {last_failed_at && (
        <span className="soft detail">
          {words.lastFailed} <Moment at={last_failed_at} />
        </span>
      )}
    </li>
  );
}

export function Secrets({ application }: { application: string }) {
  const texts = useTexts();
  const { deliveries: words } = texts;
  const answer = useQuery({
    queryKey: ["webhook-secrets", application],
    queryFn: () => listSecrets(application),
  });
  return (
    <Card heading={words.secrets} id="secrets">
      <Answer query={answer}>
        {(all) =>
          all.length === 0 ? (
            <p className="soft">{words.noSecrets}</p>
          ) : (
            <ul className="lines">
              {all.map(({ id, created_at, retires_at }) => (
                <li key={id} className="line">
                  <span>
                    {texts.tenants.created} <Moment at={created_at} />
                  </span>
                  {retires_at ? (
                    <span className="soft">
                      {words.signsUntil} <Moment at={retires_at} />
                    </span>
                  ) : (
                    <Badge tone="good">{words.signs}</Badge>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

interface DialogProps {
  application: string;
  close(): void;
}

interface RotateProps extends DialogProps {
  /** The new secret was shown, and is closed. */
  onSeen(): void;
}

/** Replaces the secret, and has the new one shown once. */
export function RotateDialog({ application, close, onSeen }: RotateProps) {
  const { deliveries: words } = useTexts();
  const format = useFormat();
  const act = useAction();
  const client = useQueryClient();
  const isShown = useIsShown();
  const showSecret = useShowSecret();
  const [hours, setHours] = useUnsent<(typeof OVERLAP_HOURS)[number]>(`overlap of secrets of ${application}`, "24");
  const submit = useSubmit(async () => {
    await act(async () => {
      const { secret, old_ones_retire_at: until } = await rotateSecret(application, { overlap_hours: Number(hours) });
      if (isShown()) {
        close();
      }
      const note = hours === "0" ? words.oldStopped : fill(words.oldSignUntil, { until: format.moment(until) });
      showSecret({ heading: words.newSecret, label: words.secret, secret, note, onClosed: onSeen });
      await client.invalidateQueries({ queryKey: ["webhook-secrets", application] });
    });
  });
  return (
    <DialogFrame heading={words.rotate} close={close} id="rotate">
      <p className="soft">{words.rotateMeans}</p>
      <form onSubmit={submit}>
        <Choice<(typeof OVERLAP_HOURS)[number]>
          label={words.overlap}
          value={hours}
          options={OVERLAP_HOURS.map(
            (one) => [one, one === "0" ? words.noOverlap : format.span(Number(one) * HOUR_SECONDS)] as const,
          )}
          onChange={setHours}
        />
        <div className="answers">
          <Button className="button primary" type="submit">
            {words.rotateNow}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

/** Sends a test event, and leads to its delivery. */
export function TestEventDialog({ application, origin, close }: DialogProps & { origin: string }) {
  const { deliveries: words } = useTexts();
  const act = useAction();
  const isShown = useIsShown();
  const [url, setUrl] = useUnsent(`url of a test event of ${application}`, origin);
  const [verified, setVerified] = useUnsent(`verification of a test event of ${application}`, true);
  const submit = useSubmit(async () => {
    await act(async () => {
      const id = await sendTestEvent(application, { url: url.trim(), verify_tls: verified });
      if (isShown()) {
        close();
        navigate(detailHref("delivery", id));
      }
    }, words.testSent);
  });
  return (
    <DialogFrame heading={words.test} close={close} id="test-event">
      <p className="soft">{words.testMeans}</p>
      <form onSubmit={submit}>
        <Field
          label={words.testUrl}
          value={url}
          onChange={setUrl}
          maxLength={MAX_URL_CHARS}
          pattern="\s*https://.+"
          title={words.testUrlHint}
          isRequired
          autoFocus
        />
        <Tick label={words.verifyTls} isTicked={verified} onChange={setVerified} />
        <div className="answers">
          <Button className="button primary" type="submit">
            {words.sendTest}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
