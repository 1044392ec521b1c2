/** What the text of an option means. Each refuses other text with the flag, the variable or the place that gave it. */
import { processors } from '../platform/figures.js';
import { MAX_INVITATION_MINUTES } from '../../schemas/limits.js';
import { hasPasswordLength, PASSWORD_LENGTHS } from '../../schemas/password.js';
import { networkList, originList } from './network.js';
import { ConfigError, warnIfOpen, type Given } from './values.js';

export function textOf({ value }: Given): string {
  return value;
}

export function optionalText({ value }: Given): string | null {
  return value || null;
}

/** Whether a text may be the address of an owner. */
export function isEmailAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

export function ownerFrom({ value, source }: Given): string {
  if (isEmailAddress(value)) return value;
  throw new ConfigError(`${source}: ${value} is not an e-mail address`);
}

export function oneOf<T extends string>(values: readonly T[], { value, source }: Given): T {
  const found = values.find((one) => one === value);
  if (found !== undefined) return found;
  throw new ConfigError(`${source}: ${value} is not one of ${values.join(', ')}`);
}

/** Most workers: each has the organization in memory, and more than processors serve nobody better. */
const MAX_WORKERS = 64;

export function workersFrom({ value, source }: Given): number {
  if (value === 'auto') return Math.min(processors() ?? 1, MAX_WORKERS);
  const number = /^\d{1,2}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= MAX_WORKERS) return number;
  throw new ConfigError(`${source}: ${value} is not a number of processes (1 to 64, or auto)`);
}

/** A file of settings, which may hold a secret; it is validated when it is loaded. */
export function settingsFileFrom(
  { value }: Given,
  warn: (sentence: string) => void,
): string | null {
  if (value === '') return null;
  warnIfOpen(value, warn);
  return value;
}

/** What a store URL may begin with. */
const STORE_SCHEMES = /^(?:embedded|rediss?(?:\+sentinel|\+cluster)?)$/;

export function storeFrom({ value, source }: Given): string {
  const scheme = /^([a-z+]+):./.exec(value)?.[1];
  // Only the scheme is repeated: the rest may hold a password.
  if (scheme === undefined || !STORE_SCHEMES.test(scheme)) {
    throw new ConfigError(`${source}: not a store URL such as embedded:./data`);
  }
  return value;
}

/** Most replicas that a change waits for: more than any master has in practice, and each is one that may keep all waiting. */
const MAX_REPLICAS = 16;

/** @param store what the store is: only Redis has replicas */
export function replicasFrom({ value, source }: Given, store: Given): number {
  const count = /^\d{1,2}$/.test(value) ? Number(value) : -1;
  if (count < 0 || count > MAX_REPLICAS) {
    throw new ConfigError(`${source}: ${value} is not a number of replicas (0 to ${MAX_REPLICAS})`);
  }
  if (count > 0 && store.value.startsWith('embedded:')) {
    throw new ConfigError(
      `${source}: an embedded store has no replicas; the option is for a store on Redis`,
    );
  }
  return count;
}

export function mailFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  // Nothing of it is repeated: it may hold a password.
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    throw new ConfigError(`${source}: not a mail server such as smtp://user:password@host:587`);
  }
  return value;
}

export function mailAddressFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  if (/^[^\s@<>]+@[^\s@<>]+$/.test(value)) return value;
  throw new ConfigError(`${source}: ${value} is not an e-mail address`);
}

export function validityFrom({ value, source }: Given): number {
  const minutes = /^\d{1,8}$/.test(value) ? Number(value) : 0;
  if (minutes >= 1 && minutes <= MAX_INVITATION_MINUTES) return minutes;
  throw new ConfigError(
    `${source}: ${value} is not a number of minutes (1 to ${MAX_INVITATION_MINUTES})`,
  );
}

/** In milliseconds. */
export function secondsFrom({ value, source }: Given): number {
  const seconds = /^\d{1,3}(\.\d{1,3})?$/.test(value) ? Number(value) : 0;
  if (seconds < 0.5 || seconds > 600) {
    throw new ConfigError(`${source}: ${value} is not a number of seconds (0.5 to 600)`);
  }
  return seconds * 1000;
}

export function loadedFrom({ value, source }: Given): number {
  const count = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (count >= 1 && count <= 1000) return count;
  throw new ConfigError(`${source}: ${value} is not a number of organizations (1 to 1000)`);
}

/** In milliseconds; null: never. */
export function idleMinutesFrom({ value, source }: Given): number | null {
  if (value === 'off') return null;
  const minutes = /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (minutes >= 1 && minutes <= 1440) return minutes * 60_000;
  throw new ConfigError(`${source}: ${value} is not a number of minutes (1 to 1440) or off`);
}

/** In milliseconds. */
export function minutesFrom({ value, source }: Given): number {
  const minutes = /^\d{1,6}$/.test(value) ? Number(value) : 0;
  if (minutes < 1 || minutes > 525_600) {
    throw new ConfigError(`${source}: ${value} is not a number of minutes (1 to 525600)`);
  }
  return minutes * 60_000;
}

/** In milliseconds; null for none. */
export function daysFrom({ value, source }: Given): number | null {
  const days = /^\d{1,5}$/.test(value) ? Number(value) : -1;
  if (days < 0 || days > 36_500) {
    throw new ConfigError(`${source}: ${value} is not a number of days (0 to 36500)`);
  }
  return days === 0 ? null : days * 86_400_000;
}

export function quotaFrom({ value, source }: Given): number | null {
  if (!/^\d{1,9}$/.test(value)) throw new ConfigError(`${source}: ${value} is not a number of MiB`);
  return Number(value) === 0 ? null : Number(value);
}

/** Null for none. */
export function mostFrom({ value, source }: Given): number | null {
  if (!/^\d{1,9}$/.test(value)) throw new ConfigError(`${source}: ${value} is not a number`);
  return Number(value) === 0 ? null : Number(value);
}

export function switchFrom({ value, source }: Given): boolean {
  if (value !== 'on' && value !== 'off')
    throw new ConfigError(`${source}: ${value} is neither on nor off`);
  return value === 'on';
}

export function passwordFrom({ value, source }: Given): string | null {
  if (value === '') return null;
  if (!hasPasswordLength(value)) throw new ConfigError(`${source}: ${PASSWORD_LENGTHS}`);
  return value;
}

export function organizationFrom({ value, source }: Given): string {
  if (value.trim() === '' || [...value].length > 40) {
    throw new ConfigError(`${source}: a name has 1 to 40 characters`);
  }
  return value.trim();
}

export function networksFrom({ value, source }: Given): readonly string[] {
  const { list, wrong } = networkList(value);
  if (wrong === undefined) return list;
  throw new ConfigError(`${source}: ${wrong} is not an address or network such as 10.0.0.0/8`);
}

export function originsFrom({ value, source }: Given): readonly string[] {
  const { list, wrong } = originList(value);
  if (wrong === undefined) return list;
  throw new ConfigError(`${source}: ${wrong} is not an origin such as https://app.example.org`);
}

/** @throws ConfigError */
export function baseUrl({ value, source }: Given): string {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.hash) {
    throw new ConfigError(`${source}: ${value} is not a base URL such as https://chat.example.org`);
  }
  // As host names of requests are compared: without the dot of the root.
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  return url.origin;
}
