// The people whom the account knows, found by a picture, by their reference or by whether they are banned.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { Button } from "react-aria-components/Button";
import { PAGE_SIZE, type ProfileFilter, type ProfileItem } from "../api/account";
import { type DataColumn, DataTable, Pager } from "../components/data-table";
import { fetched } from "../components/fetched";
import { Field, Tick } from "../components/field";
import { BannedBadge, nameOf } from "../components/person-name";
import { PicturePicker } from "../components/picture-picker";
import { Answer, Screen } from "../components/screen";
import type { SearchPicture } from "../desk/search-picture";
import { detailHref, navigate, placeHref } from "../router";
import { useSession } from "../session-context";
import { fill, useFormat, useTexts } from "../texts";
import type { ScreenProps } from ".";

const FaceSearch = fetched(
  () => import("../components/face-search"),
  (module) => module.FaceSearch,
);

const MAX_REFERENCE_CHARS = 200;
const MAX_NAME_CHARS = 200;

export function PeopleScreen({ query }: ScreenProps) {
  const texts = useTexts();
  const format = useFormat();
  const { account, may } = useSession();
  const filter = {
    banned: query.get("banned") === "true",
    reference: query.get("reference") ?? "",
    name: query.get("name") ?? "",
  };
  const page = Math.max(1, Number(query.get("page")) || 1);
  const [picture, setPicture] = useState<SearchPicture>();
  const answer = useQuery({
    queryKey: ["profiles", filter, page],
    queryFn: () => account.profiles(filter, page),
    placeholderData: keepPreviousData,
  });
  const columns: DataColumn<ProfileItem>[] = [
    {
      id: "name",
      heading: texts.people.name,
      cell: (one) => <span className="strong">{nameOf(texts, one)}</span>,
      sortBy: (one) => nameOf(texts, one).toLowerCase(),
    },
    {
      id: "reference",
      heading: texts.people.reference,
      cell: ({ reference }) => reference,
      sortBy: ({ reference }) => reference ?? "",
    },
    {
      id: "status",
      heading: texts.people.status,
      cell: ({ is_banned }) => <BannedBadge isBanned={is_banned} />,
      sortBy: ({ is_banned }) => (is_banned ? 0 : 1),
    },
  ];
  const turn = (to: number) => navigate(placeHref("people", { ...Object.fromEntries(query), page: `${to}` }));
  const isFiltered = filter.banned || filter.reference !== "" || filter.name !== "";
  return (
    <Screen heading={texts.nav.people} focusKey={query.toString()} wide>
      <PicturePicker picture={picture} onPicture={setPicture} />
      {picture ? (
        <FaceSearch key={picture.id} picture={picture} />
      ) : (
        <>
          <PeopleFilter key={query.toString()} {...filter} />
          <Answer query={answer}>
            {({ profiles, total_count, searched_back_to }) => (
              <>
                <DataTable
                  label={texts.nav.people}
                  columns={columns}
                  rows={profiles}
                  idOf={({ profile_id }) => profile_id}
                  empty={isFiltered ? texts.people.emptyFiltered : texts.people.empty}
                  {...(may("profiles:view")
                    ? { onOpen: ({ profile_id }: ProfileItem) => navigate(detailHref("profile", profile_id)) }
                    : {})}
                />
                <Pager page={page} total={total_count} pageSize={PAGE_SIZE} onTurn={turn} isSorted />
                {searched_back_to && (
                  <p className="soft">{fill(texts.palette.namesSince, { day: format.day(searched_back_to) })}</p>
                )}
              </>
            )}
          </Answer>
        </>
      )}
    </Screen>
  );
}

function PeopleFilter(filter: ProfileFilter) {
  const { people } = useTexts();
  const [banned, setBanned] = useState(filter.banned);
  const [reference, setReference] = useState(filter.reference);
  const [name, setName] = useState(filter.name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    navigate(placeHref("people", { name, reference, banned: banned ? "true" : "" }));
  };
  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <Field label={people.namePart} type="search" value={name} onChange={setName} maxLength={MAX_NAME_CHARS} />
        <Field
          label={people.referenceExactly}
          type="search"
          value={reference}
          onChange={setReference}
          maxLength={MAX_REFERENCE_CHARS}
        />
        <Tick label={people.bannedOnly} isTicked={banned} onChange={setBanned} />
        <Button className="button" type="submit">
          {people.find}
        </Button>
      </form>
    </search>
  );
}
