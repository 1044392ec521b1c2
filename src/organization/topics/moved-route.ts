import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { MessageDocument, MessageRoute } from '../../../schemas/messages/message-document.js';

/** Most channels kept of a message's way, beside the one it was sent to. */
const MAX_HOPS = 16;

/**
 * The way of a message that now moves to another channel. Of a very long one the earliest stops are
 * forgotten: then somebody who was not subscribed there for a while counts as having read it, not as
 * never having received it.
 */
export function movedRoute(
  { stream_id, route }: MessageDocument,
  to: ChannelDocument,
  seq: number,
): MessageRoute {
  const { from, hops } = route ?? { from: stream_id!, hops: [] };
  return { from, hops: [...hops.slice(1 - MAX_HOPS), [to.stream_id, seq]] };
}
