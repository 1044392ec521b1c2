import { FEATURE_LEVEL, ZULIP_VERSION } from '../../../../schemas/limits.js';
import { registerQueue as descriptor } from '../../../../schemas/queues/register.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Queues } from '../../../journal/queues/queues.js';
import {
  PreparedStars,
  PreparedUnread,
} from '../../../organization/messages/reading/prepared-reading.js';
import {
  prepareAll,
  type Pause,
  type PreparedPart,
} from '../../../organization/state/snapshot-moment.js';
import { EventLoopYield } from '../../../turns/event-loop-yield.js';
import type { SnapshotFragments } from '../../snapshot-fragments/fragment-cache.js';
import { botQueueDefaults } from '../../../organization/users/bots.js';
import type { Organization } from '../../../organization/state/organization.js';
import { registerQueue } from '../../../organization/state/queue-documents.js';
import { JsonParts } from '../../snapshot-fragments/json-parts.js';
import { sharedTexts } from '../../snapshot-fragments/shared-texts.js';
import { ConcurrencyLimiter } from '../../../turns/concurrency-limiter.js';
import { EncodedReply } from '../../kernel/route.js';
import { handlePrepared, type AnyHandler } from '../../kernel/handler.js';
import type { OtherNodesNow } from '../other-nodes.js';
import { idleTimeoutSeconds, queueRequest, type RegisterParams } from './queue-request.js';
import { loadSchedule } from './scheduled-sections.js';
import { PreparedChannels } from './prepared-channels.js';
import { SECTIONS, sectionNames, showsUnread } from './sections.js';
import { SHARED_SECTIONS } from './shared-sections.js';
import { TEXT_SECTIONS, type TextRequest } from './text-sections.js';

/** Waiting registrations above which more are refused with 503, which clients retry. */
const MAX_WAITING = 20_000;

/**
 * `POST /register` (register.md): a queue and a snapshot of the same moment. One transaction makes both, so
 * every change is either in the snapshot or in an event after `last_event_id`.
 *
 * A follower registers the queue at the leader first, and makes a snapshot of what it has afterwards.
 *
 * Sections that grow with the number of users are encoded before the transaction, in slices; the
 * transaction encodes again only texts that changed meanwhile, and joins them.
 */
export function registerHandlers(queues: Queues, others: OtherNodesNow): AnyHandler[] {
  const snapshots = snapshotTurns();
  return [
    handlePrepared(
      descriptor,
      async (org, { user, params }) => {
        const nodes = others();
        // On a follower: the snapshot is of a later moment than the queue, which begins here with the snapshot.
        const registered = nodes
          ? await nodes.register(queueRequest(user, params, botQueueDefaults(org, user)))
          : null;
        const request = snapshotRequest(org, user, params);
        const { wants, channels, unread, stars } = request;
        const schedule = await loadSchedule(org, user, wants);
        const texts = sharedTexts(org);
        const sections = Object.keys(TEXT_SECTIONS).filter(wants);
        const parts: PreparedPart[] = [];
        if (wants('subscription') || wants('stream')) parts.push(channels);
        if (showsUnread(request)) parts.push(unread);
        if (wants('starred_messages')) parts.push(stars);
        if (sections.length > 0) parts.push(new PreparedTexts(request, texts, sections));
        if (parts.length > 0) {
          // The transaction follows at once, before the next snapshot begins.
          const { user_id } = user;
          await snapshots.take(
            () => prepareAll(parts, EventLoopYield.of(org.accountOf(user_id))),
            user_id,
          );
        }
        return { registered, schedule, texts, prepared: { channels, unread, stars } };
      },
      (tx, { user, params, clientName }, { registered, schedule, texts, prepared }) => {
        const queue =
          registered === null
            ? registerQueue(tx, queues, queueRequest(user, params, botQueueDefaults(tx.org, user)))
            : queues.beginHere(registered, user.user_id);
        queues.nameClient(queue, clientName);
        const request = { ...snapshotRequest(tx.org, user, params), ...prepared, schedule };
        const out = new JsonParts();
        const head = {
          queue_id: queue.queueId,
          last_event_id: queue.newestId,
          zulip_version: ZULIP_VERSION,
          zulip_feature_level: FEATURE_LEVEL,
          zulip_merge_base: ZULIP_VERSION,
          idle_queue_timeout_secs: idleTimeoutSeconds(params),
        };
        const fields: Record<string, unknown> = { ...head };
        for (const [section, make] of Object.entries(SECTIONS)) {
          if (request.wants(section)) Object.assign(fields, make(request));
        }
        for (const [name, textOf] of Object.entries(SHARED_SECTIONS)) {
          if (request.wants(name)) out.bytes(textOf(tx.org), true);
        }
        for (const [name, section] of Object.entries(TEXT_SECTIONS)) {
          if (request.wants(name)) section.write(request, texts, out);
        }
        return new EncodedReply(out.end(), fields, out.shared);
      },
    ),
  ];
}

/** One snapshot at a time: when all clients register at once, other requests are served in between. */
export function snapshotTurns(): ConcurrencyLimiter {
  return new ConcurrencyLimiter(1, MAX_WAITING, 'Too many registrations at once', true);
}

/** The texts that sections are joined of, encoded before the transaction. */
class PreparedTexts implements PreparedPart {
  isReady = false;

  constructor(
    private readonly request: TextRequest,
    private readonly texts: SnapshotFragments,
    private readonly sections: readonly string[],
  ) {}

  async prepare(pause: Pause): Promise<void> {
    const { request, texts, sections } = this;
    await texts.prepare(
      () => sections.flatMap((name) => TEXT_SECTIONS[name]!.sources(request)),
      () => request.org.users.ranges,
      pause,
    );
    // What changes from now on is encoded again where it is used.
    this.isReady = true;
  }
}

function snapshotRequest(
  org: Organization,
  user: UserDocument,
  params: RegisterParams,
): TextRequest {
  const fetch = fetched(params);
  const wanted = sectionNames(fetch);
  const emptyTopicName = params.client_capabilities.empty_topic_name ?? false;
  return {
    org,
    user,
    params,
    wants: (section) => wanted.has(section),
    named: (section) => fetch?.includes(section) ?? false,
    channels: new PreparedChannels(org, user.user_id, params),
    unread: new PreparedUnread(org, user.user_id, { emptyTopicName }),
    stars: new PreparedStars(org, user.user_id),
  };
}

/** Names of the requested sections; null for all. */
function fetched(params: RegisterParams): readonly string[] | null {
  return params.fetch_event_types ?? params.event_types ?? null;
}
