import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Message, ServerArea, Say } from './catalogs.js';
import { refusalSayer, type RefusalTexts, type SayRefusal } from './refusals.js';
import { sayer } from './say.js';
import type { Language } from './languages.js';

/*
 * The messages of the server, which `scripts/languages.js` compiles to one module per language. Each is loaded with the
 * first text in its language: a millisecond, and most servers write in one or two.
 */

interface Compiled {
  readonly default: Readonly<Record<ServerArea | 'refusals', Readonly<Record<string, Message>>>>;
  readonly wordings: RefusalTexts['wordings'];
}

const require = createRequire(import.meta.url);
const loaded = new Map<Language, Compiled>();
const refusing = new Map<Language, SayRefusal>();

/** The messages of an area in a language. */
export function texts<A extends ServerArea>(area: A, language: Language): Say<A> {
  return sayer(compiled(language).default[area]);
}

/** Says refusals of the API in a language. */
export function refusalsIn(language: Language): SayRefusal {
  let say = refusing.get(language);
  if (!say) {
    const { default: areas, wordings } = compiled(language);
    say = refusalSayer({ messages: areas.refusals, wordings });
    refusing.set(language, say);
  }
  return say;
}

function compiled(language: Language): Compiled {
  let messages = loaded.get(language);
  if (!messages) {
    const file = join(import.meta.dirname, 'messages', `${language}.cjs`);
    messages = require(file) as Compiled;
    loaded.set(language, messages);
  }
  return messages;
}
