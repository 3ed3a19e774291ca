// Sends messages again, one after the other. What cannot be sent, because it is being sent already or was erased, keeps none of
// the others back.

import { useQueryClient } from "@tanstack/react-query";
import { RefusedError } from "./api/client";
import { replayDelivery } from "./api/deliveries";
import { useToasts } from "./components/toasts";
import { useAction } from "./session-context";
import { fill, useFormat, useTexts } from "./texts";

/** A message cannot be sent at this moment. */
const CONFLICT = 409;

/** Sends one again; answers why it cannot be sent, if so. */
async function refusalOf(id: string): Promise<RefusedError[]> {
  try {
    await replayDelivery(id);
    return [];
  } catch (error) {
    if (error instanceof RefusedError && error.status === CONFLICT) {
      return [error];
    }
    throw error;
  }
}

export function useReplay(): (ids: readonly string[]) => Promise<void> {
  const { deliveries: words } = useTexts();
  const format = useFormat();
  const { show } = useToasts();
  const act = useAction();
  const client = useQueryClient();
  return async (ids) => {
    let sent = 0;
    await act(async () => {
      const refusals: RefusedError[] = [];
      try {
        for (const id of ids) {
          const refusal = await refusalOf(id);
          refusals.push(...refusal);
          sent += refusal.length === 0 ? 1 : 0;
        }
      } finally {
        if (sent > 0) {
          show({ text: fill(words.replayed, { count: format.number(sent) }), tone: "good" });
        }
      }
      if (refusals[0]) {
        throw refusals[0];
      }
    });
    const changed = ["deliveries", "delivery", "webhook-endpoints", "verification-session"];
    await Promise.all(changed.map((kind) => client.invalidateQueries({ queryKey: [kind] })));
  };
}
