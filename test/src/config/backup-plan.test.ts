import t from 'tap';
import { readCommand } from '../../../src/cli/command-line.js';
import type { BackupPlan } from '../../../src/config/backup-plan.js';

function planOf(args: readonly string[]): BackupPlan | null {
  const command = readCommand(['serve', ...args], {});
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return command.config.backup;
}

function refusal(args: readonly string[]): string {
  try {
    planOf(args);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

void t.test('backups: a folder, a time of day, how many are kept', (t) => {
  const plan = (...args: string[]): unknown => planOf(['--backup-to', '/b', ...args]);
  t.equal(planOf([]), null);
  t.strictSame(plan(), { folder: '/b', at: { hour: 3, minute: 30 }, keep: 14 });
  t.strictSame(plan('--backup-at', 'off', '--backup-keep', '1'), {
    folder: '/b',
    at: null,
    keep: 1,
  });
  t.match(plan('--backup-at', '00:00'), { at: { hour: 0, minute: 0 } });
  t.match(plan('--backup-at', '23:59'), { at: { hour: 23, minute: 59 } });
  t.match(plan('--backup-keep', '3660'), { keep: 3660 });
  for (const [flag, value, expected] of [
    ['--backup-at', '24:00', '--backup-at: 24:00 is neither a time such as 03:30 nor off'],
    ['--backup-at', '3:30', '--backup-at: 3:30 is neither a time such as 03:30 nor off'],
    ['--backup-keep', '0', '--backup-keep: 0 is not a number of backups (1 to 3660)'],
    ['--backup-keep', '3661', '--backup-keep: 3661 is not a number of backups (1 to 3660)'],
    ['--backup-keep', '1.5', '--backup-keep: 1.5 is not a number of backups (1 to 3660)'],
  ] as const) {
    t.equal(refusal(['--backup-to', '/b', flag, value]), expected);
  }
  const alone = ': needs --backup-to, a folder for the backups';
  t.equal(refusal(['--backup-at', '04:00']), `--backup-at${alone}`);
  t.equal(refusal(['--backup-keep', '2']), `--backup-keep${alone}`);
  t.end();
});
