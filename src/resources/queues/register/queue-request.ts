import type { ParamsOf } from '../../../../schemas/endpoint.js';
import {
  IDLE_QUEUE_TIMEOUT_SECONDS,
  MAX_IDLE_QUEUE_TIMEOUT_SECONDS,
  MOBILE_IDLE_QUEUE_TIMEOUT_SECONDS,
} from '../../../../schemas/limits.js';
import type { registerQueue } from '../../../../schemas/queues/register.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { badRequest } from '../../../errors/index.js';
import type { QueueRequest } from '../../../journal/queues/queues.js';
import type { QueueFilter } from '../../../journal/queues/queue-filter.js';
import type { Organization } from '../../../organization/state/organization.js';
import type {
  PreparedStars,
  PreparedUnread,
} from '../../../organization/messages/reading/prepared-reading.js';
import type { PreparedChannels } from './prepared-channels.js';
import type { LoadedSchedule } from './scheduled-sections.js';

/** Parameters of `POST /register`; `GET /events` takes the same. */
export type RegisterParams = ParamsOf<typeof registerQueue>;

/** Operators a queue's narrow may use (event-queues.md#queue-parameters). */
const NARROW_OPERATORS = new Set(['channel', 'stream', 'topic', 'sender', 'is']);

/** Defaults of a bot's queue (event-queues.md#queue-parameters). */
interface BotQueueDefaults {
  readonly default_all_public_streams: boolean;
  /** Name of the only channel whose messages it gets; null: all. */
  readonly default_events_register_stream: string | null;
}

/**
 * The queue that the parameters describe.
 * @param bot defaults, for bots
 * @throws ApiError for a narrow the queue cannot filter by, or a guest asking for all public channels
 */
export function queueRequest(
  user: UserDocument,
  params: RegisterParams,
  bot?: BotQueueDefaults,
): QueueRequest {
  const allPublic = params.all_public_streams ?? bot?.default_all_public_streams ?? false;
  if (allPublic && user.role === ROLE.guest) {
    throw badRequest('User not authorized for this query');
  }
  return {
    userId: user.user_id,
    idleTimeoutMs: idleTimeoutSeconds(params) * 1000,
    filter: {
      event_types: params.event_types ? eventTypes(params.event_types) : null,
      apply_markdown: params.apply_markdown,
      client_gravatar: params.client_gravatar,
      slim_presence: params.slim_presence,
      include_subscribers: params.include_subscribers,
      all_public_streams: allPublic,
      narrow: narrowOf(params, bot?.default_events_register_stream ?? null),
      capabilities: declared(params.client_capabilities),
    },
  };
}

/** The effective idle expiry (event-queues.md#idle-expiry). */
export function idleTimeoutSeconds(params: RegisterParams): number {
  const asked = params.idle_queue_timeout ?? params.queue_lifespan_secs;
  if (asked === 'mobile') return MOBILE_IDLE_QUEUE_TIMEOUT_SECONDS;
  if (asked === 0) return IDLE_QUEUE_TIMEOUT_SECONDS;
  return Math.min(asked, MAX_IDLE_QUEUE_TIMEOUT_SECONDS);
}

/** A queue that names `user_topic` does not get the legacy `muted_topics` (event-queues.md#queue-parameters). */
function eventTypes(types: readonly string[]): readonly string[] {
  const unique = [...new Set(types)].sort();
  return unique.includes('user_topic') ? unique.filter((type) => type !== 'muted_topics') : unique;
}

function narrowOf(params: RegisterParams, botChannel: string | null): QueueFilter['narrow'] {
  const terms = narrowTerms(params.narrow);
  return terms.length === 0 && botChannel !== null ? [['channel', botChannel]] : terms;
}

function narrowTerms(narrow: RegisterParams['narrow']): QueueFilter['narrow'] {
  return (narrow as readonly (readonly [string, string])[]).map(([operator, operand]) => {
    if (!NARROW_OPERATORS.has(operator)) throw badRequest(`Operator ${operator} not supported.`);
    return [operator === 'stream' ? 'channel' : operator, operand] as const;
  });
}

/** Capabilities that are true, in a fixed order, so that equal declarations have equal texts. */
function declared(
  capabilities: RegisterParams['client_capabilities'],
): QueueFilter['capabilities'] {
  return Object.fromEntries(
    Object.entries(capabilities)
      .filter(([, value]) => value === true)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Input of a section. */
export interface SnapshotRequest {
  readonly org: Organization;
  readonly user: UserDocument;
  readonly params: RegisterParams;
  /** Documents that had to be read from the store. */
  readonly schedule: LoadedSchedule;
  readonly channels: PreparedChannels;
  readonly unread: PreparedUnread;
  readonly stars: PreparedStars;
  /** Whether the request names a section, rather than asking for all. */
  readonly named: (section: string) => boolean;
  readonly wants: (section: string) => boolean;
}
