// One person whom the account knows: who is banned and why, and which faces were ruled out as not being theirs.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import type { BanInput, Dismissal, Profile } from "../api/account";
import { Confirm } from "../components/confirm";
import { fetched } from "../components/fetched";
import { Choice, TextArea } from "../components/field";
import { Icon } from "../components/icon";
import { BannedBadge, nameOf } from "../components/person-name";
import { Answer, Card, catchFocus, Fact, Facts, Moment, Screen } from "../components/screen";
import { useShortcuts } from "../keys/shortcuts";
import { useOneAtATime, useSubmit } from "../one-at-a-time";
import { detailHref, placeHref } from "../router";
import { useAction, useSession, useTitle } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

const Seen = fetched(
  () => import("../components/seen"),
  (module) => module.Seen,
);

const MAX_REASON_CHARS = 500;
const DAY_MS = 86_400_000;
/** For how many days somebody may be banned; 0: until the ban is lifted. */
const BAN_DAYS = ["0", "1", "7", "30", "365"] as const;

export function PersonScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { account, may } = useSession();
  const answer = useQuery({ queryKey: ["profile", id], queryFn: () => account.profile(id) });
  const profile = answer.data;
  const back = may("profiles:list") ? { back: { href: placeHref("people"), label: texts.nav.people } } : {};
  return (
    <Screen heading={profile ? nameOf(texts, profile) : texts.nav.person} wide {...back}>
      <Answer query={answer}>
        {(profile) => (
          <>
            <ProfileCard profile={profile} />
            {profile.active && <SeenCard profile={profile} />}
            {profile.active && may("notifications:view") && <Dismissals profile={profile.profile_id} />}
          </>
        )}
      </Answer>
    </Screen>
  );
}

/** Does something about a profile, then fetches it anew. */
function useProfileAction(): (act: () => Promise<unknown>, done: string) => Promise<boolean> {
  const act = useAction();
  const client = useQueryClient();
  return async (change, done) => {
    const changed = await act(change, done);
    if (changed) {
      await Promise.all(
        ["profile", "profiles", "dismissals"].map((kind) => client.invalidateQueries({ queryKey: [kind] })),
      );
      catchFocus();
    }
    return changed;
  };
}

function ProfileCard({ profile }: { profile: Profile }) {
  const texts = useTexts();
  const { session, account, may } = useSession();
  const change = useProfileAction();
  const [asked, setAsked] = useState(false);
  const { people } = texts;
  const { profile_id: id, ban, groups, faces, reference, is_banned, active } = profile;
  const mayBan = active && (may("profiles:manage") || may("flags:manage"));
  const lift = useOneAtATime(() => change(() => account.unban(id), people.lifted));
  const answer = (yes: boolean) => {
    setAsked(false);
    if (yes) {
      lift();
    }
  };
  return (
    <Card heading={people.details}>
      <div>
        <BannedBadge isBanned={is_banned} />
      </div>
      <Facts>
        <Fact term={people.reference}>{reference}</Fact>
        <Fact term={people.known}>
          <Moment at={profile.created_at} />
        </Fact>
        <Fact term={people.faces}>{`${faces.length}`}</Fact>
        <Fact term={people.groups}>{groups.map(({ label }) => label).join(", ")}</Fact>
        {ban && (
          <>
            <Fact term={people.bannedSince}>
              <Moment at={ban.since} />
              {ban.user_id === session.member.id && ` (${texts.you})`}
            </Fact>
            <Fact term={people.bannedUntil}>{ban.until ? <Moment at={ban.until} /> : people.untilLifted}</Fact>
            <Fact term={people.bannedBecause}>{ban.reason}</Fact>
          </>
        )}
      </Facts>
      {mayBan && !is_banned && <BanForm id={id} />}
      {mayBan && is_banned && (
        <div className="answers">
          <Button className="button danger" onPress={() => setAsked(true)}>
            {people.lift}
          </Button>
        </div>
      )}
      <Confirm
        question={fill(people.liftQuestion, { name: nameOf(texts, profile) })}
        meaning={people.liftMeans}
        yes={people.lift}
        isOpen={asked}
        onAnswer={answer}
      />
    </Card>
  );
}

