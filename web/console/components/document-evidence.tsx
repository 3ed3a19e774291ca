// What a check of a document is judged by: its pages, its portrait beside the selfie, what was read in which place and whether
// that agrees, and each measure with its limit.

import { useState } from "react";
import { Button } from "react-aria-components/Button";
import type { Case, CaseField, CaseMeasure, CaseResource, DocumentCheck, CasePicture as Picture } from "../api/cases";
import { useShortcuts } from "../keys/shortcuts";
import { fill, lookup, useFormat, useTexts } from "../texts";
import { CasePicture, UNZOOMED, type Zoom, zoomBy } from "./case-picture";
import { MeasureScale, parseLimit } from "./charts";
import { Icon } from "./icon";
import { Badge, Card, Empty, Fact, Facts } from "./screen";

const ZOOM_STEP = 1.5;

/** How two faces are compared: beside one another, or in the same place, one at a time. */
type Compared = "beside" | "first" | "second";

export function DocumentPictures({ shown }: { shown: Case }) {
  const texts = useTexts();
  const { document: words } = texts;
  const [zoom, setZoom] = useState<Zoom>(UNZOOMED);
  const [compared, setCompared] = useState<Compared>("beside");
  const pages = shown.pictures.filter(({ role }) => role === "PAGE");
  const portrait = shown.pictures.find(({ role }) => role === "PORTRAIT");
  const selfie = shown.pictures.find(({ role }) => role === "SELFIE");
  const canFlicker = portrait !== undefined && selfie !== undefined;
  const flicker = () => setCompared((now) => (now === "first" ? "second" : "first"));
  useShortcuts([
    ...(canFlicker
      ? [
          { keys: "f", label: words.flicker, scope: "here" as const, run: flicker },
          { keys: "b", label: words.beside, scope: "here" as const, run: () => setCompared("beside") },
        ]
      : []),
    { keys: "+", label: words.zoomIn, scope: "here", run: () => setZoom((now) => zoomBy(now, ZOOM_STEP)) },
    { keys: "-", label: words.zoomOut, scope: "here", run: () => setZoom((now) => zoomBy(now, 1 / ZOOM_STEP)) },
    { keys: "0", label: words.zoomReset, scope: "here", run: () => setZoom(UNZOOMED) },
  ]);
  if (shown.pictures.length === 0) {
    return <Empty>{words.noPictures}</Empty>;
  }
  const picture = (one: Picture, caption: string) => (
    <CasePicture key={one.name} name={one.name} label={caption} caption={caption} zoom={zoom} onZoom={setZoom} />
  );
  return (
    <div className="stage">
      <div className="stage-tools">
        <Button className="icon-button" aria-label={words.zoomOut} onPress={() => setZoom(zoomBy(zoom, 1 / ZOOM_STEP))}>
          −
        </Button>
        <span className="zoom-value">{fill(words.zoomed, { scale: zoom.scale.toFixed(1) })}</span>
        <Button className="icon-button" aria-label={words.zoomIn} onPress={() => setZoom(zoomBy(zoom, ZOOM_STEP))}>
          +
        </Button>
        {canFlicker && (
          <>
            <Button className="button small" onPress={flicker}>
              <Icon name="flicker" /> {words.flicker} <kbd>F</kbd>
            </Button>
            {compared !== "beside" && (
              <Button className="button small" onPress={() => setCompared("beside")}>
                {words.beside} <kbd>B</kbd>
              </Button>
            )}
          </>
        )}
      </div>
      {canFlicker && compared !== "beside" ? (
        <div className="stage-row flicker" aria-live="polite">
          {compared === "first" ? picture(portrait, words.portrait) : picture(selfie, words.selfie)}
        </div>
      ) : (
        <div className="stage-row">
          {portrait && picture(portrait, words.portrait)}
          {selfie && picture(selfie, words.selfie)}
        </div>
      )}
      <div className="stage-row">{pages.map((page, at) => picture(page, fill(words.page, { number: at + 1 })))}</div>
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
