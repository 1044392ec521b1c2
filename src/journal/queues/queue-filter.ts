import type { ClientCapability, QueueDocument } from '../../../schemas/queues/register.js';
import type { EntryChange } from '../../store/port.js';

/**
 * What a client declared when it registered the queue (event-queues.md#queue-parameters and
 * event-queues.md#client-capabilities). It decides whether the queue gets an event and in which variant.
 * Plain JSON, stored with the queue.
 */
export interface QueueFilter {
  /** Types admitted; null admits all. */
  readonly event_types: readonly string[] | null;
  readonly apply_markdown: boolean;
  readonly client_gravatar: boolean;
  readonly slim_presence: boolean;
  readonly include_subscribers: boolean | 'partial';
  readonly all_public_streams: boolean;
  readonly narrow: readonly (readonly [operator: string, operand: string])[];
  readonly capabilities: Capabilities;
}

/** Declared capabilities; absent means false. */
type Capabilities = Readonly<Partial<Record<ClientCapability, boolean>>>;

/**
 * Whether the queue gets the messages of all public channels, not only of its user's own
 * (event-queues.md#queue-parameters).
 */
export function isAllPublic(filter: QueueFilter): boolean {
  return filter.all_public_streams || filter.narrow.length > 0;
}

/** Distinct filters remembered. At the bound all are forgotten, which costs nothing but memory. */
const MAX_FILTERS = 1000;

/** QueueFilterPool lets queues with equal filters share one object: most queues are registered alike. */
export class QueueFilterPool {
  private readonly known = new Map<string, QueueFilter>();

  /** The shared filter that equals the given one. */
  shared(filter: QueueFilter): QueueFilter {
    const key = JSON.stringify(filter);
    const known = this.known.get(key);
    if (known) return known;
    if (this.known.size >= MAX_FILTERS) this.known.clear();
    this.known.set(key, filter);
    return filter;
  }
}

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
    const { user_id, traits } = (change.fields as QueueDocument).context;
    if (watchesFollowed(traits)) watchers.add(user_id);
  }
}
