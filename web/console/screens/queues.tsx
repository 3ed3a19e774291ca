// The queues: which cases each takes, when these are due, how many reviewers decide about them, and what they should know.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import {
  CASE_KINDS,
  type CaseKind,
  changeQueue,
  createQueue,
  deleteQueue,
  listQueues,
  type Queue,
  type QueueInput,
} from "../api/cases";
import { Confirm } from "../components/confirm";
import { type DataColumn, DataTable } from "../components/data-table";
import { DialogFrame } from "../components/dialog-frame";
import { Field, TextArea, Tick } from "../components/field";
import { isNewAsked, NewButton } from "../components/new-button";
import { Answer, Screen } from "../components/screen";
import { readReasons, writeReasons } from "../desk/reason-lines";
import { useSubmit } from "../one-at-a-time";
import { placeHref, replaceRoute, useIsShown } from "../router";
import { useAction } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

const MAX_POLICY_CHARS = 10_000;
const MAX_CODES_CHARS = 20_000;

export function QueuesScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const format = useFormat();
  const answer = useQuery({ queryKey: ["queues"], queryFn: listQueues });
  const open = isNewAsked(query) ? "new" : answer.data?.queues.find(({ id }) => id === query.get("queue"));
  const goTo = (query: { new?: string; queue?: string }) => replaceRoute(placeHref("queues", query));
  const { queues: words } = texts;
  const columns: DataColumn<Queue>[] = [
    {
      id: "name",
      heading: words.name,
      cell: ({ name }) => <span className="strong">{name}</span>,
      sortBy: ({ name }) => name.toLowerCase(),
    },
    {
      id: "takes",
      heading: words.takes,
      cell: ({ of_application }) => (of_application ? words.ofApplication : words.ofAccount),
      sortBy: ({ of_application }) => (of_application ? words.ofApplication : words.ofAccount),
    },
    {
      id: "open",
      heading: texts.queue.open,
      cell: ({ figures }) => figures.open,
      sortBy: ({ figures }) => figures.open,
    },
    {
      id: "overdue",
      heading: texts.queue.overdue,
      cell: ({ figures }) => figures.overdue,
      sortBy: ({ figures }) => figures.overdue,
    },
    {
      id: "target",
      heading: texts.cases.dueHeading,
      cell: ({ target_minutes }) => format.span(60 * target_minutes),
      sortBy: ({ target_minutes }) => target_minutes,
    },
    {
      id: "opinions",
      heading: words.opinions,
      cell: ({ opinions }) => opinions,
      sortBy: ({ opinions }) => opinions,
    },
  ];
  return (
    <Screen
      heading={texts.nav.queues}
      wide
      actions={<NewButton label={words.create} onPress={() => goTo({ new: "true" })} />}
    >
      <Answer query={answer}>
        {({ queues }) => (
          <DataTable<Queue>
            label={texts.nav.queues}
            columns={columns}
            rows={queues}
            idOf={({ id }) => id}
            empty={words.empty}
            onOpen={({ id }) => goTo({ queue: id })}
          />
        )}
      </Answer>
      {open && (
        <QueueDialog
          key={open === "new" ? open : open.id}
          queue={open === "new" ? undefined : open}
          close={() => goTo({})}
        />
      )}
    </Screen>
  );
}

/** Words of a list that somebody typed. */
function splitList(typed: string): string[] {
  return typed.split(/[\s,;]+/).filter((word) => word !== "");
}

