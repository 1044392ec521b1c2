import type { EventRenderer, RenderableEvent } from './event-renderer.js';
import type { QueueFilter } from '../queues/queue-filter.js';

/** A group as clients see it (events-people.md#people); only the keys that renderers use are typed. */
type GroupObject = Readonly<Record<string, unknown>> & { readonly id: number };

/** Stored form of every change of an existing group except its activation. */
export type GroupChanged = Readonly<Record<string, unknown>> & {
  readonly op: string;
  readonly group_id: number;
  /** The group is deactivated before and after. */
  readonly hidden?: true;
};

/**
 * Stored form of deactivation and reactivation, with the group: queues without `include_deactivated_groups`
 * get it as removed or added.
 */
export type GroupActivation = {
  readonly op: 'update';
  readonly group_id: number;
  readonly data: { readonly deactivated: boolean };
  readonly group: GroupObject;
};

type GroupData = GroupChanged | GroupActivation;

/** Whether a queue lists deactivated groups (event-queues.md#client-capabilities). */
function showsDeactivated(filter: QueueFilter): boolean {
  return filter.capabilities.include_deactivated_groups === true;
}

function isActivation(data: GroupData): data is GroupActivation {
  // The event of a new group has no `group_id`.
  return 'group_id' in data && 'group' in data;
}

function withoutDeactivated(data: GroupData): Record<string, unknown> {
  if (!isActivation(data)) return data;
  const { group, group_id } = data;
  return data.data.deactivated ? { op: 'remove', group_id } : { op: 'add', group };
}

/**
 * `user_group` events (events-people.md#people). To a queue without `include_deactivated_groups` a
 * deactivated group does not exist: deactivation is a `remove` there, reactivation an `add`.
 */
export const userGroupRenderer: EventRenderer = {
  variant(event: RenderableEvent, { filter }): string | null {
    const data = event.data as GroupData;
    if (showsDeactivated(filter)) return 'all';
    return !isActivation(data) && data.hidden ? null : 'active';
  },

  bodies(event, variant) {
    const data = event.data as GroupData;
    if (variant !== 'all') return [{ type: 'user_group', ...withoutDeactivated(data) }];
    if (!isActivation(data)) {
      const { hidden: _hidden, ...body } = data;
      return [{ type: 'user_group', ...body }];
    }
    const { group: _group, ...body } = data;
    return [{ type: 'user_group', ...body }];
  },
};
