import type { Mutable } from '../../../../schemas/endpoint.js';
import type { HistorySnapshot } from '../../../../schemas/messages/message-editing.js';
import type { MessageDocument, MessageEditDocument } from '../../../../schemas/messages/message.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import { shownTopic } from '../../../journal/renderers/message.js';

/** `realm_message_edit_history_visibility_policy`; `none` is refused before anything is shown. */
export type HistoryPolicy = RealmDocument['message_edit_history_visibility_policy'];

/** Options of the shown versions. */
interface HistoryOptions {
  readonly policy: Exclude<HistoryPolicy, 'none'>;
  readonly emptyTopicName: boolean;
  /** HTML of the differences between two versions. */
  readonly diff: (before: string, after: string) => string;
}

interface Version {
  readonly topic: string;
  readonly content: string;
  readonly rendered_content: string;
}

/**
 * The versions of a message, oldest first (specification-endpoints.md#get-message-history). With the policy
 * `moves` all versions show the present content, and only moves are listed.
 */
export function historySnapshots(
  message: MessageDocument,
  options: HistoryOptions,
): HistorySnapshot[] {
  const all = options.policy === 'all';
  let after: Version = message;
  const snapshots: HistorySnapshot[] = [];
  for (const edit of message.edit_history ?? []) {
    const moved = edit.prev_topic !== undefined || edit.prev_stream !== undefined;
    if (all || moved) snapshots.push(snapshotOf(edit, after, options));
    after = versionBefore(edit, after, all);
  }
  const { timestamp, sender_id: user_id } = message;
  snapshots.push({ ...shown(after, options), timestamp, user_id });
  return snapshots.reverse();
}

function versionBefore(edit: MessageEditDocument, after: Version, all: boolean): Version {
  const { prev_topic: topic = after.topic } = edit;
  if (!all || edit.prev_content === undefined) return { ...after, topic };
  return { topic, content: edit.prev_content, rendered_content: edit.prev_rendered_content! };
}

function shown({ topic, content, rendered_content }: Version, options: HistoryOptions): Version {
  return { topic: shownTopic(topic, options.emptyTopicName), content, rendered_content };
}

function snapshotOf(
  edit: MessageEditDocument,
  after: Version,
  options: HistoryOptions,
): HistorySnapshot {
  const { timestamp, user_id, prev_topic, prev_stream, stream } = edit;
  const snapshot: Mutable<HistorySnapshot> = { ...shown(after, options), timestamp, user_id };
  if (prev_topic !== undefined) {
    snapshot.prev_topic = shownTopic(prev_topic, options.emptyTopicName);
  }
  if (prev_stream !== undefined) Object.assign(snapshot, { prev_stream, stream });
  const { prev_content, prev_rendered_content } = edit;
  if (options.policy === 'all' && prev_content !== undefined) {
    snapshot.prev_content = prev_content;
    snapshot.prev_rendered_content = prev_rendered_content;
    snapshot.content_html_diff = options.diff(prev_rendered_content!, after.rendered_content);
  }
  return snapshot;
}

const MOVE_KEYS = ['prev_topic', 'topic', 'prev_stream', 'stream'] as const;

/**
 * The `edit_history` of a message object (endpoints-messages.md#message-object), newest first; undefined
 * where there is nothing to show.
 */
export function shownEditHistory(
  { edit_history }: MessageDocument,
  policy: HistoryPolicy,
  emptyTopicName: boolean,
): MessageEditDocument[] | undefined {
  if (!edit_history || policy === 'none') return undefined;
  const entries = edit_history.flatMap((edit) => {
    const visible = policy === 'all' ? edit : movesOf(edit);
    return visible ? [withShownTopics(visible, emptyTopicName)] : [];
  });
  return entries.length > 0 ? entries : undefined;
}

function movesOf(edit: MessageEditDocument): MessageEditDocument | null {
  if (edit.prev_topic === undefined && edit.prev_stream === undefined) return null;
  const { user_id, timestamp } = edit;
  const keys = MOVE_KEYS.filter((key) => edit[key] !== undefined);
  return { user_id, timestamp, ...Object.fromEntries(keys.map((key) => [key, edit[key]])) };
}

function withShownTopics(edit: MessageEditDocument, emptyTopicName: boolean): MessageEditDocument {
  const { prev_topic, topic } = edit;
  if (emptyTopicName || (prev_topic !== '' && topic !== '')) return edit;
  return {
    ...edit,
    prev_topic: shownTopic(prev_topic!, false),
    topic: shownTopic(topic!, false),
  };
}
