import {
  CONSOLE_LOG,
  type CONSOLE_LOG_LEVELS,
  type LogRowFields,
} from '../../../schemas/queues/console-log.js';
import { withoutSecrets } from './without-secrets.js';

/** Lines that are kept, and UTF-16 units of all of them and of each: a quiet server's week, a busy one's minutes. */
const MOST_LINES = 2000;
const MOST_UNITS = 512 * 1024;
const LONGEST = 4096;
/** Longest details that are shown of a line. */
const SHOWN = 1000;

/** Levels of the log by their numbers. */
const NAMES: Readonly<Record<number, string>> = {
  ...{ 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' },
};
const LEAST: Readonly<Record<(typeof CONSOLE_LOG_LEVELS)[number], number>> = {
  ...{ debug: 0, info: 30, warn: 40, error: 50 },
};
/** Fields that every line has, and what must not leave the log: a link lets its reader in. */
const LEFT_OUT = new Set(['level', 'time', 'msg', 'pid', 'hostname', 'link', 'said']);

/** Which lines are asked for. */
export interface LogQuery {
  readonly log_level: (typeof CONSOLE_LOG_LEVELS)[number];
  /** A part of what they show. */
  readonly log_filter: string;
}

interface Kept {
  /** As it was written; empty for one that was too long. */
  readonly line: string;
  /** What is shown of it, once somebody asked: consoles ask every two seconds, and a filter looks at all lines. */
  shown?: LogRowFields;
}

/** Begins the name of an organization in a line: within a text its quotes would be escaped. */
const OF_ANOTHER = '"organization":"';

/** RecentLog keeps the last lines of this process's log, for the console; they are read only when somebody asks. */
export class RecentLog {
  private readonly lines: Kept[] = [];
  private units = 0;
  private known: readonly string[] = [];

  /** Hides these texts wherever they stand. */
  hide(secrets: readonly string[]): void {
    this.known = secrets;
    for (const kept of this.lines) delete kept.shown;
  }

  /** Keeps a line, JSON, as it is written. */
  add(line: string): void {
    // That of another organization, whose administrators are others.
    if (line.includes(OF_ANOTHER)) return;
    // What is cut is no JSON any more: nothing of it is shown but that it was there.
    const kept = { line: line.length > LONGEST ? '' : line };
    this.lines.push(kept);
    this.units += kept.line.length;
    while (this.lines.length > MOST_LINES || this.units > MOST_UNITS) {
      this.units -= this.lines.shift()!.line.length;
    }
  }

  /** Lines that match, the newest first. */
  find({ log_level, log_filter }: LogQuery, nodeId: string): LogRowFields[] {
    const found: LogRowFields[] = [];
    const wanted = log_filter.toLowerCase();
    for (let i = this.lines.length - 1; i >= 0 && found.length < CONSOLE_LOG; i--) {
      const kept = this.lines[i]!;
      // Before it is parsed: most lines are of low levels.
      if (!(Number(/^\{"level":(\d+)/.exec(kept.line)?.[1]) >= LEAST[log_level])) continue;
      const row = (kept.shown ??= this.rowOf(kept.line, nodeId));
      if (`${row.message} ${row.details}`.toLowerCase().includes(wanted)) found.push(row);
    }
    return found;
  }

  private rowOf(line: string, nodeId: string): LogRowFields {
    const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
    const told = Object.entries(fields).filter(([name]) => !LEFT_OUT.has(name));
    const { err, ...others } = Object.fromEntries(told);
    const details = { ...others, ...(err === undefined ? {} : { err: errorOf(err) }) };
    const text = told.length === 0 ? '' : JSON.stringify(details);
    return {
      at: Number(time),
      level: NAMES[Number(level)] ?? String(level),
      message: withoutSecrets(String(msg), this.known),
      details: withoutSecrets(text, this.known).slice(0, SHOWN).toWellFormed(),
      node_id: nodeId,
    };
  }
}

/** Without its stack, which says where this program is installed; what is no error is itself. */
function errorOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error;
  const { type, message, code } = error as Record<string, unknown>;
  return { type, message, ...(code === undefined ? {} : { code }) };
}
