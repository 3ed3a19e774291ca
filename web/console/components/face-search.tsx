// Whom a face may be, and where it was seen: what is found, with how similar it is.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { ProfileMatch } from "../api/account";
import type { SearchPicture } from "../desk/search-picture";
import { detailHref } from "../router";
import { useSession } from "../session-context";
import { fill, useTexts } from "../texts";
import { SimilarityScale } from "./charts";
import { Icon } from "./icon";
import { BannedBadge } from "./person-name";
import { Answer, Card, Fact, Facts } from "./screen";
import { Seen } from "./seen";

export function FaceSearch({ picture }: { picture: SearchPicture }) {
  const { search } = useTexts();
  const { account, may } = useSession();
  const [isSeenAsked, setSeenAsked] = useState(false);
  const answer = useQuery({
    queryKey: ["face-search", picture.id],
    queryFn: ({ signal }) => account.searchProfiles(picture.base64, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <>
      <Card heading={search.whoFound} id="who-found">
        <Answer query={answer}>{(matches) => <People matches={matches} />}</Answer>
      </Card>
      <Card heading={search.whereFace} id="where-seen">
        {!may("reports:view") ? (
          <p className="soft">{search.maySeeNoReports}</p>
        ) : isSeenAsked ? (
          <Seen search={{ face: picture.base64 }} searchKey={picture.id} />
        ) : (
          <div className="answers">
            <Button className="button" onPress={() => setSeenAsked(true)}>
              <Icon name="search" /> {search.searchFindings}
            </Button>
          </div>
        )}
      </Card>
    </>
  );
}

function People({ matches }: { matches: ProfileMatch[] }) {
  const { search } = useTexts();
  if (matches.length === 0) {
    return <p>{search.nobody}</p>;
  }
  return (
    <>
      <p className="soft">{fill(search.nearestFirst, { count: matches.length })}</p>
      <ol className="matches">
        {matches.map((match) => (
          <li key={match.profile_id}>
            <PersonFound match={match} />
          </li>
        ))}
      </ol>
    </>
  );
}

function PersonFound({ match }: { match: ProfileMatch }) {
  const { people } = useTexts();
  const { may } = useSession();
  const { profile_id, display_name, reference, is_banned, similarity, distance, false_match_rate } = match;
  const name = display_name || people.nameless;
  return (
    <>
      <div className="match-who">
        <p className="strong">
          {may("profiles:view") ? <a href={detailHref("profile", profile_id)}>{name}</a> : name}{" "}
          <BannedBadge isBanned={is_banned} />
        </p>
        <Facts>
          <Fact term={people.reference}>{reference}</Fact>
        </Facts>
      </div>
      <SimilarityScale similarity={similarity} distance={distance} rate={false_match_rate} />
    </>
  );
}
