import { gemoji } from 'gemoji';
import { charactersOfCode } from './emoji-characters.js';
import { CLIENT_NAMES } from './emoji-client-names.js';
import { PREFERRED_NAMES } from './emoji-names.js';

/**
 * Names and codes of Unicode emoji.
 *
 * An emoji code is the emoji's code points in lower-case hexadecimal, at least four digits each,
 * joined by hyphens, without the variation selector fe0f: `1f44d`, `1f1e9-1f1ea`, `0023-20e3`. Only an emoji with
 * two of them keeps them, as in the lists of existing clients: `1f575-fe0f-200d-2642-fe0f`.
 */

/** The document behind `server_emoji_data_url` (register-realm.md#messages). */
export interface EmojiData {
  /** Code -> its names, the preferred name first. */
  code_to_names: Record<string, string[]>;
}

/** An older table, which bridges and apps still ask for (register-realm.md#emoji-files). */
interface EmojiCodes {
  readonly names: readonly string[];
  readonly name_to_codepoint: Readonly<Record<string, string>>;
  /** The preferred name of each. */
  readonly codepoint_to_name: Readonly<Record<string, string>>;
  /** Group -> codes in the order of Unicode. */
  readonly emoji_catalog: Readonly<Record<string, string[]>>;
  /** Emoticon -> name between colons. */
  readonly emoticon_conversions: Readonly<Record<string, string>>;
}

/** Emoticon -> emoji name. */
export const EMOTICONS: Readonly<Record<string, string>> = {
  ':)': 'smile',
  ':-)': 'smile',
  '(:': 'smile',
  ':(': 'frown',
  ':-(': 'frown',
  ':D': 'smiley',
  ':-D': 'smiley',
  ';)': 'wink',
  ';-)': 'wink',
  ':P': 'stuck_out_tongue',
  ':p': 'stuck_out_tongue',
  ':/': 'oh_no',
  ':-/': 'oh_no',
  ':|': 'neutral',
  ':-|': 'neutral',
  ":'(": 'cry',
  '<3': 'heart',
};

/** The only emoji that is neither custom nor Unicode: its name, its code, and where its picture is. */
export const EXTRA_EMOJI = 'zulip';
export const EXTRA_EMOJI_PATH = '/static/generated/emoji/images/emoji/unicode/zulip.png';

/** The codes that keep their variation selectors, by the code without. */
const WITH_SELECTORS: ReadonlyMap<string, string> = new Map(
  gemoji
    .filter(({ emoji }) => emoji.split('\u{fe0f}').length > 2)
    .map(({ emoji }) => codePoints(emoji))
    .map((code) => [withoutSelectors(code), code]),
);

function codePoints(emoji: string): string {
  let code = '';
  for (const character of emoji) {
    const digits = (character.codePointAt(0) ?? 0).toString(16);
    code += `${code && '-'}${digits.padStart(4, '0')}`;
  }
  return code;
}

function withoutSelectors(code: string): string {
  return code.replaceAll('-fe0f', '');
}

/** The code as it is kept. Some clients leave variation selectors in, or out: those do not matter. */
export function standardCode(code: string): string {
  const plain = withoutSelectors(code);
  return WITH_SELECTORS.get(plain) ?? plain;
}

/** The code of a literal Unicode emoji, whether or not such an emoji exists. */
export function codeOfCharacters(emoji: string): string {
  return standardCode(codePoints(emoji));
}

