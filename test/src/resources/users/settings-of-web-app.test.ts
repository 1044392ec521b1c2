import t from 'tap';
import type { TSchema } from 'typebox';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { updateRealm } from '../../../../schemas/realm/realm.js';
import {
  NOTIFICATION_SOUNDS,
  USER_SETTINGS,
  type SettingName,
} from '../../../../schemas/users/user-settings.js';
import { realmHandlers } from '../../../../src/resources/realm/realm.js';
import { SECTIONS } from '../../../../src/resources/queues/register/sections.js';
import { realmSection } from '../../../../src/resources/queues/register/realm-section.js';
import type { SnapshotRequest } from '../../../../src/resources/queues/register/queue-request.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { SettingsWorld } from '../../../fixtures/settings-world.js';
import { APP_REALM_SETTINGS, APP_USER_SETTINGS, takes } from '../../../fixtures/web-app-types.js';

const PLAIN = {
  ...MODERN,
  capabilities: { ...MODERN.capabilities, plain_setting_values: true },
};

/** Texts that are accepted where the schema allows any. */
const TEXTS: Readonly<Record<string, readonly unknown[]>> = {
  default_language: ['en', 'de', 'zh-tw'],
  notification_sound: [...NOTIFICATION_SOUNDS, 'none'],
  timezone: ['', 'Europe/Berlin', 'UTC'],
  name: ['Elsinore'],
  jitsi_server_url: ['https://meet.example.org', 'default'],
  message_retention_days: [1, 'unlimited'],
};

/** Values that a schema accepts: all of them, or the smallest and the largest. */
function valuesOf(name: string, schema: TSchema): readonly unknown[] {
  const s = schema as {
    anyOf?: TSchema[];
    const?: unknown;
    type?: string;
    minimum?: number;
    maximum?: number;
  };
  if (s.anyOf) return [...new Set(s.anyOf.flatMap((one) => valuesOf(name, one)))];
  if ('const' in s) return [s.const];
  if (s.type === 'boolean') return [true, false];
  if (s.type === 'null') return [null];
  if (s.type === 'integer') return [s.minimum ?? 1, s.maximum ?? 1000];
  if (s.type === 'string') return TEXTS[name] ?? ['', 'x', 'unlimited'];
  return [];
}

const ACCEPTED = Object.entries(USER_SETTINGS).flatMap(([name, { schema }]) =>
  valuesOf(name, schema).map((value) => [name as SettingName, value] as const),
);

class World extends SettingsWorld {
  readonly realm = realmHandlers({
    markdown: createMarkdown({
      onError: (error) => {
        throw error;
      },
    }),
    waitingPeriodChanged: () => undefined,
    endQueues: () => undefined,
  });

  /** Changes settings of the organization. */
  async change(operation: string, params: Body, user: UserDocument): Promise<boolean> {
    try {
      const handler = handlerOf(this.realm, operation);
      await this.call(handler, user, params);
      return true;
    } catch {
      return false;
    }
  }

  /** A section of the snapshot, as a queue with plain values has it, or another one. */
  section(name: 'user_settings' | 'realm_user_settings_defaults', isPlain = true): Body {
    const params = { client_capabilities: { plain_setting_values: isPlain } };
    const request = { org: this.org, user: this.hamlet, params } as unknown as SnapshotRequest;
    return SECTIONS[name]!(request)[name] as Body;
  }
}

void t.test('the web app has a type for each user setting', async (t) => {
  const unknown = Object.keys(USER_SETTINGS).filter((name) => !(name in APP_USER_SETTINGS));
  for (const name of unknown) {
    t.fail(
      `test/fixtures/web-app-types.ts: add '${name}' to APP_USER_SETTINGS; one the app does not know goes under ` +
        '"additions of this server"',
      { diagnostic: false },
    );
  }
  const missing = Object.keys(APP_USER_SETTINGS).filter((name) => !(name in USER_SETTINGS));
  t.strictSame(missing, [], 'and none is missing');
});

/** Those that the web app has a type for; the others are told above. */
const TYPED = ACCEPTED.filter(([name]) => name in APP_USER_SETTINGS);

void t.test(
  'the values of user settings that the web app refuses, of all that are accepted',
  (t) => {
    const refused = TYPED.filter(([name, value]) => !takes(APP_USER_SETTINGS[name]!, value));
    t.strictSame(refused, [
      ['twenty_four_hour_time', null],
      ['emojiset', 'emoji_set_a'],
      ['emojiset', 'emoji_set_b'],
      ['emojiset', 'google-blob'],
    ]);
    t.end();
  },
);

void t.test(
  'each is told in a form that the web app takes, and others as it was set',
  async (t) => {
    const world = new World();
    const { hamlet, admin } = world;
    for (const [name, value] of TYPED) {
      const was = world.org.settings.value(hamlet.user_id, name);
      const since = world.position;
      await world.patch(hamlet, { [name]: value });
      const { [name]: told, emojiset_choices } = world.section('user_settings');
      const title = `${name} ${String(value)}`;
      t.ok(takes(APP_USER_SETTINGS[name]!, told), title);
      t.strictSame(world.section('user_settings', false)[name], value, title);
      t.strictSame(
        (emojiset_choices as { key: string }[]).map(({ key }) => key),
        ['google', 'twitter', 'text'],
      );
      if (was === value) continue;
      const changes = (filter: typeof MODERN) =>
        world.received(hamlet, since, filter).filter(({ type }) => type === 'user_settings');
      t.match(changes(PLAIN), [{ property: name, value: told }], title);
      t.match(changes(MODERN), [{ property: name, value }], title);
    }
    const defaults = TYPED.filter(
      ([name]) => name in world.section('realm_user_settings_defaults'),
    );
    for (const [name, value] of defaults) {
      const since = world.position;
      const change = { [name]: value };
      if (!(await world.change('update-realm-user-settings-defaults', change, admin))) continue;
      const told = world.section('realm_user_settings_defaults')[name];
      t.ok(takes(APP_USER_SETTINGS[name]!, told), `default ${name} ${String(value)}`);
      const [event] = world.received(admin, since, PLAIN);
      if (event) t.match(event, { property: name, value: told });
    }
  },
);

void t.test(
  'every value of a setting of the organization is told in a form that it takes',
  async (t) => {
    const world = new World();
    let count = 0;
    for (const [name, type] of Object.entries(APP_REALM_SETTINGS)) {
      const param = (updateRealm.params as Record<string, { schema: TSchema }>)[name];
      const group = { direct_members: [world.hamlet.user_id], direct_subgroups: [] };
      const values =
        type === 'group' || name.startsWith('can_')
          ? [{ new: group }]
          : param
            ? valuesOf(name, param.schema)
            : [];
      for (const value of [undefined, ...values]) {
        if (value !== undefined) {
          if (await world.change('update-realm', { [name]: value }, world.owner)) count += 1;
        }
        const told = (realmSection(world.org) as Body)[`realm_${name}`];
        t.ok(takes(type, told), `realm_${name} ${JSON.stringify(told)}`);
      }
    }
    t.ok(count > 80, `${count} values were accepted`);
  },
);
