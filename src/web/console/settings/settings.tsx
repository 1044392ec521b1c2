import { useState } from 'preact/hooks';
import type { Client } from '../../../client/index.js';
import { language } from '../../shared/texts.js';
import { useAsked, useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Filter } from '../filter.js';
import { areasOf, type Area, type Field } from './fields.js';
import { TITLES } from './titles.js';
import { say } from '../text.js';

type Value = string | number | boolean | object | null | undefined;

interface Known {
  readonly values: Readonly<Record<string, Value>>;
  readonly groups: readonly {
    readonly id: number;
    readonly name: string;
    readonly role?: string | undefined;
  }[];
  readonly channels: readonly {
    readonly stream_id: number;
    readonly name: string;
    readonly invite_only: boolean;
  }[];
  /** Whether the reader has a second factor. */
  readonly hasFactor: boolean;
}

const ROLES = [
  ...(['owners', 'administrators', 'moderators', 'fullmembers', 'members'] as const),
  ...(['everyone', 'internet', 'nobody'] as const),
] as const;

/** Groups of everybody with a role have names such as `role:members`. */
function groupName(name: string): string {
  const role = ROLES.find((one) => name === `role:${one}`);
  return role ? say(`settings.group-${role}`) : name;
}

/** Reads the settings with their words, which do not change while the page is open. */
async function readAreas(client: Client): Promise<Area[]> {
  return areasOf(await client.contract());
}

/** Reads the values of the settings, and what they may name. */
async function readKnown(client: Client): Promise<Known> {
  const [registered, groups, channels, factor] = await Promise.all([
    client.call('POST /register', { event_types: ['realm'], fetch_event_types: ['realm'] }),
    client.call('GET /user_groups', {}),
    client.call('GET /streams', { include_all: true }),
    client.call('GET /users/me/two_factor', {}),
  ]);
  const state = registered as unknown as Record<string, Value> & { queue_id: string };
  // Only what it was registered with is wanted.
  await client.call('DELETE /events', { queue_id: state.queue_id });
  return {
    values: Object.fromEntries(
      Object.entries(state).map(([name, value]) => [name.replace(/^realm_/, ''), value]),
    ),
    groups: groups.user_groups.map(({ id, name, is_system_group: isOfRole }) => ({
      ...{ id, name: groupName(name), role: isOfRole ? name : undefined },
    })),
    channels: channels.streams,
    hasFactor: factor.enabled,
  };
}

/** The organization's settings by area; each is saved by itself. */
export function Settings({ client }: { client: Client }) {
  const [filter, setFilter] = useState('');
  const contract = useAsked(() => readAreas(client), [client]);
  const asked = useAsked(() => readKnown(client), [client]);
  const known = asked.value;
  const deed = useDeed(asked.reload);
  const wanted = filter.toLowerCase();
  const save = (field: Field, value: Value): void =>
    deed.run(
      () => client.call('PATCH /realm', { [field.name]: value }),
      say('settings.saved', { name: titleOf(field) }),
    );
  return (
    <section class="settings" aria-labelledby="settings-title">
      <h2 id="settings-title">{say('settings.title')}</h2>
      <Filter
        id="setting-filter"
        label={say('settings.filter')}
        value={filter}
        onFilter={setFilter}
      />
      <DeedLine deed={deed} asked={asked} />
      {contract.error && <p role="alert">{contract.error.message}</p>}
      {known &&
        contract.value?.map(({ name, fields }) => {
          const shown = fields.filter((field) =>
            `${titleOf(field)} ${field.words}`.toLowerCase().includes(wanted),
          );
          return (
            shown.length > 0 && (
              <fieldset key={name}>
                <legend>{say(`area.${name}`)}</legend>
                {shown.map((field) => (
                  <Setting
                    key={field.name}
                    field={field}
                    known={known}
                    isBusy={deed.isBusy}
                    save={(value) => save(field, value)}
                  />
                ))}
              </fieldset>
            )
          );
        })}
      {!(known && contract.value) && !asked.error && !contract.error && (
        <p class="empty">{say('list.asking')}</p>
      )}
    </section>
  );
}

