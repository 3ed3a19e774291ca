// The contents of the account, found by title, uploader, kind, state and day.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { type Content, type ContentFilter, type ContentType, PAGE_SIZE } from "../api/account";
import { ContentStateBadge, contentName } from "../components/content-name";
import { type DataColumn, DataTable, Pager } from "../components/data-table";
import { Choice, Field } from "../components/field";
import { Answer, Moment, Screen } from "../components/screen";
import { beginOf, dayIn, endOf } from "../days";
import { detailHref, isId, navigate, oneOf, placeHref } from "../router";
import { useSession } from "../session-context";
import { lookup, useTexts } from "../texts";
import type { ScreenProps } from ".";

const MAX_TITLE_CHARS = 200;
const ID_CHARS = 36;
const TYPES: readonly ContentType[] = ["IMAGE", "VIDEO", "LIVE_VIDEO"];
const STATES = ["", "false", "true"] as const;

/** What the address asks for, each as it stands there. */
interface Asked {
  title: string;
  uploader_id: string;
  type: ContentType | "";
  archived: (typeof STATES)[number];
  from: string;
  until: string;
}

export function ContentsScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const { account, may } = useSession();
  const asked = askedIn(query);
  const page = Math.max(1, Number(query.get("page")) || 1);
  const answer = useQuery({
    queryKey: ["contents", asked, page],
    queryFn: ({ signal }) => account.contents(filterOf(asked), page, { signal }),
    placeholderData: keepPreviousData,
  });
  const { contents: words } = texts;
  const typeWords = ({ type }: Content) => lookup(texts.evidence.types, type) ?? type;
  const columns: DataColumn<Content>[] = [
    {
      id: "title",
      heading: texts.finding.title,
      cell: (one) => (
        <>
          <span className="strong">{contentName(texts, one)}</span>
          {/* As text: what was found may be what nobody should open by mistake. */}
          {one.url && <code className="address">{one.url}</code>}
        </>
      ),
      sortBy: ({ title }) => (title ?? "").toLowerCase(),
    },
    { id: "type", heading: texts.evidence.type, cell: typeWords, sortBy: typeWords },
    {
      id: "uploader",
      heading: texts.evidence.uploader,
      cell: ({ uploader_id }) => uploader_id && <code className="address">{uploader_id}</code>,
      sortBy: ({ uploader_id }) => uploader_id ?? "",
    },
    {
      id: "state",
      heading: texts.people.status,
      cell: (one) => <ContentStateBadge content={one} />,
      sortBy: ({ archived }) => (archived ? 1 : 0),
    },
    {
      id: "registered",
      heading: words.registered,
      cell: ({ created_at }) => <Moment at={created_at} />,
      sortBy: ({ created_at }) => created_at,
    },
  ];
  const isFiltered = Object.values(asked).some((value) => value !== "");
  return (
    <Screen heading={texts.nav.contents} focusKey={query.toString()} wide>
      <ContentsFilter key={query.toString()} asked={asked} />
      <Answer query={answer}>
        {({ contents, total_count }) => (
          <>
            <DataTable
              label={texts.nav.contents}
              columns={columns}
              rows={contents}
              idOf={({ id }) => id}
              empty={isFiltered ? words.emptyFiltered : words.empty}
              {...(may("contents:view") ? { onOpen: ({ id }: Content) => navigate(detailHref("content", id)) } : {})}
            />
            <Pager
              page={page}
              total={total_count}
              pageSize={PAGE_SIZE}
              isSorted
              onTurn={(to) => navigate(placeHref("contents", { ...Object.fromEntries(query), page: `${to}` }))}
            />
          </>
        )}
      </Answer>
    </Screen>
  );
}

function askedIn(query: URLSearchParams): Asked {
  return {
    title: (query.get("title") ?? "").slice(0, MAX_TITLE_CHARS),
    uploader_id: isId(query.get("uploader_id")) ? (query.get("uploader_id") ?? "") : "",
    type: oneOf<ContentType | "">(["", ...TYPES], query.get("type"), ""),
    archived: oneOf(STATES, query.get("archived"), ""),
    from: dayIn(query, "from"),
    until: dayIn(query, "until"),
  };
}

/** What the server is asked: days are those of the reader's clock, and the last one is among them. */
function filterOf({ title, uploader_id, type, archived, from, until }: Asked): ContentFilter {
  return {
    ...(title === "" ? {} : { title }),
    ...(uploader_id === "" ? {} : { uploader_id }),
    ...(type === "" ? {} : { type }),
    ...(archived === "" ? {} : { archived: archived === "true" }),
    ...(from === "" ? {} : { created_from: beginOf(from) }),
    ...(until === "" ? {} : { created_before: endOf(until) }),
  };
}

function ContentsFilter({ asked }: { asked: Asked }) {
  const texts = useTexts();
  const { contents: words } = texts;
  const [given, setGiven] = useState(asked);
  const change = (changed: Partial<Asked>) => setGiven((before) => ({ ...before, ...changed }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    navigate(placeHref("contents", { ...given, title: given.title.trim(), uploader_id: given.uploader_id.trim() }));
  };
  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <Field
          label={words.titleContains}
          type="search"
          value={given.title}
          onChange={(title) => change({ title })}
          maxLength={MAX_TITLE_CHARS}
        />
        <Field
          label={words.uploaderId}
          value={given.uploader_id}
          onChange={(uploader_id) => change({ uploader_id })}
          maxLength={ID_CHARS}
          pattern="\s*[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\s*"
          title={words.uploaderHint}
        />
        <Choice<ContentType | "">
          label={texts.evidence.type}
          value={given.type}
          options={[
            ["", words.anyType] as const,
            ...TYPES.map((one) => [one, lookup(texts.evidence.types, one) ?? one] as const),
          ]}
          onChange={(type) => change({ type })}
        />
        <Choice<Asked["archived"]>
          label={texts.people.status}
          value={given.archived}
          options={[
            ["", texts.cases.anyState] as const,
            ["false", words.live] as const,
            ["true", words.archived] as const,
          ]}
          onChange={(archived) => change({ archived })}
        />
        <Field label={words.from} type="date" value={given.from} onChange={(from) => change({ from })} />
        <Field label={words.until} type="date" value={given.until} onChange={(until) => change({ until })} />
        <Button className="button" type="submit">
          {texts.people.find}
        </Button>
      </form>
    </search>
  );
}
