import type { EventFields } from '../../../schemas/events.js';
import type { ChannelObject } from '../../../schemas/channels/channel.js';
import type { RendererOf } from './event-renderer.js';
import type { QueueFilter } from '../queues/queue-filter.js';

type StreamEvent = EventFields<'stream'>;

/** Stored form of `stream` create. */
export type StreamCreated = Extract<StreamEvent, { op: 'create' }>;

/** Stored form of `stream` delete. */
export type StreamDeleted = {
  readonly op: 'delete';
  readonly stream_ids: readonly number[];
  /** All of them are archived: queues without `archived_channels` do not have them. */
  readonly archived?: true;
};

/**
 * `stream` update: its property, the value, and what comes with the one property or the other. The
 * compiler does not compare property and value; the schemas do.
 */
export type StreamChange = Pick<
  StreamUpdate,
  'op' | 'stream_id' | 'name' | 'property' | 'value'
> & {
  readonly rendered_description?: string;
  readonly history_public_to_subscribers?: boolean;
  readonly is_web_public?: boolean;
};
type StreamUpdate = Extract<StreamEvent, { op: 'update' }>;

/** Stored form of `stream` update. */
type StreamUpdated = StreamChange & {
  /** The channel is archived before and after. */
  readonly archived?: true;
};

type StreamBody = Exclude<StreamEvent, StreamUpdate> | StreamChange;

/**
 * Stored form of archiving and unarchiving, with the channel: queues without `archived_channels` get it as
 * deleted or created.
 */
export type StreamArchived = {
  readonly op: 'update';
  readonly stream_id: number;
  readonly name: string;
  readonly property: 'is_archived';
  readonly value: boolean;
  readonly channel: ChannelObject;
};

type StreamData = StreamCreated | StreamDeleted | StreamUpdated | StreamArchived;

/** Whether a queue lists archived channels (event-queues.md#client-capabilities). */
export function showsArchived(filter: QueueFilter): boolean {
  return filter.capabilities.archived_channels === true;
}

function isArchiving(data: StreamData): data is StreamArchived {
  return data.op === 'update' && data.property === 'is_archived';
}

function created(streams: readonly ChannelObject[]): StreamBody {
  return { op: 'create', streams };
}

function deleted(streamIds: readonly number[]): StreamBody {
  // Clients read either list; the first is the older form.
  const streams = streamIds.map((stream_id) => ({ stream_id }));
  return { op: 'delete', streams, stream_ids: streamIds };
}

function withoutArchived(data: StreamData): StreamBody {
  if (isArchiving(data)) return data.value ? deleted([data.stream_id]) : created([data.channel]);
  if (data.op === 'create') return created(data.streams.filter((one) => !one.is_archived));
  return withArchived(data);
}

function withArchived(data: StreamData): StreamBody {
  if (data.op === 'create') return created(data.streams);
  if (data.op === 'delete') return deleted(data.stream_ids);
  if ('channel' in data) {
    const { channel: _channel, ...body } = data;
    return body;
  }
  const { archived: _archived, ...body } = data;
  return body;
}

/** Whether the event is about archived channels only. */
function isHidden(data: StreamData): boolean {
  if (isArchiving(data)) return false;
  if (data.op === 'create') return data.streams.every((one) => one.is_archived);
  return data.archived === true;
}

/**
 * `stream` events (events-channels.md#channels). To a queue without `archived_channels` archived channels do
 * not exist: archiving is a delete there, unarchiving a create.
 */
export const streamRenderer: RendererOf<
  'stream',
  StreamData,
  StreamBody & { readonly type: 'stream' }
> = {
  variant({ data }, { filter }): string | null {
    if (showsArchived(filter)) return 'all';
    return isHidden(data) ? null : 'unarchived';
  },

  bodies({ type, data }, variant) {
    return [{ type, ...(variant === 'all' ? withArchived(data) : withoutArchived(data)) }];
  },
};
