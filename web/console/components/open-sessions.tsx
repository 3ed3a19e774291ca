// Where somebody is signed in: one line for each session.

import type { ReactNode } from "react";
import type { OpenSession } from "../api/credentials";
import { fill, useTexts } from "../texts";
import { Badge, Moment } from "./screen";

interface OpenSessionsProps {
  sessions: readonly OpenSession[];
  empty: string;
  /** What can be done about one. */
  actions?(session: OpenSession, label: string): ReactNode;
}

export function OpenSessions({ sessions, empty, actions }: OpenSessionsProps) {
  const { openSessions: words } = useTexts();
  if (sessions.length === 0) {
    return <p className="soft">{empty}</p>;
  }
  return (
    <ul className="lines">
      {sessions.map((session) => {
        const { id, browser, network, method, second_factor, current, created_at, last_used_at, ends_at } = session;
        const name = browser ?? words.unknownBrowser;
        return (
          <li key={id} className="line">
            <span>
              <strong>{name}</strong>
              {network && (
                <>
                  {" · "}
                  <bdi>{network}</bdi>
                </>
              )}{" "}
              {current && <Badge tone="good">{words.current}</Badge>}{" "}
              {second_factor && (
                <Badge tone="plain" icon="check">
                  {words.secondFactor}
                </Badge>
              )}
              <br />
              <span className="soft">
                {words.methods[method]} <Moment at={created_at} />
                {" · "}
                {words.lastUsed} <Moment at={last_used_at} />
                {" · "}
                {words.ends} <Moment at={ends_at} />
              </span>
            </span>
            {actions?.(session, fill(words.endOf, { browser: name }))}
          </li>
        );
      })}
    </ul>
  );
}