function QueueDialog({ queue, close }: { queue: Queue | undefined; close(): void }) {
  const texts = useTexts();
  const { queues: words } = texts;
  const act = useAction();
  const client = useQueryClient();
  const isShown = useIsShown();
  const of = `of queue ${queue?.id ?? "new"}`;
  const [name, setName] = useUnsent(`name ${of}`, queue?.name ?? "");
  const [ofApplication, setOfApplication] = useUnsent(`reach ${of}`, queue?.of_application ?? false);
  const [kinds, setKinds] = useUnsent<readonly CaseKind[]>(`kinds ${of}`, queue?.rules.kinds ?? []);
  const [reasons, setReasons] = useUnsent(`reasons ${of}`, (queue?.rules.reasons ?? []).join(", "));
  const [languages, setLanguages] = useUnsent(`languages ${of}`, (queue?.rules.languages ?? []).join(", "));
  const [numbers, setNumbers] = useUnsent(`numbers ${of}`, {
    priority: `${queue?.priority ?? 0}`,
    target_minutes: `${queue?.target_minutes ?? 1440}`,
    opinions: `${queue?.opinions ?? 1}`,
    second_opinion_percent: `${queue?.second_opinion_percent ?? 0}`,
    golden_percent: `${queue?.golden_percent ?? 0}`,
  });
  const [codes, setCodes] = useUnsent(`codes ${of}`, writeReasons(queue?.reason_codes ?? []));
  const [policy, setPolicy] = useUnsent(`policy ${of}`, queue?.policy ?? "");
  const [asked, setAsked] = useState(false);
  const change = async (done: () => Promise<void>, said: string) => {
    if (await act(done, said)) {
      if (isShown()) {
        close();
      }
      await client.invalidateQueries({ queryKey: ["queues"] });
    }
  };
  const submit = useSubmit(async () => {
    const input: QueueInput = {
      name,
      of_application: ofApplication,
      rules: { kinds: [...kinds], reasons: splitList(reasons), languages: splitList(languages) },
      priority: Number(numbers.priority),
      target_minutes: Number(numbers.target_minutes),
      opinions: Number(numbers.opinions),
      second_opinion_percent: Number(numbers.second_opinion_percent),
      golden_percent: Number(numbers.golden_percent),
      reason_codes: readReasons(codes),
      policy,
    };
    await change(
      () => (queue ? changeQueue(queue.id, input) : createQueue(input)),
      queue ? words.changed : words.created,
    );
  });
  const number = (member: keyof typeof numbers, label: string, min: number, max: number) => (
    <Field
      label={label}
      type="number"
      min={min}
      max={max}
      isRequired
      value={numbers[member]}
      onChange={(value) => setNumbers({ ...numbers, [member]: value })}
    />
  );
  return (
    <DialogFrame heading={queue?.name ?? words.create} close={close}>
      <form onSubmit={submit}>
        <Field label={words.name} value={name} onChange={setName} minLength={1} maxLength={100} isRequired />
        {!queue && (
          <Tick label={`${words.takes}: ${words.ofApplication}`} isTicked={ofApplication} onChange={setOfApplication} />
        )}
        <fieldset className="boxes">
          <legend>{words.kinds}</legend>
          {CASE_KINDS.map((kind) => (
            <Tick
              key={kind}
              label={texts.cases.kinds[kind]}
              isTicked={kinds.includes(kind)}
              onChange={(ticked) => setKinds(CASE_KINDS.filter((one) => (one === kind ? ticked : kinds.includes(one))))}
            />
          ))}
          <p className="soft">{words.kindsHint}</p>
        </fieldset>
        <Field label={`${words.reasons} (${words.listHint})`} value={reasons} onChange={setReasons} />
        <Field label={`${words.languages} (${words.listHint})`} value={languages} onChange={setLanguages} />
        <div className="filters">
          {number("priority", words.priority, -1000, 1000)}
          {number("target_minutes", words.target, 1, 44_640)}
          {number("opinions", words.opinions, 1, 9)}
          {number("second_opinion_percent", words.second, 0, 100)}
          {number("golden_percent", words.golden, 0, 50)}
        </div>
        <TextArea
          label={words.codes}
          value={codes}
          onChange={setCodes}
          most={MAX_CODES_CHARS}
          used={() => words.codesHint}
        />
        <TextArea
          label={words.policy}
          value={policy}
          onChange={setPolicy}
          most={MAX_POLICY_CHARS}
          used={(used) => fill(texts.finding.commentUsed, { used, most: MAX_POLICY_CHARS })}
        />
        <div className="answers">
          <Button className="button primary" type="submit">
            {texts.save}
          </Button>
          {queue && (
            <Button className="button danger" onPress={() => setAsked(true)}>
              {words.delete}
            </Button>
          )}
        </div>
      </form>
      {queue && (
        <Confirm
          question={fill(words.deleteQuestion, { name: queue.name })}
          meaning={words.deleteMeans}
          yes={words.delete}
          isOpen={asked}
          onAnswer={(yes) => {
            setAsked(false);
            if (yes) {
              void change(() => deleteQueue(queue.id), words.deleted);
            }
          }}
        />
      )}
    </DialogFrame>
  );
}
