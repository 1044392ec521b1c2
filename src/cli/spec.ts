/** What the command line may ask for, and how a command is described. */
import type { UserRight } from '../../schemas/users/user-document.js';
import type { ForeignChoices, ForeignFormat } from '../config/foreign-kinds.js';
import type { Config } from '../config/config.js';
import type { EffectiveOption, Environment, Read } from '../config/values.js';

/** A store and a file. */
export interface TransferArguments {
  /** Store URL. */
  readonly store: string;
  /** The file; null for standard output or input. */
  readonly path: string | null;
}

/** Which organization a command fills. */
export interface Into {
  /** Short name; undefined: that of the store. */
  readonly into: string | undefined;
  /** Host name of one that is new. */
  readonly address: string | undefined;
}

/** What the command line asks for. */
export type Command = Asked & {
  /** Of which organization, where a data folder has several; absent: none was named. */
  readonly of?: string;
};

type Asked =
  | { readonly kind: 'serve'; readonly config: Config }
  | {
      readonly kind: 'config check';
      /** Without the settings whose values are faults. */
      readonly config: Partial<Config>;
      readonly options: readonly EffectiveOption[];
      readonly faults: readonly string[];
      /** Also try the services that are configured. */
      readonly connect: boolean;
    }
  | { readonly kind: 'completion'; readonly shell: Shell }
  /** A command of the admin socket; or about which organizations there are. */
  | {
      readonly kind: 'admin' | 'organizations';
      readonly config: Config;
      readonly request: AdminArguments;
    }
  | {
      readonly kind: 'backup';
      readonly config: Config;
      readonly folder: string;
      readonly withSecret: boolean;
      readonly keep: number | null;
    }
  | {
      readonly kind: 'restore';
      readonly config: Config;
      readonly folder: string;
      readonly name: string | null;
      readonly check: boolean;
      readonly withoutDamaged: boolean;
      readonly into: Into;
    }
  | {
      readonly kind: 'import';
      readonly store: string;
      /** Null where no organization is named. */
      readonly config: Config | null;
      /** The file; null for standard input. */
      readonly path: string | null;
      readonly into: Into;
    }
  | {
      readonly kind: 'foreign-import';
      readonly into: Into;
      readonly from: ForeignFormat;
      readonly config: Config;
      readonly archive: string;
      readonly choices: ForeignChoices;
    }
  /** `move`: seal the store; `withoutDamaged`: leave damaged messages out. */
  | (TransferArguments & {
      readonly kind: 'export';
      readonly move: boolean;
      readonly withoutDamaged: boolean;
    })
  /** In the format of another software. */
  | {
      readonly kind: 'foreign-export';
      readonly config: Config;
      readonly path: string;
      /** An export of the server that is to read it. */
      readonly like: string | null;
    }
  | { readonly kind: 'forget-secret' | 'new-history'; readonly store: string }
  /** `files`: where uploaded files are, to be read too. `state`: where processes keep what is their own. */
  | {
      readonly kind: 'verify';
      readonly store: string;
      readonly state: string | null;
      readonly files: Config | null;
    }
  | {
      readonly kind: 'restore-messages';
      readonly store: string;
      /** Channels by id or name, `direct` for direct messages; none: all. */
      readonly places: readonly string[];
    }
  | {
      readonly kind: 'grant' | 'revoke';
      readonly store: string;
      readonly state: string | null;
      readonly email: string;
      readonly right: UserRight;
    }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' }
  | { readonly kind: 'openapi'; readonly url: string };

/** A command of the admin socket with what it was given. */
export interface AdminArguments {
  /** With its parents, e.g. `users list`. */
  readonly command: string;
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
}

/** Shells that a completion is made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** One of {@link SHELLS}. */
export type Shell = (typeof SHELLS)[number];

/** What a command was given. */
export interface Invocation {
  readonly read: Read;
  readonly args: readonly string[];
  /** Switches and flags that the command has of its own. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly warn: (sentence: string) => void;
  /** Sentences about variables and the configuration file; the command is carried out where there are none. */
  readonly faults: readonly string[];
}

/** One command. */
export interface Spec {
  /** With its parents, e.g. `config check`. */
  readonly name: string;
  /** Whether it is meant where only its parent is named: `actors` for `actors count`. */
  readonly isDefault?: boolean;
  readonly summary: string;
  /** Its arguments, as help shows them: `FOLDER [EXPORT]`. */
  readonly takes?: string;
  /** Options of the server that it takes too. */
  readonly options: 'all' | readonly string[];
  /** It is about one stored organization: where a data folder has several, one is to be named. */
  readonly ofOne?: boolean;
  /** Flags that only this command has, e.g. `--move`, with what they do. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly command: (given: Invocation) => Command;
}

/** What every command takes. */
export const JSON_FLAG = '--json';

/** Where the store is, which every command over a stored organization asks. */
export const STORE = ['config', 'store'];

/** Names the organization that a command is about. */
export const OF_FLAG = '--organization <NAME>';

/** Of commands that fill a store. */
export const INTO_FLAGS = {
  '--into <NAME>': 'fill this organization, beside others of the data folder: a new one, or main',
  '--address <HOST>': 'host name of a new one',
};

/** @param own flags of a command with {@link INTO_FLAGS} */
export function intoFrom(own: Readonly<Record<string, unknown>>): Into {
  return {
    into: own['into'] as string | undefined,
    address: own['address'] as string | undefined,
  };
}

/** Options of commands with {@link INTO_FLAGS}: by these the process that serves is found, and URLs are made. */
export const INTO_OPTIONS = ['url', 'state'];

/** Where the store, its secret and the uploaded files are. */
export const PLACES = [...STORE, 'secret-file', 'files', 'files-credentials-file'];
