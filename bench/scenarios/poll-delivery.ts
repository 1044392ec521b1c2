import { runDeliveries } from '../harness/load/deliveries.js';
import type { Scenario } from '../harness/scenario.js';

export const pollDelivery: Scenario = {
  name: 'poll-delivery',
  work: 'N pollers, each event goes to all',
  full: { clients: 1000, seconds: 20 },
  quick: { clients: 500, seconds: 2 },
  run: (context) =>
    runDeliveries(context, {
      scenario: 'poll-delivery',
      transport: 'poll',
      addressing: 'all',
      deliveriesPerSecond: 5000,
    }),
};
