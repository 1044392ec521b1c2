import t from 'tap';
import { allHosted } from '../../../src/app/all-hosted.js';
import type { Hosted } from '../../../src/host/hosted.js';
import type { NodeFigures } from '../../../src/host/monitoring/node-metrics.js';

/** @param n which of them */
function figures(n: number): NodeFigures {
  return {
    leads: true,
    stalenessMs: 10 * n,
    queues: {
      ...{ idle: n, polling: n, streaming: n, unattached: n, events: n, bytes: n },
      behind: { 10: n, 60: 0, 600: 0 },
      longestBehindMs: n,
    },
    head: 100 * n,
    pending: n,
    replicas: null,
    delivered: n,
    mails: { waiting: n, oldestMs: n },
    search: { lag: n, indexed: n },
    actors: { 'event-queue': { idle: n }, [`only-${n}`]: { on: 1 } },
  };
}

function hosted(n: number, known: NodeFigures | null = figures(n)): Hosted {
  return {
    state: () => (n === 1 ? 'ready' : 'unavailable'),
    nodeHealth: () => ({ role: 'leader', node: String(n), leader: null, position: n, lag_ms: 0 }),
    figures: () => known,
    firstSeq: async () => n,
    fetches: () => [{ kind: 'page', outcome: 'fetched', count: n } as never],
    mailSink: () => undefined,
  };
}

void t.test(
  'figures of several are sums; state and positions are those of the main one',
  async (t) => {
    const main = hosted(1);
    t.equal(allHosted(main, []), main);
    const all = allHosted(main, [hosted(2), hosted(3, null)]);
    t.equal(all.state(), 'ready');
    t.equal(all.nodeHealth().node, '1');
    t.equal(await all.firstSeq(), 1);
    t.equal([...all.fetches()].length, 3);
    t.strictSame(all.figures(), {
      leads: true,
      stalenessMs: 20,
      queues: {
        ...{ idle: 3, polling: 3, streaming: 3, unattached: 3, events: 3, bytes: 3 },
        behind: { 10: 3, 60: 0, 600: 0 },
        longestBehindMs: 2,
      },
      head: 100,
      pending: 3,
      replicas: null,
      delivered: 3,
      mails: { waiting: 3, oldestMs: 2 },
      search: { lag: 3, indexed: 3 },
      actors: { 'event-queue': { idle: 3 }, 'only-1': { on: 1 }, 'only-2': { on: 1 } },
    });
    t.equal(allHosted(hosted(1, null), [hosted(3, null)]).figures(), null);
  },
);
