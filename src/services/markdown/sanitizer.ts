import sanitizeHtml from 'sanitize-html';
import { PROGRAM_SCHEMES } from './addresses.js';
import { ALIGNMENT, CLASSES, EMOJI_CLASS, isClean, withPlainQuotes } from './clean-html.js';
import { FRAGMENT_CLASS } from './render-environment.js';
import { isSafeUrl } from './links.js';

/**
 * The last line of defence: whatever the parser and its rules produced, only these elements with
 * these attributes get out. It also makes the result well-formed.
 */

/** Keeps an attribute only if its value passes; the allow list alone would keep it without value. */
function keepIf(attribute: string, passes: (value: string) => boolean): sanitizeHtml.Transformer {
  return (tagName, attribs) => {
    const { [attribute]: value, ...others } = attribs;
    return { tagName, attribs: value !== undefined && passes(value) ? attribs : others };
  };
}

const OPTIONS: sanitizeHtml.IOptions = {
  allowedTags: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'div', 'pre', 'code'],
    ...['strong', 'em', 'del', 'span', 'a', 'img', 'time'],
  ],
  allowedAttributes: {
    a: ['class', 'data-stream-id', 'href', 'title'],
    div: ['class', 'data-code-language', 'aria-hidden'],
    img: ['alt', 'class', 'src', 'title'],
    ol: ['start'],
    span: ['aria-label', 'class', 'data-user-group-id', 'data-user-id', 'role', 'title'],
    td: ['style'],
    th: ['style'],
    time: ['datetime'],
  },
  allowedClasses: {
    a: [...CLASSES['a']!],
    div: [...CLASSES['div']!],
    img: [...CLASSES['img']!],
    span: [...CLASSES['span']!, EMOJI_CLASS, FRAGMENT_CLASS],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'mid', 'sms', 'tel', ...PROGRAM_SCHEMES],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  allowProtocolRelative: false,
  // An attribute without a value would not be well-formed.
  nonBooleanAttributes: ['*'],
  // Styles are matched literally below.
  parseStyleAttributes: false,
  transformTags: {
    a: keepIf('href', isSafeUrl),
    td: keepIf('style', (style) => ALIGNMENT.test(style)),
    th: keepIf('style', (style) => ALIGNMENT.test(style)),
  },
  // The only images are custom emoji.
  exclusiveFilter: (frame) => frame.tag === 'img' && frame.attribs['class'] !== 'emoji',
};

/** The part of `html` that messages may contain. */
export function sanitize(html: string): string {
  return isClean(html) ? withPlainQuotes(html) : parsedAndRewritten(html);
}

/** The same for all of HTML, at thirty times the cost. */
export function parsedAndRewritten(html: string): string {
  // Clients expect `<br>`. No text or attribute can hold an unescaped `>`, so this is a tag's end.
  return sanitizeHtml(html, OPTIONS).replaceAll(' />', '>');
}
