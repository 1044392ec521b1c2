/** Fields of the organization's settings, as the published contract describes them. */

/** A setting by its schema. */
export interface Field {
  readonly name: string;
  /** What it means, from the contract. */
  readonly words: string;
  readonly input:
    | { readonly kind: 'switch' | 'text' | 'number' | 'duration' | 'group' | 'channel' }
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

function inputOf(name: string, schema: Schema): Field['input'] | null {
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
    return input ? [{ name, words: (one.description ?? '').replaceAll('`', ''), input }] : [];
  });
  const areaOf = ({ name }: Field): AreaName => AREAS.find(([, pattern]) => pattern.test(name))![0];
  return AREAS.map(([name]) => ({
    name,
    fields: fields.filter((one) => areaOf(one) === name),
  })).filter((area) => area.fields.length > 0);
}
