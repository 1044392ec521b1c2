import sanitizeHtml from 'sanitize-html';
import { withPreviewsAsLinks } from '../markdown/media/preview-html.js';
import { withFormulasAsTex } from './formulas.js';

/** A rendered message as mails show it. */
export interface MailText {
  readonly html: string;
  readonly text: string;
}

const BLOCKS = ['p', 'br', 'hr', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'div'];
const TABLES = ['table', 'thead', 'tbody', 'tr', 'th', 'td'];
const INLINE = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'span', 'a', 'time'];

const SPOILER = '</div><div class="spoiler-content"';
const HIDDEN = ' (hidden until it is opened in the chat)';

/**
 * What a mail shows of a message: links that work outside the chat, no pictures, no spoilers.
 * @param source its Markdown
 * @param rendered its HTML, which the server made
 * @param base public base URL without a trailing slash
 */
export function mailText(source: string, rendered: string, base: string): MailText {
  const hasSpoiler = rendered.includes(SPOILER);
  const visible = hasSpoiler ? rendered.replaceAll(SPOILER, `${HIDDEN}${SPOILER}`) : rendered;
  const html = sanitizeHtml(withFormulasAsTex(withPreviewsAsLinks(visible)), {
    allowedTags: [...BLOCKS, ...TABLES, ...INLINE],
    allowedAttributes: { a: ['href', 'title'], ol: ['start'] },
    transformTags: {
      a: (tagName, { href, title }) => ({
        tagName,
        attribs: { ...(title ? { title } : {}), href: absolute(href ?? '', base) },
      }),
      // Custom emoji: a mail program would have to fetch them.
      img: (_tag, { alt }) => ({ tagName: 'span', attribs: {}, text: alt ?? '' }),
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'div' && attribs['class'] === 'spoiler-content',
  });
  return { html, text: hasSpoiler ? plain(html) : source };
}

/** What a notice shows of a rendered message: text alone, without quotes and spoilers. */
export function pushText(rendered: string): string {
  const shown = withFormulasAsTex(withPreviewsAsLinks(rendered));
  const visible = shown.replaceAll(SPOILER, `${HIDDEN}${SPOILER}`);
  const html = sanitizeHtml(visible, {
    // Only elements that get out can be left out with what is in them.
    allowedTags: ['blockquote', 'div'],
    allowedAttributes: {},
    exclusiveFilter: ({ tag, attribs }) =>
      tag === 'blockquote' || (tag === 'div' && attribs['class'] === 'spoiler-content'),
    transformTags: { img: (_tag, { alt }) => ({ tagName: 'span', attribs: {}, text: alt ?? '' }) },
  });
  return plain(html);
}

function absolute(href: string, base: string): string {
  return href.startsWith('/') || href.startsWith('#') ? new URL(href, `${base}/`).href : href;
}

/** The text of HTML that `sanitizeHtml` made: it writes four characters as entities. */
function plain(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();
}
