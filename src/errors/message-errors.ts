import { ApiError, badRequest } from './api-error.js';

/** A webhook without the header that says which event it is. */
export function missingEventHeader(header: string): ApiError {
  const text = `Missing the HTTP event header '${header}'`;
  return new ApiError(400, 'MISSING_HTTP_EVENT_HEADER', text, { header });
}

/** A webhook that lacks what its service always sends. */
export function anomalousPayload(webhook_name: string): ApiError {
  const text = `Unable to parse request: Did ${webhook_name} generate this event?`;
  return new ApiError(400, 'ANOMALOUS_WEBHOOK_PAYLOAD', text, { webhook_name });
}

/** An event of a service that makes no message; not a failure, so that the service keeps sending. */
export function unsupportedEvent(webhook_name: string, event_type: string): ApiError {
  const text = `The '${event_type}' event isn't currently supported by the ${webhook_name} webhook; ignoring`;
  return new IgnoredEvent(200, 'UNSUPPORTED_WEBHOOK_EVENT_TYPE', text, {
    webhook_name,
    event_type,
  });
}

class IgnoredEvent extends ApiError {
  override body(): Record<string, unknown> {
    return { ...super.body(), result: 'success' };
  }
}

/** A `local_id` that named another message of the same queue before. */
export function localIdReused(localId: string): ApiError {
  return badRequest(`The local_id '${localId}' was already used for another message.`);
}

/** A whole topic that is partly too old to be moved. */
export function moveTimeLimitExceeded(
  firstAllowed: number,
  { total, allowed }: { total: number; allowed: number },
): ApiError {
  return new ApiError(
    400,
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    `You only have permission to move the ${allowed}/${total} most recent messages in this topic.`,
    {
      first_message_id_allowed_to_move: firstAllowed,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    },
  );
}

/** Unknown, expired, deleted, overflowed or another user's queue; never says which (event-queues.md#delete-queue). */
export function badEventQueueId(queueId: string): ApiError {
  return new ApiError(400, 'BAD_EVENT_QUEUE_ID', `Bad event queue ID: ${queueId}`, {
    queue_id: queueId,
  });
}

/** The sender may not mention everybody in a large channel or topic. */
export function wildcardNotAllowed(where: 'channel' | 'topic'): ApiError {
  const scope = where === 'channel' ? 'STREAM' : 'TOPIC';
  const text = `You do not have permission to use ${where} wildcard mentions in this ${where}.`;
  return new ApiError(400, `${scope}_WILDCARD_MENTION_NOT_ALLOWED`, text);
}

/** The caller reacted to the message with this emoji already. */
export function reactionExists(): ApiError {
  return new ApiError(400, 'REACTION_ALREADY_EXISTS', 'Reaction already exists.');
}

/** The caller did not react to the message with this emoji. */
export function reactionMissing(): ApiError {
  return new ApiError(400, 'REACTION_DOES_NOT_EXIST', "Reaction doesn't exist.");
}

/** The push token to be removed is none of the caller's. */
export function unknownPushToken(): ApiError {
  return new ApiError(400, 'INVALID_PUSH_DEVICE_TOKEN', 'Device not recognized');
}

/** A test notification has no device to go to. */
export function noActivePushDevice(): ApiError {
  return new ApiError(400, 'NO_ACTIVE_PUSH_DEVICE', 'No active registered push device');
}

/** Nothing delivers push notifications here. */
export function pushNotConfigured(): ApiError {
  const text = 'Server is not configured to use push notification service.';
  return new ApiError(400, 'PUSH_SERVICE_NOT_CONFIGURED', text);
}
