import { createRequire } from 'node:module';
import Type, { type TSchema } from 'typebox';
import Value from 'typebox/value';
import type * as Yaml from 'yaml';
import { readFileSync } from '../platform/files.js';
import type { Option } from './option.js';
import { OPTIONS } from './options.js';
import { ConfigError, fileFlag, warnIfOpen, type ConfigFile } from './values.js';

/**
 * The configuration file: options by the names of their flags, as YAML or JSON (which is YAML).
 *
 *     port: 8080
 *     url: https://chat.example.org
 *     trusted-proxy: [10.0.0.0/8, 127.0.0.1]
 *     mail-file: /run/secrets/mail
 */

/** Far longer than all options together, bytes. */
const MAX_BYTES = 64 * 1024;
/** Names the file itself, so it cannot stand there. */
const FILE_OPTION = 'config';

/** What an option takes, for the schema and for the refusal. */
interface Form {
  readonly schema: TSchema;
  readonly words: string;
}

const TEXT: Form = { schema: Type.String(), words: 'text' };
const NUMBER: Form = { schema: Type.Union([Type.Number(), Type.String()]), words: 'a number' };
/** YAML 1.2 reads `on` as text, and people write true. */
const SWITCH: Form = { schema: Type.Union([Type.Boolean(), Type.String()]), words: 'on or off' };
const LIST: Form = {
  schema: Type.Union([Type.Array(Type.String()), Type.String()]),
  words: 'text or a list of texts',
};
/** Placeholders of `--help` that stand for numbers. */
const NUMBERS = /^(?:NUMBER|SECONDS|MINUTES|DAYS|MIB)$/;

const FORMS: ReadonlyMap<string, Form> = new Map(
  OPTIONS.filter(({ flag }) => flag !== FILE_OPTION).flatMap((option) => {
    const own: [string, Form] = [option.flag, formOf(option)];
    return option.secret ? [own, [fileFlag(option.flag), TEXT]] : [own];
  }),
);

const Schema = Type.Object(
  Object.fromEntries([...FORMS].map(([name, { schema }]) => [name, Type.Optional(schema)])),
  { additionalProperties: false },
);

function formOf({ value, isList = false }: Option): Form {
  if (isList) return LIST;
  if (value === 'on|off') return SWITCH;
  return NUMBERS.test(value) ? NUMBER : TEXT;
}

/**
 * Reads a configuration file.
 * @param warn told of a file with secrets that others can read
 * @throws ConfigError with a line for each fault: file, line and path; no value is repeated
 */
export function readConfigFile(path: string, warn: (sentence: string) => void): ConfigFile {
  // Read with the first file: few starts have one.
  const { LineCounter, parseDocument } = createRequire(import.meta.url)('yaml') as typeof Yaml;
  const lines = new LineCounter();
  const document = parseDocument(textOf(path), { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    const faults = document.errors.map(
      ({ pos, message }) =>
        `${path}, line ${lines.linePos(pos[0]).line}: ${message.split('\n')[0]}`,
    );
    throw new ConfigError(faults.join('\n'));
  }
  // An empty file sets nothing.
  const content: unknown = document.toJS() ?? {};
  const faults = faultsOf(content).map(
    ({ place, words }) => `${path}${lineOf(document, lines, place)}: ${words}`,
  );
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  const values = Object.fromEntries(
    Object.entries(content as Record<string, unknown>).map(([name, value]) => [
      name,
      asFlag(value),
    ]),
  );
  const secret = OPTIONS.some((option) => option.secret?.test(values[option.flag] ?? ''));
  if (secret) warnIfOpen(path, warn);
  return { path, values };
}

/** @throws ConfigError */
function textOf(path: string): string {
  try {
    const content = readFileSync(path);
    if (content.length <= MAX_BYTES) return content.toString('utf8');
  } catch (error) {
    throw new ConfigError(`${path} cannot be read (${(error as { code: string }).code})`);
  }
  throw new ConfigError(`${path} has more than ${MAX_BYTES} bytes: not a configuration file`);
}

/** A fault of a file: where, and in words. */
interface Fault {
  readonly place: readonly string[];
  readonly words: string;
}

/** All faults of a file, one for each option. */
function faultsOf(content: unknown): Fault[] {
  const errors = Value.Errors(Schema, content);
  const unknown = errors.flatMap(({ keyword, params }) =>
    keyword === 'additionalProperties' ? params.additionalProperties : [],
  );
  const faults = new Map<string, Fault>(
    unknown.map((name) => {
      const near = nearName(name, FORMS.keys());
      const advice = near === null ? '' : `. Did you mean ${near}?`;
      return [name, { place: [name], words: `there is no option ${name}${advice}` }];
    }),
  );
  for (const { instancePath } of errors) {
    const place = instancePath.split('/').slice(1);
    const [name = '', index] = place;
    if (name === '') {
      const words = 'options by name are expected, such as port: 8080';
      if (unknown.length === 0) faults.set('', { place, words });
    } else if (index !== undefined) {
      // The entry of a list is nearer to the fault than the list.
      faults.set(name, { place, words: `${name}[${index}] must be text` });
    } else if (!faults.has(name)) {
      faults.set(name, { place, words: `${name} must be ${FORMS.get(name)?.words ?? 'text'}` });
    }
  }
  return [...faults.values()];
}

/** `, line 3` of a value, or nothing where it has no place. */
function lineOf(
  document: Yaml.Document,
  lines: Yaml.LineCounter,
  place: readonly string[],
): string {
  const keys = place.map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  const node = document.getIn(keys, true) as { range?: readonly number[] | null } | undefined;
  const at = node?.range?.[0];
  return at === undefined ? '' : `, line ${lines.linePos(at).line}`;
}

function asFlag(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return String(value);
}

/** A name further from what was typed than this share of its length is another word. */
const MOST_TYPOS = 0.4;

/** Which of some names was meant by one that is none of them, for refusals; null where none is near. */
export function nearName(typed: string, names: Iterable<string>): string | null {
  let best: string | null = null;
  let least = Infinity;
  for (const name of names) {
    const typos = distance(typed, name);
    if (typos < least && typos <= Math.max(typed.length, name.length) * MOST_TYPOS) {
      least = typos;
      best = name;
    }
  }
  return best;
}

/** Letters to insert, remove, replace or exchange with a neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        next[j] = Math.min(next[j]!, before[j - 2]! + 1);
      }
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
