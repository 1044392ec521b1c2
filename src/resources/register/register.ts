import { FEATURE_LEVEL, MAX_SNAPSHOT_TEXT_BYTES, ZULIP_VERSION } from '../../../schemas/limits.js';
import { registerQueue as descriptor } from '../../../schemas/register.js';
import type { UserDocument } from '../../../schemas/documents/user.js';
import type { Queues } from '../../journal/queues.js';
import { botQueueDefaults } from '../../organization/bots.js';
import type { Organization } from '../../organization/organization.js';
import { registerQueue } from '../../organization/queue-registration.js';
import { JsonPieces } from '../../organization/snapshot-text/json-pieces.js';
import { HeldTexts, TextCache } from '../../organization/snapshot-text/text-cache.js';
import { Turns } from '../../services/turns.js';
import { EncodedReply } from '../encoded-reply.js';
import { handlePrepared, type AnyHandler } from '../handler.js';
import { idleTimeoutSeconds, queueRequest, type RegisterParams } from './queue-request.js';
import { loadSchedule } from './scheduled-sections.js';
import { SECTIONS, sectionNames } from './sections.js';
import { TEXT_SECTIONS, type TextRequest } from './text-sections.js';

/** Registrations that may wait; beyond that they are refused with 503, which clients retry. */
const MAX_WAITING = 20_000;

/**
 * `POST /register` (register.md): a queue, and the snapshot that meets it exactly. Both are made in
 * one transaction, so every change is either in the snapshot or in an event after `last_event_id`.
 *
 * What grows with the number of people is encoded before, a slice at a time; the transaction encodes
 * again only what changed meanwhile, and joins the texts.
 */
export function registerHandlers(queues: Queues): AnyHandler[] {
  const caches = new WeakMap<Organization, TextCache>();
  const snapshots = snapshotTurns();
  const cacheOf = (org: Organization): TextCache => {
    let cache = caches.get(org);
    if (!cache) caches.set(org, (cache = new TextCache(MAX_SNAPSHOT_TEXT_BYTES, org.now)));
    return cache;
  };
  return [
    handlePrepared(
      descriptor,
      async (org, { user, params }) => {
        const request = textRequest(org, user, params);
        const schedule = await loadSchedule(org, user, request.wants);
        const texts = new HeldTexts(cacheOf(org));
        const sections = Object.keys(TEXT_SECTIONS).filter(request.wants);
        if (sections.length > 0) {
          // The transaction follows at once, before the next one's turn.
          await snapshots.take(() =>
            texts.prepare(
              () => sections.flatMap((name) => TEXT_SECTIONS[name]!.sources(request)),
              () => org.users.ranges,
            ),
          );
        }
        return { schedule, texts };
      },
      (tx, { user, params }, { schedule, texts }) => {
        const queue = registerQueue(
          tx,
          queues,
          queueRequest(user, params, botQueueDefaults(tx.org, user)),
        );
        const request = { ...textRequest(tx.org, user, params), schedule };
        const out = new JsonPieces();
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
        for (const [name, section] of Object.entries(TEXT_SECTIONS)) {
          if (request.wants(name)) section.write(request, texts, out);
        }
        return new EncodedReply(out.end(), fields);
      },
    ),
  ];
}

/** One snapshot is made at a time: when everybody comes back at once, others get answers in between. */
export function snapshotTurns(): Turns {
  return new Turns(1, MAX_WAITING, 'Too many registrations at once', true);
}

function textRequest(org: Organization, user: UserDocument, params: RegisterParams): TextRequest {
  const fetch = fetched(params);
  const wanted = sectionNames(fetch);
  return {
    org,
    user,
    params,
    wants: (section) => wanted.has(section),
    named: (section) => fetch?.includes(section) ?? false,
  };
}

/** The sections asked for, by name; null for all. */
function fetched(params: RegisterParams): readonly string[] | null {
  return params.fetch_event_types ?? params.event_types ?? null;
}
