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

/**
 * Users with queues for which messages must say more than for others. They are only added: some of the queues may have
 * ended since.
 */
export class MessageWatchers {
  /** Their queues filter by followed or muted topics: messages name who follows or muted theirs. */
  readonly followed = new Set<number>();
  /** Their queues take notices: messages say to whom of them their client shows one, and why. */
  readonly noticed = new Set<number>();

  record(userId: number, traits: Pick<QueueFilter, 'narrow' | 'capabilities'>): void {
    if (traits.narrow.some(isFollowTerm)) this.followed.add(userId);
    if (traits.capabilities.message_notices) this.noticed.add(userId);
  }

  /** Adds those of others. */
  recordAll({ followed, noticed }: MessageWatchers): void {
    for (const userId of followed) this.followed.add(userId);
    for (const userId of noticed) this.noticed.add(userId);
  }

  /** Adds the users of queues that another node committed. */
  fold(changes: readonly EntryChange[]): void {
    for (const change of changes) {
      if (change.op !== 'set') continue;
      const { user_id, traits } = (change.fields as QueueDocument).context;
      this.record(user_id, traits);
    }
  }
}

function isFollowTerm([operator, operand]: QueueFilter['narrow'][number]): boolean {
  return operator === 'is' && (operand === 'followed' || operand === 'muted');
}
