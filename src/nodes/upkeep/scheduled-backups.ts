/** Backups that the server makes by itself, once a day: `--backup-to`, `--backup-at`, `--backup-keep`. */
import type { ChildProcess } from 'node:child_process';
import type { TimeOfDay } from '../../config/backup-plan.js';
import type { Config } from '../../config/config.js';
import { filesText } from '../../config/files-place.js';
import { fork } from '../../platform/processes.js';
import { monotonicTime, wallTime } from '../../platform/time.js';
import { inBackground } from '../../turns/background.js';
import { Beat } from '../../turns/beat.js';
import { hasCatalogue, secretPath } from '../../host/data-folder/places.js';
import type { AppLog } from '../../host/monitoring/log.js';
import { backupsIn, hasBackup, newestBackup } from '../../host/data-folder/backup-folder.js';
import { NEVER, NOW } from '../../organization/state/scheduled/next-due.js';

/** Interval of looks at the clock: how late a backup begins at most. */
const CLOCK_CHECK_MS = 60_000;
/** Pause after a backup that failed: the next attempt may find room, or the bucket. */
const AGAIN_MS = 3_600_000;
/** Text that is kept of what a failed backup says; its last line says why. */
const MAX_SAID = 4096;

/** The last time before `now` at which a backup was due. */
export function lastDue({ hour, minute }: TimeOfDay, now: number): number {
  const due = new Date(now);
  due.setHours(hour, minute, 0, 0);
  if (due.getTime() > now) due.setDate(due.getDate() - 1);
  return due.getTime();
}

/**
 * ScheduledBackups runs `parley backup` in a process of its own, when the newest backup of the folder is older than the
 * last due time: so a server that was down at that time makes up for it, and of several nodes only the one that leads
 * makes a backup. The main organization of a data folder with several backs up all of them.
 */
export class ScheduledBackups {
  private readonly beat = new Beat(CLOCK_CHECK_MS, () => this.look());
  private child: ChildProcess | null = null;
  private notBefore = 0;
  private isStopped = false;
  /** Why the last one failed; null where it did not. */
  private failure: string | null = null;

  constructor(
    private readonly config: Config,
    private readonly log: AppLog,
  ) {}

  start(): void {
    if (!this.config.backup?.at) return;
    this.beat.start();
    this.look();
  }

  /** What the console shows of them; null where no folder is named for them. */
  async state() {
    const { backup } = this.config;
    if (!backup) return null;
    const backups_there = await backupsIn(backup.folder);
    return { backups_there, is_making: this.child !== null, last_failure: this.failure };
  }

  /** Why none can be made now; null where one can. */
  get objection(): string | null {
    if (!this.config.backup) return 'The server knows no folder for backups (--backup-to).';
    return this.child === null ? null : 'A backup is being made.';
  }

  /** Makes one, whatever the schedule; nothing where one is being made. */
  makeNow(): void {
    if (this.objection === null && !this.isStopped) this.make();
  }

  async has(name: string): Promise<boolean> {
    const { backup } = this.config;
    return backup !== null && (await hasBackup(backup.folder, name));
  }

  /** Of an organization that may leave memory the main one makes it, with all others. */
  nextDue(): number {
    return this.child === null ? NEVER : NOW;
  }

  /** Ends a backup that is being made; what it has written is not taken for one. */
  stop(): void {
    this.isStopped = true;
    this.beat.stop();
    this.child?.kill();
  }

  private look(): void {
    if (this.child !== null || monotonicTime() < this.notBefore) return;
    inBackground(
      () => this.makeIfDue(),
      (error) => this.log.error({ err: error }, 'the backup could not be started'),
    );
  }

  private async makeIfDue(): Promise<void> {
    const { folder, at } = this.config.backup!;
    const newest = (await newestBackup(folder)) ?? 0;
    if (newest >= lastDue(at!, wallTime()) || this.child !== null || this.isStopped) return;
    this.make();
  }

  private make(): void {
    const { folder, keep } = this.config.backup!;
    const startedAt = monotonicTime();
    const all = hasCatalogue(this.config) ? ['--organization', 'all'] : [];
    const child = fork(process.argv[1]!, ['backup', folder, '--keep', String(keep), ...all], {
      env: backupEnvironment(this.config, process.env),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.child = child;
    let said = '';
    child.stderr!.setEncoding('utf8');
    child.stderr!.on('data', (text: string) => (said = (said + text).slice(-MAX_SAID)));
    child.once('error', (error) => this.ended(startedAt, error.message));
    child.once('close', (code, signal) => {
      const last = said.trimEnd().split('\n').at(-1) ?? '';
      this.ended(startedAt, code === 0 ? null : last || `it ended with ${signal ?? code}`);
    });
  }

  private ended(startedAt: number, problem: string | null): void {
    if (this.child === null) return;
    this.child = null;
    this.failure = problem;
    const { folder } = this.config.backup!;
    if (problem === null) {
      const ms = Math.round(monotonicTime() - startedAt);
      this.log.info({ folder, ms }, 'a backup was made');
    } else if (!this.isStopped) {
      this.notBefore = monotonicTime() + AGAIN_MS;
      this.log.error(
        { folder, problem },
        'the backup failed, and is tried again in an hour if the folder has none that is newer',
      );
    }
  }
}

/** Variables for `parley backup` of the organization that this process serves. Flags would show secrets. */
function backupEnvironment(config: Config, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(([name]) => !name.startsWith('PARLEY_'));
  const { store, files, filesKeys } = config;
  return {
    ...Object.fromEntries(others),
    PARLEY_STORE: store,
    PARLEY_SECRET_FILE: secretPath(config),
    ...(files ? { PARLEY_FILES: filesText(files) } : {}),
    ...(filesKeys && 'file' in filesKeys ? { PARLEY_FILES_CREDENTIALS_FILE: filesKeys.file } : {}),
  };
}
