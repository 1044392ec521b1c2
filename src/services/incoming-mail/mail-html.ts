/*
 * HTML of a mail with no more of it than a message can show, and nested no deeper. The library that makes Markdown of it
 * builds a document first, and looks through all below an element for each of them: 160 kB that are nothing but nested
 * take it ten seconds. This pass takes time that grows with the text alone.
 */
import { Parser } from 'htmlparser2';
import { plainWords } from '../../languages/markdown-link.js';

/** Most elements that are kept: a message has 10,000 characters. */
const MAX_ELEMENTS = 5000;
/** Most text that is kept, UTF-16 units: a message, with what is cut off as quoted from earlier mails. */
const MAX_TEXT = 50_000;
/** Elements within one another, as far as they are kept: mails laid out by tables have 40. */
const MAX_DEPTH = 100;
/** Lists and quotes within one another: each level sets in every line of it. */
const MAX_INDENT = 10;
/** Tags within one another at which reading ends: the parser looks through them for each tag that closes nothing. */
const MAX_OPEN = 1000;
/** Most tags that are looked at, kept or not. */
const MAX_TAGS = 20_000;
/** White space in a row, elements within it not counted: the library goes back over it from each of its characters. */
const MAX_BLANK = 200;
/** Longest value of an attribute that is kept, UTF-16 units: addresses are longer than nearly all others. */
const MAX_VALUE = 2100;

/** Elements that Markdown has something for, with the attributes that it needs. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  ...{ a: ['href'], img: ['alt', 'src'], ol: ['start'], br: [], hr: [], p: [], pre: [] },
  ...{ b: [], strong: [], i: [], em: [], code: [], ul: [], li: [], blockquote: [] },
  ...{ h1: [], h2: [], h3: [], h4: [], h5: [], h6: [] },
};
/** Other elements that stand for themselves, as paragraphs do. */
const BLOCKS = new Set(
  'address article aside center dd details div dl dt fieldset figcaption figure footer form header main nav section table tbody td tfoot th thead tr'.split(
    ' ',
  ),
);
const INDENTED = new Set(['blockquote', 'li']);
const VOID = new Set(['br', 'hr', 'img']);
/** Elements that nobody reads. */
const UNREAD = new Set(
  'head iframe noscript object script select style svg template textarea title'.split(' '),
);

/** What the most common programs put around the mail that is answered to. */
const QUOTE_CLASSES =
  /(?:^|\s)(?:gmail_quote|gmail_attr|moz-cite-prefix|yahoo_quoted|protonmail_quote|zmail_extra|tutanota_quote)(?:\s|$)/;
const QUOTE_IDS =
  /^(?:divRplyFwdMsg|appendonsend|OLK_SRC_BODY_SECTION|mail-editor-reference-message-container)$/;

type Attributes = Readonly<Record<string, string>>;

/** Ends the parser where nothing more is kept. */
class FullError extends Error {}

/**
 * The HTML of a mail as a well-formed text of bounded size and depth; what is beyond is cut off.
 * @param includeQuotes keep what the mail quotes of earlier ones
 */
export function boundedHtml(html: string, includeQuotes: boolean): string {
  const writer = new Writer(includeQuotes);
  const parser = new Parser({
    onopentag: (name, attributes) => writer.open(name, attributes),
    onclosetag: () => writer.close(),
    ontext: (text) => writer.text(text),
  });
  try {
    parser.write(html);
    parser.end();
  } catch (error) {
    if (!(error instanceof FullError)) throw error;
  }
  return writer.whole();
}

class Writer {
  private readonly parts: string[] = [];
  /** The elements that are open: as what each was written, empty where it was not. */
  private readonly opened: string[] = [];
  private readonly counts = {
    tags: 0,
    elements: 0,
    text: 0,
    depth: 0,
    indent: 0,
    links: 0,
    blank: 0,
  };
  /** What a link says since the last tag: the parser tells references of a text apart. */
  private words = '';
  /** How many elements were open when what is left out began; null where nothing is left out. */
  private omitted: number | null = null;

  constructor(private readonly includeQuotes: boolean) {}

  open(name: string, attributes: Attributes): void {
    const { counts, opened } = this;
    counts.tags += 1;
    if (counts.tags > MAX_TAGS || opened.length >= MAX_OPEN) throw new FullError();
    if (this.omitted === null && this.isOmitted(name, attributes)) this.omitted = opened.length;
    const written = this.omitted === null ? this.writtenAs(name) : '';
    opened.push(written);
    if (written === '') return;
    counts.elements += 1;
    if (counts.elements > MAX_ELEMENTS) throw new FullError();
    this.count(written, 1);
    this.tag(`<${written}${attributesOf(written, attributes)}>`);
  }

  close(): void {
    const written = this.opened.pop() ?? '';
    if (this.omitted === this.opened.length) this.omitted = null;
    if (written === '') return;
    this.count(written, -1);
    if (!VOID.has(written)) this.tag(`</${written}>`);
  }

  text(given: string): void {
    if (this.omitted !== null) return;
    const { counts } = this;
    const text = this.withShortBlanks(given);
    const room = MAX_TEXT - counts.text;
    counts.text += text.length;
    const kept = text.slice(0, room);
    if (this.isPlain()) this.words += kept;
    else this.parts.push(escaped(kept));
    if (text.length > room) throw new FullError();
  }

  /** What was written, with the ends of what is still open. */
  whole(): string {
    while (this.opened.length > 0) this.close();
    return this.parts.join('');
  }

  private tag(text: string): void {
    this.parts.push(escaped(plainWords(this.words)), text);
    this.words = '';
  }

  /** Whether text may be no mark: the words of a link end with it, whatever they are. Code shows them anyway. */
  private isPlain(): boolean {
    return this.counts.links > 0 && !this.opened.includes('code') && !this.opened.includes('pre');
  }

  private withShortBlanks(text: string): string {
    const { counts } = this;
    return text.replace(/\s+|\S+/g, (run) => {
      if (/\S/.test(run[0]!)) {
        counts.blank = 0;
        return run;
      }
      const room = Math.max(0, MAX_BLANK - counts.blank);
      counts.blank += run.length;
      return run.slice(0, room);
    });
  }

  private isOmitted(name: string, { class: classes = '', id = '', type }: Attributes): boolean {
    if (UNREAD.has(name)) return true;
    if (this.includeQuotes) return false;
    if (name === 'blockquote' && type === 'cite') return true;
    return QUOTE_CLASSES.test(classes) || QUOTE_IDS.test(id);
  }

  private writtenAs(name: string): string {
    const { counts } = this;
    const written = BLOCKS.has(name) ? 'div' : Object.hasOwn(KEPT, name) ? name : '';
    if (counts.depth >= MAX_DEPTH) return '';
    if (INDENTED.has(written) && counts.indent >= MAX_INDENT) return '';
    // A link within a link would be taken out of it again.
    return written === 'a' && counts.links > 0 ? '' : written;
  }

  private count(written: string, by: 1 | -1): void {
    this.counts.depth += by;
    if (INDENTED.has(written)) this.counts.indent += by;
    if (written === 'a') this.counts.links += by;
  }
}

function attributesOf(written: string, attributes: Attributes): string {
  return (KEPT[written] ?? [])
    .map((name) => [name, attributes[name]] as const)
    .filter(([, value]) => value !== undefined && value.length <= MAX_VALUE)
    .map(([name, value]) => ` ${name}="${escaped(value!)}"`)
    .join('');
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
