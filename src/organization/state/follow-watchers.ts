import type { QueueDocument } from '../../../schemas/queues/queue-document.js';
import type { QueueFilter } from '../../journal/queues/queue-filter.js';
import type { EntryChange } from '../../store/port.js';

/** Whether a queue filters by followed or muted topics, so that messages must name who follows or muted theirs. */
export function watchesFollowed({ narrow }: Pick<QueueFilter, 'narrow'>): boolean {
  return narrow.some(
    ([operator, operand]) => operator === 'is' && (operand === 'followed' || operand === 'muted'),
  );
}

/** Adds the users of such queues, given the changes of queues that another node committed. */
export function foldFollowWatchers(watchers: Set<number>, changes: readonly EntryChange[]): void {
  for (const change of changes) {
    if (change.op !== 'set') continue;
    const { user_id, traits } = change.fields as QueueDocument;
    if (watchesFollowed(traits)) watchers.add(user_id);
  }
}
