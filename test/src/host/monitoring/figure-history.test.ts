import { statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import {
  FILE_BYTES,
  FigureHistory,
  type Looked,
} from '../../../../src/host/monitoring/figure-history.js';
import { figuresUpkeep } from '../../../../src/nodes/upkeep/upkeep.js';
import type { Organization } from '../../../../src/organization/state/organization.js';
import { replacePlatform } from '../../../../src/platform/bound.js';
import { VirtualPlatform } from '../../../fixtures/virtual-platform.js';
import { storeFolder } from '../../../system/harness/server.js';

const MINUTE_MS = 60_000;
const BOUNDS = [0.005, 0.01, 1];

/** What a process has counted after so many seconds at a steady pace. */
function looked(seconds: number): Looked {
  const within = [seconds * 98, seconds * 99, seconds * 100];
  return {
    ...{ requests: 10 * seconds, delivered_events: 20 * seconds, journal_head: 3 * seconds },
    commits: { bounds: BOUNDS, within, count: 100 * seconds },
    sends: { bounds: BOUNDS, within: [0, 0, 0], count: 0 },
    ...{ resident_bytes: 123_400_000, queue_counts: { idle: 1, polling: 2, streaming: 3 } },
  };
}

void t.test(
  'a minute has its rates; the first of a process, and what did not happen, has none',
  async (t) => {
    let now = 30_000_000 * MINUTE_MS;
    const path = join(storeFolder(t), 'figures.bin');
    const history = new FigureHistory(
      path,
      (error) => t.fail(String(error)),
      () => now,
    );
    t.strictSame(history.figures().minutes, []);
    await history.note(looked(60), 0);
    now += MINUTE_MS;
    await history.note(looked(120), 4);
    t.strictSame(history.figures(), {
      minutes: [30_000_000, 30_000_001],
      requests_per_second: [null, 10],
      events_per_second: [null, 20],
      entries_per_second: [null, 3],
      commit_p99_ms: [null, 10],
      send_p99_ms: [null, null],
      memory_bytes: [123_400_000, 123_400_000],
      event_queues: [6, 6],
      waiting_mails: [0, 4],
    });
  },
);

void t.test('a restart goes on where the file ends, which never grows beyond a day', async (t) => {
  let now = 30_000_000 * MINUTE_MS;
  const path = join(storeFolder(t), 'figures.bin');
  const open = (): FigureHistory =>
    new FigureHistory(
      path,
      (error) => t.fail(String(error)),
      () => now,
    );
  await open().note(looked(60), 1);
  now += 2 * MINUTE_MS;
  const second = open();
  await second.note(looked(60), 2);
  t.strictSame(second.figures().minutes, [30_000_000, 30_000_002]);
  t.strictSame(second.figures().waiting_mails, [1, 2]);
  for (let minute = 0; minute < 1440; minute++) {
    now += MINUTE_MS;
    await second.note(looked(60), 3);
  }
  const { minutes, waiting_mails } = open().figures();
  t.strictSame([minutes.length, waiting_mails.length], [0, 0], 'read when something is noted');
  const third = open();
  await third.note(looked(60), 4);
  t.equal(third.figures().minutes.length, 1440);
  t.equal(third.figures().minutes[0], 30_000_003);
  t.equal(third.figures().waiting_mails.at(-1), 4);
  t.equal(statSync(path).size, FILE_BYTES);
  t.equal(FILE_BYTES, 103_680);
});

void t.test('a file that cannot be used ends the keeping, and nothing else', async (t) => {
  const faults: unknown[] = [];
  const now = 30_000_000 * MINUTE_MS;
  const path = join(storeFolder(t), 'none', 'figures.bin');
  const history = new FigureHistory(
    path,
    (error) => faults.push(error),
    () => now,
  );
  await history.note(looked(60), 1);
  t.match(faults, [{ code: 'ENOENT' }, { code: 'ENOENT' }]);
  t.strictSame(history.figures().waiting_mails, [1]);
});

void t.test(
  'figures that the system does not tell are null, and the keeping goes on',
  async (t) => {
    const history = new FigureHistory(
      join(storeFolder(t), 'figures.bin'),
      (error) => t.fail(String(error)),
      () => 30_000_000 * MINUTE_MS,
    );
    await history.note({ ...looked(60), resident_bytes: null }, 0);
    t.strictSame(history.figures().memory_bytes, [null]);
  },
);

void t.test(
  'who closes an organization waits for the figures that are being written',
  async (t) => {
    const path = join(storeFolder(t), 'figures.bin');
    const history = new FigureHistory(path, (error) => t.fail(String(error)));
    await history.settled();
    void history.note(looked(60), 0);
    await history.settled();
    t.ok(statSync(path).size > 0);
  },
);

void t.test('a look that fails ends neither the start nor the minutes that follow', async (t) => {
  const noted: number[] = [];
  let looks = 0;
  const upkeep = figuresUpkeep(
    {
      org: { mails: { size: 3 } } as Organization,
      look: () => {
        looks += 1;
        if (looks === 1) throw new Error('uv_resident_set_memory');
        return looked(60);
      },
    },
    {
      figureHistory: {
        note: async (_look: Looked, mails: number) => void noted.push(mails),
      } as unknown as FigureHistory,
    },
  );
  const platform = new VirtualPlatform(1, 30_000_000 * MINUTE_MS);
  const restore = replacePlatform(platform);
  try {
    upkeep.start();
    await platform.run(2 * MINUTE_MS);
    upkeep.stop();
  } finally {
    restore();
  }
  t.strictSame(noted, [3, 3]);
});
