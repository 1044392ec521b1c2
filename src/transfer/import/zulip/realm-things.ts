/**
 * What an organization of a Zulip export has of its own: emoji, linkifiers, playgrounds, domains and profile fields.
 */
import { MAX_CUSTOM_EMOJI } from '../../../../schemas/limits.js';
import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji.js';
import { checkEmojiName } from '../../../organization/realm/custom-emoji.js';
import { addLinkifier } from '../../../organization/realm/linkifiers.js';
import { addPlayground } from '../../../organization/realm/playgrounds.js';
import { addRealmDomain } from '../../../organization/realm/realm-domains.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { JsonRow } from '../json-rows.js';
import { type Omissions, refusalOf } from '../import-job.js';
import { addProfileField } from '../profiles.js';
import { integer, integerOrNull, largest, parsed, textIn, type RealmFile } from './realm-file.js';

/** Stored pictures of custom emoji, by the ids of emoji. */
export type EmojiPictures = ReadonlyMap<number, Pick<CustomEmojiDocument, 'file' | 'animated'>>;

/** Every row of these is taken, or noted by name. */
const OF_THE_REALM = [
  'zerver_realmemoji',
  'zerver_realmfilter',
  'zerver_realmplayground',
  'zerver_realmdomain',
  'zerver_customprofilefield',
] as const;

/** Adds all of it, once people are there. */
export function addRealmThings(
  tx: Transaction,
  file: RealmFile,
  emoji: EmojiPictures,
  omissions: Omissions,
): void {
  for (const table of OF_THE_REALM) file.settle(table, omissions);
  addCustomEmoji(tx, file, emoji, omissions);
  const rows = file.rows('zerver_realmfilter');
  for (const row of [...rows].sort((a, b) => orderOf(a) - orderOf(b))) {
    attempt('linkifiers', textIn(row, 'pattern'), omissions, () => takeLinkifier(tx, row));
  }
  for (const row of file.rows('zerver_realmplayground')) {
    const [name, pygments_language] = [textIn(row, 'name'), textIn(row, 'pygments_language')];
    // Formerly what the address began with.
    const url_template = textIn(row, 'url_template') || `${textIn(row, 'url_prefix')}{code}`;
    attempt('playgrounds', name, omissions, () => {
      addPlayground(tx, { name, pygments_language, url_template });
    });
  }
  for (const row of file.rows('zerver_realmdomain')) {
    const domain = textIn(row, 'domain');
    attempt('domains that people may come from', domain, omissions, () => {
      addRealmDomain(tx, domain, row['allow_subdomains'] === true);
    });
  }
  addProfileFields(tx, file, omissions);
}

/** Emoji keep their ids, because reactions name them; what was deactivated is so here. */
function addCustomEmoji(
  { org }: Transaction,
  file: RealmFile,
  pictures: EmojiPictures,
  omissions: Omissions,
): void {
  org.counters.skip('custom_emoji', largest(file.rows('zerver_realmemoji'), 'id'));
  for (const row of file.rows('zerver_realmemoji')) {
    const id = integer(row, 'id');
    const picture = pictures.get(id);
    // Why it has no picture was said.
    if (!picture) continue;
    const name = textIn(row, 'name');
    const author = integerOrNull(row, 'author');
    attempt('custom emoji', name, omissions, () => {
      checkEmojiName(name);
      const deactivated = row['deactivated'] === true || org.customEmoji.active(name) !== undefined;
      const author_id = author !== null && org.users.has(author) ? author : null;
      org.customEmoji.insert({ id, name, author_id, deactivated, ...picture });
    });
  }
}

/** Rows of emoji as far as they are taken: there may be no more. */
export function emojiRows(file: RealmFile, omissions: Omissions): readonly JsonRow[] {
  const rows = file.rows('zerver_realmemoji');
  for (const row of rows.slice(MAX_CUSTOM_EMOJI)) {
    omissions.add(`custom emoji above ${MAX_CUSTOM_EMOJI}`, textIn(row, 'name'));
  }
  return rows.slice(0, MAX_CUSTOM_EMOJI);
}

function takeLinkifier(tx: Transaction, row: JsonRow): void {
  // Formerly in the form of Python, such as `https://example.org/%(id)s`.
  const former = textIn(row, 'url_format_string').replace(/%\((\w+)\)s/g, '{$1}');
  const alternatives = row['alternative_url_templates'];
  addLinkifier(tx, {
    pattern: textIn(row, 'pattern'),
    url_template: textIn(row, 'url_template') || former,
    example_input: textIn(row, 'example_input') || null,
    reverse_template: textIn(row, 'reverse_template') || null,
    alternative_url_templates: Array.isArray(alternatives)
      ? alternatives.filter((one) => typeof one === 'string')
      : [],
  });
}

function orderOf(row: JsonRow): number {
  return integerOrNull(row, 'order') ?? 0;
}

function addProfileFields(tx: Transaction, file: RealmFile, omissions: Omissions): void {
  const rows = file.rows('zerver_customprofilefield');
  tx.org.counters.skip('custom_profile_field', largest(rows, 'id'));
  for (const row of [...rows].sort((a, b) => orderOf(a) - orderOf(b))) {
    const data = textIn(row, 'field_data');
    const field = {
      ...{ id: integer(row, 'id'), type: integer(row, 'field_type'), name: textIn(row, 'name') },
      hint: textIn(row, 'hint'),
      data: data === '' ? undefined : parsed(data),
      required: row['required'] === true,
      editable_by_user: row['editable_by_user'] !== false,
      display_in_profile_summary: row['display_in_profile_summary'] === true,
      use_for_user_matching: row['use_for_user_matching'] === true,
    };
    addProfileField(tx, field, omissions);
  }
}

/** Notes what is refused here, with the reason that a client would get. */
function attempt(what: string, name: string, omissions: Omissions, work: () => void): void {
  const refusal = refusalOf(work);
  if (refusal !== null) omissions.add(`${what} that are refused here`, `${name}: ${refusal}`);
}
