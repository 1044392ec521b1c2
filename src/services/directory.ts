import { readFile } from 'node:fs/promises';
import {
  AndFilter,
  Client,
  EqualityFilter,
  FilterParser,
  InvalidCredentialsError,
  NoSuchObjectError,
  SizeLimitExceededError,
  type Entry,
  type Filter,
} from 'ldapts';
import Type, { type Static } from 'typebox';
import { serviceUnavailable } from '../errors.js';
import { readSettingsFile } from './settings-file.js';
import { Turns } from './turns.js';

/** Longest wait for the directory, milliseconds. */
const TIMEOUT_MS = 5_000;
/** Conversations with the directory at once, and how many more may wait. */
const AT_ONCE = 16;
const MAX_WAITING = 256;

/** What the file named by `PARLEY_LDAP` says. */
const DirectorySettings = Type.Object(
  {
    /** `ldap://host:port` or `ldaps://host:port`. */
    url: Type.String({ pattern: '^ldaps?://[^/]+/?$' }),
    /** Turns an `ldap://` connection into an encrypted one before anything is said. */
    starttls: Type.Boolean({ default: false }),
    /** File with the certificates to trust instead of the system's (PEM). */
    ca: Type.Optional(Type.String()),
    /** Who searches; absent: anonymously. */
    bind_dn: Type.Optional(Type.String()),
    bind_password: Type.Optional(Type.String()),
    /** Where people are. */
    base: Type.String({ minLength: 1 }),
    /** Which entries are people (RFC 4515). */
    filter: Type.String({ default: '(objectClass=*)' }),
    /** The attribute people type as their user name. */
    username: Type.String({ default: 'uid' }),
    email: Type.String({ default: 'mail' }),
    full_name: Type.String({ default: 'cn' }),
    /** Whether a first login makes an account; else accounts must be there already. */
    create_accounts: Type.Boolean({ default: true }),
  },
  { additionalProperties: false },
);

export type DirectorySettings = Static<typeof DirectorySettings>;

/** Somebody the directory vouches for. */
export interface DirectoryPerson {
  readonly email: string;
  readonly fullName: string;
}

/** `unknown`: nobody (or several) by that name; `wrong`: the password is not theirs. */
export type DirectoryAnswer = DirectoryPerson | 'unknown' | 'wrong';

/** Logins checked by an LDAP directory: search for the entry, then bind as it. */
export class Directory {
  private readonly turns = new Turns(AT_ONCE, MAX_WAITING, 'Too many logins are being checked');
  private readonly people: Filter;

  private constructor(
    private readonly settings: DirectorySettings,
    private readonly ca: string | undefined,
    /** Hears why the directory did not answer. */
    private readonly onError: (error: unknown) => void,
  ) {
    this.people = FilterParser.parseString(settings.filter);
  }

  /** Reads the settings; does not talk to the directory. @throws Error when they cannot be used */
  static async load(path: string, onError: (error: unknown) => void): Promise<Directory> {
    return Directory.of(await readSettingsFile(path, DirectorySettings), onError);
  }

  /** @throws Error when the certificates or the filter cannot be read */
  static async of(
    settings: DirectorySettings,
    onError: (error: unknown) => void,
  ): Promise<Directory> {
    const { ca } = settings;
    const trusted = ca === undefined ? undefined : await readFile(ca, 'utf8');
    return new Directory(settings, trusted, onError);
  }

  /** Whether people log in by e-mail address (`require_email_format_usernames`). */
  get namesAreEmails(): boolean {
    return this.settings.username.toLowerCase() === this.settings.email.toLowerCase();
  }

  /** Whether a first login makes an account. */
  get createsAccounts(): boolean {
    return this.settings.create_accounts;
  }

  /** Checks a login. @throws ApiError 503 when the directory does not answer or too many wait */
  check(username: string, password: string): Promise<DirectoryAnswer> {
    return this.converse(async (client) => {
      const entry = await this.find(client, this.settings.username, username);
      if (!entry) return 'unknown';
      // A bind without a password always succeeds: it is an anonymous one (RFC 4513 section 5.1.2).
      if (password === '' || !(await accepts(client, entry.dn, password))) return 'wrong';
      const email = first(entry, this.settings.email);
      if (email === '') return 'unknown';
      return { email, fullName: first(entry, this.settings.full_name) || username };
    });
  }

  /** Whether the directory knows the address. @throws ApiError 503 as `check` */
  knows(email: string): Promise<boolean> {
    return this.converse(async (client) => {
      return (await this.find(client, this.settings.email, email)) !== null;
    });
  }

  private converse<T>(talk: (client: Client) => Promise<T>): Promise<T> {
    return this.turns.take(async () => {
      const tlsOptions = this.ca === undefined ? undefined : { ca: this.ca };
      const client = new Client({
        url: this.settings.url,
        timeout: TIMEOUT_MS,
        connectTimeout: TIMEOUT_MS,
        ...(this.settings.url.startsWith('ldaps:') && tlsOptions ? { tlsOptions } : {}),
      });
      try {
        if (this.settings.starttls) await client.startTLS(tlsOptions ?? {});
        return await talk(client);
      } catch (error) {
        this.onError(error);
        throw serviceUnavailable('The directory does not answer');
      } finally {
        await client.unbind().catch(() => undefined);
      }
    });
  }

  /** The one entry whose attribute has this value; null for none and for several. */
  private async find(client: Client, attribute: string, value: string): Promise<Entry | null> {
    const { settings, people } = this;
    if (settings.bind_dn !== undefined) {
      await client.bind(settings.bind_dn, settings.bind_password ?? '');
    }
    const wanted = new EqualityFilter({ attribute, value });
    const { searchEntries } = await client
      .search(settings.base, {
        scope: 'sub',
        filter: new AndFilter({ filters: [people, wanted] }),
        attributes: [settings.email, settings.full_name],
        sizeLimit: 2,
      })
      .catch((error: unknown) => {
        // Several by one name are nobody in particular.
        if (error instanceof NoSuchObjectError || error instanceof SizeLimitExceededError) {
          return { searchEntries: [] };
        }
        throw error;
      });
    return searchEntries.length === 1 ? searchEntries[0]! : null;
  }
}

async function accepts(client: Client, dn: string, password: string): Promise<boolean> {
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof InvalidCredentialsError) return false;
    throw error;
  }
}

/** The first value of an attribute as text; '' where there is none. */
function first(entry: Entry, attribute: string): string {
  const name = Object.keys(entry).find((one) => one.toLowerCase() === attribute.toLowerCase());
  const value = name === undefined ? undefined : entry[name];
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' ? one.trim() : '';
}
