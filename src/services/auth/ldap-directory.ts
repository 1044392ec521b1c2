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
  type SearchOptions,
} from 'ldapts';
import Type, { type Static } from 'typebox';
import { readFile } from '../../platform/files.js';
import { ApiError, serviceUnavailable } from '../../errors/index.js';
import { readSettingsFile } from '../settings-file.js';
import { ConcurrencyLimiter } from '../../turns/concurrency-limiter.js';

/** Longest wait for the directory, milliseconds. */
const TIMEOUT_MS = 5_000;
/** Conversations with the directory at once, and how many more may wait. */
const AT_ONCE = 16;
const MAX_WAITING = 256;
/** One entry is somebody, two are nobody in particular. */
const MOST_ENTRIES = 2;
/** Asked for to see whether the directory answers. */
const NOBODYS_NAME = 'parley-asks-whether-you-answer';
/** Stands for entries that the directory did not send, being too many. */
const NOBODY: Entry = { dn: '' };

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

/**
 * `unknown`: nobody by that name, nor anybody with the address asked for; `wrong`: the password is not
 * theirs, or the name or address does not say who logs in.
 */
export type DirectoryAnswer = DirectoryPerson | 'unknown' | 'wrong';

/** A login to be checked. */
export interface DirectoryLogin {
  readonly username: string;
  readonly password: string;
  /** Address of the account that the name means here: by that name only the person with this address logs in. */
  readonly email: string | null;
  /** Counts an attempt on an entry, before its password is looked at. @throws ApiError to refuse it */
  readonly admit: (entry: string) => Promise<void>;
}

/** Logins checked by an LDAP directory: search for the entry, then bind as it. */
export class Directory {
  private readonly turns = new ConcurrencyLimiter(
    AT_ONCE,
    MAX_WAITING,
    'Too many logins are being checked',
  );
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
  check({ username, password, email, admit }: DirectoryLogin): Promise<DirectoryAnswer> {
    const { settings } = this;
    return this.converse(async (client) => {
      await this.introduce(client);
      const entries = await this.search(client, settings.username, username);
      if (entries.length === 0) {
        const owners = email === null ? [] : await this.search(client, settings.email, email);
        return owners.length === 0 ? 'unknown' : 'wrong';
      }
      // Several by one name are nobody in particular.
      const [entry] = entries;
      if (!entry || entries.length > 1) return 'wrong';
      await admit(entry.dn.toLowerCase());
      // A bind without a password always succeeds: it is an anonymous one (RFC 4513 section 5.1.2).
      if (password === '' || !(await accepts(client, entry.dn, password))) return 'wrong';
      const address = first(entry, settings.email);
      if (address === '') return 'wrong';
      return { email: address, fullName: first(entry, settings.full_name) || username };
    });
  }

  /** Whether the address is that of anybody in the directory. @throws ApiError 503 as `check` */
  knows(email: string): Promise<boolean> {
    return this.converse(async (client) => {
      await this.introduce(client);
      return (await this.search(client, this.settings.email, email)).length > 0;
    });
  }

  /** Talks to the directory as a login does. @throws ApiError 503 as `check`, after `onError` heard why */
  async reach(): Promise<void> {
    await this.converse(async (client) => {
      await this.introduce(client);
      await this.search(client, this.settings.username, NOBODYS_NAME);
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
        // What a caller refused is no fault of the directory's.
        if (error instanceof ApiError) throw error;
        this.onError(error);
        throw serviceUnavailable('The directory does not answer');
      } finally {
        await client.unbind().catch(() => undefined);
      }
    });
  }

  /** Says who searches. */
  private async introduce(client: Client): Promise<void> {
    const { bind_dn, bind_password = '' } = this.settings;
    if (bind_dn !== undefined) await client.bind(bind_dn, bind_password);
  }

  /** Entries whose attribute has this value, two at most. */
  private async search(client: Client, attribute: string, value: string): Promise<Entry[]> {
    const { settings, people } = this;
    const found: Entry[] = [];
    const wanted = new EqualityFilter({ attribute, value });
    const options: SearchOptions = {
      scope: 'sub',
      filter: new AndFilter({ filters: [people, wanted] }),
      attributes: [settings.email, settings.full_name],
      sizeLimit: MOST_ENTRIES,
    };
    try {
      const { searchEntries } = await client.search(settings.base, options);
      found.push(...searchEntries);
    } catch (error) {
      if (error instanceof NoSuchObjectError) return [];
      if (!(error instanceof SizeLimitExceededError)) throw error;
      // There are more than asked for; which ones does not matter.
      found.push(NOBODY, NOBODY);
    }
    return found;
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
