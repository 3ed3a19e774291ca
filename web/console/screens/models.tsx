// The models of this server: what each does, its licence, where it comes from, and what is known of how well it does.

import { useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { fetchReport, listModels, listReports, type Model } from "../api/installation";
import { CopyField } from "../components/copy-field";
import { type DataColumn, DataTable } from "../components/data-table";
import { saveFile } from "../components/save-file";
import { Answer, Badge, Card, Fact, Facts, Moment, Screen } from "../components/screen";
import { useOpenRow } from "../rows";
import { useAction } from "../session-context";
import { fill, lookup, type Texts, useFormat, useTexts } from "../texts";

export function ModelsScreen() {
  const texts = useTexts();
  const { models: words } = texts;
  const answer = useQuery({ queryKey: ["models"], queryFn: listModels });
  const [open, choose] = useOpenRow(answer.data ?? [], ({ id }) => id);
  const columns: DataColumn<Model>[] = [
    { id: "id", heading: words.model, cell: ({ id }) => <span className="strong">{id}</span>, sortBy: ({ id }) => id },
    { id: "task", heading: words.task, cell: ({ task }) => taskWords(texts, task), sortBy: ({ task }) => task },
    { id: "use", heading: texts.tenants.status, cell: (model) => <UseBadges model={model} /> },
    { id: "licence", heading: words.licence, cell: ({ licence }) => licence, sortBy: ({ licence }) => licence },
  ];
  return (
    <Screen heading={texts.nav.models} wide>
      <Answer query={answer}>
        {(models) => (
          <>
            <div className="split" data-beside={open !== undefined}>
              <DataTable
                label={texts.nav.models}
                columns={columns}
                rows={models}
                idOf={({ id }) => id}
                empty={words.none}
                selected={open?.id}
                onSelect={choose}
              />
              {open && (
                <div className="split-detail part">
                  <ModelCard key={open.id} model={open} />
                </div>
              )}
            </div>
            <Reports />
          </>
        )}
      </Answer>
    </Screen>
  );
}

/** What was measured with the models here, as files for whoever must judge them. */
function Reports() {
  const { models: words } = useTexts();
  const format = useFormat();
  const act = useAction();
  const answer = useQuery({ queryKey: ["reports"], queryFn: listReports });
  const save = (name: string) => act(async () => saveFile(await fetchReport(name), name));
  return (
    <Card heading={words.reports} id="reports">
      <p className="soft">{words.reportsMean}</p>
      <Answer query={answer}>
        {(reports) =>
          reports.length === 0 ? (
            <p>{words.noReports}</p>
          ) : (
            <ul className="lines">
              {reports.map(({ name, bytes, written_at }) => (
                <li key={name}>
                  <span className="line">
                    <span>
                      <code>{name}</code>{" "}
                      <span className="soft">
                        <Moment at={written_at} /> · {format.bytes(bytes)}
                      </span>
                    </span>
                    <Button
                      className="button"
                      aria-label={`${words.download}: ${name}`}
                      onPress={() => void save(name)}
                    >
                      {words.download}
                    </Button>
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Answer>
    </Card>
  );
}

function taskWords({ models }: Texts, task: string): string {
  return lookup(models.tasks, task) ?? task;
}

function UseBadges({ model: { in_use, is_experimental } }: { model: Model }) {
  const { models: words } = useTexts();
  return (
    <>
      <Badge tone={in_use ? "good" : "plain"}>{in_use ? words.inUse : words.notInUse}</Badge>{" "}
      {is_experimental && <Badge tone="warn">{words.experimental}</Badge>}
    </>
  );
}

function ModelCard({ model }: { model: Model }) {
  const texts = useTexts();
  const { models: words } = texts;
  const format = useFormat();
  const { source, bytes, sha256 } = model;
  return (
    <>
      <Card heading={model.id} id="model">
        {model.is_experimental && <p className="note">{words.experimentalMeans}</p>}
        <Facts>
          <Fact term={words.task}>{taskWords(texts, model.task)}</Fact>
          <Fact term={texts.tenants.status}>
            <UseBadges model={model} />
          </Fact>
          <Fact term={words.licence}>{model.licence}</Fact>
          <Fact term={words.licenceNote}>{model.licence_note}</Fact>
          <Fact term={words.trainingData}>{model.training_data}</Fact>
          <Fact term={words.size}>{bytes === null || bytes === undefined ? words.builtIn : format.bytes(bytes)}</Fact>
          <Fact term={words.source}>
            {source
              ? fill(words.convertedFrom, {
                  package: source.package,
                  version: source.version,
                  converter: source.converter,
                })
              : words.own}
          </Fact>
        </Facts>
        {sha256 && <CopyField label={words.digest} value={sha256} />}
      </Card>
      <Card heading={words.accuracy} id="accuracy">
        <Accuracy accuracy={model.accuracy} />
      </Card>
      {source && <SourceFiles files={source.files} />}
    </>
  );
}

function Accuracy({ accuracy }: { accuracy: Model["accuracy"] | undefined }) {
  const { models: words, settings } = useTexts();
  const format = useFormat();
  switch (accuracy?.of) {
    case "age-errors":
      return (
        <>
          <p>{words.ageErrors}</p>
          <FigureTable
            heads={[words.ageFrom, words.deviation]}
            rows={accuracy.bands.map((band) => [
              format.number(band.from_years),
              `± ${format.measure(band.standard_deviation_years)} ${settings.units.years}`,
            ])}
          />
          <p className="soft">{fill(words.covers, { words: accuracy.covers })}</p>
        </>
      );
    case "false-matches":
      return (
        <>
          <p>{words.falseMatches}</p>
          <FigureTable
            heads={[words.distance, words.rate]}
            rows={accuracy.thresholds.map(({ rate, distance }) => [
              format.measure(distance),
              fill(words.oneIn, { count: format.number(Math.round(1 / rate)) }),
            ])}
          />
        </>
      );
    case "liveness-thresholds":
      return (
        <>
          <p>{words.liveness}</p>
          <FigureTable
            heads={[words.level, words.score]}
            rows={(["low", "medium", "high"] as const).map((level) => [
              words.levels[level],
              format.measure(accuracy[level]),
            ])}
          />
        </>
      );
    default:
      return <p className="soft">{words.noAccuracy}</p>;
  }
}

interface FigureTableProps {
  heads: readonly string[];
  /** The first of each row names it. */
  rows: readonly (readonly [string, string])[];
}

function FigureTable({ heads, rows }: FigureTableProps) {
  const { models: words } = useTexts();
  return (
    <table className="fields" aria-label={words.accuracy}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SourceFiles({ files }: { files: Readonly<Record<string, string>> }) {
  const { models: words } = useTexts();
  return (
    <Card heading={words.files}>
      <ul className="lines">
        {Object.entries(files).map(([path, sha256]) => (
          <li key={path}>
            <span className="strong">{path}</span> <code className="detail soft">{sha256}</code>
          </li>
        ))}
      </ul>
    </Card>
  );
}
