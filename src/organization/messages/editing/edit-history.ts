import type { MessageDocument, MessageEditDocument } from '../../../../schemas/messages/message.js';
import { badRequest } from '../../../errors/index.js';
import type { MovePlan } from '../../topics/moved-topic.js';
import type { EditPlan } from './check-edit.js';
import { movedOf } from './edited-fields.js';

/*
 * The edit history of a message is evidence: each version and who made it stays. It is part of the message's document,
 * which each edit writes and each page of messages shows, so it has bounds, at which edits are refused.
 */

/** Most edits of a message's text, and most moves of a message: a topic of 10,000 writes them all with each move. */
const MAX_EDITS = 200;
const MAX_MOVES = 200;
/** Length of former texts of one message, source and HTML together, UTF-16 units: they are read and written at once. */
const MAX_KEPT_TEXT = 512 * 1024;

/**
 * Checks that the history of each message has room for a change (limits.md#per-organization).
 * @param messages that the change concerns, as they are now
 * @throws ApiError
 */
export function checkHistory(
  { content, move, message }: EditPlan,
  messages: readonly MessageDocument[],
): void {
  if (content) checkTexts(message);
  if (move) checkMoves(messages, move);
}

/** The edit history of a message with a new entry in front. */
export function withEdit(
  { edit_history = [] }: MessageDocument,
  edit: MessageEditDocument,
): MessageEditDocument[] {
  return [edit, ...edit_history];
}

function checkTexts({ content, rendered_content, edit_history = [] }: MessageDocument): void {
  const former = edit_history.filter(({ prev_content }) => prev_content !== undefined);
  if (former.length >= MAX_EDITS) {
    throw badRequest(`A message can be edited at most ${MAX_EDITS} times.`);
  }
  const kept = former.reduce((sum, one) => sum + textOf(one), 0);
  // The first edit is free: the original alone may be as long.
  if (kept > 0 && kept + content.length + rendered_content.length > MAX_KEPT_TEXT) {
    const text = `The former texts of a message can have at most ${MAX_KEPT_TEXT} characters.`;
    throw badRequest(text);
  }
}

function checkMoves(messages: readonly MessageDocument[], move: MovePlan): void {
  for (const message of messages) {
    const { id, edit_history } = message;
    // Nearly all messages of a topic have short histories.
    if (!edit_history || edit_history.length < MAX_MOVES) continue;
    const moves = edit_history.filter(isMove).length;
    if (moves < MAX_MOVES || movedOf([message], move).length === 0) continue;
    throw badRequest(`A message can be moved at most ${MAX_MOVES} times: message ${id} was.`);
  }
}

function textOf({ prev_content = '', prev_rendered_content = '' }: MessageEditDocument): number {
  return prev_content.length + prev_rendered_content.length;
}

function isMove({ prev_topic, prev_stream }: MessageEditDocument): boolean {
  return prev_topic !== undefined || prev_stream !== undefined;
}
