// What may need a second operator: it is done at once, or waits for their approval. Which, is said.

import { useQueryClient } from "@tanstack/react-query";
import { useToasts } from "./components/toasts";
import { useAction } from "./session-context";
import { useTexts } from "./texts";

/** `act` answers whether it was done at once. */
type Approvable = (act: () => Promise<boolean>, done: string) => Promise<"done" | "pending" | "failed">;

export function useApprovable(): Approvable {
  const { tenants: words } = useTexts();
  const { show } = useToasts();
  const act = useAction();
  const client = useQueryClient();
  return async (todo, done) => {
    let atOnce = true;
    const isAccepted = await act(async () => {
      atOnce = await todo();
    });
    if (!isAccepted) {
      return "failed";
    }
    show({ text: atOnce ? done : words.needsApproval, tone: atOnce ? "good" : "plain" });
    await client.invalidateQueries({ queryKey: ["approvals"] });
    return atOnce ? "done" : "pending";
  };
}
