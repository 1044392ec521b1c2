import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import {
  EMPTY_TOPIC_DISPLAY_NAME,
  MAX_MESSAGE_LENGTH,
  MAX_TOPIC_LENGTH,
} from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';

/**
 * What a name, a topic or a short text about somebody may consist of, and when two names are the same.
 * One rule for all of them, by Unicode properties: nothing in a name may be invisible, or change what
 * stands beside it, unless its script or an emoji needs it there. How long a stored text may be, and what the text
 * and the topic of a message become, stands below.
 */

/** Nearly every name; needs no closer look. */
const PLAIN = /^[ -~]*$/;

/** Controls, separators of lines, halves of pairs, code points that never are characters. */
const NEVER = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u;
/** Turn the direction of text, also of what follows the name. */
const DIRECTION = /\p{Bidi_Control}/u;
/** Drawn as nothing: fillers, joiners, selectors, tags and formatting; and two symbols that look blank. */
const HIDDEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u{1d159}]/u;
/** Formatting characters that are drawn, such as the Arabic number sign. */
const DRAWN = /[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]/u;
const COMBINING = /^\p{M}/u;

const PICTOGRAPH = /\p{Extended_Pictographic}/u;
const EMOJI = /(?![0-9#*])\p{Emoji}/u;
const TAG = /[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}\u{e007f}]/u;
const FLAG = '\u{1f3f4}';
const KEYCAP = '\u20e3';
const ZERO_WIDTH_NON_JOINER = '\u200c';
const ZERO_WIDTH_JOINER = '\u200d';
const EMOJI_PRESENTATION = /[\ufe0e\ufe0f]/;
/** Scripts that spell with joiners (Unicode Standard, sections 9 and 12). */
const JOINING = new RegExp(
  `[${[
    'Arabic',
    'Syriac',
    'Mongolian',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
    'Tamil',
    'Telugu',
    'Kannada',
    'Malayalam',
    'Sinhala',
    'Khmer',
    'Myanmar',
  ]
    .map((script) => String.raw`\p{Script_Extensions=${script}}`)
    .join('')}]`,
  'u',
);
/** Selectors of one form of a character: ideographs of Japanese names, Mongolian letters. */
const FORMS: readonly (readonly [selector: RegExp, base: RegExp])[] = [
  [/[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u, /\p{Script=Han}/u],
  [/[\u180b-\u180d\u180f]/, /\p{Script=Mongolian}/u],
];

/**
 * Position, from 1 and in code points, of the first character that may not stand where it does; null
 * where there is none. A name may not begin with a combining mark, which would attach to what is before.
 *
 * @param multiline whether line breaks and tabs may stand in it
 */
export function invalidCharacterAt(text: string, multiline = false): number | null {
  if (PLAIN.test(text)) return null;
  const characters = [...text];
  const position = characters.findIndex((character, i) => {
    if (multiline && /[\n\r\t]/.test(character)) return false;
    return isInvalid(character, characters[i - 1], characters[i + 1]);
  });
  return position < 0 ? null : position + 1;
}

/** `text` without the characters that may not stand in a name. */
export function withoutInvalidCharacters(text: string): string {
  for (let before = text; ;) {
    const after = onePass(before);
    // What was needed beside a character that is gone may be needed no longer.
    if (after === before) return after;
    before = after;
  }
}

function onePass(text: string): string {
  if (PLAIN.test(text)) return text;
  const characters = [...text];
  const kept: string[] = [];
  for (const [i, character] of characters.entries()) {
    if (!isInvalid(character, kept.at(-1), characters[i + 1])) kept.push(character);
  }
  return kept.join('');
}

/** @param before the character before it; undefined at the beginning */
function isInvalid(
  character: string,
  before: string | undefined,
  after: string | undefined,
): boolean {
  if (before === undefined && COMBINING.test(character)) return true;
  if (NEVER.test(character) || DIRECTION.test(character)) return true;
  if (!HIDDEN.test(character) || DRAWN.test(character)) return false;
  return !isNeeded(character, before, after);
}

/** Whether a hidden character has a meaning between its neighbours. */
function isNeeded(character: string, before = '', after = ''): boolean {
  if (EMOJI_PRESENTATION.test(character)) return EMOJI.test(before) || after === KEYCAP;
  // A tag follows the flag, or another tag, which was looked at before.
  if (TAG.test(character)) return before === FLAG || TAG.test(before);
  if (FORMS.some(([selector, base]) => selector.test(character) && base.test(before))) return true;
  const joins = character === ZERO_WIDTH_JOINER;
  if (joins && PICTOGRAPH.test(after)) return EMOJI.test(before) || EMOJI_PRESENTATION.test(before);
  if (!joins && character !== ZERO_WIDTH_NON_JOINER) return false;
  return JOINING.test(before) && JOINING.test(after);
}

/**
 * What names are compared by where they must differ: two with the same key look alike or nearly so.
 * Compatibility forms (NFKC), case, white space and everything invisible make no difference.
 */
export function nameKey(name: string): string {
  if (PLAIN.test(name)) return folded(name);
  const visible = name.normalize('NFKC').replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '');
  return folded(visible.toUpperCase().normalize('NFKC').replaceAll('\u2800', ' '));
}

function folded(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim();
}

/**
 * Length rules of message text and topics (endpoints.md B.2). All lengths are in Unicode code
 * points, as clients count them; a lone surrogate counts as one.
 */

const CONTENT_TRUNCATED = '\n[message truncated]';
const TOPIC_TRUNCATED = '...';

/** Number of Unicode code points in `text`. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length - 1; i += 1) {
    if (isSurrogatePair(text, i)) {
      length -= 1;
      i += 1;
    }
  }
  return length;
}

/** `text` without the white space at its end. */
export function stripTrailingWhitespace(text: string): string {
  return text.trimEnd();
}

/**
 * Message content cut to `max` code points; if anything was cut, the last of them are a notice
 * that says so.
 */
export function truncateContent(text: string, max = 10_000): string {
  return truncate(text, max, CONTENT_TRUNCATED);
}

/** A topic cut to `max` code points, the last three of which are dots if anything was cut. */
export function truncateTopic(topic: string, max = 60): string {
  return truncate(topic, max, TOPIC_TRUNCATED);
}

function truncate(text: string, max: number, notice: string): string {
  // A text never has more code points than code units, so most texts need no counting.
  if (text.length <= max || codePointLength(text) <= max) return text;
  if (max < notice.length) return firstCodePoints(text, max);
  return firstCodePoints(text, max - notice.length) + notice;
}

function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken += 1) {
    end += isSurrogatePair(text, end) ? 2 : 1;
  }
  return text.slice(0, end);
}

