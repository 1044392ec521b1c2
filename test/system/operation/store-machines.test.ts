/** The guide to a store whose machine may die, and the compose file for three machines: what they say is carried out. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import { OPTIONS } from '../../../src/config/options.js';
import { blocks, missing, outcome, shell, workplace } from '../harness/guide.js';
import { OWNER_PASSWORD } from '../harness/server.js';

// Loaded machines take long to start processes; an old master is demoted after ten seconds.
t.setTimeout(600_000);

const REDIS = { skip: await missing('curl', 'bash', 'redis-server', 'redis-cli') };

/** A port such that the servers and Sentinels of the guide, counted from it, are free, too: as good as. */
const portBefore = async (): Promise<string> => String((await freePort()) - 1);

void t.test(
  'store-machines.md: each machine dies in turn, and nothing is lost',
  REDIS,
  async (t) => {
    const folder = workplace(t);
    const cleared = `trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT\n`;
    const guide = shell(folder, cleared + blocks('store-machines.md', 'sh').join('\n'), {
      REDIS_PORT: await portBefore(),
      PORT: await portBefore(),
      PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
    });
    const { code, said } = await outcome(guide);
    t.equal(code, 0, said);
    const { events } = JSON.parse(readFileSync(join(folder, 'events.json'), 'utf8')) as {
      events: { type: string; message?: { content: string } }[];
    };
    t.same(
      events.flatMap(({ message }) => message?.content ?? []),
      [
        'before',
        'without the first machine',
        'without a replica',
        'without a Sentinel',
        'without the second node',
      ],
    );
  },
);

const COMPOSE = 'deploy/three-machines.yaml';

interface Service {
  readonly profiles: readonly [string];
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly network_mode: string;
  /** Absent for what the image starts. */
  readonly command?: readonly [string, ...string[]];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The file as docker reads it: with variables in their places. */
function compose(variables: Readonly<Record<string, string>>): Compose {
  const text = readFileSync(COMPOSE, 'utf8').replaceAll(
    /\$\{(\w+)(?::([?-])([^}]*))?\}/g,
    (_all, name: string, kind: string, text: string) => {
      const value = variables[name] ?? (kind === '-' ? text : undefined);
      if (value === undefined) throw new Error(`${name} is not set`);
      return value;
    },
  );
  return parse(text.replaceAll('$$', '$'), { merge: true }) as Compose;
}

/** What a service starts, and the settings that it is given: written by its command, for a program of the same name. */
async function startOf(t: Test, { environment, command }: Service): Promise<string> {
  const folder = workplace(t);
  const program = join(folder, 'bin', 'redis-server');
  writeFileSync(program, '#!/bin/sh\necho "redis-server $*"\ncat "$1"\n', { mode: 0o755 });
  const [, , script = ''] = command!;
  const { code, said } = await outcome(shell(folder, script, { ...environment }));
  t.equal(code, 0, said);
  return said;
}

const ADDRESSES = { MACHINE1: '10.0.0.11', MACHINE2: '10.0.0.12', MACHINE3: '10.0.0.13' };

void t.test(`${COMPOSE}: each service starts with its settings`, async (t) => {
  const { services, volumes } = compose({
    ...ADDRESSES,
    PARLEY_URL: 'https://chat.example.org',
    PARLEY_FILES: 's3://chat-files',
    PROXY: '10.0.0.5',
  });
  const known = OPTIONS.map(({ variable }) => variable);
  for (const [name, { profiles, environment, volumes: own, network_mode }] of Object.entries(
    services,
  )) {
    t.equal(network_mode, 'host');
    t.same(profiles, [`machine${name.at(-1)}`]);
    t.ok(own[0]!.split(':')[0]! in volumes, name);
    const variables = Object.keys(environment).filter((key) => key.startsWith('PARLEY'));
    t.same(
      variables.filter((key) => !known.includes(key)),
      [],
      `${name}: each variable is an option`,
    );
  }
  const written = ['port 6379', 'protected-mode no', 'save ""', 'appendonly yes'];
  const kept = ['appendfsync always', 'maxmemory-policy noeviction'];
  for (const [i, address] of Object.values(ADDRESSES).entries()) {
    const role = i === 0 ? '# The first master.' : 'replicaof 10.0.0.11 6379';
    t.equal(
      await startOf(t, services[`redis${i + 1}`]!),
      `${['redis-server redis.conf', `bind ${address}`, ...written, ...kept, role].join('\n')}\n`,
    );
    t.equal(
      await startOf(t, services[`sentinel${i + 1}`]!),
      `${[
        'redis-server sentinel.conf --sentinel',
        `bind ${address}`,
        'port 26379',
        'protected-mode no',
        'sentinel monitor chat 10.0.0.11 6379 2',
        'sentinel down-after-milliseconds chat 2000',
        'sentinel failover-timeout chat 10000',
      ].join('\n')}\n`,
    );
  }
  for (const i of [1, 2]) {
    t.match(services[`parley${i}`]!.environment, {
      PARLEY_STORE: 'redis+sentinel://10.0.0.11:26379,10.0.0.12:26379,10.0.0.13:26379/chat',
      PARLEY_STORE_REPLICAS: '1',
      PARLEY_NODE_ADDRESS: `10.0.0.1${i}:9981`,
    });
  }
});
