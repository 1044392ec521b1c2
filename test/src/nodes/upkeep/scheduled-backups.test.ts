import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { newestBackup } from '../../../../src/host/data-folder/backup-folder.js';
import { lastDue } from '../../../../src/nodes/upkeep/scheduled-backups.js';
import { RunningServer, run, storeFolder } from '../../../system/harness/server.js';
import { until } from '../../../system/nodes/fixtures/workers.js';

void t.test('a time of day is due once a day, in the time zone of the server', (t) => {
  const at = { hour: 3, minute: 30 };
  const local = (...parts: [number, number, number, number, number]): number =>
    new Date(...parts).getTime();
  t.equal(lastDue(at, local(2026, 10, 27, 3, 30)), local(2026, 10, 27, 3, 30));
  t.equal(lastDue(at, local(2026, 10, 27, 3, 29)), local(2026, 10, 26, 3, 30));
  t.equal(lastDue(at, local(2026, 0, 1, 0, 0)), local(2025, 11, 31, 3, 30));
  t.end();
});

void t.test('the newest backup of a folder is told by its name', async (t) => {
  const folder = storeFolder(t);
  t.equal(await newestBackup(join(folder, 'none')), null);
  mkdirSync(join(folder, 'files'));
  t.equal(await newestBackup(folder), null);
  for (const time of ['2026-11-26T03-30-00-123Z', '2026-11-25T03-30-00-999Z']) {
    writeFileSync(join(folder, `parley-${time}.jsonl`), '');
  }
  t.equal(await newestBackup(folder), Date.parse('2026-11-26T03:30:00Z'));
});

void t.test('a server makes up for a backup, and makes no second one that day', async (t) => {
  const folder = storeFolder(t);
  const to = join(storeFolder(t), 'backups');
  const made = (): string[] => readdirSync(to).filter((name) => name.endsWith('.jsonl'));
  const options = {
    args: ['--backup-to', to, '--backup-keep', '1', '--log', 'info'],
    env: { PARLEY_METRICS: '127.0.0.1:0' },
  };
  const server = await RunningServer.serve(t, folder, options);
  await until('a backup is made', () => said(server).includes('a backup was made'));
  const [name = ''] = made();
  const checked = await run([
    'restore',
    to,
    '--check',
    '--store',
    `embedded:${storeFolder(t)}/new`,
  ]);
  t.match(checked, { code: 0, stderr: new RegExp(`^${name} is intact`, 'm') });
  const metrics = await (await fetch(metricsUrl(said(server)))).text();
  const [, seconds] =
    /^parley_backup_last_success_timestamp_seconds\{folder="[^"]*\/backups"\} (\d+)$/m.exec(
      metrics,
    ) ?? [];
  t.equal(Number(seconds) * 1000, await newestBackup(to));
  await server.stop();

  const again = await RunningServer.serve(t, folder, options);
  await again.stop();
  t.same(made(), [name]);
});

void t.test('a backup that fails is told, with its last sentence', async (t) => {
  const to = join(storeFolder(t), 'file');
  writeFileSync(to, '');
  const args = ['--backup-to', to, '--log', 'info'];
  const server = await RunningServer.serve(t, storeFolder(t), { args });
  const words = 'the backup failed, and is tried again in an hour';
  await until('it fails', () => said(server).includes(words));
  t.match(said(server), /file: .*\((?:EEXIST|ENOTDIR)\)/);
});

function said(server: RunningServer): string {
  return server.stdout + server.stderr;
}

function metricsUrl(output: string): string {
  return /Metrics are served on (\S+)/.exec(output)![1]!;
}
