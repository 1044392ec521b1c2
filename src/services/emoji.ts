import { gemoji } from 'gemoji';
import { PREFERRED_NAMES } from './emoji-names.js';

/**
 * Names and codes of Unicode emoji.
 *
 * An emoji code is the emoji's code points in lower-case hexadecimal, at least four digits each,
 * joined by hyphens, without the variation selector fe0f: `1f44d`, `1f1e9-1f1ea`, `0023-20e3`.
 */

/** The document behind `server_emoji_data_url` (register.md section 4.3). */
export interface EmojiData {
  /** Code -> its names, the preferred name first. */
  code_to_names: Record<string, string[]>;
}

/** The code of a literal Unicode emoji, whether or not such an emoji exists. */
export function codeOfCharacters(emoji: string): string {
  const codes: string[] = [];
  for (const character of emoji) {
    if (character === '\ufe0f') continue;
    codes.push((character.codePointAt(0) ?? 0).toString(16).padStart(4, '0'));
  }
  return codes.join('-');
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
  const tables: EmojiTables = { codeByName: new Map(), namesByCode: new Map() };
  const claim = (name: string, code: string): void => {
    if (name === '' || tables.codeByName.has(name)) return;
    tables.codeByName.set(name, code);
    const names = tables.namesByCode.get(code);
    if (names) names.push(name);
    else tables.namesByCode.set(code, [name]);
  };
  // Three passes, because a name belongs to its first claimant: the names clients know, then the
  // package's short names, then names made from the official descriptions.
  for (const [code, names] of Object.entries(PREFERRED_NAMES)) {
    for (const name of names.split(' ')) claim(name, code);
  }
  const coded = gemoji.map((entry) => ({ ...entry, code: codeOfCharacters(entry.emoji) }));
  for (const { code, names } of coded) for (const name of names) claim(name, code);
  for (const { code, description } of coded) claim(nameFromDescription(description), code);
  return tables;
}

const { codeByName, namesByCode } = buildTables();

/** The code of the emoji called `name`, for example `1f44d` for `+1` and `thumbs_up`. */
export function emojiCode(name: string): string | undefined {
  return codeByName.get(name);
}

/**
 * All names of the emoji with this code, the preferred one first; empty for an unknown code. Some
 * clients leave variation selectors in their codes: those do not matter.
 */
export function emojiNames(code: string): readonly string[] {
  return namesByCode.get(code.replaceAll('-fe0f', '')) ?? [];
}

/** A fresh copy of all names by code, ready to be serialized for `server_emoji_data_url`. */
export function emojiData(): EmojiData {
  const code_to_names: Record<string, string[]> = {};
  for (const [code, names] of namesByCode) code_to_names[code] = [...names];
  return { code_to_names };
}
