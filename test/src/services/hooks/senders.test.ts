import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { ALL_INTEGRATIONS } from '../../../../src/services/hooks/integrations.js';
import { isKnown } from '../../../../src/services/hooks/integration.js';
import { Payload } from '../../../../src/services/hooks/payload.js';
import { SENDERS } from '../../../../src/services/hooks/senders/index.js';
import { withoutMarks } from './told.js';

/*
 * What each sender of a table makes of payloads that its service sent: recorded by others, as public documentation and
 * tests of public programs show them, cut to what the senders read and with other names of people and places.
 */

interface Recorded {
  /** Where the payload is published. */
  readonly source: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly event: string;
  readonly told: readonly [topic: string, content: string] | null;
  readonly payload: unknown;
}

const RECORDED = 'test/src/services/hooks/recorded';
const KINDS = ['code', 'builds', 'alerts', 'work'];

function recordedOf(name: string): readonly Recorded[] {
  const path = KINDS.map((kind) => `${RECORDED}/${kind}/${name}.json`).find(existsSync);
  if (path === undefined) throw new Error(`No payload of ${name} is recorded`);
  return JSON.parse(readFileSync(path, 'utf8')) as Recorded[];
}

void t.test('payloads that services sent become messages', async (t) => {
  for (const sender of SENDERS) {
    const { name, eventOf, message } = sender;
    const recorded = recordedOf(name);
    t.ok(
      recorded.some(({ told }) => told),
      `${name} is told`,
    );
    for (const { headers = {}, event, told, payload: value, source } of recorded) {
      const payload = new Payload(value);
      const header = (key: string): string => headers[key] ?? '';
      t.equal(eventOf({ header, payload }), event, `${name}: ${source}`);
      t.ok(isKnown(sender, event), `${name} ${event}`);
      t.strictSame(withoutMarks(message(event, payload, header)), told, `${name} ${event}`);
    }
  }
});

void t.test('no payload of an outsider breaks a sender, or mentions anybody', async (t) => {
  const hostile =
    '@\0**all** @**all** @_**Ann** [x](javascript:a) ](https://a.example) `**\n~~~ quote\n<< {a} \u202e\0';
  const replaced = (value: unknown): unknown => {
    if (typeof value === 'string') return hostile;
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one)]));
  };
  for (const { name, message } of SENDERS) {
    for (const { event, payload } of recordedOf(name)) {
      const content = message(event, new Payload(replaced(payload)))?.content ?? '';
      const outsideFences = content.replace(/^(~{3,}) text\n[^]*?\n\1$/gm, '');
      t.notMatch(outsideFences, /@_?\*/, `${name} ${event}`);
      t.notOk(
        content.includes('\0'),
        `${name} ${event}: what is removed later makes no mention whole`,
      );
    }
  }
});

void t.test('the page of integrations lists what there is', async (t) => {
  const rows = ALL_INTEGRATIONS.map(
    ({ name, otherNames = [], displayName, docs, events, signature }) => {
      const names = [name, ...otherNames].map((one) => `\`${one}\``).join(', ');
      const kinds =
        events === null
          ? 'none'
          : `${events.length}: \`${events[0]!}\`${events.length > 1 ? ' …' : ''}`;
      return `| ${names} | [${displayName}](${docs}) | ${kinds} | ${signature ? 'yes' : 'no'} |`;
    },
  );
  const page = readFileSync('docs/guides/integrations.md', 'utf8');
  const listed = page.split('\n').filter((line) => /^\| `.*\| (?:yes|no) +\|$/.test(line));
  t.strictSame(
    listed.map((line) => line.replace(/ +/g, ' ')),
    rows,
  );
});

void t.test('a sender is one file of less than 100 lines', async (t) => {
  const index = readFileSync('src/services/hooks/senders/index.ts', 'utf8');
  const files = [...index.matchAll(/'\.\/(.*)\.js'/g)].map(([, path]) => path!);
  t.equal(files.length, 49);
  for (const path of files) {
    const lines = readFileSync(`src/services/hooks/senders/${path}.ts`, 'utf8').split('\n').length;
    t.ok(lines < 100, path);
  }
});
