/** Names a process so that nobody else can be mistaken for it, while the machine runs. */
import { readFileSync, readlinkSync } from '../../../platform/files.js';
import { kill as signal } from '../../../platform/processes.js';

/** What identifies a process; a process id alone may be given again, and means another one in a container. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in ticks since the machine did. */
  readonly started: string;
  /** The set of process ids that `pid` is one of. */
  readonly namespace: string;
}

/** Behind the name, which may hold anything but ends with the last parenthesis: state, parent, ... */
const STARTED_AT = 19;

/** This process, or null where the system does not say. */
export function ownIdentity(): ProcessIdentity | null {
  const { pid } = process;
  const started = startOf(pid);
  const namespace = namespaceOfOwn();
  return started === null || namespace === null ? null : { pid, started, namespace };
}

/** Whether a process was stopped, by a signal or a debugger, as far as can be seen from here. */
export function isStopped({ pid, started, namespace }: ProcessIdentity): boolean {
  if (namespace !== namespaceOfOwn()) return false;
  const fields = statOf(pid);
  return fields?.[STARTED_AT] === started && /^[Tt]$/.test(fields[0] ?? '');
}

/** Kills a process, if it is still there and can be seen from here. */
export function kill({ pid, started, namespace }: ProcessIdentity): boolean {
  if (namespace !== namespaceOfOwn() || started !== startOf(pid)) return false;
  try {
    signal(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

function startOf(pid: number): string | null {
  return statOf(pid)?.[STARTED_AT] ?? null;
}

/** What the system says of a process, from its state on. */
function statOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function namespaceOfOwn(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
