import { runDeliveries } from '../harness/load/deliveries.js';
import type { Scenario } from '../harness/scenario.js';

export const pushFanout: Scenario = {
  name: 'push-fanout',
  work: 'N sockets, each event goes to all',
  full: { clients: 1000, seconds: 20 },
  quick: { clients: 500, seconds: 2 },
  run: (context) =>
    runDeliveries(context, {
      scenario: 'push-fanout',
      transport: 'push',
      addressing: 'all',
      deliveriesPerSecond: 10_000,
    }),
};
