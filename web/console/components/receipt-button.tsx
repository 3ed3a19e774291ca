// The signed receipt of a deletion, as a file.

import { Button } from "react-aria-components/Button";
import { deletionReceipt } from "../api/work";
import { useAction } from "../session-context";
import { useTexts } from "../texts";
import { saveFile } from "./save-file";

export function ReceiptButton({ account }: { account: string }) {
  const { approvals: words } = useTexts();
  const act = useAction();
  const download = () =>
    act(async () => {
      const receipt = await deletionReceipt(account);
      const content = new Blob([JSON.stringify(receipt, null, 2)], { type: "application/json" });
      saveFile(content, `deletion-${account}.json`);
    });
  return (
    <div className="answers">
      <Button className="button" onPress={() => void download()}>
        {words.receipt}
      </Button>
    </div>
  );
}
