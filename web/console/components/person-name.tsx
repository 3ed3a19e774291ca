// How somebody is called, and whether they are banned.

import type { ProfileItem } from "../api/account";
import { type Texts, useTexts } from "../texts";
import { Badge } from "./screen";

export function nameOf({ people }: Texts, { display_name, active }: Pick<ProfileItem, "display_name" | "active">) {
  return display_name || (active ? people.nameless : people.deleted);
}

export function BannedBadge({ isBanned }: { isBanned: boolean }) {
  const { people } = useTexts();
  return isBanned ? (
    <Badge tone="bad" icon="warning">
      {people.banned}
    </Badge>
  ) : (
    <Badge tone="plain">{people.notBanned}</Badge>
  );
}
