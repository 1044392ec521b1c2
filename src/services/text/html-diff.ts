import { diffArrays } from 'diff';
import sanitizeHtml from 'sanitize-html';

/** A tag, an entity, white space, a word, or any other character. */
const TOKEN = /<[^>]*>|&[#\w]+;|\s+|[\p{L}\p{N}\p{M}_]+|./gsu;

/**
 * Differences above which two texts are not compared further: bounds the work, which grows with their square. The worst
 * texts take 20 ms.
 */
const MAX_DIFFERENCES = 200;

/** Elements that show something without containing text. */
const SHOWN_ALONE = /^<(?:img|hr)\b/i;

const INSERTED = 'highlight_text_inserted';
const DELETED = 'highlight_text_deleted';

/**
 * Shows what changed between two rendered messages: the newer one, with what is new in
 * `<span class="highlight_text_inserted">` and what is gone in `<span class="highlight_text_deleted">`.
 * Only text is marked, never a tag, so that the result has the structure of the newer message. Very
 * different messages are shown as one gone and one new.
 * @param before sanitized HTML
 * @param after sanitized HTML
 */
export function htmlDiff(before: string, after: string): string {
  const [old, fresh] = [tokens(before), tokens(after)];
  const changes = (leastDifferences(old, fresh) <= MAX_DIFFERENCES
    ? diffArrays(old, fresh, { maxEditLength: MAX_DIFFERENCES })
    : undefined) ?? [
    { removed: true, added: false, value: old },
    { removed: false, added: true, value: fresh },
  ];
  const html = changes
    .map(({ removed, added, value }) => {
      if (removed) return deletedText(value);
      return added ? marked(value, INSERTED) : value.join('');
    })
    .join('');
  return wellFormed(html);
}

/** How many differences there are at least, whatever the order: those that one text has more often than the other. */
function leastDifferences(old: readonly string[], fresh: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const token of old) counts.set(token, (counts.get(token) ?? 0) + 1);
  for (const token of fresh) counts.set(token, (counts.get(token) ?? 0) - 1);
  let least = 0;
  for (const count of counts.values()) least += Math.abs(count);
  return least;
}

function tokens(html: string): string[] {
  return html.match(TOKEN) ?? [];
}

function isTag(token: string): boolean {
  return token.startsWith('<');
}

/** Whether something of a token would be seen if its tags were gone. */
function isShown(token: string): boolean {
  return !isTag(token) || SHOWN_ALONE.test(token);
}

/** What is gone, without its structure: white space that stood between blocks goes with them. */
function deletedText(run: readonly string[]): string {
  const text = run.filter(isShown);
  return text.join('').trim() === '' ? '' : marked(text, DELETED);
}

/** Runs of text in spans, tags as they are. */
function marked(run: readonly string[], className: string): string {
  let html = '';
  let text = '';
  const flush = (): void => {
    // Marked white space between blocks would be seen as an empty mark.
    html += text.trim() === '' ? text : `<span class="${className}">${text}</span>`;
    text = '';
  };
  for (const token of run) {
    if (isShown(token)) text += token;
    else {
      flush();
      html += token;
    }
  }
  flush();
  return html;
}

/** The tags are those of a sanitized message; this is the last word on their nesting. */
function wellFormed(html: string): string {
  return sanitizeHtml(html, {
    allowedTags: false,
    allowedAttributes: false,
    allowVulnerableTags: true,
    nonBooleanAttributes: ['*'],
    parseStyleAttributes: false,
  }).replaceAll(' />', '>');
}
