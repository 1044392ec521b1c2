import t from 'tap';
import { CommitBatching } from '../../../src/journal/group-commit.js';

function setUp() {
  const time = { now: 1000 };
  return { time, batching: new CommitBatching(() => time.now) };
}

void t.test('a commit after a pause goes at once', async (t) => {
  const { time, batching } = setUp();
  t.equal(batching.wait(), 0);
  batching.started(1);
  time.now += 4;
  t.equal(batching.wait(), 0);
});

void t.test('commits in quick succession wait for company', async (t) => {
  const { time, batching } = setUp();
  batching.started(1);
  time.now += 1;
  t.equal(batching.wait(), 3);
  time.now += 3;
  batching.started(3);
  time.now += 1.5;
  t.equal(batching.wait(), 2.5, 'it was worth it, so it goes on');
});

void t.test('a client that waits for each write is held back once in two hundred', async (t) => {
  const { time, batching } = setUp();
  let heldBack = 0;
  for (let i = 0; i < 1 + 2 * 201; i++) {
    if (batching.wait() > 0) heldBack += 1;
    batching.started(1);
    time.now += 1;
  }
  t.equal(heldBack, 2);
});
