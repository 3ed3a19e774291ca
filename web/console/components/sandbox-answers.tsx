// What the sandbox of an application answers: about documents in general, and the result of one session of age verification.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import {
  AGE_METHODS,
  AGE_STATUSES,
  type AgeMethod,
  type AgeStatus,
  type DocumentResponses,
  documentResponses,
  type SentResponses,
  setAgeOutcome,
  setDocumentResponses,
} from "../api/sandbox";
import { useSubmit } from "../one-at-a-time";
import { isId } from "../router";
import {
  delayOf,
  readConfig,
  SANDBOX_CHECKS,
  SIMPLE_ANSWERS,
  type SimpleAnswer,
  simpleAnswer,
  withAnswer,
  withDelay,
  writeConfig,
} from "../sandbox-responses";
import { useAction } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { Choice, Field, TextArea } from "./field";
import { Icon } from "./icon";
import { Answer, Card } from "./screen";
import { codeWords } from "./session-words";

/** The console takes requests of up to 60 KiB. */
const MAX_CONFIG_CHARS = 60_000;
const MAX_DELAY_SECONDS = 3600;
const MAX_AGE_YEARS = 120;
const DOCUMENTS = ["sandbox-documents"];

export function SandboxDocuments() {
  const { sandbox: words } = useTexts();
  const answer = useQuery({ queryKey: DOCUMENTS, queryFn: documentResponses });
  return (
    <Card heading={words.documents} id="sandbox-documents">
      <p className="soft">{words.documentsMean}</p>
      <Answer query={answer}>{(sent) => <DocumentForm sent={sent} />}</Answer>
    </Card>
  );
}

function DocumentForm({ sent }: { sent: SentResponses }) {
  const { sandbox: words, finding, save } = useTexts();
  const format = useFormat();
  const act = useAction();
  const client = useQueryClient();
  const given = writeConfig(sent);
  // As long as nothing is typed, it is what the server has, which colleagues change too.
  const [typed, setTyped] = useUnsent<string | undefined>("what the sandbox is to answer about documents", undefined);
  const text = typed ?? given;
  const setText = (to: string) => setTyped(to === given ? undefined : to);
  const [isOpen, setOpen] = useState(false);
  const config = readConfig(text);
  const submit = useSubmit(async () => {
    if (!config) {
      return;
    }
    const isDone = await act(async () => {
      // Whether the server takes it is for the server to say.
      await setDocumentResponses(config as DocumentResponses);
      await client.invalidateQueries({ queryKey: DOCUMENTS });
    }, words.documentsSet);
    // Until it is fetched anew, what the page has of the server is what was there before.
    if (isDone && !client.getQueryState(DOCUMENTS)?.isInvalidated) {
      // What was typed meanwhile is not sent.
      setTyped((now) => (now === typed ? undefined : now));
    }
  });
  return (
    <form onSubmit={submit}>
      {config && (
        <div className="choice-grid">
          {SANDBOX_CHECKS.map((check) => {
            const answer = simpleAnswer(config, check);
            const simple = SIMPLE_ANSWERS.map((one) => [one, words.answers[one]] as const);
            return (
              <Choice<SimpleAnswer | "OWN">
                key={check}
                label={words.checks[check]}
                value={answer ?? "OWN"}
                options={answer ? simple : [["OWN", words.own] as const, ...simple]}
                onChange={(to) => to !== "OWN" && setText(writeConfig(withAnswer(config, check, to)))}
              />
            );
          })}
          <Field
            label={words.delay}
            type="number"
            min={0}
            max={MAX_DELAY_SECONDS}
            value={`${delayOf(config)}`}
            onChange={(to) => setText(writeConfig(withDelay(config, Number(to))))}
          />
        </div>
      )}
      <Disclosure className="disclosure" isExpanded={isOpen || !config} onExpandedChange={setOpen}>
        <Button slot="trigger" className="disclosure-button">
          <Icon name="forward" /> {words.asJson}
        </Button>
        <DisclosurePanel>
          <TextArea
            label={words.json}
            value={text}
            onChange={setText}
            most={MAX_CONFIG_CHARS}
            used={(used) =>
              fill(finding.commentUsed, { used: format.number(used), most: format.number(MAX_CONFIG_CHARS) })
            }
            rows={12}
            isCode
          />
        </DisclosurePanel>
      </Disclosure>
      {!config && (
        <p className="note" role="alert">
          {words.noJson}
        </p>
      )}
      <div className="answers">
        <Button className="button primary" type="submit" isDisabled={!config}>
          {save}
        </Button>
      </div>
    </form>
  );
}

/** `session`: which one somebody came for. */
export function SandboxAgeOutcome({ session }: { session: string }) {
  const { sandbox: words, sessions } = useTexts();
  const act = useAction();
  const client = useQueryClient();
  const [id, setId] = useUnsent("session of a result in the sandbox", isId(session) ? session : "");
  const [status, setStatus] = useUnsent<AgeStatus>("state of a result in the sandbox", "COMPLETE");
  const [age, setAge] = useUnsent("age of a result in the sandbox", "");
  const [method, setMethod] = useUnsent<AgeMethod | "">("method of a result in the sandbox", "");
  const submit = useSubmit(async () => {
    await act(async () => {
      await setAgeOutcome(id.trim(), {
        status,
        ...(age === "" ? {} : { age: Number(age) }),
        ...(method === "" ? {} : { method }),
      });
      await client.invalidateQueries({ queryKey: ["verification-sessions"] });
      await client.invalidateQueries({ queryKey: ["verification-session", id.trim()] });
    }, words.ageSet);
  });
  return (
    <Card heading={words.age} id="sandbox-age">
      <p className="soft">{words.ageMeans}</p>
      <form onSubmit={submit}>
        <Field
          label={words.session}
          value={id}
          onChange={setId}
          isRequired
          pattern="\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\s*"
          title={words.sessionForm}
        />
        <div className="choice-grid">
          <Choice<AgeStatus>
            label={words.result}
            value={status}
            options={AGE_STATUSES.map((one) => [one, sessions.states[one]] as const)}
            onChange={setStatus}
          />
          <Field label={words.years} type="number" min={0} max={MAX_AGE_YEARS} value={age} onChange={setAge} />
          <Choice<AgeMethod | "">
            label={words.method}
            value={method}
            options={[["", words.firstMethod] as const, ...AGE_METHODS.map((one) => [one, codeWords(one)] as const)]}
            onChange={setMethod}
          />
        </div>
        <div className="answers">
          <Button className="button" type="submit">
            {words.setAge}
          </Button>
        </div>
      </form>
    </Card>
  );
}
