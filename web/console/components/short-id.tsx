// Ids and codes where there is little room.

import { Fragment } from "react";

/** So many characters tell an id from others: its end, because ids of one time begin alike. */
const SHORT_ID_CHARS = 8;

export function ShortId({ id }: { id: string }) {
  return <code className="short" title={id}>{`…${id.slice(-SHORT_ID_CHARS)}`}</code>;
}

/** A code such as `identity.session_completion`, or an address: it may be broken after its dots, lines and slashes. */
export function BreakableCode({ code }: { code: string }) {
  return code.split(/(?<=[._/])/).map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one code never change their order.
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
