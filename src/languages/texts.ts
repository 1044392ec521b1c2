import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Message, ServerArea, Say } from './catalogs.js';
import { sayer } from './say.js';
import type { Language } from './languages.js';

/*
 * The messages of the server, which `scripts/languages.js` compiles to one module per language. Each is loaded with the
 * first text in its language: a millisecond, and most servers write in one or two.
 */

type Compiled = Readonly<Record<ServerArea, Readonly<Record<string, Message>>>>;

const require = createRequire(import.meta.url);
const loaded = new Map<Language, Compiled>();

/** The messages of an area in a language. */
export function texts<A extends ServerArea>(area: A, language: Language): Say<A> {
  return sayer(compiled(language)[area]);
}

function compiled(language: Language): Compiled {
  let messages = loaded.get(language);
  if (!messages) {
    const file = join(import.meta.dirname, 'messages', `${language}.cjs`);
    messages = (require(file) as { readonly default: Compiled }).default;
    loaded.set(language, messages);
  }
  return messages;
}
