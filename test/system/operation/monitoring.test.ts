/** The alert rules and the dashboard in deploy/prometheus, against the metrics of a running server. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

const execute = promisify(execFile);
const FOLDER = join('deploy', 'prometheus');
const ALERTS = join(FOLDER, 'alerts.yml');

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const dashboard = JSON.parse(
  readFileSync(join(FOLDER, 'grafana-dashboard.json'), 'utf8'),
) as Dashboard;

/** Expressions of the dashboard, with what Grafana puts in. */
const EXPRESSIONS = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) =>
    expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
  ),
);

/** Where `promtool` is missing, the reason to skip. */
const NO_PROMTOOL = await execute('promtool', ['--version']).then(
  () => false as const,
  () => "there is no promtool: it is in Debian's package prometheus",
);

/** The metrics of a server that has done something of everything. */
async function metricsOf(t: Test): Promise<string> {
  const server = await RunningServer.start(t, { env: { PARLEY_METRICS: '127.0.0.1:0' } });
  const [, url] = (await server.printed(/^Metrics are served on (\S+)$/m)) as unknown as string[];
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.register();
  await owner.say('something');
  const text = async (): Promise<string> => (await fetch(url!)).text();
  // A summary of garbage collection and the like comes with the first of it.
  return text();
}

void t.test('rules and dashboard ask for metrics that the server has', async (t) => {
  const text = await metricsOf(t);
  const known = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map((match) => match[1]!));
  const asked = [readFileSync(ALERTS, 'utf8'), ...EXPRESSIONS].join('\n');
  const names = new Set(asked.match(/\b(?:parley|nodejs|process)_[a-z0-9_]+/g));
  t.ok(names.size > 15);
  for (const name of names) {
    const base = name.replace(/_(?:bucket|sum|count)$/, '');
    t.ok(known.has(name) || known.has(base), name);
  }
  t.ok(EXPRESSIONS.length > dashboard.panels.length);
});

void t.test('promtool takes rules, expressions and metrics', { skip: NO_PROMTOOL }, async (t) => {
  const { stdout } = await execute('promtool', ['check', 'rules', ALERTS]);
  t.match(stdout, /SUCCESS: 18 rules found/);
  // The expressions of the dashboard as rules, which promtool reads.
  const folder = testFolder(t);
  const rules = EXPRESSIONS.map((expr, i) => ({ record: `dashboard:${i}`, expr }));
  const file = join(folder, 'dashboard.json');
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  const checked = await execute('promtool', ['check', 'rules', file]);
  t.match(checked.stdout, `SUCCESS: ${EXPRESSIONS.length} rules found`);

  const own = (await metricsOf(t)).split('\n').filter((line) => /^(# \w+ )?parley_/.test(line));
  const said = await new Promise<string>((resolve) => {
    const child = execFile('promtool', ['check', 'metrics'], (_error, out, err) =>
      resolve(`${out}${err}`),
    );
    child.stdin!.end(`${own.join('\n')}\n`);
  });
  t.equal(said, '', 'and finds nothing to say about the metrics');
});
