import { FEATURE_LEVEL, ZULIP_VERSION } from '../../../schemas/limits.js';
import { registerQueue as descriptor } from '../../../schemas/register.js';
import type { Queues } from '../../journal/queues.js';
import { botQueueDefaults } from '../../organization/bots.js';
import { registerQueue } from '../../organization/queue-registration.js';
import { handlePrepared, type AnyHandler } from '../handler.js';
import { idleTimeoutSeconds, queueRequest, type RegisterParams } from './queue-request.js';
import { loadSchedule } from './scheduled-sections.js';
import { SECTIONS, sectionNames } from './sections.js';

/**
 * `POST /register` (register.md): a queue, and the snapshot that meets it exactly. Both are made in
 * one transaction, so every change is either in the snapshot or in an event after `last_event_id`.
 */
export function registerHandlers(queues: Queues): AnyHandler[] {
  return [
    handlePrepared(
      descriptor,
      (org, { user, params }) => {
        const wanted = sectionNames(fetched(params));
        return loadSchedule(org, user, (section) => wanted.has(section));
      },
      (tx, { user, params }, schedule) => {
        const queue = registerQueue(
          tx,
          queues,
          queueRequest(user, params, botQueueDefaults(tx.org, user)),
        );
        const fetch = fetched(params);
        const wanted = sectionNames(fetch);
        const request = {
          org: tx.org,
          user,
          params,
          schedule,
          wants: (section: string) => wanted.has(section),
          named: (section: string) => fetch?.includes(section) ?? false,
        };
        const reply: Record<string, unknown> = {
          queue_id: queue.queueId,
          last_event_id: queue.newestId,
          zulip_version: ZULIP_VERSION,
          zulip_feature_level: FEATURE_LEVEL,
          zulip_merge_base: ZULIP_VERSION,
          idle_queue_timeout_secs: idleTimeoutSeconds(params),
        };
        for (const section of wanted) Object.assign(reply, SECTIONS[section]!(request));
        return reply;
      },
    ),
  ];
}

/** The sections asked for, by name; null for all. */
function fetched(params: RegisterParams): readonly string[] | null {
  return params.fetch_event_types ?? params.event_types ?? null;
}
