import { badRequest } from '../../errors/index.js';

/** The `a@b` of `Name <a@b>`. */
const WITH_NAME = /<([^<>]*)>\s*$/;
/** A quoted part of a name. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** A comment, as in `a@b (Name)`. */
const COMMENT = /\([^()]*\)/g;

/**
 * Parses addresses separated by commas or newlines: strips names, which may be quoted and have commas then, skips empty
 * addresses, and drops repetitions in any case.
 * @throws ApiError when there is none
 */
export function inviteeAddresses(text: string): string[] {
  const addresses = new Map<string, string>();
  for (const piece of text.split('\n').flatMap(piecesOf)) {
    const address = (addressWithName(piece) ?? piece.replace(COMMENT, '')).trim();
    const key = address.toLowerCase();
    if (address !== '' && !addresses.has(key)) addresses.set(key, address);
  }
  if (addresses.size === 0) throw badRequest('You must specify at least one email address.');
  return [...addresses.values()];
}

/** The address behind a name; null where there is none, or a further address stands before it. */
function addressWithName(piece: string): string | null {
  const found = WITH_NAME.exec(piece);
  if (!found) return null;
  // As a whole it is no address, and refused by name: none of several is lost without a word.
  return /[@<;]/.test(piece.slice(0, found.index).replace(QUOTED, '')) ? null : found[1]!;
}

/** The parts of a line between commas that are neither in quotes nor in a comment. */
function piecesOf(line: string): string[] {
  if (!/["(]/.test(line)) return line.split(',');
  const pieces: string[] = [];
  let begin = 0;
  // Where a mark is not closed, it and all further ones of its kind are ordinary characters: each is searched once.
  const open = { '"': true, '(': true };
  for (let at = 0; at < line.length; at += 1) {
    const mark = line[at]!;
    if ((mark === '"' || mark === '(') && open[mark]) {
      const end = endOf(line, at + 1, mark === '"' ? '"' : ')');
      if (end < 0) open[mark] = false;
      else at = end;
    } else if (mark === ',') {
      pieces.push(line.slice(begin, at));
      begin = at + 1;
    }
  }
  pieces.push(line.slice(begin));
  return pieces;
}

/** Where the closing mark is, escaped ones left out (RFC 5322 section 3.2); -1 for none. */
function endOf(line: string, from: number, close: string): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === close) return at;
  }
  return -1;
}
