import t from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';

const REDIS = ['--store', 'redis://127.0.0.1'];

function replicas(args: string[], environment: Record<string, string> = {}): number | string {
  try {
    const command = readCommand(['serve', ...args], environment);
    return command.kind === 'serve' ? command.config.storeReplicas : command.kind;
  } catch (error) {
    return (error as Error).message;
  }
}

void t.test('how many replicas of the store must have a change', (t) => {
  t.equal(replicas([]), 0);
  t.equal(replicas([...REDIS, '--store-replicas', '2']), 2);
  t.equal(replicas(REDIS, { PARLEY_STORE_REPLICAS: '16' }), 16);
  for (const wrong of ['17', '-1', 'one', '1.5', '']) {
    t.match(
      replicas([...REDIS, '--store-replicas', wrong]),
      `--store-replicas: ${wrong} is not a number of replicas (0 to 16)`,
    );
  }
  t.equal(
    replicas([], { PARLEY_STORE_REPLICAS: '1' }),
    'PARLEY_STORE_REPLICAS: an embedded store has no replicas; the option is for a store on Redis',
  );
  t.end();
});
