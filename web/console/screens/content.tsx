// One content: what was looked for in it and found, what people reported of it, who is known to be in it, and what else its
// uploader uploaded.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Disclosure, DisclosurePanel } from "react-aria-components/Disclosure";
import { Heading } from "react-aria-components/Heading";
import { type Content, type Moderation, PAGE_SIZE } from "../api/account";
import { ContentStateBadge, checkWords, contentName, ModerationBadge } from "../components/content-name";
import { Pager } from "../components/data-table";
import { TextArea } from "../components/field";
import { Icon } from "../components/icon";
import { BannedBadge, nameOf } from "../components/person-name";
import { Reported } from "../components/reported";
import { Answer, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { useSubmit } from "../one-at-a-time";
import { detailHref, placeHref } from "../router";
import { useAction, useSession } from "../session-context";
import { fill, lookup, useTexts } from "../texts";
import { useUnsent } from "../unsent";
import type { ScreenProps } from ".";

/** So many people of a content are named; each is asked for. */
const MAX_NAMED_PEOPLE = 20;
/** Of so many other contents of an uploader it is said what was found in them. */
const MAX_OTHER_CONTENTS = 5;
const MAX_RESOLUTION_CHARS = 500;

export function ContentScreen({ id }: ScreenProps) {
  const texts = useTexts();
  const { account, may } = useSession();
  const answer = useQuery({ queryKey: ["content", id], queryFn: ({ signal }) => account.content(id, { signal }) });
  const content = answer.data;
  const back = may("contents:list") ? { back: { href: placeHref("contents"), label: texts.nav.contents } } : {};
  return (
    <Screen heading={content ? contentName(texts, content) : texts.nav.content} wide {...back}>
      <Answer query={answer}>
        {(content) => (
          <div className="columns">
            <ContentCard content={content} />
            <PeopleCard content={content} />
            <ModerationsCard content={content} />
            <ReportsCard content={content} />
            {content.uploader_id && <UploaderCard content={content} uploader={content.uploader_id} />}
          </div>
        )}
      </Answer>
    </Screen>
  );
}

function ContentCard({ content }: { content: Content }) {
  const texts = useTexts();
  const { may } = useSession();
  const { contents: words } = texts;
  const { type, title, url, uploader_id, created_at } = content;
  return (
    <Card heading={words.about}>
      <div>
        <ContentStateBadge content={content} />
      </div>
      <Facts>
        <Fact term={texts.finding.title}>{title}</Fact>
        <Fact term={texts.evidence.type}>{lookup(texts.evidence.types, type) ?? type}</Fact>
        <Fact term={texts.finding.address}>{url ? <code className="address">{url}</code> : words.uploadedFile}</Fact>
        <Fact term={texts.evidence.uploader}>
          {uploader_id &&
            (may("contents:list") ? (
              <a href={placeHref("contents", { uploader_id })}>
                <code className="address">{uploader_id}</code>
              </a>
            ) : (
              <code className="address">{uploader_id}</code>
            ))}
        </Fact>
        <Fact term={words.registered}>
          <Moment at={created_at} />
        </Fact>
      </Facts>
    </Card>
  );
}

function PeopleCard({ content: { profile_ids } }: { content: Content }) {
  const { contents: words } = useTexts();
  const { may } = useSession();
  const named = profile_ids.slice(0, MAX_NAMED_PEOPLE);
  return (
    <Card heading={words.people}>
      {profile_ids.length === 0 ? (
        <p className="soft">{words.noPeople}</p>
      ) : may("profiles:view") ? (
        <ul className="lines">
          {named.map((id) => (
            <AttachedPerson key={id} id={id} />
          ))}
        </ul>
      ) : (
        <p className="soft">{fill(words.maySeeNoPeople, { count: profile_ids.length })}</p>
      )}
      {profile_ids.length > named.length && (
        <p className="soft">{fill(words.firstOf, { shown: named.length, all: profile_ids.length })}</p>
      )}
    </Card>
  );
}

function AttachedPerson({ id }: { id: string }) {
  const texts = useTexts();
  const { account } = useSession();
  const { data } = useQuery({ queryKey: ["profile", id], queryFn: ({ signal }) => account.profile(id, { signal }) });
  return (
    <li className="line">
      <a href={detailHref("profile", id)}>{data ? nameOf(texts, data) : texts.nav.person}</a>
      {data && <BannedBadge isBanned={data.is_banned} />}
    </li>
  );
}

function ModerationsCard({ content: { id } }: { content: Content }) {
  const { contents: words, table } = useTexts();
  const { account, may } = useSession();
  const [page, setPage] = useState(1);
  const mayView = may("moderations:view");
  const answer = useQuery({
    queryKey: ["content-moderations", id, page],
    queryFn: () => account.contentModerations(id, page),
    enabled: mayView,
  });
  return (
    <Card heading={words.moderations} id="moderations">
      {mayView ? (
        <Answer query={answer}>
          {(moderations) => (
            <>
              {moderations.length === 0 && (
                <p className="soft">{page === 1 ? words.noModerations : words.noMoreModerations}</p>
              )}
              <ul className="lines">
                {moderations.map((one, at) => (
                  <ModerationItem key={one.id} moderation={one} isOpenAtFirst={page === 1 && at === 0} />
                ))}
              </ul>
              {/* How many there are in all is not said: a full page may be the last one. */}
              {(page > 1 || moderations.length === PAGE_SIZE) && (
                <div className="answers">
                  <Button className="button small" isDisabled={page === 1} onPress={() => setPage(page - 1)}>
                    <Icon name="back" /> {table.newer}
                  </Button>
                  <Button
                    className="button small"
                    isDisabled={moderations.length < PAGE_SIZE}
                    onPress={() => setPage(page + 1)}
                  >
                    {table.older} <Icon name="forward" />
                  </Button>
                </div>
              )}
            </>
          )}
        </Answer>
      ) : (
        <p className="soft">{words.maySeeNoModerations}</p>
      )}
    </Card>
  );
}

/** A moderation, and what it found, once that is asked for. */
function ModerationItem({ moderation, isOpenAtFirst }: { moderation: Moderation; isOpenAtFirst: boolean }) {
  const texts = useTexts();
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const { id, state, created_at, error } = moderation;
  return (
    <li>
      <div className="line">
        <span>
          <a href={detailHref("moderation", id)}>
            <Moment at={created_at} />
          </a>{" "}
          <span className="soft">{checkWords(texts, moderation)}</span>
        </span>
        <ModerationBadge state={state} />
      </div>
      {error && <p className="soft">{error.message}</p>}
      <Disclosure className="disclosure" isExpanded={isOpen} onExpandedChange={setOpen}>
        <Heading level={3}>
          <Button slot="trigger" className="disclosure-button">
            <Icon name="forward" /> {texts.contents.found}
          </Button>
        </Heading>
        <DisclosurePanel>{isOpen && <Reported moderation={id} isBrief />}</DisclosurePanel>
      </Disclosure>
    </li>
  );
}

function ReportsCard({ content: { id } }: { content: Content }) {
  const { contents: words } = useTexts();
  const { account, may } = useSession();
  const [page, setPage] = useState(1);
  const mayList = may("contents:reports:list");
  const answer = useQuery({
    queryKey: ["content-reports", id, page],
    queryFn: () => account.contentReports(id, page),
    enabled: mayList,
  });
  return (
    <Card heading={words.reports} id="reports">
      {mayList ? (
        <Answer query={answer}>
          {({ reports, total_count }) => (
            <>
              {reports.length === 0 && <p className="soft">{words.noReports}</p>}
              <ul className="lines">
                {reports.map((one) => (
                  <li key={one.id}>
                    <p>“{one.reason}”</p>
                    <p className="soft">
                      <Moment at={one.created_at} /> · {one.resolution ?? words.undecidedReport}
                    </p>
                    {!one.resolution && may("contents:reports:moderate") && (
                      <ResolveForm content={id} report={one.id} />
                    )}
                  </li>
                ))}
              </ul>
              <Pager page={page} total={total_count} pageSize={PAGE_SIZE} onTurn={setPage} />
            </>
          )}
        </Answer>
      ) : (
        <p className="soft">{words.maySeeNoReports}</p>
      )}
    </Card>
  );
}

function ResolveForm({ content, report }: { content: string; report: string }) {
  const { contents: words, finding } = useTexts();
  const { account } = useSession();
  const act = useAction();
  const client = useQueryClient();
  const [resolution, setResolution] = useUnsent(`resolution of report ${report}`, "");
  const submit = useSubmit(async () => {
    const said = resolution.trim();
    if (said !== "" && (await act(() => account.resolveReport(content, report, said), words.reportDecided))) {
      await client.invalidateQueries({ queryKey: ["content-reports"] });
    }
  });
  return (
    <Disclosure className="disclosure" defaultExpanded={resolution !== ""}>
      <Heading level={3}>
        <Button slot="trigger" className="disclosure-button">
          <Icon name="forward" /> {words.decideReport}
        </Button>
      </Heading>
      <DisclosurePanel>
        <form className="decision" onSubmit={submit}>
          <TextArea
            label={words.resolution}
            value={resolution}
            onChange={setResolution}
            most={MAX_RESOLUTION_CHARS}
            used={(used) => fill(finding.commentUsed, { used, most: MAX_RESOLUTION_CHARS })}
          />
          <div className="answers">
            <Button className="button primary" type="submit" isDisabled={resolution.trim() === ""}>
              {words.decideReport}
            </Button>
          </div>
        </form>
      </DisclosurePanel>
    </Disclosure>
  );
}

/** What else the uploader uploaded, the newest of it with what was found in it. */
function UploaderCard({ content, uploader }: { content: Content; uploader: string }) {
  const texts = useTexts();
  const { contents: words } = texts;
  const { account, may } = useSession();
  const mayList = may("contents:list");
  const answer = useQuery({
    queryKey: ["contents", { uploader_id: uploader }, 1],
    queryFn: ({ signal }) => account.contents({ uploader_id: uploader }, 1, { signal }),
    enabled: mayList,
  });
  return (
    <Card heading={words.ofUploader} id="of-uploader">
      {mayList ? (
        <Answer query={answer}>
          {({ contents, total_count }) => {
            const others = contents.filter(({ id }) => id !== content.id).slice(0, MAX_OTHER_CONTENTS);
            return others.length === 0 ? (
              <p className="soft">{words.nothingElse}</p>
            ) : (
              <>
                <ul className="lines">
                  {others.map((one) => (
                    <OtherContent key={one.id} content={one} />
                  ))}
                </ul>
                <p>
                  <a href={placeHref("contents", { uploader_id: uploader })}>
                    {fill(words.allOfUploader, { count: total_count })}
                  </a>
                </p>
              </>
            );
          }}
        </Answer>
      ) : (
        <p className="soft">{words.maySeeNoContents}</p>
      )}
    </Card>
  );
}

function OtherContent({ content }: { content: Content }) {
  const texts = useTexts();
  const { account, may } = useSession();
  const { id, created_at } = content;
  const answer = useQuery({
    queryKey: ["content-moderations", id, 1],
    queryFn: () => account.contentModerations(id, 1),
    enabled: may("moderations:view"),
  });
  const newest = answer.data?.[0];
  return (
    <li>
      <div className="line">
        <a href={detailHref("content", id)}>{contentName(texts, content)}</a>
        <span className="line-end">
          <Moment at={created_at} />
          {newest ? <ModerationBadge state={newest.state} /> : null}
        </span>
      </div>
      {newest && <Reported moderation={newest.id} isBrief />}
      {answer.data && !newest && <p className="soft">{texts.contents.noModerations}</p>}
    </li>
  );
}
