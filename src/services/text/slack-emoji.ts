import { gemoji } from 'gemoji';
import { codeOfCharacters, emojiCode, emojiNames } from './emoji.js';
import { flagOfSlack, namesForSlacks } from './slack-emoji-names.js';

/**
 * Emoji as Slack names them. Slack and existing clients share most names, but some mean another emoji there: `:x:` is a
 * red cross in Slack and a green one here, `:smile:` is `big_smile` here.
 */

/** Names with which Slack means what clients mean, and the emoji package something else. */
const AS_HERE: ReadonlySet<string> = new Set([
  'email',
  'mauritius',
  'satellite',
  'snowman',
  'umbrella',
]);

let different: ReadonlyMap<string, string> | undefined;

/** Name in Slack -> code, where the name means another emoji here. Made when the first text of Slack comes. */
function differentCodes(): ReadonlyMap<string, string> {
  different ??= new Map(
    gemoji.flatMap(({ emoji, names }) => {
      const code = codeOfCharacters(emoji);
      return names
        .filter((name) => emojiCode(name) !== code && !AS_HERE.has(name))
        .map((name) => [name, code] as const);
    }),
  );
  return different;
}

/** An emoji by its name here and its code. */
export interface NamedEmoji {
  readonly name: string;
  readonly code: string;
}

/** The emoji that Slack means by a name; undefined for a custom one. */
export function emojiOfSlack(name: string): NamedEmoji | undefined {
  const own = namesForSlacks(name);
  // What is called so here, and otherwise there.
  const isOther = own.length === 1;
  const there = differentCodes().get(name) ?? flagOfSlack(name);
  const code = isOther ? undefined : (there ?? emojiCode(name));
  if (code !== undefined && there === undefined) return { name, code };
  const found = code ?? own.map(emojiCode).find((one) => one !== undefined);
  const [shown] = found === undefined ? [] : emojiNames(found);
  return shown === undefined ? undefined : { name: shown, code: found! };
}

/** What is in a text that is not code: the address of a link, which stays as it is, or a shortcode. */
const PART = /<[^<>|\n]+|https?:\/\/\S+|:([a-z0-9_+-]{1,60}):/g;

/** A colour of skin behind an emoji, which is left out, as here. */
const SKIN = /^skin-tone-[2-6]$/;

/** A text of Slack with shortcodes that mean the same emoji here. */
export function withEmojiOfSlack(text: string): string {
  return text.replace(PART, (part, name: string | undefined) => {
    if (name === undefined) return part;
    if (SKIN.test(name)) return '';
    const known = emojiOfSlack(name);
    return known === undefined || known.name === name ? part : `:${known.name}:`;
  });
}
