import type chat from './en/chat.json';
import type console from './en/console.json';
import type mails from './en/mails.json';
import type notices from './en/notices.json';
import type pages from './en/pages.json';
import type refusals from './en/refusals.json';
import type shared from './en/shared.json';
import type { Values as ChatValues } from './values/chat.js';
import type { Values as ConsoleValues } from './values/console.js';
import type { Values as MailsValues } from './values/mails.js';
import type { Values as NoticesValues } from './values/notices.js';
import type { Values as PagesValues } from './values/pages.js';
import type { Values as RefusalsValues } from './values/refusals.js';
import type { Values as SharedValues } from './values/shared.js';

/** The catalogs by area. English has every message, so that its ids are those of all. */
export interface Catalogs {
  readonly chat: typeof chat;
  readonly console: typeof console;
  readonly mails: typeof mails;
  readonly notices: typeof notices;
  readonly pages: typeof pages;
  /** What the API refuses with (`refusals.ts`). */
  readonly refusals: typeof refusals;
  /** Of `src/web/shared`, what all pages of browsers have. */
  readonly shared: typeof shared;
}

/** What messages are given, by area. */
interface Values {
  readonly chat: ChatValues;
  readonly console: ConsoleValues;
  readonly mails: MailsValues;
  readonly notices: NoticesValues;
  readonly pages: PagesValues;
  readonly refusals: RefusalsValues;
  readonly shared: SharedValues;
}

/** Areas of what the server writes. */
export type ServerArea = 'mails' | 'notices' | 'pages';

/** Areas of what runs in browsers. */
export type PageArea = 'chat' | 'console' | 'shared';

/** What is put into a message: numbers that it counts or shows, texts that it repeats. */
export type MessageValues = Readonly<Record<string, string | number>>;

/** What a message is given, by its id: nothing, or an object with its values. */
type ValuesOf<A extends keyof Catalogs, K> = K extends keyof Values[A] ? [Values[A][K]] : [];

/** A message as it was compiled (`scripts/languages.js`). */
export type Message = (values?: MessageValues) => string;

/** Says a message of an area in one language. */
export interface Say<A extends keyof Catalogs> {
  <K extends keyof Catalogs[A]>(id: K, ...values: ValuesOf<A, K>): string;
  /** For the compiler alone. */
  readonly area?: A;
}
