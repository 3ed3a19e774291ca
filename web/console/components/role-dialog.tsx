// A role is made, changed or deleted: of operators, or of members.

import { type ReactNode, useState } from "react";
import { Button } from "react-aria-components/Button";
import { useApprovable } from "../approvable";
import { useOneAtATime, useSubmit } from "../one-at-a-time";
import { useIsShown } from "../router";
import { useAction } from "../session-context";
import { fill, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { Confirm } from "./confirm";
import { DialogFrame } from "./dialog-frame";
import { Field } from "./field";

const MAX_NAME_CHARS = 100;

interface RoleDialogProps {
  /** Under which its fields are kept. */
  keptAs: string;
  /** What it is called so far; nothing for a new one. */
  name: string | undefined;
  /** Answers whether it was done at once; otherwise another operator must approve it. */
  onSave(name: string): Promise<boolean>;
  onDelete(): Promise<void>;
  /** It was changed. */
  onChanged(): void;
  close(): void;
  children: ReactNode;
}

export function RoleDialog({ keptAs, name: given, onSave, onDelete, onChanged, close, children }: RoleDialogProps) {
  const texts = useTexts();
  const { roles: words } = texts;
  const act = useAction();
  const saveApprovably = useApprovable();
  const isShown = useIsShown();
  const [name, setName] = useUnsent(`name of ${keptAs}`, given ?? "");
  const [asked, setAsked] = useState(false);
  const leave = () => {
    onChanged();
    if (isShown()) {
      close();
    }
  };
  const submit = useSubmit(async () => {
    const came = await saveApprovably(() => onSave(name), given === undefined ? words.created : texts.members.saved);
    if (came !== "failed") {
      leave();
    }
  });
  const remove = useOneAtATime(async () => {
    if (await act(onDelete, words.deleted)) {
      leave();
    }
  });
  return (
    <DialogFrame heading={given ?? words.create} close={close} id="role">
      <form onSubmit={submit}>
        <Field
          label={texts.tenants.name}
          value={name}
          onChange={setName}
          minLength={1}
          maxLength={MAX_NAME_CHARS}
          isRequired
          autoFocus
        />
        {children}
        <div className="answers">
          <Button className="button primary" type="submit">
            {texts.save}
          </Button>
          {given !== undefined && (
            <Button className="button danger" onPress={() => setAsked(true)}>
              {words.delete}
            </Button>
          )}
        </div>
      </form>
      <Confirm
        question={fill(words.deleteQuestion, { name: given ?? "" })}
        meaning={words.deleteMeans}
        yes={words.delete}
        isOpen={asked}
        onAnswer={(yes) => {
          setAsked(false);
          if (yes) {
            remove();
          }
        }}
      />
    </DialogFrame>
  );
}
