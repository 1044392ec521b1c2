import type { Message, MessageValues } from './catalogs.js';

/*
 * What refusals say to people. The API says them in English, as the contract words them, because clients compare them.
 * The catalog `refusals` has each wording that pages can meet, in English as the sources have it; so the wording tells
 * which message it is, and what stands for its arguments. A message `code.{CODE}` stands for all refusals of a code whose
 * wordings are for programs.
 */

/** The catalog in one language, as it was compiled, and in English as it is written. */
export interface RefusalTexts {
  readonly messages: Readonly<Record<string, Message>>;
  readonly wordings: Readonly<Record<string, string>>;
}

/** The body of a refusal (errors.md#envelope). */
export interface Refusal {
  readonly code: string;
  readonly msg: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Says a refusal in one language; as the API words it where the catalog does not know it. */
export type SayRefusal = (refusal: Refusal) => string;

interface Pattern {
  readonly message: Message;
  readonly names: readonly string[];
  readonly expression: RegExp;
  /** Signs of the wording beside its arguments: of two that fit, the one that says more is meant. */
  readonly fixed: number;
}

const ARGUMENT = /\{(\w+)\}/g;
/** Apostrophes and quotation marks of the catalog, which the sources write by the one sign that keyboards have. */
const QUOTES = /[‘’]/g;

export function refusalSayer({ messages, wordings }: RefusalTexts): SayRefusal {
  const patterns = Object.entries(wordings)
    .filter(([id]) => !id.startsWith('code.'))
    .map(([id, wording]) => patternOf(wording, messages[id]!))
    .sort((a, b) => b.fixed - a.fixed);
  return ({ code, msg, fields }) => {
    const ofCode = messages[`code.${code}`];
    // A part of a second is a second for people.
    if (ofCode)
      return ofCode({ seconds: Math.max(1, Math.ceil(Number(fields['retry-after'] ?? 1))) });
    for (const { message, names, expression } of patterns) {
      const found = expression.exec(msg);
      if (found) return message(valuesOf(names, found));
    }
    return msg;
  };
}

function patternOf(wording: string, message: Message): Pattern {
  const parts = wording.replace(QUOTES, "'").split(ARGUMENT);
  const source = parts.map((part, i) =>
    i % 2 === 1 ? '(.+)' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return {
    message,
    names: parts.filter((_, i) => i % 2 === 1),
    expression: new RegExp(`^${source.join('')}$`, 's'),
    fixed: parts.filter((_, i) => i % 2 === 0).join('').length,
  };
}

function valuesOf(names: readonly string[], found: RegExpExecArray): MessageValues {
  return Object.fromEntries(names.map((name, i) => [name, found[i + 1]!]));
}
