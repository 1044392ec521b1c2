import type { AnyStateMachine } from 'xstate';
import { createEventQueueMachine } from './event-queue.js';
import type { MachineKind } from './machine-kind.js';
import { createNodeRoleMachine } from './node-role.js';
import { createPresenceSessionMachine } from './presence-session.js';
import { scheduledMessageKind } from './scheduled-message.js';
import { stateChart, type StateChart } from './state-chart.js';
import { createTopicDeletionMachine } from './topic-deletion.js';

/** A machine kind to be looked at. */
export type LookedAtKind = Pick<
  MachineKind<AnyStateMachine>,
  'name' | 'version' | 'logic' | 'deadlineOf'
>;

/** Nobody sends these machines an event, so no effect is called. */
const NO_EFFECTS = {} as never;

/** The kinds whose actors are stored, with machines to be looked at. */
export const STORED_KINDS: readonly LookedAtKind[] = [
  createEventQueueMachine(NO_EFFECTS),
  createPresenceSessionMachine(),
  scheduledMessageKind,
  createTopicDeletionMachine(NO_EFFECTS),
];

/** The kind of a machine. @throws Error for one that is not stored */
export function storedKind(machine: string): LookedAtKind {
  const kind = STORED_KINDS.find(({ name }) => name === machine);
  if (!kind) throw new Error(`No stored actors are of machine ${machine}`);
  return kind;
}

/** The charts that operators are shown, read from the machines: the stored kinds, and the role of a node. */
export function shownCharts(): StateChart[] {
  return [...STORED_KINDS, createNodeRoleMachine(NO_EFFECTS)].map((kind) => stateChart(kind));
}

/** How many actors of a machine are in each of its states: 0 of each that lasts, nothing of an end without a document. */
export function withAllStates(
  machine: string,
  counts: Readonly<Record<string, number>>,
): Record<string, number> {
  const lasting = stateChart(storedKind(machine)).states.filter(({ is_final }) => !is_final);
  return { ...Object.fromEntries(lasting.map(({ state_name }) => [state_name, 0])), ...counts };
}