function isSurrogatePair(text: string, index: number): boolean {
  return (
    (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
  );
}

/**
 * Message text as it is stored (endpoints-messages.md#send-message, Processing).
 * @throws ApiError for an empty text or one with NUL
 */
export function storedContent(content: string): string {
  const text = stripTrailingWhitespace(content);
  if (text.trim() === '') throw badRequest('Message must not be empty');
  if (text.includes('\0')) throw badRequest('Message must not contain null bytes');
  return truncateContent(text, MAX_MESSAGE_LENGTH);
}

/**
 * The stored form of an existing topic; every name of the empty topic becomes the empty text.
 * `newTopicName` reads new ones.
 * @throws ApiError for NUL
 */
export function storedTopicName(topic: string): string {
  if (topic.includes('\0')) throw badRequest('Topic must not contain null bytes');
  return truncateTopic(storedTopic(topic.trim()), MAX_TOPIC_LENGTH);
}

/**
 * The stored form of a topic that a request assigns to messages.
 * @throws ApiError for NUL, or a character that names may not contain
 */
export function newTopicName(topic: string): string {
  const name = storedTopicName(topic);
  checkTopicCharacters(name);
  return name;
}

/** What of a text may become a topic of 60 characters, UTF-16 units. */
const MAX_OUTSIDERS_TEXT = 200;

/**
 * The topic that a text from outside names, such as the subject of a mail or the title of an alert: nobody there sees a
 * refusal, so what names may not contain is left out. `fallback` where nothing is left.
 */
export function outsidersTopic(channel: ChannelDocument, text: string, fallback: string): string {
  if (channel.topics_policy === 'empty_topic_only') return '';
  const name = withoutInvalidCharacters(text.slice(0, MAX_OUTSIDERS_TEXT).replace(/\s+/gu, ' '));
  // Words for the empty topic would name a conversation that the sender does not mean.
  return storedTopicName(name) || fallback;
}

/** @throws ApiError for a character that names may not contain */
export function checkTopicCharacters(name: string): void {
  const position = invalidCharacterAt(name);
  if (position === null) return;
  throw badRequest(`Invalid character in topic, at position ${position}!`);
}

/**
 * The stored form of a topic that a client names: the empty topic has several names
 * (conventions.md#access).
 */
export function storedTopic(topic: string): string {
  const isEmpty =
    topic === '(no topic)' || topic.toLowerCase() === EMPTY_TOPIC_DISPLAY_NAME.toLowerCase();
  return isEmpty ? '' : topic;
}

/**
 * What an outsider wrote, with `@**all**`, `@_**Ann**` and `@*group*` as plain words wherever they stand in it: who has
 * no account notifies nobody.
 */
export function withoutMentions(text: string): string {
  return text.replace(/@(?=_?\*)/g, '@\u200b');
}
