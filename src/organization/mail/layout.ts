/** The look of every mail, and its form as text. The colours are those of the pages (`pages/layout.ts`). */
import { directionOf, type Language } from '../../languages/languages.js';
import { html, type Html, type HtmlValue } from '../../services/text/html.js';

const ACCENT = '#2f6b4f';
const DIM = '#56635c';
const BODY =
  'margin: 0; padding: 24px 16px; background: #f3f5f4; color: #1e2622; ' +
  'font-family: system-ui, sans-serif; line-height: 1.5';
const CARD =
  'margin: 0 auto; max-width: 36em; padding: 16px 24px; background: #ffffff; ' +
  'border: 1px solid #d4dbd7; border-radius: 8px; overflow-wrap: anywhere';
const BUTTON =
  `display: inline-block; padding: 8px 16px; background: ${ACCENT}; color: #ffffff; ` +
  'border-radius: 6px; text-decoration: none; font-weight: 600';

/** What a mail says, whatever it is about. */
export interface MailLayout {
  readonly language: Language;
  readonly organization: string;
  readonly subject: string;
  readonly body: HtmlValue;
  /** Small print under the rest. */
  readonly foot?: HtmlValue;
}

/**
 * The whole document. Mail programs take no style sheets, so that each element has its own style; many show the body
 * inside of a page of theirs, so that it says its language itself.
 */
export function mailDocument({ language, organization, subject, body, foot }: MailLayout): Html {
  const direction = directionOf(language);
  return html`<!doctype html>
    <html lang="${language}" dir="${direction}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${subject}</title>
      </head>
      <body style="${BODY}">
        <div lang="${language}" dir="${direction}" style="${CARD}">
          <p style="margin-top: 0; color: ${ACCENT}; font-weight: 600">${organization}</p>
          ${body}${foot && html`<p style="color: ${DIM}; font-size: 14px">${foot}</p> `}
        </div>
      </body>
    </html> `;
}

/** What a mail wants its reader to do. */
export function mailButton(url: string, label: string): Html {
  return html`<p><a href="${url}" style="${BUTTON}">${label}</a></p> `;
}

/** Paragraphs of plain text. */
export function mailParagraphs(texts: readonly string[]): readonly Html[] {
  return texts.map((text) => html`<p>${text}</p> `);
}

/** Something less important than the rest. */
export function dimmed(text: string): Html {
  return html`<span style="color: ${DIM}">${text}</span>`;
}
