import { namedLanguage, nearestLanguage } from './preferred.js';

/*
 * The languages that the server's own texts are in. People may choose more (`schemas/realm/languages.ts`), which
 * clients have: for those the server's texts are in the nearest of these.
 */

/** How a language calls itself, and where its lines begin. */
interface LanguageFacts {
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
}

export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const satisfies Readonly<Record<string, LanguageFacts>>;

/** A language that there are messages of. */
export type Language = keyof typeof LANGUAGES;

/** What is shown where nobody chose, and what all others are translated from. */
export const SOURCE_LANGUAGE = 'en' satisfies Language;

const CODES = Object.keys(LANGUAGES) as readonly Language[];

/** The language of texts for somebody who chose a code, such as `de` for `de-at`; English where there is none. */
export function languageFor(code: string): Language {
  return nearestLanguage(code.toLowerCase(), CODES) ?? SOURCE_LANGUAGE;
}

/**
 * The language that a browser asks for; null where it names none that there is.
 * @param accepted the `Accept-Language` header
 */
export function languageOfBrowser(accepted: string): Language | null {
  return namedLanguage(accepted, CODES);
}

/** For `Intl`: English as in the catalog, with the day before the month. */
export function localeOf(language: Language): string {
  return language === 'en' ? 'en-GB' : language;
}

/** Where the lines of a language begin, for `dir`. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return LANGUAGES[language].direction;
}
