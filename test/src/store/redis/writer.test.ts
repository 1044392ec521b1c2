/** Commits of a process that loses its lease and takes it again, which other processes never see. */
import { ErrorReply } from 'redis';
import t from 'tap';
import { FencedError, LostWritesError } from '../../../../src/store/port.js';
import { Connection } from '../../../../src/store/redis/connection.js';
import { KeySpace } from '../../../../src/store/redis/keys.js';
import type { Scripts } from '../../../../src/store/redis/scripts.js';
import { RedisWriter } from '../../../../src/store/redis/writer.js';
import { entry } from '../contract/under-test.js';

const PATIENCE = { replyMs: 1000, waitMs: 1000 };
const COMMIT = { entries: [entry(1)], writes: [], due: [] };

/** A writer whose server answers each script as given; nothing reaches a network. */
function writerOf(run: (name: string, args: readonly string[]) => unknown): RedisWriter {
  const scripts = {
    run: async (_connection: Connection, name: string, _keys: string[], args: string[]) =>
      run(name, args),
  };
  let sessions = 0;
  return new RedisWriter({
    connection: new Connection(() => Promise.reject(new Error('no server')), PATIENCE),
    scripts: scripts as unknown as Scripts,
    keys: new KeySpace('main'),
    format: 'text',
    isOlder: false,
    newSession: () => `session ${++sessions}`,
  });
}

for (const [name, answer] of [
  ['is refused for a while', () => Promise.reject(new ErrorReply('LOADING'))],
  ['gets no reply', () => Promise.reject(new Error('the connection was closed'))],
  ['is answered late', () => 'OK'],
] as const) {
  void t.test(`a commit that ${name} is none of the next lease of its process`, async (t) => {
    const seen: string[] = [];
    let token = 0;
    const writer: RedisWriter = writerOf(async (script, args) => {
      if (script === 'acquire-lease') return [++token, 0];
      seen.push(`${script} of ${args[script === 'renew-lease' ? 0 : 1]}`);
      if (script === 'renew-lease') return 'FENCED';
      if (script === 'settle') return 'ABSENT';
      if (seen.length > 1) return 'OK';
      // Another process had the lease meanwhile, and gave it back.
      await writer.renew({ token: 1 }, 1000).catch(() => undefined);
      await writer.acquire('holder', 1000);
      return answer();
    });
    const first = (await writer.acquire('holder', 1000))!;
    await t.rejects(writer.write(COMMIT, writer.session(first)), FencedError);
    t.same(seen, ['commit of session 1', 'renew-lease of session 1']);
    await writer.write(COMMIT, writer.session({ token: 2 }));
    t.equal(seen.at(-1), 'commit of session 2', 'the next lease commits as its own');
  });
}

void t.test('a commit that waits its turn is none of the next lease of its process', async (t) => {
  const seen: string[] = [];
  let token = 0;
  const writer = writerOf((script) => {
    if (script === 'acquire-lease') return [++token, 0];
    if (script === 'renew-lease') return 'LOST';
    seen.push(script);
    return 'OK';
  });
  const first = writer.session(await writer.acquire('holder', 1000));
  await t.rejects(writer.renew(first, 1000), LostWritesError);
  await writer.acquire('holder', 1000);
  await t.rejects(writer.write(COMMIT, first), FencedError);
  t.same(seen, []);
});
