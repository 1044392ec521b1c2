import type { Mutable } from '../../../schemas/endpoint.js';
import { placeIn } from '../entry.js';
import type { Receiver, RendererOf } from './event-renderer.js';
import { shownTopic } from './message.js';

/** Flags of the receivers: those of the majority, and those of the others. */
export type FlagKinds = {
  readonly flags: readonly string[];
  readonly others?: readonly {
    readonly flags: readonly string[];
    /** Ascending. */
    readonly users: readonly number[];
  }[];
};

/** Stored form of `update_message`: the event with the flags of all receivers, empty topics as "". */
export type MessageUpdated = FlagKinds & {
  readonly user_id: number | null;
  /** UNIX seconds. */
  readonly edit_timestamp: number;
  readonly message_id: number;
  /** Ascending. */
  readonly message_ids: readonly number[];
  readonly rendering_only: boolean;
  readonly stream_id?: number;
  readonly stream_name?: string;
  readonly orig_content?: string;
  readonly orig_rendered_content?: string;
  readonly content?: string;
  readonly rendered_content?: string;
  readonly is_me_message?: boolean;
  readonly orig_subject?: string;
  readonly subject?: string;
  readonly topic_links?: readonly unknown[];
  readonly new_stream_id?: number;
  readonly propagate_mode?: string;
};

/** The six forms of `update_message` in one: they differ in which of the fields they have. */
type MessageUpdate = Mutable<Omit<MessageUpdated, 'others'>> & { readonly type: 'update_message' };

/**
 * Suffix of variants whose empty topic needs its display name; a variant is named by the position of its
 * flags.
 */
const NAMED = ' named';

function kindOf({ others }: FlagKinds, { userId }: Receiver): number {
  return others ? others.findIndex(({ users }) => placeIn(users, userId) >= 0) : -1;
}

/** `update_message` (events-messages.md#messages): flags of the receiver × the name of the empty topic. */
export const updateMessageRenderer: RendererOf<'update_message', MessageUpdated, MessageUpdate> = {
  variant(event, receiver): string {
    const data = event.data;
    const kind = String(kindOf(data, receiver));
    const empty = data.orig_subject === '' || data.subject === '';
    return empty && receiver.filter.capabilities.empty_topic_name !== true ? kind + NAMED : kind;
  },

  bodies(event, variant) {
    const { flags: common, others, orig_subject, subject, ...rest } = event.data;
    const named = variant.endsWith(NAMED);
    const kind = Number(variant.replace(NAMED, ''));
    const body: MessageUpdate = {
      type: event.type,
      ...rest,
      flags: kind < 0 ? common : others![kind]!.flags,
    };
    if (orig_subject !== undefined) body.orig_subject = shownTopic(orig_subject, !named);
    if (subject !== undefined) body.subject = shownTopic(subject, !named);
    return [body];
  },
};
