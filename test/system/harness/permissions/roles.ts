import type { ApiClient, Body } from '../client.js';
import type { World } from './world.js';

/** Who calls; `new member` is within the waiting period, `bot` is a generic one of the full member. */
export const CALLERS = [
  'owner',
  'administrator',
  'moderator',
  'full member',
  'new member',
  'guest',
  'bot',
  'anonymous',
] as const;

export type CallerName = (typeof CALLERS)[number];

/** The body of a refusal that goes by who calls. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly msg: string;
}

/** What one caller gets from one endpoint. */
export type Outcome = 'allowed' | Refusal;

/** A row of the matrix: no caller is left out. */
export type Who = Readonly<Record<CallerName, Outcome>>;

/** An endpoint asked for one thing. */
export interface Case {
  readonly who: Who;
  /** What is asked for, where an endpoint has several cases. */
  readonly of?: string;
  /** What the path names, where the cases of an endpoint name several kinds of things, and rights go by that. */
  readonly target?: string;
  /**
   * Parameters that succeed for whoever is allowed, and what must be there for that; a value of `{name}`
   * goes into the path. For nobody, things are made as the owner's.
   */
  readonly given?: (world: World, caller: ApiClient) => Body | Promise<Body>;
  /** Answer to those who are allowed, where nobody can succeed on a server that is set up like this one. */
  readonly meets?: Refusal;
  /** Run by an account that was made for it, as it is not the same afterwards. */
  readonly doomed?: true;
  /** A picture is sent along. */
  readonly picture?: true;
}

/** By operation: every endpoint there is. */
export type Matrix = Readonly<Record<string, readonly Case[]>>;

/** A refusal, 400 `BAD_REQUEST` unless said. */
export function refused(msg: string, code = 'BAD_REQUEST', status = 400): Refusal {
  return { status, code, msg };
}

/** authentication.md#basic. */
const NO_CREDENTIALS = refused(
  'Not logged in: API authentication or user session required',
  'UNAUTHORIZED',
  401,
);
/** conventions.md#callers: what incoming-webhook bots get everywhere but from `POST /messages`. */
export const NO_WEBHOOK_BOTS = refused(
  'This API is not available to incoming webhook bots.',
  'UNAUTHORIZED',
  401,
);

/** errors.md#permission-messages. */
export const NO_BOTS = refused('This endpoint does not accept bot requests.');
export const NO_GUESTS = refused('Not allowed for guest users');
const NOT_ADMINISTRATOR = refused(
  'Must be an organization administrator',
  'UNAUTHORIZED_PRINCIPAL',
);
export const NOT_OWNER = refused('Must be an organization owner', 'UNAUTHORIZED_PRINCIPAL');
export const NO_RIGHT = refused('Insufficient permission');

/** Everybody, with credentials or without. */
export const ANYONE: Who = {
  owner: 'allowed',
  administrator: 'allowed',
  moderator: 'allowed',
  'full member': 'allowed',
  'new member': 'allowed',
  guest: 'allowed',
  bot: 'allowed',
  anonymous: 'allowed',
};

/** Any active account: what holds unless said (conventions.md#callers). */
export const ACCOUNTS: Who = { ...ANYONE, anonymous: NO_CREDENTIALS };
export const HUMANS: Who = { ...ACCOUNTS, bot: NO_BOTS };
export const MEMBERS: Who = { ...ACCOUNTS, guest: NO_GUESTS };
export const HUMAN_MEMBERS: Who = { ...MEMBERS, bot: NO_BOTS };

export const ADMINISTRATORS: Who = {
  ...ACCOUNTS,
  moderator: NOT_ADMINISTRATOR,
  'full member': NOT_ADMINISTRATOR,
  'new member': NOT_ADMINISTRATOR,
  guest: NOT_ADMINISTRATOR,
  bot: NOT_ADMINISTRATOR,
};

export const OWNERS: Who = {
  owner: 'allowed',
  administrator: NOT_OWNER,
  moderator: NOT_OWNER,
  'full member': NOT_OWNER,
  'new member': NOT_OWNER,
  guest: NOT_OWNER,
  bot: NOT_OWNER,
  anonymous: NO_CREDENTIALS,
};

/** The console is for persons: bots are refused before their role counts. */
export const HUMAN_ADMINISTRATORS: Who = { ...ADMINISTRATORS, bot: NO_BOTS };
export const HUMAN_OWNERS: Who = { ...OWNERS, bot: NO_BOTS };

/** Administrators, and for some of their powers only owners. */
export const OWNERS_AMONG_ADMINISTRATORS: Who = { ...ADMINISTRATORS, administrator: NOT_OWNER };

export const HUMAN_OWNERS_AMONG_ADMINISTRATORS: Who = {
  ...OWNERS_AMONG_ADMINISTRATORS,
  bot: NO_BOTS,
};

/** Those of the given row for whom a refusal is another. */
export function except(who: Who, others: Partial<Who>): Who {
  return { ...who, ...others };
}

/** Accounts, of which all but administrators and owners are refused in these words. */
export function administratorsElse(refusal: Refusal): Who {
  return {
    ...ACCOUNTS,
    moderator: refusal,
    'full member': refusal,
    'new member': refusal,
    guest: refusal,
    bot: refusal,
  };
}
