import { plainSettingValue } from '../../../schemas/users/plain-setting-values.js';
import type { Receiver, RendererOf } from './event-renderer.js';

interface SettingChange {
  readonly property: string;
  readonly value: unknown;
}

/** Whether a queue is told another value than the one that was set. */
function isTold({ property, value }: SettingChange, { filter }: Receiver): boolean {
  if (!filter.capabilities.plain_setting_values) return false;
  return plainSettingValue(property, value) !== value;
}

/** `user_settings` (event-queues.md#client-capabilities): some queues are told plain values only. */
export const userSettingsRenderer: RendererOf<'user_settings'> = {
  variant: ({ data }, receiver) => (isTold(data, receiver) ? 'plain' : ''),
  bodies({ type, data }, variant) {
    if (variant === '') return [{ type, ...data }];
    return [{ type, ...data, value: plainSettingValue(data.property, data.value) }];
  },
};

/** `realm_user_settings_defaults`: the same. */
export const settingsDefaultsRenderer: RendererOf<'realm_user_settings_defaults'> = {
  variant: ({ data }, receiver) => (isTold(data, receiver) ? 'plain' : ''),
  bodies({ type, data }, variant) {
    if (variant === '') return [{ type, ...data }];
    // A form for each setting, of which the compiler sees the union.
    const value = plainSettingValue<unknown>(data.property, data.value);
    return [{ type, ...data, value } as { type: typeof type } & typeof data];
  },
};
