// What an application may take: each limit is its own, the configuration's, or none.

import { useQueryClient } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { changeApplication } from "../api/tenants";
import type { LimitUsage } from "../api/usage";
import { useSubmit } from "../one-at-a-time";
import { useIsShown } from "../router";
import { useAction } from "../session-context";
import { useTexts } from "../texts";
import { useUnsent } from "../unsent";
import { DialogFrame } from "./dialog-frame";
import { Field } from "./field";

interface LimitsDialogProps {
  application: string;
  limits: readonly LimitUsage[];
  close(): void;
}

interface LimitsForm {
  /** As the fields were when the form was opened: colleagues may have changed limits since. */
  readonly given: readonly string[];
  readonly values: readonly string[];
}

/** As it stands in its field: empty is the configuration's, 0 is none. */
const written = ({ is_own, allowed }: LimitUsage) => (is_own ? `${allowed ?? 0}` : "");

export function LimitsDialog({ application, limits, close }: LimitsDialogProps) {
  const { usage: words, tenants } = useTexts();
  const act = useAction();
  const client = useQueryClient();
  const isShown = useIsShown();
  const opened = limits.map(written);
  const [{ given, values }, setForm] = useUnsent<LimitsForm>(`limits of application ${application}`, {
    given: opened,
    values: opened,
  });
  const submit = useSubmit(async () => {
    const changed = limits.flatMap(({ limit }, at) => {
      const value = (values[at] ?? "").trim();
      return value === given[at] ? [] : [{ limit, ...(value === "" ? {} : { allowed: Number(value) }) }];
    });
    const isDone = await act(() => changeApplication(application, { limits: changed }), words.limitsChanged);
    if (isDone) {
      await client.invalidateQueries({ queryKey: ["usage", application] });
      if (isShown()) {
        close();
      }
    }
  });
  return (
    <DialogFrame heading={words.changeLimits} close={close} narrow>
      <form onSubmit={submit}>
        <p className="soft">{words.limitsMean}</p>
        {limits.map(({ limit }, at) => (
          <Field
            key={limit}
            label={words.limitNames[limit]}
            type="number"
            inputMode="numeric"
            min={0}
            value={values[at] ?? ""}
            onChange={(value) =>
              setForm((form) => ({ ...form, values: form.values.map((one, place) => (place === at ? value : one)) }))
            }
            autoFocus={at === 0}
          />
        ))}
        <div className="answers">
          <Button className="button primary" type="submit">
            {tenants.save}
          </Button>
        </div>
      </form>
    </DialogFrame>
  );
}
