import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import t from 'tap';
import type { Integration } from '../../../../src/services/hooks/integration.js';
import { Payload } from '../../../../src/services/hooks/payload.js';
import { SENDERS } from '../../../../src/services/hooks/senders/index.js';

/*
 * Every row of every sender's table, as it is told. Payloads that services sent show a quarter of the kinds of events
 * (senders.test.ts); here each value of a payload is the name of its place. A line has the first message of a kind, and how
 * many others its rows and values that are missing make with the places that they come from, as a hash.
 */

const LINES = 'test/src/services/hooks/sender-lines.txt';
const SENDERS_FOLDER = 'src/services/hooks/senders';

/** Values by their places: `null` is missing, and what is not there is the name of its place. */
type Given = ReadonlyMap<string, string | null>;

/** A payload with whatever is looked for. */
class NamedPlaces extends Payload {
  constructor(
    private readonly given: Given,
    private readonly asked: Set<string>,
    private readonly place = '',
  ) {
    super(undefined);
  }

  override get(...path: readonly string[]): Payload {
    const place = [this.place, ...path].filter(Boolean).join('.');
    this.asked.add(place);
    return this.given.get(place) === null
      ? new Payload(undefined)
      : new NamedPlaces(this.given, this.asked, place);
  }

  override get isThere(): boolean {
    return true;
  }

  override text(): string {
    return this.given.get(this.place) ?? this.place;
  }

  override textOr(): string {
    return this.text();
  }

  override get word(): string {
    return this.text();
  }

  override get number(): number {
    return 2;
  }

  override get list(): readonly Payload[] {
    return [new NamedPlaces(this.given, this.asked, `${this.place}.0`)];
  }
}

/** What holds where a condition of a row does, for each of the words that it names. */
function givenBy(when: string): Given[] {
  let all: (readonly [string, string | null])[][] = [[]];
  for (const one of when.split(' & ')) {
    const [, not, place = '', isNot, words] = /^(!?)([\w.-]+)(?:(!?)=(.*))?$/.exec(one) ?? [];
    const values = not === '!' ? [null] : isNot === '' ? words!.split('|') : [place];
    all = all.flatMap((before) => values.map((value) => [...before, [place, value] as const]));
  }
  return all.map((pairs) => new Map(pairs));
}

function conditionsOf(sender: string): Given[] {
  const source = readFileSync(`${SENDERS_FOLDER}/${sender}.ts`, 'utf8');
  const found = [...source.matchAll(/\bwhen:\s*'([^']+)'/g)].flatMap(([, when]) => givenBy(when!));
  // The rows before one whose condition holds would be told in its place.
  const none = found.flatMap((given) =>
    Array.from(given.keys(), (place) => [place, null] as const),
  );
  return [new Map(), ...found.map((given) => new Map([...none, ...given]))];
}

/** All that a kind of event comes to, each once, and then the places that are looked at. */
function messagesOf({ message }: Integration, event: string, conditions: Given[]): string[] {
  const told = new Set<string>();
  const read = new Set<string>();
  const tell = (given: Given): Set<string> => {
    const asked = new Set<string>();
    try {
      const made = message(event, new NamedPlaces(given, asked), (name) => `#${name}`);
      told.add(made ? `${made.topic} | ${made.content}` : 'nothing');
    } catch (error) {
      told.add((error as Error).constructor.name);
    }
    for (const place of asked) read.add(place);
    return asked;
  };
  for (const given of conditions) {
    for (const place of tell(given)) tell(new Map([...given, [place, null]]));
  }
  return [...told, ...[...read].sort()];
}

void t.test('a change of what a sender tells is seen in lines', (t) => {
  const index = readFileSync(`${SENDERS_FOLDER}/index.ts`, 'utf8');
  const paths = [...index.matchAll(/from '\.\/(.*)\.js'/g)].map(([, path]) => path!);
  const lines = SENDERS.flatMap((sender) => {
    const { name, events, quiet = [], eventOf } = sender;
    const own = new RegExp(`\\bname: '${name}'`);
    const path = paths.find((one) => own.test(readFileSync(`${SENDERS_FOLDER}/${one}.ts`, 'utf8')));
    t.ok(path, name);
    const header = (key: string): string => `#${key}`;
    const event = eventOf({ header, payload: new NamedPlaces(new Map(), new Set()) });
    const conditions = conditionsOf(path!);
    const rows = (events ?? ['']).map((kind) => {
      const [first = '', ...others] = messagesOf(sender, kind, conditions);
      const hash = createHash('sha256').update(others.join('\n')).digest('hex').slice(0, 12);
      return `  ${kind}: ${JSON.stringify(first)} ${others.length} ${hash}`;
    });
    return [`${name}: ${event}; quiet ${quiet.join(' ')}`, ...rows];
  });
  const kept = readFileSync(LINES, 'utf8').trimEnd().split('\n');
  const line = lines.findIndex((one, i) => one !== kept[i]);
  const made = `dist/${basename(LINES)}`;
  if (line >= 0 || lines.length !== kept.length) writeFileSync(made, `${lines.join('\n')}\n`);
  t.equal(lines[line], kept[line], `if this is meant, cp ${made} ${LINES}`);
  t.equal(lines.length, kept.length);
  t.end();
});
