import { configFrom, type Config } from '../../../src/config/config.js';
import { OPTIONS } from '../../../src/config/options.js';
import type { App, NodeState } from '../../../src/host/app-options.js';
import type { AppLog } from '../../../src/host/monitoring/log.js';
import { openClient } from '../redis/client.js';
import { mailTransport } from '../services/mail-transport.js';
import { PUSH_SETTINGS } from '../services/settings.js';
import { openDatabase, type DatabaseEvents, type OpenOptions } from '../lmdb/open.js';
import type { Disk } from './disk.js';
import { nativeLibrary } from './native.js';
import { platformOf } from './platform.js';
import { SimProcess, type Machine } from './process.js';
import type { CompiledProgram } from './program.js';

/** Where clients reach each node. */
export const PUBLIC_PORT = 9991;
/** How long a process has to end in good order, milliseconds. */
const STOP_MS = 10_000;
export const OWNER = { email: 'owner@example.com', password: 'correct horse battery' };
/** The secret that API keys are derived from: the same at all nodes, as their operator copies it. */
const SECRET = Buffer.alloc(32, 's');

/** Who was killed by another process is started again by its supervisor, after so many milliseconds. */
const REVIVED_MS = 1000;

/** What a node tells of itself. */
export interface NodeEvents extends DatabaseEvents {
  /** A line for the trace, with the error that it is about. */
  told(line: string, error?: unknown): void;
  /** It cannot go on; the operator's supervisor starts it again. */
  fatal(error: unknown): void;
  /** An error that nothing caught has ended the process. */
  uncaught(error: unknown): void;
  /** Which process works from now on. */
  works(process: SimProcess): void;
  /** Something of it has grown beyond its bound. */
  exceeded(what: string): void;
  /** It has come to a bound that only large organizations come to. */
  reached(what: string): void;
  /** It does something else. */
  changed(from: string, to: string): void;
}

/** A machine with its disk, on which a process of the server runs, ends, dies, and is started again. */
export class SimNode {
  process: SimProcess | null = null;
  private does: NodeState | 'down' | 'starting' = 'down';
  private app: App | null = null;

  constructor(
    readonly machine: Machine,
    private readonly program: CompiledProgram,
    private readonly events: NodeEvents,
    /** Options of its program. */
    private readonly settings: Readonly<Record<string, string>>,
  ) {
    if (this.disk.find('/data')) return;
    this.disk.makeAll('/data', 0o700);
    this.disk.write(this.disk.make('/data/secret', false, 0o600), SECRET, '');
    // The operator made sure of it.
    const { push } = settings;
    if (push) this.disk.write(this.disk.make(push, false, 0o600), Buffer.from(PUSH_SETTINGS), '');
    const written = ['/', '/data', '/data/secret', ...(push ? [push] : [])];
    for (const path of written) this.disk.at(path).sync();
  }

  get disk(): Disk {
    return this.machine.host.disk;
  }

  get name(): string {
    return this.machine.name;
  }

  /** What the process said it does. */
  get state(): NodeState | 'down' | 'starting' {
    return this.does;
  }

  private set state(state: NodeState | 'down' | 'starting') {
    this.events.changed(this.does, state);
    this.does = state;
  }

  get isUp(): boolean {
    return this.process !== null && !this.process.isDead;
  }

  /** Starts a process. */
  start(): void {
    if (this.isUp) return;
    const { machine, events, program } = this;
    const uncaught = (error: unknown): void => events.uncaught(error);
    const { host } = machine;
    const pid = host.newPid();
    const process = new SimProcess(machine, pid, (one) => events.works(one), uncaught);
    process.exceeded = (what) => events.exceeded(what);
    process.pauseUntil(host.asleepUntil);
    this.process = process;
    this.state = 'starting';
    host.processes.set(pid, { process, killed: () => this.killed() });
    process.atDeath.push(() => {
      host.processes.delete(pid);
      this.app = null;
      this.state = 'down';
    });
    const { createApp, enter } = program.load({
      platform: platformOf(process, this.disk),
      pid: process.pid,
      hostname: this.name,
      nativeLibrary: nativeLibrary(process),
      openClient: (ended: AbortSignal) => openClient(process, ended),
      openDatabase: (options: OpenOptions) => openDatabase(process, events, options),
      mailTransport: (options) => mailTransport(process, options),
      warn: (text: string) => events.told(`warning: ${text.replace(/\d+/g, 'N')}`),
      anySignal: (signals) => anySignal(process, signals),
      reached: (what) => events.reached(what),
    });
    process.enter = enter;
    process.run(() => {
      const fatal = (error: unknown): void => {
        if (process.isDead) return;
        process.die(false);
        events.fatal(error);
      };
      const app = createApp(configOf(this.name, this.settings), {
        log: logTo((line, error) => events.told(line, error)),
        announce: (text, _facts, state) => {
          if (state) this.state = state;
          events.told(state ?? text);
        },
        fatal,
      });
      this.app = app;
      app.start().catch((error: unknown) => {
        if (this.endsForItsFiles(error)) process.die(false);
        else fatal(error);
      });
    });
  }

