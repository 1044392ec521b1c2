/** Services whose archives are imported, what an operator may choose, and those that are refused with what to do. */

/** Whose archives are read. */
export type ForeignFormat = 'zulip' | 'slack' | 'mattermost' | 'discord' | 'rocketchat' | 'teams';

/** What the operator decides, where the service has it. */
export interface ForeignChoices {
  /** What becomes of threads: topics, or answers that quote. */
  readonly threads?: 'topics' | 'quotes';
  /** Who may read channels of which the archive does not say it. */
  readonly channels?: 'private' | 'public';
}

/** What is said about archives that nothing here reads, by the names of the commands. */
export const REFUSED = {
  telegram:
    'Telegram exports what one person sees, without the addresses by which people log in: it is not read here.',
  'google-chat':
    'Google Takeout and Vault export what an account sees of Google Chat: it is not read here.',
} as const;

/** What remains for them. */
export const OTHER_WAY =
  'Write people, channels and messages as lines of JSON in the form of a bulk export of Mattermost, and use ' +
  'parley import-mattermost: docs/guides/moving-here.md#other-services shows the lines';

/** Whose archive has a file of a name, or of a path that ends so. */
const SIGNS: readonly (readonly [RegExp, ForeignFormat | keyof typeof REFUSED])[] = [
  [/(^|\/)realm\.json$/, 'zulip'],
  [/(^|\/)rocketchat_message\.bson(\.gz)?$/, 'rocketchat'],
  [/(^|\/)(import|export)\.jsonl$/, 'mattermost'],
  [/(^|\/)teamsList\.json$/, 'teams'],
  [/(^|\/)Google Chat\/(Groups|Users)\//, 'google-chat'],
  [/(^|\/)Groups\/[^/]+\/(group_info|messages)\.json$/, 'google-chat'],
  [/(^|\/)result\.json$/, 'telegram'],
  [/(^|\/)messages\d*\.html$/, 'telegram'],
  [/(^|\/)channels\.json$/, 'slack'],
  [/ \[\d{5,}\]( \[part \d+\])?\.json$/, 'discord'],
];

/**
 * What to do with an archive that is another's than the command says; undefined where no file of it tells.
 * @param places of files in it
 */
export function adviceFor(from: ForeignFormat, places: readonly string[]): string | undefined {
  const [, kind] = SIGNS.find(([sign]) => places.some((one) => sign.test(one))) ?? [];
  if (kind === undefined || kind === from) return undefined;
  if (kind in REFUSED) return `${REFUSED[kind as keyof typeof REFUSED]} ${OTHER_WAY}`;
  return `It looks as if it were for parley import-${kind}`;
}
