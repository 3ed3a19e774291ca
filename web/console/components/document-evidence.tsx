// What a check of a document is judged by: its pages, its portrait beside the selfie, what was read in which place and whether
// that agrees, and each measure with its limit.

import type { Case, CaseField, CaseMeasure, CaseResource, DocumentCheck, CasePicture as Picture } from "../api/cases";
import { fill, lookup, useFormat, useTexts } from "../texts";
import { CasePicture } from "./case-picture";
import { MeasureScale, parseLimit } from "./charts";
import { type ComparedFace, FaceComparison } from "./face-comparison";
import { Icon } from "./icon";
import { Badge, Card, Empty, Fact, Facts } from "./screen";

export function DocumentPictures({ shown }: { shown: Case }) {
  const { document: words } = useTexts();
  const pages = shown.pictures.filter(({ role }) => role === "PAGE");
  const of = (role: Picture["role"], label: string): ComparedFace | undefined => {
    const picture = shown.pictures.find((one) => one.role === role);
    return picture && { picture, label };
  };
  if (shown.pictures.length === 0) {
    return <Empty>{words.noPictures}</Empty>;
  }
  return (
    <div className="stage">
      <FaceComparison first={of("PORTRAIT", words.portrait)} second={of("SELFIE", words.selfie)}>
        {(zoom, onZoom) => (
          <div className="stage-row">
            {pages.map(({ name }, at) => {
              const caption = fill(words.page, { number: at + 1 });
              return (
                <CasePicture key={name} name={name} label={caption} caption={caption} zoom={zoom} onZoom={onZoom} />
              );
            })}
          </div>
        )}
      </FaceComparison>
    </div>
  );
}

/** What was checked, and what this server would decide. */
export function DocumentReport({ check }: { check: DocumentCheck }) {
  const { document: words } = useTexts();
  return (
    <Card heading={words.check}>
      <Facts>
        <Fact term={words.type}>{lookup(words.checks, check.type) ?? check.type}</Fact>
        <Fact term={words.proposed}>
          <Badge tone={check.proposed === "APPROVE" ? "good" : check.proposed === "REJECT" ? "bad" : "warn"}>
            {lookup(words.advice, check.proposed) ?? check.proposed}
          </Badge>{" "}
          {check.proposed_reason && <code className="address">{check.proposed_reason}</code>}
        </Fact>
        <Fact term={words.session}>
          <code className="address">{check.session_id}</code>
        </Fact>
      </Facts>
      <ul className="lines">
        {check.breakdown.map(({ sub_check, passed, details }) => (
          <li key={sub_check}>
            <Verdict isGood={passed} /> <strong>{readable(sub_check)}</strong>
            {details.map(({ name, value }) => (
              <span key={name} className="detail soft">
                {readable(name)}: {value}
              </span>
            ))}
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** A code as words: `mrz_readable` as "MRZ readable". */
function readable(code: string): string {
  const words = code.replaceAll(/[_-]+/g, " ").toLowerCase();
  const named = words.replaceAll(/\b(ai|id|mrz)\b/g, (name) => name.toUpperCase());
  return named.charAt(0).toUpperCase() + named.slice(1);
}

function Verdict({ isGood }: { isGood: boolean }) {
  const { document: words } = useTexts();
  return (
    <Badge tone={isGood ? "good" : "bad"} icon={isGood ? "check" : "close"}>
      {isGood ? words.passed : words.failed}
    </Badge>
  );
}

/** What was read and measured of a document or a face; nothing where that is nothing. */
export function DocumentResource({ resource }: { resource: CaseResource }) {
  const { document: words } = useTexts();
  const { kind, document_type, issuing_country, fields, zone, measures, faults } = resource;
  if ([fields, zone, measures, faults].every(({ length }) => length === 0)) {
    return null;
  }
  const heading = [
    lookup(words.resources, kind) ?? readable(kind),
    document_type && readable(document_type),
    issuing_country,
  ];
  return (
    <Card heading={heading.filter(Boolean).join(" · ")}>
      {faults.length > 0 && (
        <ul className="lines">
          {faults.map((fault) => (
            <li key={fault}>
              <Icon name="warning" /> {readable(fault)}
            </li>
          ))}
        </ul>
      )}
      {fields.length > 0 && <Fields fields={fields} />}
      {zone.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
        <section className="zone" dir="ltr" tabIndex={0} aria-label={words.places.zone}>
          {zone.join("\n")}
        </section>
      )}
      {measures.length > 0 && (
        <ul className="measures">
          {measures.map((measure) => (
            <MeasureItem key={measure.check} measure={measure} />
          ))}
        </ul>
      )}
    </Card>
  );
}

/** What was read of each field, place by place. */
function Fields({ fields }: { fields: CaseField[] }) {
  const { document: words } = useTexts();
  const places = (["zone", "print", "barcode"] as const).filter((place) => fields.some((field) => field[place]));
  return (
    // A table too wide for its card scrolls by itself, with the keyboard as well.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: so that the keyboard can scroll it.
    <section className="scroll" tabIndex={0} aria-label={words.fields}>
      <table className="fields">
        <thead>
          <tr>
            <th scope="col">{words.field}</th>
            {places.map((place) => (
              <th key={place} scope="col">
                {words.places[place]}
              </th>
            ))}
            <th scope="col">{words.agreement}</th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.name} data-agrees={field.agrees}>
              <th scope="row">{readable(field.name)}</th>
              {places.map((place) => (
                <td key={place}>
                  <bdi>{field[place] ?? "–"}</bdi>
                </td>
              ))}
              <td>
                {field.agrees === undefined ? (
                  <span className="soft">{words.onePlace}</span>
                ) : field.agrees ? (
                  <Badge tone="good" icon="equal">
                    {words.same}
                  </Badge>
                ) : (
                  <Badge tone="bad" icon="different">
                    {words.different}
                  </Badge>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const MEASURE_TONES = { pass: "good", doubt: "warn", fail: "bad" } as const;
const MEASURE_ICONS = { pass: "check", doubt: "warning", fail: "close" } as const;

function MeasureItem({ measure }: { measure: CaseMeasure }) {
  const { document: words } = useTexts();
  const format = useFormat();
  const { check, value, limit, reason } = measure;
  const verdict = measure.verdict === "pass" || measure.verdict === "fail" ? measure.verdict : "doubt";
  const parsed = parseLimit(limit);
  const label = `${readable(check)}: ${format.measure(value)} (${limit})`;
  return (
    <li className="measure">
      <p>
        <strong>{readable(check)}</strong>{" "}
        <Badge tone={MEASURE_TONES[verdict]} icon={MEASURE_ICONS[verdict]}>
          {words.verdicts[verdict]}
        </Badge>
      </p>
      {parsed && <MeasureScale label={label} value={value} limit={parsed} tone={MEASURE_TONES[verdict]} />}
      <p className="soft">
        {parsed ? limit : `${format.measure(value)} (${limit})`}
        {reason && ` · ${reason}`}
      </p>
    </li>
  );
}
