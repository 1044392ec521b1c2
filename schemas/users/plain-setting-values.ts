import { DEFAULT_USER_SETTINGS, EMOJISET_CHOICES, type SettingName } from './user-settings.js';

/**
 * What queues that declared `plain_setting_values` are told instead of a value that the public web app does not take
 * (settings.md#plain-values): it refuses to start where its own schema refuses a setting, or has no pictures for it.
 */
const PLAIN_VALUES: Readonly<Partial<Record<SettingName, ReadonlyMap<unknown, unknown>>>> = {
  // By locale, which such a client does not know: as where nobody chose.
  twenty_four_hour_time: new Map([[null, DEFAULT_USER_SETTINGS.twenty_four_hour_time]]),
  emojiset: new Map([
    ['emoji_set_a', 'google'],
    ['google-blob', 'google'],
    ['emoji_set_b', 'twitter'],
  ]),
};

/** A setting's value as such a queue is told it. */
export function plainSettingValue<T>(name: string, value: T): T {
  const plain = PLAIN_VALUES[name as SettingName]?.get(value);
  return plain === undefined ? value : (plain as T);
}

/** Settings as the snapshot of such a queue shows them, with the emoji sets that may be chosen. */
export function plainSettings(settings: Readonly<Record<string, unknown>>) {
  const told = Object.entries(settings).map(([name, value]) => [
    name,
    plainSettingValue(name, value),
  ]);
  const emojiset_choices = EMOJISET_CHOICES.filter(
    ({ key }) => plainSettingValue('emojiset', key) === key,
  );
  return { ...(Object.fromEntries(told) as Record<string, unknown>), emojiset_choices };
}
