import t from 'tap';
import { SCENARIOS } from '../../bench/catalogue.js';
import { runBench } from '../../bench/command.js';
import { readOptions, UsageError } from '../../bench/options.js';

void t.test('a run takes sizes, targets and a server', async (t) => {
  const options = readOptions(
    'run write mixed --quick --clients 5 --seconds 2 --only parley,ws --json out.json'.split(' '),
  );
  t.match(options, { command: 'run', scenarios: ['write', 'mixed'], quick: true, clients: 5 });
  const { pid } = process;
  const remote = readOptions(
    `run write --url http://h:80 --email a@b --key k --pid ${pid}`.split(' '),
  );
  t.match(remote, { remote: { email: 'a@b', key: 'k', pid } });
});

void t.test('what cannot be meant is refused with the usage', async (t) => {
  for (const line of [
    'run',
    'fly',
    'compare a.json',
    'report',
    'run write --clients none',
    'run write --seconds 0',
    'run write --url ftp://h --email a --key k',
    'run write --url http://h',
    'run write --wings',
    // Above the largest that Linux gives.
    'drive --url http://h --email a@b --key k --pid 4194305',
  ]) {
    t.throws(() => readOptions(line.split(' ')), UsageError, line);
  }
  await t.rejects(runBench(['run', 'no-such-scenario']), UsageError);
});

void t.test('a mistyped scenario is told the nearest one, an odd one nothing', async (t) => {
  const refusal = (name: string) => runBench(['run', name]).catch((error: Error) => error.message);
  t.match(
    await refusal('push-fanuot'),
    /^Unknown scenario: push-fanuot; did you mean push-fanout\?/,
  );
  t.match(await refusal('polldelivery'), /did you mean poll-delivery\?/);
  t.notMatch(await refusal('xyzzy'), 'did you mean');
});

void t.test('a file that cannot be written is refused before anything is measured', async (t) => {
  await t.rejects(runBench(['run', 'write', '--json', '/no/such/folder/a.json']), {
    name: 'UsageError',
    message: /^--json: \/no\/such\/folder is no folder that can be written/,
  });
});

void t.test('scenarios have distinct names', async (t) => {
  const names = SCENARIOS.map((scenario) => scenario.name);
  t.equal(new Set(names).size, names.length);
  t.ok(names.includes('poll-delivery'));
});
