import type { ChannelObject } from '../../../schemas/channels/channel-object.js';
import type { EventRenderer, RenderableEvent } from './event-renderer.js';
import type { QueueFilter } from '../queues/queue-filter.js';

/** Stored form of `stream` create. */
export type StreamCreated = {
  readonly op: 'create';
  readonly streams: readonly ChannelObject[];
};

/** Stored form of `stream` delete. */
export type StreamDeleted = {
  readonly op: 'delete';
  readonly stream_ids: readonly number[];
  /** All of them are archived: queues without `archived_channels` do not have them. */
  readonly archived?: true;
};

/** Stored form of `stream` update, with the extras of the property beside it. */
type StreamUpdated = Readonly<Record<string, unknown>> & {
  readonly op: 'update';
  readonly stream_id: number;
  readonly name: string;
  readonly property: string;
  readonly value: unknown;
  /** The channel is archived before and after. */
  readonly archived?: true;
};

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

function created(streams: readonly ChannelObject[]): Record<string, unknown> {
  return { type: 'stream', op: 'create', streams };
}

function deleted(streamIds: readonly number[]): Record<string, unknown> {
  // Clients read either list; the first is the older form.
  const streams = streamIds.map((stream_id) => ({ stream_id }));
  return { type: 'stream', op: 'delete', streams, stream_ids: streamIds };
}

function withoutArchived(data: StreamData): Record<string, unknown> {
  if (isArchiving(data)) return data.value ? deleted([data.stream_id]) : created([data.channel]);
  if (data.op === 'create') return created(data.streams.filter((one) => !one.is_archived));
  return withArchived(data);
}

function withArchived(data: StreamData): Record<string, unknown> {
  if (data.op === 'create') return created(data.streams);
  if (data.op === 'delete') return deleted(data.stream_ids);
  const { archived: _archived, channel: _channel, ...body } = data as Record<string, unknown>;
  return { type: 'stream', ...body };
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
export const streamRenderer: EventRenderer = {
  variant(event: RenderableEvent, { filter }): string | null {
    if (showsArchived(filter)) return 'all';
    return isHidden(event.data as StreamData) ? null : 'unarchived';
  },

  bodies(event, variant) {
    const data = event.data as StreamData;
    return [variant === 'all' ? withArchived(data) : withoutArchived(data)];
  },
};
