import { Parser } from 'htmlparser2';
import { EventLoopYield } from '../../turns/event-loop-yield.js';

/**
 * What is read of a page before others get their turn, characters: half a millisecond of work where it is made to be
 * dear.
 */
const PIECE = 4 * 1024;
/** Longest title and description shown, characters; pages have 60 and 160. */
const MAX_TITLE = 200;
const MAX_DESCRIPTION = 500;
/** Elements in the head of a page that are looked at. */
const MAX_ELEMENTS = 2000;

/** What a web page says of itself; empty where it does not. */
export interface PageFacts {
  readonly title: string;
  readonly description: string;
  /** Address of its picture as it is written there. */
  readonly image: string;
}

/** Reads what the head of a page says of it, by the Open Graph protocol or else by its title and description. */
export async function pageFacts(html: string): Promise<PageFacts> {
  const head = new Head();
  const pause = new EventLoopYield();
  for (let at = 0; at < html.length && !head.isOver; at += PIECE) {
    head.read(html.slice(at, at + PIECE));
    if (pause.isDue) await pause.take();
  }
  return head.facts();
}

/** The head of a page while it is read. */
class Head {
  isOver = false;
  private elements = 0;
  private inTitle = false;
  private title = '';
  private readonly named = new Map<string, string>();
  private readonly parser = new Parser({
    onopentag: (name, attributes) => this.opened(name, attributes),
    ontext: (text) => {
      if (this.inTitle && this.title.length < MAX_TITLE) this.title += text;
    },
    onclosetag: (name) => {
      if (name === 'title') this.inTitle = false;
      if (name === 'head') this.isOver = true;
    },
  });

  read(piece: string): void {
    this.parser.write(piece);
  }

  facts(): PageFacts {
    const first = (...names: string[]): string =>
      names.map((name) => this.named.get(name) ?? '').find((text) => text.trim() !== '') ?? '';
    return {
      title: shortened(first('og:title') || this.title, MAX_TITLE),
      description: shortened(first('og:description', 'description'), MAX_DESCRIPTION),
      image: first('og:image').trim(),
    };
  }

  private opened(name: string, { property, name: key, content }: Record<string, string>): void {
    this.elements += 1;
    if (name === 'body' || this.elements > MAX_ELEMENTS) this.isOver = true;
    if (this.isOver) return;
    if (name === 'title' && this.title === '') this.inTitle = true;
    if (name !== 'meta' || content === undefined) return;
    for (const named of [property, key]) {
      if (named === undefined || !WANTED.has(named.toLowerCase())) continue;
      if (!this.named.has(named.toLowerCase())) this.named.set(named.toLowerCase(), content);
    }
  }
}

const WANTED: ReadonlySet<string> = new Set([
  'og:title',
  'og:description',
  'og:image',
  'description',
]);

/** Characters that turn the direction of what follows, also of what is not the page's. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g;

/** One line of text, of at most so many characters. */
function shortened(text: string, max: number): string {
  // A few times as much as is shown, however long the page's own text is; half a character is none.
  const line = text
    .slice(0, 4 * max)
    .replace(TURNING, '')
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim();
  const characters = [...line];
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : line;
}
