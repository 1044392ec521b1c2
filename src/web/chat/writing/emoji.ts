import { characterOf } from '../content.js';

/** Of an emoji of the organization. */
export interface RealmEmoji {
  readonly id: string;
  readonly name: string;
  readonly source_url: string;
  readonly deactivated: boolean;
}

export interface Emoji {
  readonly name: string;
  readonly code: string;
  /** The characters; absent for one of the organization. */
  readonly text?: string;
  /** The picture of one of the organization. */
  readonly url?: string;
}

/** Offered before anything is searched for. */
export const COMMON: readonly Emoji[] = (
  [
    ['+1', '1f44d'],
    ['tada', '1f389'],
    ['big_smile', '1f604'],
    ['heart', '2764-fe0f'],
    ['eyes', '1f440'],
    ['check', '2705'],
  ] as const
).map(([name, code]) => ({ name, code, text: characterOf(code) }));

/** All emoji, which are fetched when somebody first looks for one. */
export class EmojiNames {
  private realm: readonly Emoji[] = [];
  /** Pictures of those of the organization by their code; also of deactivated ones, which stay on messages. */
  private readonly pictures = new Map<string, string | undefined>();
  private all: Emoji[] | undefined;

  constructor(private readonly changed: () => void) {}

  start(section: Readonly<Record<string, unknown>>): void {
    const all = Object.values(section as Record<string, RealmEmoji>);
    for (const { id, source_url } of all) this.pictures.set(id, ownPath(source_url));
    this.realm = all
      .filter(({ deactivated }) => !deactivated)
      .map(({ id, name }) => ({ name, code: id, url: this.pictures.get(id) }));
  }

  /** The picture of an emoji that is no character: of the organization, or the extra one, whose code is its name. */
  urlOf(code: string): string | undefined {
    if (code === 'zulip') return '/static/generated/emoji/images/emoji/unicode/zulip.png';
    return this.pictures.get(code);
  }

  /** Those whose names have a text, the one that is it and those that begin with it first; none before the names are here. */
  search(wanted: string, most: number): Emoji[] {
    if (!this.all) {
      this.all = [];
      this.load().catch(() => (this.all = undefined));
    }
    const text = wanted.toLowerCase().replaceAll(' ', '_');
    const found: Emoji[][] = [[], [], []];
    for (const one of [...this.realm, ...this.all]) {
      const at = one.name.indexOf(text);
      if (at >= 0) found[one.name === text ? 0 : at === 0 ? 1 : 2]!.push(one);
    }
    const codes = new Set<string>();
    const isFirst = ({ code }: Emoji) => !codes.has(code) && codes.add(code);
    return found.flat().filter(isFirst).slice(0, most);
  }

  private async load(): Promise<void> {
    const response = await fetch('/static/emoji.json');
    const { code_to_names } = (await response.json()) as {
      code_to_names: Record<string, string[]>;
    };
    this.all = Object.entries(code_to_names).flatMap(([code, names]) =>
      names.map((name) => ({ name, code, text: characterOf(code) })),
    );
    this.changed();
  }
}

/** Nothing is fetched from elsewhere. */
function ownPath(address: string): string | undefined {
  const url = new URL(address, location.href);
  return url.origin === location.origin ? url.pathname : undefined;
}