  /** Ends the process in good order. */
  async stop(): Promise<void> {
    const { process, app } = this;
    if (!process || process.isDead || !app) return;
    await new Promise<void>((resolve) => {
      process.atDeath.push(resolve);
      const end = (): void => process.die(false);
      process.run(() => void app.stop(STOP_MS).then(end, end));
      // As its supervisor does.
      process.at(this.machine.scheduler.now + STOP_MS, end);
    });
  }

  /** Kills the process. @param outputs what it still gives to the world in the step that it is in, or its next one */
  kill(outputs: number): void {
    if (outputs === 0) this.process?.die(false);
    else this.process?.dieAfter(outputs);
  }

  /** The machine loses its power: nothing is closed, and of the disk some of what was not synced is gone. */
  cutPower(): void {
    const { host, random, scheduler } = this.machine;
    for (const { process } of host.processes.values()) process.die(true);
    host.clock.startedAt = scheduler.now;
    this.disk.cutPower(random);
  }

  /** A start may end where files cannot be read or written, and says which; its supervisor starts it again. */
  private endsForItsFiles(error: unknown): boolean {
    const { failing } = this.disk;
    if (!this.isUp || failing === null) return false;
    for (let one = error; one instanceof Error; one = one.cause) {
      const { code, path } = one as NodeJS.ErrnoException;
      if (code !== failing.code || path === undefined) continue;
      this.events.told(`ends at its start: ${code} of ${path}`);
      this.machine.scheduler.in(REVIVED_MS, () => this.start());
      return true;
    }
    return false;
  }

  private killed(): void {
    this.events.told('is killed by another process');
    this.kill(0);
    this.machine.scheduler.in(REVIVED_MS, () => this.start());
  }
}

/** Node keeps a signal of others for as long as somebody listens to it: those of a dead process, and all that it had, for good. */
function anySignal(process: SimProcess, signals: Iterable<AbortSignal>): AbortSignal {
  const signal = AbortSignal.any([...signals]);
  const listen = signal.addEventListener.bind(signal);
  signal.addEventListener = (...listened: Parameters<typeof listen>) => {
    listen(...listened);
    process.atDeath.push(() => signal.removeEventListener(...listened));
  };
  return signal;
}

function configOf(host: string, settings: Readonly<Record<string, string>>): Config {
  const given: Record<string, string> = {
    host,
    port: String(PUBLIC_PORT),
    store: 'redis://store:6379',
    state: '/data/state',
    'secret-file': '/data/secret',
    files: '/data/files',
    'node-address': `${host}:0`,
    'owner-email': OWNER.email,
    'owner-password': OWNER.password,
    organization: 'Simulated',
    url: 'http://parley.example',
    'rate-limit': 'off',
    // Its secret is there already.
    'new-organization': 'on',
    'link-previews': 'off',
    mail: '',
    ...settings,
  };
  // Its processes share one, beside the data.
  if (given.store!.startsWith('embedded:')) delete given.state;
  const fallbacks = new Map(OPTIONS.map(({ flag, fallback }) => [flag, fallback]));
  const read = (flag: string) => ({
    value: given[flag] ?? fallbacks.get(flag) ?? '',
    source: `--${flag}`,
    isDefault: given[flag] === undefined,
  });
  return configFrom(read, {}, () => undefined);
}

/** A log whose lines name what happened, and no more: errors are worded by V8, in each release its own way. */
function logTo(told: (line: string, error: unknown) => void): AppLog {
  const line =
    (level: string) =>
    (context: object, message: string): void =>
      told(`${level}: ${message}`, (context as { err?: unknown }).err);
  return { info: line('info'), warn: line('warn'), error: line('error') };
}
