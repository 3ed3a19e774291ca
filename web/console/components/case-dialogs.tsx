// What a reviewer is asked before a case leaves the desk undecided, and why a decision was made.

import { useQuery } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { Button } from "react-aria-components/Button";
import { type CaseDecision, type HoldInput, listAssignees, type ReasonCode } from "../api/cases";
import { fill, useFormat, useTexts } from "../texts";
import { DialogFrame } from "./dialog-frame";
import { Choice, TextArea } from "./field";
import { Answer } from "./screen";

const MAX_NOTE_CHARS = 500;
/** For how many hours a case is put on hold. */
const HOLD_HOURS = ["1", "4", "24", "72", "168", "720"] as const;
export type HoldHours = (typeof HOLD_HOURS)[number];
const HOUR_MS = 3_600_000;

interface HoldProps {
  hours: HoldHours;
  onHours(hours: HoldHours): void;
  /** What others should know. */
  note: string;
  onNote(note: string): void;
  onHold(input: HoldInput): void;
  close(): void;
}

export function HoldDialog({ hours, onHours, note, onNote, onHold, close }: HoldProps) {
  const { queue, finding, cancel } = useTexts();
  const format = useFormat();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const until = new Date(Date.now() + Number(hours) * HOUR_MS).toISOString();
    onHold({ until, ...(note.trim() === "" ? {} : { note }) });
  };
  return (
    <DialogFrame narrow heading={queue.holdHeading} close={close}>
      <form onSubmit={submit}>
        <Choice<HoldHours>
          label={queue.holdFor}
          value={hours}
          options={HOLD_HOURS.map((one) => [one, format.span(Number(one) * 3600)] as const)}
          onChange={onHours}
        />
        <TextArea
          label={queue.holdNote}
          value={note}
          onChange={onNote}
          most={MAX_NOTE_CHARS}
          used={(used) => fill(finding.commentUsed, { used, most: MAX_NOTE_CHARS })}
        />
        <div className="answers">
          <Button className="button primary" type="submit" autoFocus>
            {queue.hold}
          </Button>
          <Button className="button" onPress={close}>
            {cancel}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}

export function AssignDialog({
  caseId,
  onAssign,
  close,
}: {
  caseId: string;
  onAssign(member: string, name: string): void;
  close(): void;
}) {
  const { queue, cancel } = useTexts();
  const answer = useQuery({ queryKey: ["assignees", caseId], queryFn: () => listAssignees(caseId) });
  return (
    <DialogFrame narrow heading={queue.assignHeading} close={close}>
      <Answer query={answer}>
        {(colleagues) =>
          colleagues.length === 0 ? (
            <p className="empty">{queue.nobodyElse}</p>
          ) : (
            <ul className="choices">
              {colleagues.map(({ member_id, name }) => (
                <li key={member_id}>
                  <Button className="choice" onPress={() => onAssign(member_id, name)}>
                    <strong>{name}</strong>
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
      <div className="answers">
        <Button className="button" onPress={close} autoFocus>
          {cancel}
        </Button>
      </div>
    </DialogFrame>
  );
}

interface ReasonDialogProps {
  reasons: readonly ReasonCode[];
  onChoose(reason: ReasonCode): void;
  close(): void;
}

/** Reasons by number: the number alone chooses. */
export function ReasonDialog({ reasons, onChoose, close }: ReasonDialogProps) {
  const { queue, cancel } = useTexts();
  return (
    <DialogFrame narrow heading={queue.reasonHeading} close={close}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the buttons within are what is pressed; numbers are their short cuts. */}
      <div
        onKeyDown={(event) => {
          // With Ctrl and the like a number is the browser's: it leads to another tab.
          const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
          const chosen = isPlain ? reasons[Number(event.key) - 1] : undefined;
          if (chosen) {
            event.preventDefault();
            onChoose(chosen);
          }
        }}
      >
        <ol className="choices">
          {reasons.map((reason, at) => (
            <li key={reason.code}>
              <Button className="choice" autoFocus={at === 0} onPress={() => onChoose(reason)}>
                <kbd>{at + 1}</kbd> {reason.label}
              </Button>
            </li>
          ))}
        </ol>
      </div>
      <div className="answers">
        <Button className="button" onPress={close}>
          {cancel}
        </Button>
      </div>
    </DialogFrame>
  );
}

interface GoldenDialogProps {
  decisions: readonly CaseDecision[];
  onChoose(decision: CaseDecision): void;
  close(): void;
}

/** What the right answer of a golden case is. */
export function GoldenDialog({ decisions, onChoose, close }: GoldenDialogProps) {
  const { cases, queue, cancel } = useTexts();
  return (
    <DialogFrame narrow heading={cases.goldenHeading} close={close}>
      <p className="soft">{cases.goldenMeans}</p>
      <ul className="choices">
        {decisions.map((decision, at) => (
          <li key={decision}>
            <Button className="choice" autoFocus={at === 0} onPress={() => onChoose(decision)}>
              {queue.decisions[decision]}
            </Button>
          </li>
        ))}
      </ul>
      <div className="answers">
        <Button className="button" onPress={close}>
          {cancel}
        </Button>
      </div>
    </DialogFrame>
  );
}
