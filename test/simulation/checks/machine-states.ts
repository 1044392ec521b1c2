import { STORED_KINDS } from '../../../actors/kinds.js';
import type { Document } from '../../../src/store/port.js';

const STATES = new Map(
  STORED_KINDS.map(({ name, logic }) => [name, new Set(Object.keys(logic.states))] as const),
);

/** Watches the states of stored actors. */
class MachineStates {
  /** How often each state was stored, by machine and state, since somebody took these. */
  readonly counts = new Map<string, number>();

  /** What is wrong with the snapshot in a document; null where nothing is, or there is none. */
  objection(document: Document): string | null {
    const { machine, value } = document;
    if (typeof machine !== 'string' || typeof value !== 'string') return null;
    const name = `${machine}: ${value}`;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    if (STATES.get(machine)?.has(value)) return null;
    return `the machine ${machine} has no state ${value}`;
  }
}

/** Of all runs of this process. */
export const kinds = new MachineStates();
