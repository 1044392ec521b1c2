import { runDeliveries } from '../harness/load/deliveries.js';
import type { Scenario } from '../harness/scenario.js';

export const pushPersonal: Scenario = {
  name: 'push-personal',
  work: 'N sockets, each event goes to one of them',
  full: { clients: 1000, seconds: 20 },
  quick: { clients: 500, seconds: 2 },
  run: (context) =>
    runDeliveries(context, {
      scenario: 'push-personal',
      transport: 'push',
      addressing: 'one',
      deliveriesPerSecond: 2000,
    }),
};
