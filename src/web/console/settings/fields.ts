/** Fields of the organization's settings, as the published contract describes them. */
import { LANGUAGES } from '../../../languages/languages.js';
import { CHOICES } from './titles.js';
import { say } from '../text.js';

type Choice = Parameters<typeof say>[0] & (`set.${string}` | `settings.group-${string}`);

/** A setting by its schema. */
export interface Field {
  readonly name: string;
  /** What it means, from the contract. */
  readonly words: string;
  readonly input:
    | { readonly kind: 'switch' | 'text' | 'url' | 'number' | 'duration' | 'group' | 'channel' }
    | { readonly kind: 'provider' }
    | { readonly kind: 'choice'; readonly choices: readonly (readonly [string, string])[] };
}

/** Settings that belong together, in the order of the page. */
export interface Area {
  readonly name: AreaName;
  readonly fields: readonly Field[];
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly (string | number)[];
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly description?: string;
}

interface Contract {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly requestBody?: {
              readonly content: Readonly<
                Record<
                  string,
                  { readonly schema: { readonly properties: Readonly<Record<string, Schema>> } }
                >
              >;
            };
          }
        >
      >
    >
  >;
}

type AreaName =
  | 'organization'
  | 'joining'
  | 'profiles'
  | 'channels'
  | 'messages'
  | 'notifications'
  | 'groups'
  | 'other';

/** Areas by what the names of their settings contain; what fits none is in the last. */
const AREAS: readonly (readonly [AreaName, RegExp])[] = [
  [
    'organization',
    /^(?:(?:name|description|org_type|default_language)$|want_advertise|enable_spectator)/,
  ],
  ['joining', /invite|domains|disposable|waiting_period|welcome|unique_names|multiuse/],
  ['profiles', /^(?:name_changes|email_changes|avatar|default_avatar)|guest_user_indicator/],
  ['channels', /channel|topic|subscribers|announcements|streams?_limit/],
  [
    'messages',
    /message|edit|preview|code_block|gif|retention|mention|read_receipts|emoji|summarize/,
  ],
  ['notifications', /digest|email_notifications|push|dm_warning/],
  ['groups', /group|bot|billing|workplace/],
  ['other', /./],
];

/** What a choice means, from a text such as `0 Monday to 6 Sunday` or `0 none, 1 Jitsi`. */
export function choiceWords(choice: string | number, words: string): string {
  if (typeof choice === 'string') return choice.replaceAll('_', ' ');
  const [, said] = new RegExp(`\\b${choice} ([^,;.0-9]+)`).exec(words) ?? [];
  const meaning = said?.replace(/ (?:to|and|or)\s*$/, '').trim();
  return meaning || String(choice);
}

/** Durations are a number, or a word for none. */
function isDuration({ anyOf = [] }: Schema): boolean {
  return (
    anyOf.some(({ type }) => type === 'integer') && anyOf.some(({ type }) => type === 'string')
  );
}

/** What this server refuses from everybody: demo organizations change their id, and there are no digests. */
const REFUSED = ['string_id', 'digest_emails_enabled', 'digest_weekday'];

function inputOf(name: string, schema: Schema): Field['input'] | null {
  if (REFUSED.includes(name)) return null;
  if (name === 'default_language') {
    return {
      kind: 'choice',
      choices: Object.entries(LANGUAGES).map(([code, language]) => [code, language.name] as const),
    };
  }
  if (name === 'video_chat_provider') return { kind: 'provider' };
  if (/_url$/.test(name)) return { kind: 'url' };
  const named = (CHOICES as Readonly<Record<string, Readonly<Record<string, Choice>>>>)[name];
  if (named) {
    const choices = schema.enum!.map((one) => [String(one), say(named[one]!)] as const);
    return { kind: 'choice', choices };
  }
  const { type, enum: values, description = '' } = schema;
  if (values) {
    const choices = values.map((one) => [String(one), choiceWords(one, description)] as const);
    return { kind: 'choice', choices };
  }
  if (schema.$ref?.endsWith('/GroupSettingChange')) return { kind: 'group' };
  if (/(?:stream|channel)_id$/.test(name)) return { kind: 'channel' };
  if (type === 'boolean') return { kind: 'switch' };
  if (type === 'integer' || type === 'number') return { kind: 'number' };
  if (isDuration(schema)) return { kind: 'duration' };
  return type === 'string' ? { kind: 'text' } : null;
}

/** What the contract says of a setting to people: programs are told more, of how values are sent. */
function wordsOf(name: string, { description = '' }: Schema, { kind }: Field['input']): string {
  // The choices say it.
  if (name in CHOICES) return '';
  const words = description.replaceAll('`', '');
  return kind === 'group' ? words.replace(/\. .*$/s, '.') : words;
}

/** @param contract the document of OpenAPI */
export function areasOf(contract: unknown): Area[] {
  const { paths } = contract as Contract;
  // Exports have an address of that ending, too, which nobody changes.
  const [, { patch }] = Object.entries(paths).find(
    ([path, operations]) => path.endsWith('/realm') && operations['patch'],
  )!;
  const body = patch!.requestBody!;
  const [{ schema }] = Object.values(body.content) as [
    { schema: { properties: Record<string, Schema> } },
  ];
  const fields = Object.entries(schema.properties).flatMap(([name, one]) => {
    const input = inputOf(name, one);
    return input ? [{ name, words: wordsOf(name, one, input), input }] : [];
  });
  const areaOf = ({ name }: Field): AreaName => AREAS.find(([, pattern]) => pattern.test(name))![0];
  return AREAS.map(([name]) => ({
    name,
    fields: fields.filter((one) => areaOf(one) === name),
  })).filter((area) => area.fields.length > 0);
}
