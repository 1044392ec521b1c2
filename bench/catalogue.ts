import type { Scenario } from './harness/scenario.js';
import { bulk } from './scenarios/bulk.js';
import { compression } from './scenarios/compression.js';
import { ephemeral } from './scenarios/ephemeral.js';
import { eventGrowth } from './scenarios/event-growth.js';
import { failover } from './scenarios/failover.js';
import { fanOutLarge } from './scenarios/fan-out-large.js';
import { growth } from './scenarios/growth.js';
import { idle } from './scenarios/idle.js';
import { load } from './scenarios/load.js';
import { mixed } from './scenarios/mixed.js';
import { nodes } from './scenarios/nodes.js';
import { organizations } from './scenarios/organizations.js';
import { pollDelivery } from './scenarios/poll-delivery.js';
import { pollEmpty } from './scenarios/poll-empty.js';
import { presence } from './scenarios/presence.js';
import { pushFanout } from './scenarios/push-fanout.js';
import { pushPersonal } from './scenarios/push-personal.js';
import { render } from './scenarios/render.js';
import { register } from './scenarios/register.js';
import { restart } from './scenarios/restart.js';
import { steady } from './scenarios/steady.js';
import { sseFanout } from './scenarios/sse-fanout.js';
import { start } from './scenarios/start.js';
import { search } from './scenarios/search.js';
import { write } from './scenarios/write.js';
import { writeRedis } from './scenarios/write-redis.js';

/** All scenarios, in the order `run all` takes them. */
export const SCENARIOS: readonly Scenario[] = [
  pollDelivery,
  pollEmpty,
  pushFanout,
  sseFanout,
  pushPersonal,
  compression,
  write,
  writeRedis,
  render,
  mixed,
  steady,
  presence,
  register,
  search,
  idle,
  restart,
  start,
  load,
  nodes,
  failover,
  organizations,
  eventGrowth,
  growth,
  fanOutLarge,
  bulk,
  ephemeral,
];
