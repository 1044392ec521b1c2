import MarkdownIt from 'markdown-it';

const { escapeHtml } = new MarkdownIt().utils;

/** HTML that is safe to send: made by {@link html} alone. */
export class Html {
  constructor(readonly text: string) {}

  /** The markup. */
  toString(): string {
    return this.text;
  }
}

/** What may stand in a template: text is escaped, HTML is not; nothing is left out. */
export type HtmlValue = string | number | Html | readonly Html[] | null | undefined | false;

/**
 * A template whose values are escaped, as text and inside double-quoted attributes. There is no way
 * around it: only templates make {@link Html}.
 */
export function html(strings: TemplateStringsArray, ...values: HtmlValue[]): Html {
  let text = strings[0]!;
  values.forEach((value, index) => {
    text += written(value) + strings[index + 1]!;
  });
  return new Html(text);
}

function written(value: HtmlValue): string {
  if (value === null || value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map((one) => one.text).join('');
  return escapeHtml(String(value));
}
