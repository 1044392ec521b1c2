import type { EventFields } from '../../../schemas/events.js';
import type { GroupDocument } from '../../../schemas/groups/user-group.js';
import type { RendererOf } from './event-renderer.js';
import type { QueueFilter } from '../queues/queue-filter.js';

type GroupEvent = EventFields<'user_group'>;

/** Stored form of every change of an existing group except its activation. */
export type GroupChanged = Exclude<GroupEvent, { op: 'add' | 'remove' }> & {
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
  readonly group: GroupDocument;
};

/** Stored forms of `user_group`. */
export type GroupData = Extract<GroupEvent, { op: 'add' }> | GroupChanged | GroupActivation;

/** Whether a queue lists deactivated groups (event-queues.md#client-capabilities). */
function showsDeactivated(filter: QueueFilter): boolean {
  return filter.capabilities.include_deactivated_groups === true;
}

function isActivation(data: GroupData): data is GroupActivation {
  return data.op === 'update' && 'group' in data;
}

function withoutDeactivated({ data, group_id, group }: GroupActivation): GroupEvent {
  return data.deactivated ? { op: 'remove', group_id } : { op: 'add', group };
}

/**
 * `user_group` events (events-people.md#people). To a queue without `include_deactivated_groups` a
 * deactivated group does not exist: deactivation is a `remove` there, reactivation an `add`.
 */
export const userGroupRenderer: RendererOf<'user_group', GroupData> = {
  variant({ data }, { filter }): string | null {
    if (showsDeactivated(filter)) return 'all';
    return 'hidden' in data && data.hidden ? null : 'active';
  },

  bodies({ type, data }, variant) {
    if (data.op === 'add') return [{ type, ...data }];
    if (isActivation(data)) {
      if (variant !== 'all') return [{ type, ...withoutDeactivated(data) }];
      const { group: _group, ...body } = data;
      return [{ type, ...body }];
    }
    const { hidden: _hidden, ...body } = data;
    return [{ type, ...body }];
  },
};
