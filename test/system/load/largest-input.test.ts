import t from 'tap';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import { send, type LargestCall } from '../harness/largest/call.js';
import { text } from '../harness/largest/messages.js';
import { ELSEWHERE, placeOf, ROWS, WRITTEN } from '../harness/largest/rows.js';
import { WatchedServer } from '../harness/largest/world.js';
import { fullScale, scaled } from '../harness/scale.js';
import { shareOf } from '../../shares.js';
import { leastOf, LIMIT_MS, type Measured, told } from '../../fixtures/machine-load.js';

/*
 * One request of the largest admitted size to every endpoint, then ten of them at once, and how long the event loop was
 * blocked meanwhile, until everything was durable and delivered. Each platform of a landing sends a third of the tens.
 * PARLEY_TEST_SCALE=full takes the sizes that were seen to stop everybody; PARLEY_TEST_VERBOSE tells the time of each.
 */

/** How many send the same request together, in the second pass. */
const AT_ONCE = 10;

void t.test('every endpoint has a row of its largest request', async (t) => {
  const operations = ALL_ENDPOINTS.map(({ operation }) => operation);
  const missing = operations.filter((name) => !(name in ROWS) && !(name in ELSEWHERE));
  t.strictSame(missing, []);
  const unknown = Object.keys(WRITTEN).filter((name) => !operations.includes(name));
  t.strictSame(unknown, [], 'what is written is of an endpoint');
  const place =
    "add 'create-saved-snippet' to SETTING_ROWS in test/system/harness/largest/settings.ts";
  t.equal(placeOf('create-saved-snippet'), place, 'one that is missing is told its place');
});

void t.test(`nobody waits longer than ${LIMIT_MS} ms for somebody else's request`, async (t) => {
  t.setTimeout(scaled(480_000, 3_000_000));
  const watched = await WatchedServer.start(t);
  const { world } = watched;
  const endpoints = new Map(ALL_ENDPOINTS.map((one) => [one.operation, one]));
  const longest: [number, string][] = [];
  // Code that runs for the first time is slower, and does so once in the life of a process.
  for (let i = 0; i < 5; i++) {
    const sample = { params: { content: text(5000) }, as: world.owner.authorization };
    await send(world.url, endpoints.get('render-message')!, sample);
  }
  const calls = (row: (typeof ROWS)[string]): LargestCall[] =>
    [row(world)].flat<readonly (LargestCall | readonly LargestCall[])[]>();
  const judge = ({ least, limit }: Measured, name: string): void => {
    longest.push([least, name]);
    if (least >= limit) t.fail(told(`${name} blocks`, { least, limit }));
  };
  for (const [operation, row] of Object.entries(ROWS)) {
    for (const [i, call] of calls(row).entries()) {
      const endpoint = endpoints.get(operation)!;
      const name = `${operation}${call.what ? `: ${call.what}` : ''}`;
      await watched.longestBlock();
      const reply = await send(world.url, endpoint, {
        as: world.owner.authorization,
        ...call,
      });
      if (endpoint.method !== 'GET') await watched.settle();
      const first = await watched.longestBlock();
      let isFirst = true;
      const again = async (): Promise<number> => {
        if (isFirst) {
          isFirst = false;
          return first;
        }
        const call = calls(row)[i]!;
        await watched.longestBlock();
        await send(world.url, endpoint, { as: world.owner.authorization, ...call });
        if (endpoint.method !== 'GET') await watched.settle();
        return watched.longestBlock();
      };
      const block = fullScale ? { least: first, limit: LIMIT_MS } : await leastOf(LIMIT_MS, again);
      if (process.env.PARLEY_TEST_VERBOSE) t.comment(`${block.least.toFixed(1)} ms: ${name}`);
      const usual = call.status ?? (call.refusal === undefined ? 200 : 400);
      const expected = call.isRefused && reply.status >= 400 ? reply.status : usual;
      if (reply.status !== expected) {
        const what =
          operation in WRITTEN
            ? name
            : `${operation} was refused with texts of the largest length; ${placeOf(operation)}`;
        t.equal(reply.status, expected, `${what}: ${reply.text.slice(0, 300)}`);
      }
      if (call.refusal !== undefined) {
        t.equal((JSON.parse(reply.text) as { msg: string }).msg, call.refusal, name);
      }
      judge(block, name);
    }
    if (!watched.server.running) throw new Error(`${operation} ended the server`);
  }
  // The same ten at once. Many are refused by now, because the first of them did it: that is to take no longer.
  for (const [operation, row] of shareOf(Object.entries(ROWS))) {
    const endpoint = endpoints.get(operation)!;
    const several = (): LargestCall[][] => Array.from({ length: AT_ONCE }, () => calls(row));
    const made = several();
    for (const [i, { what = '' }] of made[0]!.entries()) {
      const name = `${operation}: ${what}, ten at once`;
      const atOnce = async (together: readonly LargestCall[]): Promise<number> => {
        await watched.longestBlock();
        const sent = together.map((call) => {
          const as = world.owner.authorization;
          // A refusal may end the connection while the rest of the request is under way.
          return send(world.url, endpoint, { as, ...call }).catch(() => ({ status: 0, text: '' }));
        });
        for (const { status, text: reply } of await Promise.all(sent)) {
          if (status === 0) t.comment(`${name}: the connection ended`);
          if (status >= 500 && status !== 503) t.fail(`${name}: ${status} ${reply.slice(0, 300)}`);
        }
        if (endpoint.method !== 'GET') await watched.settle();
        return watched.longestBlock();
      };
      let calling: LargestCall[][] | null = made;
      const measure = (): Promise<number> => {
        const together = (calling ?? several()).map((one) => one[i]!);
        calling = null;
        return atOnce(together);
      };
      const block = fullScale
        ? { least: await measure(), limit: LIMIT_MS }
        : await leastOf(LIMIT_MS, measure);
      judge(block, name);
    }
    if (!watched.server.running) throw new Error(`${operation} ended the server`);
  }
  longest.sort(([a], [b]) => b - a);
  for (const [block, name] of longest.slice(0, 5)) t.comment(`${block.toFixed(1)} ms: ${name}`);
});
