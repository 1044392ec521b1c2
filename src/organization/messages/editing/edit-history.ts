import type {
  MessageDocument,
  MessageEditDocument,
} from '../../../../schemas/messages/message-document.js';

/** Most changes kept of one message. */
const MAX_KEPT_EDITS = 200;
/** Text of former contents kept of one message, source and HTML, in UTF-16 units. */
const MAX_KEPT_TEXT = 512 * 1024;

/**
 * The history of a message with a new change put in front. At its bounds the two oldest changes become
 * one, so that the original and the newest versions stay.
 */
export function withEdit(
  { edit_history }: MessageDocument,
  edit: MessageEditDocument,
): MessageEditDocument[] {
  const history = [edit, ...(edit_history ?? [])];
  let kept = history.reduce((sum, one) => sum + textOf(one), 0);
  while (history.length > 1 && (history.length > MAX_KEPT_EDITS || kept > MAX_KEPT_TEXT)) {
    const older = history.pop()!;
    const newer = history.pop()!;
    const one = joined(older, newer);
    kept += textOf(one) - textOf(older) - textOf(newer);
    history.push(one);
    // The original alone may be long: it is never given up.
    if (history.length === 2) break;
  }
  return history;
}

function textOf({ prev_content, prev_rendered_content }: MessageEditDocument): number {
  return (prev_content?.length ?? 0) + (prev_rendered_content?.length ?? 0);
}

/** Two changes that follow each other as one: from before the older to after the newer. */
function joined(older: MessageEditDocument, newer: MessageEditDocument): MessageEditDocument {
  const { prev_topic, prev_stream, prev_content, prev_rendered_content } = older;
  return {
    ...older,
    ...newer,
    ...(prev_topic === undefined ? {} : { prev_topic }),
    ...(prev_stream === undefined ? {} : { prev_stream }),
    ...(prev_content === undefined ? {} : { prev_content, prev_rendered_content }),
  };
}
