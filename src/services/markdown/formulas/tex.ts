import { createRequire } from 'node:module';
import { shortWithinTime, type TimeBudget, withinTime } from '../time-limit.js';

/** What is used of the library. */
interface Katex {
  renderToString(tex: string, options: Record<string, unknown>): string;
}

/** What replaces macros in the library; a macro that is a function is given it. */
interface Expander {
  readonly macros: { get(name: string): unknown };
  future(): { readonly text: string };
  /** @returns how many tokens a macro became; false where the next token is none */
  expandOnce: (this: Expander, expandableOnly?: boolean) => number | boolean;
}

/** Macros that one formula may expand, those of the library included. */
const MAX_EXPANSIONS = 300;
/** Largest size that a formula asks for, in units of its letters: it must not cover its surroundings. */
const MAX_SIZE = 20;
/**
 * Longest formula that needs no bound of time, where it has no command: most take less than it costs to set the bound,
 * none more than some milliseconds.
 */
const SHORT_LENGTH = 32;
/** Longest HTML of one formula, UTF-16 units: some 170 are made of each character. */
const MAX_HTML_LENGTH = 300_000;

/** The elements and attributes that formulas are made of; any other would be a fault of the library. */
const TAG =
  /<(?:\/?(?:span|math|semantics|annotation|m[a-z]{1,12}|svg|path|line)\b)(?: (?:class|style|aria-hidden|xmlns|encoding|display|d|viewBox|viewbox|preserveAspectRatio|width|height|x1|x2|y1|y2|stroke-width|[a-z]{4,24})="[^"<>]*")* ?\/?>/g;
const FORBIDDEN = /<|\bon[a-z]+=|javascript:|url\(/i;

let katex: Katex | undefined;

/** Read with the first formula: it takes as long as everything else of Markdown together. */
function library(): Katex {
  if (!katex) {
    katex = createRequire(import.meta.url)('katex') as Katex;
    const found = (one: Expander): string => {
      countGrowth(Object.getPrototypeOf(one) as Expander);
      return '';
    };
    katex.renderToString('\\found', { macros: { '\\found': found } });
  }
  return katex;
}

/** What the macros of a message may still become. */
export interface Growth {
  /** Tokens. */
  left: number;
}

/** Of the formula at hand. */
let growth: Growth = { left: 0 };

/**
 * Counts what a formula's own macros become. The library bounds how often macros are expanded, and not how long they
 * are: three hundred times four hundred letters are a hundred thousand.
 */
function countGrowth(expander: Expander): void {
  const { expandOnce } = expander;
  expander.expandOnce = function (this: Expander, expandableOnly?: boolean): number | boolean {
    // The macros of the library are texts and functions.
    const isOwn = typeof this.macros.get(this.future().text) === 'object';
    const tokens = expandOnce.call(this, expandableOnly);
    if (isOwn && typeof tokens === 'number') growth.left -= tokens;
    if (growth.left < 0) throw new Error('The macros of this formula become too much');
    return tokens;
  };
}

/**
 * The HTML of a formula in TeX, with MathML for readers who cannot see it.
 * @param display on lines of its own
 * @param time what the message may still take
 * @param growing what its own macros may become; is left what the message has then
 * @returns undefined for what is no TeX, or costs too much
 */
export function renderTex(
  tex: string,
  display: boolean,
  time: TimeBudget,
  growing: Growth,
): string | undefined {
  const known = library();
  const { left } = growing;
  const options = { displayMode: display, maxExpand: MAX_EXPANSIONS, maxSize: MAX_SIZE };
  try {
    // Outside of the bound of time: work that is ended runs no `finally` of its own.
    const bounded = isShort(tex) ? shortWithinTime : withinTime;
    const html = quietly(() =>
      bounded(() => {
        // Work that is begun again has what it had.
        growth = Object.assign(growing, { left });
        return known.renderToString(tex, { ...options, strict: 'ignore' });
      }, time),
    );
    return html !== undefined && isFormula(html) ? html : undefined;
  } catch {
    // The library throws for every fault in a formula, and for what nests too deeply.
    return undefined;
  }
}

/** Whether a formula is only letters, numbers and signs, and few of them. */
function isShort(tex: string): boolean {
  return tex.length <= SHORT_LENGTH && !tex.includes('\\');
}

/**
 * The library writes to the console what `\message`, `\errmessage` and `\show` say, and warns of each character that
 * its fonts lack: with that, anybody who writes a message would write lines into the operator's log.
 */
function quietly<T>(work: () => T): T {
  const { log, warn, error } = console;
  const nothing = (): void => undefined;
  Object.assign(console, { log: nothing, warn: nothing, error: nothing });
  try {
    return work();
  } finally {
    Object.assign(console, { log, warn, error });
  }
}

function isFormula(html: string): boolean {
  return html.length <= MAX_HTML_LENGTH && !FORBIDDEN.test(html.replace(TAG, ''));
}
