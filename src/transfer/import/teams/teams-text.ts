/**
 * Texts of Microsoft Teams, which are HTML, as Markdown. What its own elements mean is written first: names, emoji, code and
 * tables; what is left reads as a mail does.
 */
import { Parser } from 'htmlparser2';
import { markdownLink } from '../../../languages/markdown-link.js';
import { htmlToMarkdown } from '../../../services/incoming-mail/html-to-markdown.js';

/** What of a text is read, UTF-16 units: as much as of a mail. */
const MAX_HTML = 200_000;

/** What a text refers to. */
export interface TeamsReferences {
  /** What is written in the place of a name; undefined for the words of the text. @param id of the mention */
  mention(id: string): string | undefined;
}

/** A text as Markdown. */
export function markdownOf(html: string, references: TeamsReferences): string {
  const reader = new Reader(references);
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    onclosetag: (name) => reader.close(name),
    ontext: (text) => reader.text(text),
  });
  parser.write(html.slice(0, MAX_HTML));
  parser.end();
  return reader.whole();
}

/** Elements that are written otherwise, all that is in them included. */
const ASIDE = new Set(['at', 'codeblock', 'table', 'attachment', 'systemeventmessage']);
const STRUCK = new Set(['s', 'strike', 'del']);
/** Marks around words in cells of tables. */
const CELL_MARKS: Readonly<Record<string, string>> = {
  ...{ b: '**', strong: '**', i: '*', em: '*', s: '~~', strike: '~~', del: '~~', code: '`' },
};
const VOID = new Set(['br', 'hr', 'img']);
/** Beginning and end of the number of what was put aside: no text may have them. */
const MARK = /\ue000(\d+)\ue001/g;

type Attributes = Readonly<Record<string, string>>;

class Reader {
  private html = '';
  /** Markdown that stands for an element. */
  private readonly aside: string[] = [];
  /** The element that is put aside now, with what is in it. */
  private kept: { name: string; attributes: Attributes; depth: number; cells: string[][] } | null =
    null;
  private words = '';
  /** A link in a cell: where its words begin. */
  private link: { from: number; address: string } | null = null;
  /** Whom the last mention named: each word of a name may be one of its own. */
  private named = '';
  /** Where it ends. */
  private namedUntil = 0;

  constructor(private readonly references: TeamsReferences) {}

  open(name: string, attributes: Attributes): void {
    const { kept } = this;
    if (name === 'emoji' || name === 'customemoji') return this.text(emojiOf(name, attributes));
    if (kept) {
      if (name === kept.name) kept.depth += 1;
      if (name === 'br' || (name === 'p' && this.words !== '')) this.words += '\n';
      if (name === 'tr') kept.cells.push([]);
      if (name === 'td' || name === 'th') this.words = '';
      if (name === 'img') this.words += pictureOf(attributes);
      if (kept.name === 'table') this.openInCell(name, attributes);
      return;
    }
    if (ASIDE.has(name)) {
      this.kept = { name, attributes, depth: 1, cells: [] };
      this.words = '';
      return;
    }
    if (name === 'img' && isEmoji(attributes)) return this.text(attributes['alt'] ?? '');
    this.named = '';
    if (STRUCK.has(name)) this.html += '~~';
    else this.html += `<${name}${attributesOf(name, attributes)}>`;
  }

  close(name: string): void {
    const { kept } = this;
    if (!kept) {
      if (STRUCK.has(name)) this.html += '~~';
      else if (!VOID.has(name) && !name.endsWith('emoji')) this.html += `</${name}>`;
      return;
    }
    if (kept.name === 'table') this.closeInCell(name);
    if (name === 'td' || name === 'th') {
      kept.cells.at(-1)?.push(this.words.trim());
      this.words = '';
    }
    if (name === kept.name) kept.depth -= 1;
    if (kept.depth > 0) return;
    this.kept = null;
    this.finish(kept);
  }

  text(given: string): void {
    const text = given.replaceAll(/[\ue000\ue001]/g, '');
    if (this.kept) {
      this.words += text;
      return;
    }
    if (/[^\s\u00a0]/.test(text)) this.named = '';
    this.html += escaped(text);
  }

  whole(): string {
    if (this.kept) this.finish(this.kept);
    const markdown = htmlToMarkdown(this.html, true);
    const said = markdown.replace(MARK, (_whole, i: string) => this.aside[Number(i)] ?? '');
    return said.replaceAll(/\n{3,}/g, '\n\n').trim();
  }

  private openInCell(name: string, attributes: Attributes): void {
    this.words += CELL_MARKS[name] ?? '';
    if (name === 'a') this.link = { from: this.words.length, address: attributes['href'] ?? '' };
  }

  private closeInCell(name: string): void {
    this.words += CELL_MARKS[name] ?? '';
    const { link } = this;
    if (name !== 'a' || !link) return;
    this.link = null;
    const words = this.words.slice(link.from);
    this.words = this.words.slice(0, link.from) + markdownLink(words, link.address);
  }

  private finish({ name, attributes, cells }: NonNullable<Reader['kept']>): void {
    const words = this.words.replaceAll('\u00a0', ' ');
    if (name === 'at') {
      const said = this.references.mention(attributes['id'] ?? '');
      // The words of one name, with a blank between them.
      if (said !== undefined && said === this.named) {
        this.html = this.html.slice(0, this.namedUntil);
        return;
      }
      this.html += said === undefined ? escaped(words) : this.put(said);
      this.named = said ?? '';
      this.namedUntil = this.html.length;
    } else if (name === 'codeblock') {
      const fence = /^`{3,}/m.test(words) ? '~~~~' : '```';
      const language = (attributes['class'] ?? '').replaceAll(/[^\w+#.-]/g, '').toLowerCase();
      this.html += `<div>${this.put(`${fence}${language}\n${words.replace(/\n$/, '')}\n${fence}`)}</div>`;
    } else if (name === 'table') this.html += `<div>${this.put(tableOf(cells))}</div>`;
  }

  private put(markdown: string): string {
    return `\ue000${this.aside.push(markdown) - 1}\ue001`;
  }
}

function emojiOf(name: string, { alt = '', title = '' }: Attributes): string {
  return name === 'emoji' ? alt : alt || title;
}

/** A picture in a cell, as a link. */
function pictureOf(attributes: Attributes): string {
  const { alt = '', src = '' } = attributes;
  return isEmoji(attributes) ? alt : markdownLink(alt || 'image', src);
}

/** Clients of before wrote emoji as pictures. */
function isEmoji({ itemtype = '' }: Attributes): boolean {
  return itemtype.endsWith('/Emoji');
}

/** A picture without a name is one that somebody pasted. */
function attributesOf(name: string, attributes: Attributes): string {
  const given = name === 'img' ? { ...attributes, alt: attributes['alt'] || 'image' } : attributes;
  return Object.entries(given)
    .map(([key, value]) => ` ${key}="${escaped(value)}"`)
    .join('');
}

/** Rows of cells; in this dialect the first row is the head. */
function tableOf(cells: readonly (readonly string[])[]): string {
  const rows = cells.filter((row) => row.length > 0);
  const columns = Math.max(0, ...rows.map((row) => row.length));
  if (columns === 0) return '';
  const lineOf = (row: readonly string[]): string => {
    const padded = Array.from({ length: columns }, (_none, i) => row[i] ?? '');
    return `| ${padded.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', '&#124;')).join(' | ')} |`;
  };
  const [head = [], ...others] = rows.map(lineOf);
  return [head, `|${' --- |'.repeat(columns)}`, ...others].join('\n');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
