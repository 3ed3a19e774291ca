// What a finding is judged by: the face, the picture that it is in, how it looked over time; how alike it is to whom, how old it
// looks, and what was said before about the person and the uploader.

import { type Case, type CaseHistory, type Finding, MAX_FRAME_PIXELS, type CasePicture as Picture } from "../api/cases";
import { detailHref, placeHref } from "../router";
import { useSession } from "../session-context";
import { fill, lookup, useFormat, useTexts } from "../texts";
import { CasePicture } from "./case-picture";
import { AgeScale, MatchScale } from "./charts";
import { FaceComparison } from "./face-comparison";
import { Badge, Card, Empty, Fact, Facts } from "./screen";
import { WhoIsThis } from "./who-is-this";

export function FindingPictures({ shown, finding }: { shown: Case; finding: Finding }) {
  const { evidence } = useTexts();
  const caption = useCaption();
  const { pictures } = shown;
  const of = (role: Picture["role"]) => pictures.filter((one) => one.role === role);
  const [face, frame, strip, enrolled] = [of("FACE")[0], of("FRAME")[0], of("STRIP"), of("ENROLLED")];
  if (pictures.length === 0) {
    return <Empty>{evidence.noPictures}</Empty>;
  }
  const [compared, ...others] = enrolled;
  return (
    <div className="stage">
      <FaceComparison
        first={face && { picture: face, label: evidence.face, caption: caption(face, evidence.face) }}
        second={compared && { picture: compared, label: evidence.enrolled }}
      >
        {() => (
          <>
            {face && <WhoIsThis name={face.name} />}
            <div className="stage-row">
              {frame && (
                <CasePicture name={frame.name} label={evidence.frame} caption={caption(frame, evidence.frame)}>
                  <FaceBox picture={frame} finding={finding} />
                </CasePicture>
              )}
            </div>
            <Strip label={evidence.enrolled} pictures={others} />
            <Strip label={evidence.strip} pictures={strip} />
          </>
        )}
      </FaceComparison>
    </div>
  );
}

/** Small pictures in a row. */
function Strip({ label, pictures }: { label: string; pictures: Picture[] }) {
  const caption = useCaption();
  return pictures.length === 0 ? null : (
    <ol className="strip" aria-label={label}>
      {pictures.map((one) => (
        <li key={one.name}>
          <CasePicture name={one.name} label={label} caption={caption(one)} small />
        </li>
      ))}
    </ol>
  );
}

/** What stands below a picture: what it shows, and when. */
function useCaption(): (picture: Picture, words?: string) => string {
  const { evidence } = useTexts();
  const format = useFormat();
  return ({ time }, words) => {
    const at = time ? fill(evidence.at, { seconds: format.number(time) }) : "";
    return [words, at].filter(Boolean).join(" · ");
  };
}

/** The face in the picture that it is in. The box is in pixels of the content, so it is drawn where the picture has as many. */
function FaceBox({ picture, finding }: { picture: Picture; finding: Finding }) {
  const [top, right, bottom, left] = finding.face_edges ?? [];
  // Findings of older versions have no size. The kept picture has that of the content then, unless it was made smaller.
  const isWhole = Math.max(picture.width ?? 0, picture.height ?? 0) < MAX_FRAME_PIXELS;
  const [width, height] = finding.picture_size ?? (isWhole ? [picture.width, picture.height] : []);
  if (!width || !height || top === undefined || right === undefined || bottom === undefined || left === undefined) {
    return null;
  }
  return (
    <svg className="box" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <rect x={left} y={top} width={right - left} height={bottom - top} />
    </svg>
  );
}

