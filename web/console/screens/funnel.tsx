// How sessions go, step by step: how many begin, pass, fail and are left, and how long they take.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type FunnelStep, SESSION_KINDS, sessionFunnel } from "../api/verification-sessions";
import { Choice, Tick } from "../components/field";
import { StackedBar } from "../components/figures";
import { Answer, Card, Empty, Screen } from "../components/screen";
import { codeWords, kindWords } from "../components/session-words";
import { useApplications } from "../components/tenant-links";
import { oneOf, placeHref, replaceRoute } from "../router";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

const DAY_MS = 86_400_000;
const PERIODS = ["1", "7", "30", "90"] as const;

export function FunnelScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { sessions: words } = texts;
  const format = useFormat();
  const applications = useApplications().data;
  const given = {
    days: oneOf(PERIODS, query.get("days"), "7"),
    kind: oneOf(SESSION_KINDS, query.get("kind"), "AGE"),
    sandbox: query.get("sandbox") === "true" ? "true" : "",
    application_id: query.get("application_id") ?? "",
  };
  const [opened] = useState(Date.now);
  const answer = useQuery({
    queryKey: ["session-funnel", given],
    queryFn: () =>
      sessionFunnel({
        kind: given.kind,
        from: new Date(opened - Number(given.days) * DAY_MS).toISOString(),
        to: new Date(opened).toISOString(),
        ...(given.sandbox === "true" ? { sandbox: true } : {}),
        ...(given.application_id === "" ? {} : { application_id: given.application_id }),
      }),
  });
  const change = (changed: Partial<typeof given>) => replaceRoute(placeHref("funnel", { ...given, ...changed }));
  return (
    <Screen heading={texts.nav.funnel} back={{ href: placeHref("sessions"), label: texts.nav.sessions }} wide>
      <div className="filters">
        <Choice
          label={words.kind}
          value={given.kind}
          options={SESSION_KINDS.map((one) => [one, kindWords(texts, one)] as const)}
          onChange={(kind) => change({ kind })}
        />
        <Choice<(typeof PERIODS)[number]>
          label={texts.quality.since}
          value={given.days}
          options={PERIODS.map((one) => [one, format.span(86_400 * Number(one))] as const)}
          onChange={(days) => change({ days })}
        />
        {applications && (
          <Choice
            label={texts.tenants.application}
            value={given.application_id}
            options={[["", words.anyApplication] as const, ...applications.map(({ id, name }) => [id, name] as const)]}
            onChange={(application_id) => change({ application_id })}
          />
        )}
        <Tick
          label={words.onlySandbox}
          isTicked={given.sandbox === "true"}
          onChange={(ticked) => change({ sandbox: ticked ? "true" : "" })}
        />
      </div>
      <Answer query={answer}>
        {(steps) => (steps.length === 0 ? <Empty>{words.noneInPeriod}</Empty> : <Steps steps={steps} />)}
      </Answer>
    </Screen>
  );
}

function Steps({ steps }: { steps: readonly FunnelStep[] }) {
  const { nav, sessions: words } = useTexts();
  const format = useFormat();
  const most = Math.max(...steps.map(({ started }) => started));
  const seconds = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : format.span(Math.max(1, value));
  return (
    <Card>
      {/* A table too wide for its card scrolls by itself, with the keyboard as well.
          biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it. */}
      <section className="scroll" tabIndex={0} aria-label={nav.funnel}>
        <table className="fields funnel">
          <thead>
            <tr>
              <th scope="col">{words.step}</th>
              <th scope="col">{words.began}</th>
              <th scope="col">{words.outcome}</th>
              <th scope="col">{words.median}</th>
              <th scope="col">{words.p90}</th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => {
              const { started, passed, failed, undecided, left } = step;
              const said = fill(words.shares, {
                passed: format.number(passed),
                failed: format.number(failed),
                undecided: format.number(undecided),
                left: format.number(left),
              });
              return (
                <tr key={`${step.step} ${step.subject}`}>
                  <th scope="row">
                    {words.steps[step.step]}
                    {step.subject && <span className="soft"> {codeWords(step.subject)}</span>}
                  </th>
                  <td>{format.number(started)}</td>
                  <td className="funnel-bar">
                    <StackedBar
                      label={said}
                      whole={most}
                      parts={[
                        { id: "passed", value: passed, tone: "good" },
                        { id: "failed", value: failed, tone: "bad" },
                        { id: "undecided", value: undecided, tone: "warn" },
                        { id: "left", value: left, tone: "plain" },
                      ]}
                    />
                    <span className="soft">{said}</span>
                  </td>
                  <td>{seconds(step.median_seconds)}</td>
                  <td>{seconds(step.p90_seconds)}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
    </Card>
  );
}
