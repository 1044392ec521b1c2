import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import { badNarrow } from '../../../errors.js';

/** Most words of a search; bounds the work of matching one message. */
export const MAX_WORDS = 64;

/** Most highlighted matches in one text; further ones are not highlighted. */
const MAX_HIGHLIGHTS = 500;
const HIGHLIGHT_START = '<span class="highlight">';
const HIGHLIGHT_END = '</span>';

const WORD_OR_PHRASE = /"([^"]*)"|[^\s"]+/g;
const TAG = /(<[^>]*>)/;
const ENTITY = '&(?:#\\d+|#x[\\da-f]+|[a-z\\d]+);';

/** Highlighted forms of a search result (endpoints-messages.md#message-object). */
interface Highlights {
  readonly match_content: string;
  readonly match_subject: string;
}

/**
 * TextQuery matches messages that contain all of its words and quoted phrases, in their text or topic. It
 * compares without case and anywhere in a word, as not all languages put spaces between words.
 */
export class TextQuery {
  private readonly terms: readonly string[];
  private readonly highlighter: RegExp;

  /** @throws ApiError `BAD_NARROW` for too many words */
  constructor(operand: string) {
    const terms = new Set<string>();
    for (const match of operand.matchAll(WORD_OR_PHRASE)) {
      const term = (match[1] ?? match[0]).trim().toLowerCase();
      if (term !== '') terms.add(term);
    }
    if (terms.size > MAX_WORDS) throw badNarrow('too many search words');
    this.terms = [...terms];
    // Words are matched before entities, so that `&` is found and `amp` does not split `&amp;`.
    const longestFirst = [...this.terms].sort((a, b) => b.length - a.length);
    const patterns = longestFirst.map((term) => escapePattern(escapeHtml(term)));
    this.highlighter = new RegExp([...patterns, ENTITY].join('|'), 'giu');
  }

  /** Number of words and phrases. */
  get size(): number {
    return this.terms.length;
  }

  /** Upper bound of the length of a message's highlighted forms, UTF-16 units. */
  highlightedLength(message: MessageDocument): number {
    const highlights =
      Math.min(MAX_HIGHLIGHTS, message.rendered_content.length) + message.topic.length;
    const marked =
      this.terms.length === 0 ? 0 : highlights * (HIGHLIGHT_START.length + HIGHLIGHT_END.length);
    return message.rendered_content.length + 6 * message.topic.length + marked;
  }

  matches(message: MessageDocument): boolean {
    if (this.terms.length === 0) return true;
    const content = message.content.toLowerCase();
    const topic = message.topic.toLowerCase();
    return this.terms.every((term) => content.includes(term) || topic.includes(term));
  }

  /** The rendered text and the topic as HTML, with the matches highlighted. */
  highlight(message: MessageDocument, topic: string): Highlights {
    return {
      match_content: this.highlightMatches(message.rendered_content),
      match_subject: this.highlightMatches(escapeHtml(topic)),
    };
  }

  private highlightMatches(html: string): string {
    if (this.terms.length === 0) return html;
    let left = MAX_HIGHLIGHTS;
    const wrap = (found: string): string => {
      if (left === 0 || !this.terms.includes(unescapeHtml(found).toLowerCase())) return found;
      left -= 1;
      return `${HIGHLIGHT_START}${found}${HIGHLIGHT_END}`;
    };
    return html
      .split(TAG)
      .map((part) =>
        part.startsWith('<') || left === 0 ? part : part.replace(this.highlighter, wrap),
      )
      .join('');
  }
}

const ESCAPES: readonly (readonly [string, string])[] = [
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
];

function escapeHtml(text: string): string {
  return ESCAPES.reduce((escaped, [from, to]) => escaped.replaceAll(from, to), text);
}

function unescapeHtml(html: string): string {
  return ESCAPES.reduceRight((text, [to, from]) => text.replaceAll(from, to), html);
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (character) =>
    character === '-' ? '\\x2d' : `\\${character}`,
  );
}
