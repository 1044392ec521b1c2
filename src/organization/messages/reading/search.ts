import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { badNarrow } from '../../../errors/index.js';
import {
  HIGHLIGHT_END,
  HIGHLIGHT_START,
  highlight,
  MAX_HIGHLIGHTS,
} from '../../../services/search/highlight.js';
import { hasTerm, messageWords, readTerms, type Term } from '../../../services/search/terms.js';

/** Most words and phrases of a search; bounds the work of matching one message. */
export const MAX_WORDS = 64;
/** Most words in all phrases of a search: a sentence of a script in which each letter is a word. */
const MAX_WORDS_OF_PHRASES = 512;

/** Highlighted forms of a search result (endpoints-messages.md#message-object). */
export interface Highlights {
  readonly match_content: string;
  readonly match_subject: string;
}

/**
 * TextQuery matches messages that have all of its words and quoted phrases in their text, as it is shown, or in their
 * topic (endpoints-messages.md#search). It compares words without case and accents.
 */
export class TextQuery {
  readonly terms: readonly Term[];
  /** Whether it asks for something that is no word, such as `&`, and for nothing else: no message has it. */
  readonly isVain: boolean;

  /** @throws ApiError `BAD_NARROW` for too many words */
  constructor(operand: string) {
    this.terms = readTerms(operand);
    this.isVain = this.terms.length === 0 && /[^\s"]/.test(operand);
    const words = this.terms.reduce((sum, term) => sum + term.words.length, 0);
    if (this.size > MAX_WORDS || words > MAX_WORDS_OF_PHRASES) {
      throw badNarrow('too many search words');
    }
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
    return this.matchesWords(messageWords(message));
  }

  /** @param words of a message, by `messageWords` */
  matchesWords(words: readonly string[]): boolean {
    return !this.isVain && this.terms.every((term) => hasTerm(words, term));
  }

  /** The rendered text and the topic as HTML, with the matches highlighted. */
  highlight(message: MessageDocument, topic: string): Highlights {
    return {
      match_content: highlight(message.rendered_content, this.terms),
      match_subject: highlight(escapeHtml(topic), this.terms),
    };
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