function BanForm({ id }: { id: string }) {
  const { people, finding } = useTexts();
  const format = useFormat();
  const { account } = useSession();
  const change = useProfileAction();
  const [reason, setReason] = useUnsent(`reason of the ban of ${id}`, "");
  const [days, setDays] = useUnsent<(typeof BAN_DAYS)[number]>(`days of the ban of ${id}`, "0");
  const submit = useSubmit(async () => {
    const until = days === "0" ? {} : { until: new Date(Date.now() + Number(days) * DAY_MS).toISOString() };
    const ban: BanInput = { ...(reason === "" ? {} : { reason }), ...until };
    await change(() => account.ban(id, ban), people.isBanned);
  });
  return (
    <Disclosure className="disclosure" defaultExpanded={reason !== ""}>
      <Heading level={3}>
        <Button slot="trigger" className="disclosure-button">
          <Icon name="forward" /> {people.banHeading}
        </Button>
      </Heading>
      <DisclosurePanel>
        <form className="decision" id="ban" onSubmit={submit}>
          <TextArea
            label={people.banReason}
            value={reason}
            onChange={setReason}
            most={MAX_REASON_CHARS}
            used={(used) => fill(finding.commentUsed, { used, most: MAX_REASON_CHARS })}
          />
          <Choice<(typeof BAN_DAYS)[number]>
            label={people.banLength}
            value={days}
            options={BAN_DAYS.map(
              (one) => [one, one === "0" ? people.forever : format.span(Number(one) * 86_400)] as const,
            )}
            onChange={setDays}
          />
          <div className="answers">
            <Button className="button danger" type="submit">
              {people.ban}
            </Button>
          </div>
        </form>
      </DisclosurePanel>
    </Disclosure>
  );
}

/** Where they were seen: a search through past findings, when it is asked for. */
function SeenCard({ profile }: { profile: Profile }) {
  const { search } = useTexts();
  const { may } = useSession();
  const [isAsked, setAsked] = useState(false);
  const { profile_id, faces, profile_type } = profile;
  const mayAsk = may("profiles:list") && may("reports:view");
  // Searches never return who is enrolled as type 2.
  const cannot = !mayAsk
    ? search.maySeeNoReports
    : profile_type === 2
      ? search.neverSearched
      : faces.length === 0
        ? search.noFace
        : undefined;
  const ask = () => setAsked(true);
  useShortcuts(
    cannot === undefined && !isAsked ? [{ keys: "w", label: search.whereSeen, scope: "here", run: ask }] : [],
  );
  return (
    <Card heading={search.whereSeen} id="where-seen">
      {cannot !== undefined ? (
        <p className="soft">{cannot}</p>
      ) : isAsked ? (
        <Seen search={{ profile_id }} searchKey={profile_id} />
      ) : (
        <div className="answers">
          <Button className="button" onPress={ask}>
            <Icon name="search" /> {search.searchFindings} <kbd>W</kbd>
          </Button>
        </div>
      )}
    </Card>
  );
}

function Dismissals({ profile }: { profile: string }) {
  const { people } = useTexts();
  const { account } = useSession();
  const answer = useQuery({ queryKey: ["dismissals", profile], queryFn: () => account.dismissals(profile) });
  return (
    <Card heading={people.dismissals} id="dismissals">
      <p className="soft">{people.dismissalsMean}</p>
      <Answer query={answer}>
        {(dismissals) =>
          dismissals.length === 0 ? (
            <p>{people.noDismissals}</p>
          ) : (
            <ul className="lines">
              {dismissals.map((dismissal) => (
                <DismissalItem key={dismissal.id} profile={profile} dismissal={dismissal} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

function DismissalItem({ profile, dismissal }: { profile: string; dismissal: Dismissal }) {
  const texts = useTexts();
  const { people } = texts;
  const { session, account, may } = useSession();
  const change = useProfileAction();
  const { id, created_at, content_id, notification_id, user_id, this_content_only } = dismissal;
  const title = useTitle(content_id);
  const line = `dismissal-${id}`;
  const undo = useOneAtATime(() => change(() => account.undoDismissal(profile, id), people.dismissalUndone));
  return (
    <li className="line">
      <span id={line}>
        <Moment at={created_at} />
        {user_id === session.member.id && ` (${texts.you})`}
        {title && ` “${title}”`}
        {this_content_only && `, ${people.thatContentOnly}`}
      </span>
      {notification_id && (
        <a href={detailHref("notification", notification_id)} aria-describedby={line}>
          {people.seeFinding}
        </a>
      )}
      {may("notifications:manage") && (
        <Button className="button small" aria-describedby={line} onPress={undo}>
          {texts.undo}
        </Button>
      )}
    </li>
  );
}
