/** Runs of scripts that write: once, until an answer comes, and until enough replicas have what was written. */
import type { Connection } from './connection.js';
import type { Replicas } from './replicas.js';
import type { ScriptName, Scripts } from './scripts.js';

/** What runs need. */
interface RunParts {
  readonly connection: Connection;
  readonly scripts: Scripts;
  /** Those that must have what was written; absent: none. */
  readonly replicas?: Replicas | undefined;
}

/** What a script answered, and whether enough replicas have what it wrote. */
export interface Answer {
  readonly reply: unknown;
  readonly isKept: boolean;
}

/** Runs a script once. */
export async function runOnce(
  { scripts, connection, replicas }: RunParts,
  name: ScriptName,
  keys: readonly string[],
  args: readonly string[],
): Promise<Answer> {
  if (!replicas) {
    return { reply: await scripts.run(connection, name, keys, args), isKept: true };
  }
  const { behind } = replicas;
  const answer = scripts.run(replicas.connection, name, keys, args, behind);
  const sent = replicas.sent();
  const [reply, ...replies] = (await answer) as [unknown, ...unknown[]];
  return { reply, isKept: await replicas.keep(sent, replies) };
}

/**
 * Runs a script that may be run twice, until enough replicas have what it wrote; one that answers null wrote nothing.
 * @throws TooFewReplicasError when patience ends before that
 */
export async function runUntilKept(
  parts: RunParts,
  name: ScriptName,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  const connection = parts.replicas?.connection ?? parts.connection;
  const pauses = connection.pauses();
  for (;;) {
    const { reply, isKept } = await connection.retry(() => runOnce(parts, name, keys, args));
    if (reply === null || isKept) return reply;
    if (!(await pauses.next())) throw parts.replicas!.tooFew();
  }
}

/** Runs a script that may be run twice, until it is answered. */
export function runUntilAnswered(
  { connection, scripts }: RunParts,
  name: ScriptName,
  keys: readonly string[],
  args: readonly string[],
): Promise<unknown> {
  return connection.retry(() => scripts.run(connection, name, keys, args));
}
