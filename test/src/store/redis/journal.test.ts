import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { sealEntry } from '../../../../src/store/checksum.js';
import { TrimmedError, type StoredEntry } from '../../../../src/store/port.js';
import type { Connection } from '../../../../src/store/redis/connection.js';
import { followStream } from '../../../../src/store/redis/journal.js';
import { KeySpace } from '../../../../src/store/redis/keys.js';

/** A connection to a stream that has one entry more at every look, for ever or up to an end. */
function growingStream(length = Infinity): Connection {
  let seq = 0;
  const connection: Partial<Connection> = {
    retry: (action) => action(),
    send: (command) => {
      if (command[0] === 'HMGET') return Promise.resolve(['0', String(seq), 'a writer']);
      if (seq === length) return new Promise(() => undefined);
      seq += 1;
      const text = sealEntry(seq, `{"at":1,"changes":[],"events":[],"seq":${seq}}`);
      return Promise.resolve([['stream', [[`${seq}-0`, ['entry', text]]]]]);
    },
    close: () => undefined,
  };
  return connection as Connection;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

void t.test('a follower keeps nothing of what it has read', async (t) => {
  const ending = new AbortController();
  const stream = followStream(() => growingStream(), new KeySpace('test'), 0, ending.signal);
  const seen: WeakRef<StoredEntry>[] = [];
  for await (const [entry] of stream) {
    seen.push(new WeakRef(entry!));
    if (seen.length === 100) break;
  }
  // References of the present turn stand until its end.
  await turn();
  collectGarbage();
  const kept = seen.filter((one) => one.deref() !== undefined).length;
  t.ok(kept <= 2, `${kept} entries of 100 are kept`);
  ending.abort();
});

void t.test('a follower ends at once, whatever it waits for', async (t) => {
  const ending = new AbortController();
  const stream = followStream(() => growingStream(1), new KeySpace('test'), 0, ending.signal);
  t.equal((await stream.next()).done, false);
  const waiting = stream.next();
  await turn();
  ending.abort();
  t.same(await waiting, { done: true, value: undefined });
});

void t.test('a follower compares its last entry behind a broken connection', async (t) => {
  const seal = (seq: number, name: string): unknown => [
    [`${seq}-0`, ['entry', sealEntry(seq, `{"at":1,"name":"${name}"}`)]],
  ];
  let looks = 0;
  let reads = 0;
  const server: Partial<Connection> = {
    retry: async (action) => {
      looks += 1;
      // The second look finds the connection broken, and is made again: at a server that has another entry.
      if (looks === 2) await action().catch(() => undefined);
      return action();
    },
    send: (command) => {
      // The same name: the other server forgot whom it had given the role, and gave it to them again.
      if (command[0] === 'HMGET') return Promise.resolve(['0', '1', 'a writer']);
      if (command[0] === 'XRANGE') return Promise.resolve(seal(1, 'another'));
      reads += 1;
      if (reads === 2) return Promise.reject(new Error('The connection broke'));
      return Promise.resolve(
        reads === 1 ? [['stream', seal(1, 'one')]] : [['stream', seal(2, 'x')]],
      );
    },
    close: () => undefined,
  };
  const ending = new AbortController();
  const open = (): Connection => server as Connection;
  const stream = followStream(open, new KeySpace('test'), 0, ending.signal);
  t.match((await stream.next()).value, [{ seq: 1 }]);
  await t.rejects(stream.next(), TrimmedError);
  t.equal(looks, 2);
});

void t.test('all that a look of a follower finds comes from one server', async (t) => {
  const seal = (seq: number, name: string): unknown => [
    [`${seq}-0`, ['entry', sealEntry(seq, `{"at":1,"name":"${name}"}`)]],
  ];
  let reads = 0;
  let compared = 0;
  const server: Partial<Connection> = {
    retry: (action) => action().catch(() => action()),
    send: async (command) => {
      if (command[0] === 'HMGET') return ['0', '2', reads === 1 ? 'a writer' : 'the next'];
      if (command[0] === 'XRANGE') {
        // The server that had another entry behind this one is gone.
        if (++compared === 1) throw new Error('The connection broke');
        return seal(1, 'one');
      }
      reads++;
      return [['stream', reads === 1 ? seal(1, 'one') : seal(2, reads === 2 ? 'lost' : 'kept')]];
    },
    close: () => undefined,
  };
  const ending = new AbortController();
  const known = { seq: 0, text: '', damaged: true } as const;
  const stream = followStream(
    () => server as Connection,
    new KeySpace('test'),
    0,
    ending.signal,
    known,
  );
  t.match((await stream.next()).value, [{ seq: 1 }]);
  t.match((await stream.next()).value, [{ seq: 2, text: /kept/ }]);
});
