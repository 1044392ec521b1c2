import { RE2JS, RE2JSException } from 're2js';
import { codePointLength } from '../text/stored-text.js';
import { LinkifierFault } from './fault.js';

/** A link begins a word: at the start, after space or an opening mark. */
const BEFORE = String.raw`^|\s|\pZ|\x{0085}|['"\(,:<]`;
/** And it ends one. */
const AFTER = String.raw`$|[^\pL\pN]`;
/** Names of our own groups; nobody else may use them. */
const OUTER = 'linkifier_actual_match';
const BEFORE_GROUP = 'linkifier_before_match';
const AFTER_GROUP = 'linkifier_after_match';
const OWN_GROUPS = new Set([OUTER, BEFORE_GROUP, AFTER_GROUP]);

/**
 * Characters times instructions that are searched in one go, some 5 ms at worst: a longer text is searched piece by
 * piece, and between two pieces the time is looked at.
 */
const PIECE_WORK = 250_000;

/** Longest text that becomes a link, code points. */
const MAX_MATCH_LENGTH = 200;
/** What such a text takes at most, UTF-16 units; pieces overlap by as much. */
const MAX_MATCH_UNITS = 2 * MAX_MATCH_LENGTH;

/** Groups of characters (`\pL`, `\p{Greek}`) in a pattern: each costs milliseconds to compile. */
const MAX_CLASSES = 20;

/** Largest compiled pattern, in instructions: bounds what one character of a message can cost. */
const MAX_PROGRAM_SIZE = 500;

/** Where a pattern was found in a text. */
export interface PatternMatch {
  readonly index: number;
  readonly text: string;
  /** Values of the groups that took part. */
  readonly groups: ReadonlyMap<string, string>;
}

/**
 * A pattern with named groups, run by RE2: the time of a search grows with the length of the text and
 * never with the cunning of the pattern.
 */
export class LinkifierPattern {
  /** Names of its groups, in order. */
  readonly names: readonly string[];

  private constructor(
    private readonly whole: RE2JS,
    private readonly inText: RE2JS,
  ) {
    const groups = Object.entries(whole.namedGroups()).sort(([, a], [, b]) => a - b);
    this.names = groups.map(([name]) => name);
  }

  /** @throws LinkifierFault */
  static read(pattern: string): LinkifierPattern {
    if ((pattern.match(/\\p/gi)?.length ?? 0) > MAX_CLASSES)
      throw fault('the pattern is too large');
    const whole = compiled(pattern, pattern);
    for (const name of Object.keys(whole.namedGroups())) {
      if (OWN_GROUPS.has(name)) throw fault(`the group name ${name} is reserved`);
    }
    if (whole.matches('')) throw fault('the pattern matches the empty text');
    const inText = compiled(
      `(?P<${BEFORE_GROUP}>${BEFORE})(?P<${OUTER}>${pattern})(?P<${AFTER_GROUP}>${AFTER})`,
      pattern,
    );
    if (inText.programSize() > MAX_PROGRAM_SIZE) throw fault('the pattern is too large');
    return new LinkifierPattern(whole, inText);
  }

  /** The groups of a text that is, as a whole, what the pattern looks for; else null. */
  groupsOf(text: string): ReadonlyMap<string, string> | null {
    const matcher = this.whole.matcher(text);
    return matcher.matches() ? this.groups((name) => matcher.group(name)) : null;
  }

  /**
   * The places of a text that become links, from left to right, not overlapping, none longer than 200 characters.
   * @param maySearch whether a piece may be searched, told characters times instructions; asked every few
   *     milliseconds and after every match
   */
  *matchesIn(
    text: string,
    maySearch: (work: number) => boolean = () => true,
  ): Iterable<PatternMatch> {
    const pieceLength = Math.max(
      3 * MAX_MATCH_UNITS,
      Math.floor(PIECE_WORK / this.inText.programSize()),
    );
    let from = 0;
    while (from <= text.length) {
      const pieceEnd = characterEnd(text, from + pieceLength);
      if (!maySearch((pieceEnd - from) * this.inText.programSize())) return;
      const matcher = this.inText.matcher(text.slice(0, pieceEnd));
      if (!matcher.find(from)) {
        if (pieceEnd === text.length) return;
        from = pieceEnd - MAX_MATCH_UNITS;
        continue;
      }
      const index = matcher.start(OUTER);
      const end = matcher.end(OUTER);
      // What ends with a piece may go on behind it.
      if (end === pieceEnd && pieceEnd < text.length && index - 1 > from) {
        from = index - 1;
        continue;
      }
      const found = text.slice(index, end);
      if (end - index <= MAX_MATCH_UNITS && codePointLength(found) <= MAX_MATCH_LENGTH) {
        const groups = this.groups((name) => matcher.group(name));
        yield { index, text: found, groups };
      }
      // What follows a link may stand before the next one.
      from = Math.max(end, index + 1);
    }
  }

  private groups(group: (name: string) => string | null | undefined): Map<string, string> {
    const found = new Map<string, string>();
    for (const name of this.names) {
      const value = group(name);
      if (typeof value === 'string') found.set(name, value);
    }
    return found;
  }
}

/** The end of the character that `end` may cut in two; no more than the text has. */
function characterEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return (text.codePointAt(end - 1) ?? 0) > 0xffff ? end + 1 : end;
}

function compiled(source: string, pattern: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    // The text without what we put around it.
    throw fault(error.message.replace('error parsing regexp: ', '').replace(source, pattern));
  }
}

function fault(why: string): LinkifierFault {
  return new LinkifierFault('pattern', `Bad regular expression: ${why}`);
}
