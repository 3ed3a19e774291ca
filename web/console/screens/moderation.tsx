// One moderation: of which content, looking for whom, where it stands, what it reported, and every face that it saw.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { Moderation, ModerationOverview, SeenFace } from "../api/account";
import { checkWords, ModerationBadge } from "../components/content-name";
import { type DataColumn, DataTable, Pager } from "../components/data-table";
import { Icon } from "../components/icon";
import { Reported } from "../components/reported";
import { Answer, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { detailHref, placeHref } from "../router";
import { useSession, useTitle } from "../session-context";
import { fill, lookup, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

/** Faces on a page of this screen; the server sends up to 10,000 at once. */
const FACES_PER_PAGE = 50;

export function ModerationScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { account } = useSession();
  const answer = useQuery({
    queryKey: ["moderation", id],
    queryFn: ({ signal }) => account.moderation(id, { signal }),
  });
  const details = useQuery({ queryKey: ["moderation-details", id], queryFn: () => account.moderationDetails(id) });
  const title = useTitle(answer.data?.content.id);
  const content = answer.data?.content.id;
  return (
    <Screen
      heading={texts.nav.moderation}
      wide
      {...(content ? { back: { href: detailHref("content", content), label: title || texts.nav.content } } : {})}
    >
      <Answer query={answer}>
        {(overview) => (
          <>
            <div className="columns">
              <StateCard overview={overview} details={details.data} title={title} />
              <AboutWhom overview={overview} />
            </div>
            <Card heading={texts.contents.found} id="found">
              <Reported moderation={id} />
            </Card>
            <FacesCard moderation={id} />
          </>
        )}
      </Answer>
    </Screen>
  );
}

interface StateProps {
  overview: ModerationOverview;
  details: Moderation | undefined;
  title: string;
}

function StateCard({ overview: { content, moderation }, details, title }: StateProps) {
  const texts = useTexts();
  const format = useFormat();
  const { may } = useSession();
  const { contents: words } = texts;
  const { state, created_at, started_at, ended_at, error, position, unjudged_faces } = moderation;
  const type = lookup(texts.evidence.types, content.type) ?? content.type;
  return (
    <Card heading={words.aboutModeration}>
      <div>
        <ModerationBadge state={state} />
      </div>
      <Facts>
        <Fact term={texts.inbox.content}>
          {may("contents:view") ? <a href={detailHref("content", content.id)}>{title || type}</a> : title || type}
        </Fact>
        <Fact term={words.looksFor}>{details && checkWords(texts, details)}</Fact>
        <Fact term={words.requested}>
          <Moment at={created_at} />
        </Fact>
        <Fact term={words.began}>{started_at && <Moment at={started_at} />}</Fact>
        <Fact term={words.ended}>{ended_at && <Moment at={ended_at} />}</Fact>
        <Fact term={words.checked}>
          {content.type !== "IMAGE" && fill(texts.evidence.at, { seconds: format.number(position) })}
        </Fact>
        <Fact term={texts.finding.failedBecause}>{error?.message}</Fact>
        <Fact term={words.unjudged}>{unjudged_faces > 0 && `${unjudged_faces}`}</Fact>
      </Facts>
    </Card>
  );
}

function AboutWhom({ overview: { content } }: { overview: ModerationOverview }) {
  const texts = useTexts();
  const { may } = useSession();
  const { contents: words } = texts;
  const { uploader, profiles, groups } = content;
  return (
    <Card heading={words.people}>
      {profiles.length === 0 && groups.length === 0 && !uploader && <p className="soft">{words.noPeople}</p>}
      <Facts>
        <Fact term={texts.evidence.uploader}>
          {uploader &&
            (may("contents:list") ? (
              <a href={placeHref("contents", { uploader_id: uploader.id })}>{uploader.display_name || uploader.id}</a>
            ) : (
              uploader.display_name || uploader.id
            ))}
        </Fact>
        <Fact term={texts.people.groups}>{groups.map(({ label }) => label).join(", ")}</Fact>
      </Facts>
      {profiles.length > 0 && (
        <ul className="lines">
          {profiles.map(({ id, display_name, reference }) => (
            <li key={id} className="line">
              {may("profiles:view") ? (
                <a href={detailHref("profile", id)}>{display_name || texts.people.nameless}</a>
              ) : (
                display_name || texts.people.nameless
              )}
              <span className="soft">{reference}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** Every face that was seen, fetched when it is asked for. */
function FacesCard({ moderation }: { moderation: string }) {
  const { contents: words } = useTexts();
  const { account, may } = useSession();
  const [isAsked, setAsked] = useState(false);
  const answer = useQuery({
    queryKey: ["moderation-results", moderation],
    queryFn: () => account.moderationResults(moderation),
    enabled: isAsked,
  });
  return (
    <Card heading={words.faces} id="faces">
      {!may("reports:view") ? (
        <p className="soft">{words.maySeeNoFaces}</p>
      ) : isAsked ? (
        <Answer query={answer}>
          {({ face_check_results, total_count }) => (
            <>
              <FaceTable faces={face_check_results} />
              {total_count > face_check_results.length && (
                <p className="soft">{fill(words.firstOf, { shown: face_check_results.length, all: total_count })}</p>
              )}
            </>
          )}
        </Answer>
      ) : (
        <div className="answers">
          <Button className="button" onPress={() => setAsked(true)}>
            <Icon name="eye" /> {words.showFaces}
          </Button>
        </div>
      )}
    </Card>
  );
}

function FaceTable({ faces }: { faces: SeenFace[] }) {
  const texts = useTexts();
  const format = useFormat();
  const { may } = useSession();
  const [page, setPage] = useState(1);
  const { contents: words } = texts;
  const columns: DataColumn<SeenFace>[] = [
    {
      id: "time",
      heading: texts.evidence.position,
      cell: ({ frame_time }) => fill(texts.evidence.at, { seconds: format.number(frame_time) }),
      sortBy: ({ frame_time }) => frame_time,
    },
    {
      id: "person",
      heading: texts.finding.person,
      cell: ({ profile_id, is_banned }) => {
        const known = is_banned ? texts.finding.reasons.BANNED_PROFILE : texts.search.known;
        if (!profile_id) {
          return texts.finding.reasons.UNKNOWN_FACE;
        }
        return may("profiles:view") ? <a href={detailHref("profile", profile_id)}>{known}</a> : known;
      },
      sortBy: ({ profile_id, is_banned }) => (is_banned ? 0 : profile_id ? 1 : 2),
    },
    {
      id: "age",
      heading: texts.finding.ageGroup,
      cell: ({ age_group }) => texts.finding.ageGroups[age_group],
    },
    {
      id: "size",
      heading: words.faceSize,
      cell: ({ face_left, face_right, face_top, face_bottom }) =>
        `${face_right - face_left} × ${face_bottom - face_top} px`,
      sortBy: ({ face_left, face_right }) => face_right - face_left,
    },
  ];
  return (
    <>
      <DataTable
        label={words.faces}
        columns={columns}
        rows={faces.slice(FACES_PER_PAGE * (page - 1), FACES_PER_PAGE * page)}
        idOf={({ id }) => id}
        empty={words.noFaces}
      />
      <Pager page={page} total={faces.length} pageSize={FACES_PER_PAGE} onTurn={setPage} isSorted />
    </>
  );
}