/** A setting that is younger than this page is called by its name: `can_create_groups` becomes `Can create groups`. */
function titleOf({ name }: Field): string {
  if (name in TITLES) return say(TITLES[name as keyof typeof TITLES]);
  const words = name.replace(/_(?:group|seconds|stream_id|channel_id)$/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Why a setting cannot be changed now; empty where it can. */
function reasonAgainst({ name }: Field, { values, hasFactor }: Known): string {
  if (name === 'require_two_factor' && !hasFactor) return say('setting.needs-factor');
  const isForWeb =
    name === 'enable_spectator_access' || name === 'can_create_web_public_channel_group';
  const isShown = values['server_web_public_streams_enabled'] === true;
  return isForWeb && !isShown ? say('setting.no-web-public') : '';
}

interface SettingProps {
  readonly field: Field;
  readonly known: Known;
  readonly isBusy: boolean;
  readonly save: (value: Value) => void;
}

function Setting({ field, known, isBusy, save }: SettingProps) {
  const { name, words } = field;
  const id = `setting-${name}`;
  const described = `${id}-words`;
  return (
    <div class="setting">
      <label for={id}>
        <bdi>{titleOf(field)}</bdi>
      </label>
      <Input {...{ id, described, field, known, isBusy, save }} />
      <small id={described}>{reasonAgainst(field, known) || (language === 'en' && words)}</small>
    </div>
  );
}

interface InputProps extends SettingProps {
  readonly id: string;
  readonly described: string;
}

function Input({ id, described, field, known, isBusy, save }: InputProps) {
  const { input, name } = field;
  const value = known.values[name];
  const isOut = reasonAgainst(field, known) !== '';
  const shared = { id, 'aria-describedby': described, disabled: isBusy || isOut };
  switch (input.kind) {
    case 'switch':
      return (
        <input
          {...shared}
          type="checkbox"
          checked={value === true}
          onChange={(event) => save(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <Choice
          {...{ shared, value }}
          choices={input.choices}
          save={(chosen) => save(typeof value === 'number' ? Number(chosen) : chosen)}
        />
      );
    case 'group': {
      const choices = known.groups
        .filter((one) => one.id === value || isAllowed(name, one.role, known))
        .map((one) => [String(one.id), one.name] as const);
      // A set of people without a name is changed by the API alone.
      return (
        <Choice
          {...{ shared, choices }}
          value={typeof value === 'number' ? value : ''}
          other={typeof value === 'number' ? undefined : say('settings.several')}
          save={(chosen) => save({ new: Number(chosen), old: value })}
        />
      );
    }
    case 'channel': {
      const isPrivate = name === 'moderation_request_channel_id';
      const open = known.channels.filter((one) => !isPrivate || one.invite_only);
      const channels = open.map((one) => [String(one.stream_id), one.name] as const);
      return (
        <Choice
          {...{ shared, value }}
          choices={[['-1', say('settings.none')], ...channels]}
          save={(chosen) => save(Number(chosen))}
        />
      );
    }
    case 'provider': {
      const offered = Object.values(
        (known.values['available_video_chat_providers'] ?? {}) as Record<string, Provider>,
      );
      const choices = offered.map((one) => [String(one.id), one.name] as const);
      return <Choice {...{ shared, value, choices }} save={(chosen) => save(Number(chosen))} />;
    }
    default:
      return <Written {...{ shared, value, input, save }} />;
  }
}

interface Provider {
  readonly id: number;
  readonly name: string;
}

/** Which groups a permission may name, as the server tells. */
interface Permission {
  readonly allow_internet_group: boolean;
  readonly allow_nobody_group: boolean;
  readonly allow_everyone_group: boolean;
  readonly allowed_system_groups: readonly string[];
}

/** Whether a permission may be given to a group. @param role the name of a group of a role; absent for one that people made */
function isAllowed(name: string, role: string | undefined, { values }: Known): boolean {
  const { realm } = values['server_supported_permission_settings'] as {
    realm: Readonly<Record<string, Permission | undefined>>;
  };
  const permission = realm[name];
  if (!permission) return true;
  const list = permission.allowed_system_groups;
  if (role === undefined) return list.length === 0;
  if (role === 'role:internet' && !permission.allow_internet_group) return false;
  if (role === 'role:nobody' && !permission.allow_nobody_group) return false;
  if (role === 'role:everyone' && !permission.allow_everyone_group) return false;
  return list.length === 0 || list.includes(role);
}

/** As in a field of a form; -1 stands for no limit. */
function writtenOf(value: Value): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

interface Shared {
  readonly id: string;
  readonly 'aria-describedby': string;
  readonly disabled: boolean;
}

interface ChoiceProps {
  readonly shared: Shared;
  readonly value: Value;
  readonly choices: readonly (readonly [string, string])[];
  /** What is there and is none of the choices. */
  readonly other?: string | undefined;
  readonly save: (chosen: string) => void;
}

function Choice({ shared, value, choices, other, save }: ChoiceProps) {
  return (
    <select
      {...shared}
      value={writtenOf(value)}
      onChange={(event) => save(event.currentTarget.value)}
    >
      {other !== undefined && (
        <option value="" disabled>
          {other}
        </option>
      )}
      {choices.map(([one, title]) => (
        <option key={one} value={one}>
          {title}
        </option>
      ))}
    </select>
  );
}

interface WrittenProps {
  readonly shared: Shared;
  readonly value: Value;
  readonly input: Field['input'];
  readonly save: (value: Value) => void;
}

/** Text, a number, or a duration, which is empty where there is no limit. */
function Written({ shared, value, input, save }: WrittenProps) {
  const given = input.kind === 'duration' && value === -1 ? '' : writtenOf(value);
  const [text, setText] = useState(given);
  const isNumber = input.kind !== 'text' && input.kind !== 'url';
  const isUnlimited = input.kind === 'duration' && text.trim() === '';
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    save(isUnlimited ? 'unlimited' : isNumber ? Number(text) : text);
  };
  return (
    <form onSubmit={send}>
      <input
        {...shared}
        type={isNumber ? 'number' : input.kind}
        min={isNumber ? (input.kind === 'duration' ? 1 : 0) : undefined}
        value={text}
        placeholder={input.kind === 'duration' ? say('settings.no-limit') : ''}
        onInput={(event) => setText(event.currentTarget.value)}
      />{' '}
      {text !== given && <button disabled={shared.disabled}>{say('settings.save')}</button>}
    </form>
  );
}
