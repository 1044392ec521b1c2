import { runDeliveries } from '../harness/load/deliveries.js';
import type { Scenario } from '../harness/scenario.js';

export const sseFanout: Scenario = {
  name: 'sse-fanout',
  work: 'N streams of server-sent events, each event goes to all',
  full: { clients: 1000, seconds: 20 },
  quick: { clients: 500, seconds: 2 },
  run: (context) =>
    runDeliveries(context, {
      scenario: 'sse-fanout',
      transport: 'stream',
      addressing: 'all',
      deliveriesPerSecond: 10_000,
    }),
};
