import t from 'tap';
import { Value } from 'typebox/value';
import {
  SETTING_PARAMS,
  TargetUsers,
  updateDisplaySettings,
  updateNotificationSettings,
  updateSettings,
} from '../../../schemas/users/settings.js';
import { SETTING_NAMES, USER_SETTINGS } from '../../../schemas/users/user-settings.js';

void t.test('every setting is an optional parameter, read as its type demands', async (t) => {
  t.same(Object.keys(SETTING_PARAMS), SETTING_NAMES);
  for (const name of SETTING_NAMES) {
    const param = SETTING_PARAMS[name];
    t.equal(param.presence, 'optional', name);
    const fallback = USER_SETTINGS[name].default;
    const isEnumeration = 'anyOf' in param.schema || 'told' in param.schema;
    const asText = isEnumeration ? 'lenient' : 'text';
    t.equal(param.wire, typeof fallback === 'string' ? asText : 'json', name);
    t.ok(Value.Check(param.schema, fallback), name);
  }
});

void t.test('values with a refusal or spelling of their own reach the handler', async (t) => {
  const { params } = updateSettings;
  t.ok(Value.Check(params.web_home_view.schema, 'recent_topics'));
  t.notOk(Value.Check(USER_SETTINGS.web_home_view.schema, 'recent_topics'));
  t.ok(Value.Check(params.notification_sound.schema, 'gong'));
  t.ok(Value.Check(params.email_notifications_batching_period_seconds.schema, -1));
  t.notOk(Value.Check(params.color_scheme.schema, 4));
});

void t.test('the deprecated paths take the same parameters', async (t) => {
  t.equal(updateDisplaySettings.params, updateSettings.params);
  t.equal(updateNotificationSettings.params, updateSettings.params);
});

void t.test('target_users has lists of ids, and perhaps skip_if_already_edited', async (t) => {
  t.ok(Value.Check(TargetUsers, { user_ids: [1], skip_if_already_edited: false }));
  t.ok(Value.Check(TargetUsers, { group_ids: [1], skip_if_already_edited: true }));
  t.ok(Value.Check(TargetUsers, { user_ids: [1] }));
  t.notOk(Value.Check(TargetUsers, { user_ids: [1], skip_if_already_edited: 'no' }));
  t.notOk(Value.Check(TargetUsers, { user_ids: ['a@b.c'], skip_if_already_edited: true }));
});
