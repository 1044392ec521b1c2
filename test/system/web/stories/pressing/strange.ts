import { readdirSync, readFileSync } from 'node:fs';
import { MARK } from './in-page.js';

type Messages = Readonly<Record<string, string>>;

/** All messages of a language, by file and id. */
function messagesIn(language: string): Map<string, string> {
  const folder = `src/languages/${language}`;
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    files.flatMap((file) => {
      const messages = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Messages;
      return Object.entries(messages).map(([id, text]) => [`${file} ${id}`, text] as const);
    }),
  );
}

/** Texts with at least so many letters beside what is put into them are told from what people write. */
const LEAST_LETTERS = 4;

/**
 * What no page in a language says: English messages that this language says otherwise, as regular expressions; in a
 * language of other letters, any three English words in a row.
 */
export function strangeIn(language: string): string[] {
  if (language === 'en') return [];
  const own = new Set(messagesIn(language).values());
  const english = [...messagesIn('en').values()].filter((text) => {
    const [plain] = [text.replaceAll(/\{[^{}]*\}/g, '')];
    return !own.has(text) && !/[{}<>]/.test(plain) && plain.length >= LEAST_LETTERS;
  });
  const wordings = [...new Set(english)].map(
    (text) =>
      `^${text
        .split(/\{[^{}]*\}/)
        .map((part) => part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`))
        .join('.*')}$`,
  );
  const words = String.raw`(?!${MARK})[A-Za-z]{2,}`;
  return language === 'ar' ? [...wordings, `${words} ${words} ${words}`] : wordings;
}
