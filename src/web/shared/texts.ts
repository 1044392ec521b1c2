import type { Message, PageArea, Say } from '../../languages/catalogs.js';
import { sayer } from '../../languages/say.js';

/*
 * The messages of the page in the one language it is shown in: the server puts their script before that of the page, and
 * names the language in `lang` (`src/resources/pages/layout.ts`).
 */
declare const parleyMessages: Readonly<Record<PageArea, Readonly<Record<string, Message>>>>;

/** The language of the page, such as `de`; also for `Intl`. */
export const language = document.documentElement.lang;

/** The language of the page as it is used where the reader lives: days and hours differ. */
export const locale = navigator.languages.find((one) => one.split('-')[0] === language) ?? language;

/** Says messages of an area. */
export function texts<A extends PageArea>(area: A): Say<A> {
  return sayer(parleyMessages[area]);
}