/** `woman's hat` -> `womans_hat`: a name in the alphabet of emoji names. */
function nameFromDescription(description: string): string {
  return description
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f'’]/g, '')
    .replaceAll('&', 'and')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

interface EmojiTables {
  codeByName: Map<string, string>;
  namesByCode: Map<string, string[]>;
}

function buildTables(): EmojiTables {
  const codeByName = new Map<string, string>();
  const namesByCode = new Map<string, string[]>();
  const claim = (name: string, code: string): void => {
    if (name === '' || codeByName.has(name)) return;
    codeByName.set(name, code);
    const names = namesByCode.get(code);
    if (names) names.push(name);
    else namesByCode.set(code, [name]);
  };
  // Three passes, because a name belongs to its first claimant: the names clients know, then the
  // package's short names, then names made from the official descriptions.
  for (const entry of CLIENT_NAMES.trim().split(/ \/ |\n/)) {
    const [code = '', ...names] = entry.split(' ');
    for (const name of names) claim(name, code);
  }
  for (const [code, names] of Object.entries(PREFERRED_NAMES)) {
    for (const name of names.split(' ')) claim(name, code);
  }
  const codes = gemoji.map(({ emoji }) => codeOfCharacters(emoji));
  gemoji.forEach(({ names }, i) => names.forEach((name) => claim(name, codes[i]!)));
  gemoji.forEach(({ description }, i) => claim(nameFromDescription(description), codes[i]!));
  return { codeByName, namesByCode };
}

let tables: EmojiTables | undefined;

/** Built for the first emoji that somebody names: many processes see none. */
function emojiTables(): EmojiTables {
  return (tables ??= buildTables());
}

/** The code of the emoji called `name`, for example `1f44d` for `+1` and `thumbs_up`. */
export function emojiCode(name: string): string | undefined {
  return emojiTables().codeByName.get(name);
}

/** What stands between spaces or quotation marks of a search and may be the name of an emoji. */
const NAME_IN_SEARCH = /(?<=^|[\s"]):([\w.+-]{1,80}):(?=$|[\s"])/g;

/** A search with the characters of each Unicode emoji that it names (`:tada:`), but for the names of custom ones. */
export function withCharactersOfNames(text: string, isCustom: (name: string) => boolean): string {
  return text.replace(NAME_IN_SEARCH, (written, name: string) => {
    const code = isCustom(name) ? undefined : emojiCode(name);
    return code === undefined ? written : charactersOfCode(code);
  });
}

/** All names of the emoji with this code, the preferred one first; empty for an unknown code. */
export function emojiNames(code: string): readonly string[] {
  return emojiTables().namesByCode.get(standardCode(code)) ?? [];
}

/** What a name of a Unicode emoji can look like. */
const POSSIBLE_NAME = /^[\p{Ll}\p{M}\p{N}+_-]{1,60}$/u;

/**
 * The name under which the emoji that a client means, by this code and a name of its own, is known here. Existing
 * clients carry names this list does not have (zulip-terminal's `bunny` is `rabbit_face` here), and send the code with
 * them. A name that belongs to another emoji, or could be none's, stays as it is.
 */
export function knownName(name: string, code: string): string {
  const [preferred] = emojiNames(code);
  const strange = !emojiTables().codeByName.has(name) && POSSIBLE_NAME.test(name);
  return strange && preferred !== undefined ? preferred : name;
}

/** A fresh copy of all names by code, ready to be serialized for `server_emoji_data_url`. */
export function emojiData(): EmojiData {
  const code_to_names: Record<string, string[]> = {};
  for (const [code, names] of emojiTables().namesByCode) code_to_names[code] = [...names];
  return { code_to_names };
}

/** A fresh copy of the older table. */
export function emojiCodes(): EmojiCodes {
  const { codeByName, namesByCode } = emojiTables();
  const emoji_catalog: Record<string, string[]> = {};
  for (const { emoji, category } of gemoji) {
    (emoji_catalog[category] ??= []).push(codeOfCharacters(emoji));
  }
  return {
    names: [...codeByName.keys()],
    name_to_codepoint: Object.fromEntries(codeByName),
    codepoint_to_name: Object.fromEntries(
      [...namesByCode].map(([code, [preferred]]) => [code, preferred!]),
    ),
    emoji_catalog,
    emoticon_conversions: Object.fromEntries(
      Object.entries(EMOTICONS).map(([emoticon, name]) => [emoticon, `:${name}:`]),
    ),
  };
}
