// One finding: where a link in a message leads.

import { useQuery } from "@tanstack/react-query";
import { FindingCard } from "../components/finding";
import { Answer, Screen } from "../components/screen";
import { placeHref } from "../router";
import { useSession } from "../session-context";
import { useTexts } from "../texts";
import type { ScreenProps } from ".";

export function NotificationScreen({ id }: ScreenProps) {
  const { nav } = useTexts();
  const { account, may } = useSession();
  const answer = useQuery({ queryKey: ["notification", id], queryFn: () => account.notification(id) });
  const from = may("notifications:view") ? "inbox" : "mine";
  return (
    <Screen heading={nav.notification} back={{ href: placeHref(from), label: nav[from] }}>
      <Answer query={answer}>{(notification) => <FindingCard notification={notification} />}</Answer>
    </Screen>
  );
}
