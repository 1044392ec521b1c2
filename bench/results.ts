import { readFile } from 'node:fs/promises';
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { Result } from './harness/measuring/figures.js';

const FiguresShape = Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]));
const MaybeFigures = Type.Union([FiguresShape, Type.Null()]);

const MaybeNumber = Type.Union([Type.Number(), Type.Null()]);
const SecondShape = Type.Object({
  operations: Type.Number(),
  errors: Type.Number(),
  p99_ms: MaybeNumber,
  cpu_share: MaybeNumber,
  rss_mb: MaybeNumber,
  loop_ms: MaybeNumber,
});

/** The file `run --json` writes. */
const ResultsFile = Type.Array(
  Type.Object({
    scenario: Type.String(),
    point: Type.String(),
    clients: Type.Number(),
    seconds: Type.Number(),
    machine: Type.Object({
      cpu: Type.String(),
      cores: Type.Number(),
      memory_gb: Type.Number(),
      system: Type.String(),
      node: Type.String(),
    }),
    at: Type.String(),
    figures: MaybeFigures,
    floor: MaybeFigures,
    peers: Type.Record(Type.String(), MaybeFigures),
    ratios: Type.Record(Type.String(), Type.Number()),
    refused: Type.Record(Type.String(), Type.String()),
    latency: Type.Record(Type.String(), Type.Array(Type.Tuple([Type.Number(), Type.Number()]))),
    versions: Type.Record(Type.String(), Type.String()),
    commit: Type.Optional(Type.String()),
    notes: Type.Optional(Type.Array(Type.String())),
    runs: Type.Optional(Type.Number()),
    spread: Type.Optional(Type.Record(Type.String(), Type.Number())),
    parts: Type.Optional(Type.Record(Type.String(), FiguresShape)),
    goals: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    series: Type.Optional(Type.Record(Type.String(), Type.Array(SecondShape))),
  }),
);

/** Reads such a file. @throws Error when it is not one */
export async function readResults(path: string): Promise<Result[]> {
  const value: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!Value.Check(ResultsFile, value)) throw new Error(`${path} holds no results of the bench`);
  return value;
}