/** Whom it was matched to and how well, and how old the face looks. */
export function FindingMeasures({ finding }: { finding: Finding }) {
  const texts = useTexts();
  const { evidence } = texts;
  const { may } = useSession();
  const { person, distance, max_distance, age, age_group } = finding;
  const group = lookup(texts.finding.ageGroups, age_group);
  return (
    <>
      {person && (
        <Card heading={evidence.person}>
          <Facts>
            <Fact term={texts.people.name}>
              {may("profiles:view") ? (
                <a href={detailHref("profile", person.profile_id)}>{person.display_name ?? texts.people.nameless}</a>
              ) : (
                (person.display_name ?? texts.people.nameless)
              )}
            </Fact>
            <Fact term={texts.people.reference}>{person.reference}</Fact>
            <Fact term={texts.people.status}>
              {person.is_banned ? (
                <Badge tone="bad" icon="warning">
                  {texts.people.banned}
                </Badge>
              ) : (
                <Badge tone="plain">{texts.people.notBanned}</Badge>
              )}
            </Fact>
            <Fact term={texts.people.bannedBecause}>{person.ban_reason}</Fact>
            <Fact term={texts.people.faces}>{`${person.faces}`}</Fact>
            <Fact term={evidence.history}>
              <History history={finding.person_history} />
            </Fact>
          </Facts>
          {distance !== undefined && max_distance !== undefined && (
            <MatchScale distance={distance} limit={max_distance} rate={finding.false_match_rate} />
          )}
        </Card>
      )}
      {(age ?? group) && (
        <Card heading={evidence.age}>
          {age && <AgeScale age={age} />}
          <Facts>
            <Fact term={texts.finding.ageGroup}>{group}</Fact>
          </Facts>
        </Card>
      )}
    </>
  );
}

/** What it was found in, and what is known of the uploader. */
export function FindingContent({ finding }: { finding: Finding }) {
  const texts = useTexts();
  const { evidence } = texts;
  const format = useFormat();
  const { may } = useSession();
  const { content, quality } = finding;
  const uploader = content.uploader_id && <code className="address">{content.uploader_id}</code>;
  return (
    <Card heading={evidence.content}>
      <Facts>
        <Fact term={texts.finding.title}>{content.title}</Fact>
        <Fact term={evidence.type}>{lookup(evidence.types, content.type) ?? content.type}</Fact>
        <Fact term={texts.finding.address}>{content.url && <code className="address">{content.url}</code>}</Fact>
        <Fact term={evidence.position}>
          {finding.frame_time ? fill(texts.finding.inVideo, { seconds: format.number(finding.frame_time) }) : undefined}
        </Fact>
        <Fact term={evidence.quality}>{quality === undefined ? undefined : format.percent(quality)}</Fact>
        <Fact term={evidence.uploader}>
          {content.uploader_id && may("contents:list") ? (
            <a href={placeHref("contents", { uploader_id: content.uploader_id })}>{uploader}</a>
          ) : (
            uploader
          )}
        </Fact>
        <Fact term={evidence.history}>{content.uploader_id && <History history={finding.uploader_history} />}</Fact>
        <Fact term={texts.people.status}>{content.is_gone ? evidence.isGone : undefined}</Fact>
      </Facts>
      <div className="answers">
        <a href={detailHref("notification", finding.notification_id)}>{evidence.openFinding}</a>
        {may("contents:view") && <a href={detailHref("content", content.id)}>{texts.search.openContent}</a>}
        {may("moderations:view") && (
          <a href={detailHref("moderation", finding.moderation_id)}>{texts.search.openModeration}</a>
        )}
      </div>
    </Card>
  );
}

/** What was said about earlier findings, as words and as a bar. */
function History({ history }: { history: CaseHistory }) {
  const { evidence } = useTexts();
  const { findings, confirmed, dismissed } = history;
  if (findings === 0) {
    return evidence.noHistory;
  }
  const share = (part: number) => `${(100 * part) / findings}%`;
  return (
    <span className="history">
      <span className="history-bar" aria-hidden="true">
        <span data-tone="bad" style={{ width: share(confirmed) }} />
        <span data-tone="good" style={{ width: share(dismissed) }} />
      </span>
      <span>{fill(evidence.historyWords, { findings, confirmed, dismissed })}</span>
    </span>
  );
}
