import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { updateChannel } from '../schemas/channels/channel-administration.js';
import { SUBSCRIPTION_PROPERTIES } from '../schemas/channels/subscriptions.js';
import { updateUserGroup } from '../schemas/groups/user-groups.js';
import { DEFAULTABLE_SETTINGS, updateRealm } from '../schemas/realm/realm.js';
import { USER_SETTINGS } from '../schemas/users/user-settings.js';
import {
  CHANNEL_EFFECTS,
  GROUP_EFFECTS,
  SUBSCRIPTION_EFFECTS,
} from './settings-effects/channel-and-group.js';
import type { Effect } from './settings-effects/effect.js';
import { REALM_EFFECTS } from './settings-effects/realm.js';
import { USER_EFFECTS } from './settings-effects/user.js';

/*
 * No setting is accepted without effect: each one of the contract, as the schemas have them, names the file that acts
 * by it and the test that shows it, or says what clients do with it, or why there is nothing that it could change.
 */

/** Names in requests that the server keeps under another one. */
const STORED: Readonly<Record<string, string>> = {
  is_private: 'invite_only',
  is_default_stream: 'is_default',
  new_name: 'name',
};

const read = (file: string): string => readFileSync(file, 'utf8');

function names(text: string, setting: string): boolean {
  const word = (name: string) => new RegExp(`\\b${name}\\b`).test(text);
  return word(setting) || (setting in STORED && word(STORED[setting]!));
}

/** What is wrong with a claim; null where nothing is. */
function fault(setting: string, effect: Effect): string | null {
  if (!('place' in effect)) return null;
  const { place, test } = effect;
  const file = join('test', test[0]);
  if (!existsSync(place)) return `${place} is not there`;
  if (!names(read(place), setting)) return `${place} does not name it`;
  if (!existsSync(file)) return `${file} is not there`;
  const text = read(file);
  if (!names(text, setting)) return `${file} does not name it`;
  return text.replaceAll("\\'", "'").includes(test[1]) ? null : `${file} has no test “${test[1]}”`;
}

const without = (all: readonly string[], ...others: readonly string[]): string[] =>
  all.filter((name) => !others.includes(name));

const SCOPES: readonly [
  scope: string,
  settings: readonly string[],
  effects: Readonly<Record<string, Effect>>,
][] = [
  ['the organization', Object.keys(updateRealm.params), REALM_EFFECTS],
  ['a user', Object.keys(USER_SETTINGS), USER_EFFECTS],
  ['a channel', without(Object.keys(updateChannel.params), 'stream_id'), CHANNEL_EFFECTS],
  ['a group', without(Object.keys(updateUserGroup.params), 'user_group_id'), GROUP_EFFECTS],
  ['a subscription', SUBSCRIPTION_PROPERTIES, SUBSCRIPTION_EFFECTS],
];

for (const [scope, settings, effects] of SCOPES) {
  void t.test(`each setting of ${scope} has an effect`, (t) => {
    t.strictSame(
      settings.filter((name) => !(name in effects)),
      [],
      'none is left out',
    );
    t.strictSame(
      Object.keys(effects).filter((name) => !settings.includes(name)),
      [],
      'none is listed that there is not',
    );
    for (const [name, effect] of Object.entries(effects)) t.equal(fault(name, effect), null, name);
    t.end();
  });
}

void t.test('defaults of new accounts are settings of users', (t) => {
  t.strictSame(
    DEFAULTABLE_SETTINGS.filter((name) => !(name in USER_EFFECTS)),
    [],
  );
  t.end();
});

void t.test('a false claim is found', (t) => {
  const place = 'src/organization/access/user-access.ts';
  const claim = (test: readonly [string, string], where = place): string | null =>
    fault('can_access_all_users_group', { place: where, test });
  t.equal(claim(['src/x.test.ts', 'x']), 'test/src/x.test.ts is not there');
  t.equal(claim(['src/x.test.ts', 'x'], 'src/main.ts'), 'src/main.ts does not name it');
  const test = 'src/organization/access/user-access.test.ts';
  t.match(claim([test, 'no such name']), /has no test/);
  t.equal(claim([test, 'a guest sees those with whom it shares a channel or conversation']), null);
  t.end();
});
