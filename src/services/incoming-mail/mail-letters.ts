/*
 * Reads mails with the project's own idea of charsets and of flowed text. The library decodes with the platform's
 * `TextDecoder` (text/decode.ts says what that lacks) and takes a charset that it does not know for windows-1252; text
 * that flows it joins across quotes. Four methods of its parts of a mail are replaced; all else stays the library's.
 */
import { isUtf8 } from 'node:buffer';
import PostalMime from 'postal-mime';
import { decode } from '../text/decode.js';
import { charsetOfHtml } from '../text/html-charset.js';
import { unflowed } from './flowed-text.js';

/** What is used of a part of a mail, as the library has it. */
interface Part {
  readonly state: 'header' | 'body' | 'finished';
  headerLines: string[];
  readonly content: ArrayBuffer | null;
  readonly contentType: { readonly parsed: Header };
  readonly feed: (line: Uint8Array) => void;
  readonly processHeaders: () => void;
  readonly parseStructuredHeader: (text: string) => Header;
}

interface Header {
  readonly value: string;
  readonly params: Record<string, string>;
}

/** The prototype of the parts, which the library does not export. */
const part = Object.getPrototypeOf((new PostalMime() as unknown as { root: Part }).root) as Part;
const { feed, processHeaders, parseStructuredHeader } = part;

Object.assign(part, {
  getTextContent(this: Part): string {
    const { value, params } = this.contentType.parsed;
    const { charset, format, delsp } = params;
    const bytes = new Uint8Array(this.content ?? []);
    const isHtml = !charset && /^text\/html$/i.test(value);
    const text = decode(bytes, isHtml ? charsetOfHtml(bytes) : charset);
    return /^flowed$/i.test(format ?? '') ? unflowed(text, /^yes$/i.test(delsp ?? '')) : text;
  },

  /** Headers of 8 bits are UTF-8, or Latin of old programs. */
  feed(this: Part, line: Uint8Array): void {
    const isHeader = this.state === 'header' && line.length > 0;
    feed.call(this, isHeader ? inUtf8(line) : line);
  },

  processHeaders(this: Part): void {
    this.headerLines = withWordsInUtf8(this.headerLines);
    processHeaders.call(this);
  },

  parseStructuredHeader(this: Part, text: string): Header {
    const charset = EXTENDED.exec(text)?.[1];
    if (charset === undefined) return parseStructuredHeader.call(this, text);
    const header = parseStructuredHeader.call(this, withMarks(text, charset));
    for (const [name, value] of Object.entries(header.params)) {
      if (isExtended(text, name)) header.params[name] = decode(unmarked(value), charset);
    }
    return header;
  },
});

/** A mark of byte order stays what it is: a line must not become a header that it is not. */
function inUtf8(line: Uint8Array): Uint8Array {
  if (isUtf8(line)) return line;
  return Buffer.from(decode(Buffer.concat([Buffer.from(' '), line])).slice(1));
}

/** `=?charset?B?…?=` (RFC 2047), also the next ones of the same charset and form, which may share a character. */
const WORDS = /=\?([^?\s]{1,60})\?([bq])\?[^?]*\?=(?:\s+=\?\1\?\2\?[^?]*\?=)*/gi;
const WORD = /=\?[^?\s]+\?[bq]\?([^?]*)\?=/gi;

/** Lines of headers whose encoded words are in UTF-8. Words of one header are in several lines. */
function withWordsInUtf8(lines: readonly string[]): string[] {
  const text = lines.join('\n');
  if (!text.includes('=?')) return [...lines];
  return text
    .replaceAll(WORDS, (words, charset: string, form: string) => {
      const isBase64 = form.toLowerCase() === 'b';
      const pieces = [...words.matchAll(WORD)].map((word) =>
        isBase64 ? Buffer.from(word[1]!, 'base64') : quotedBytes(word[1]!),
      );
      const together = decode(Buffer.concat(pieces), charset);
      const read = together.includes('\ufffd')
        ? pieces.map((piece) => decode(piece, charset)).join('')
        : together;
      return `=?utf-8?B?${Buffer.from(read).toString('base64')}?=`;
    })
    .split('\n');
}

function quotedBytes(text: string): Buffer {
  const bytes = text
    .replaceAll(/[_\s]/g, ' ')
    .replaceAll(/=([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1');
}

/** `filename*=charset'language'…` (RFC 2231), or the first piece of several. */
const EXTENDED = /\*(?:0\*)?\s*=\s*"?([\w.:-]{1,60})'[^']*'/;

/** A piece whose bytes are escaped. */
const PIECE = /\*\s*=\s*(?:"[^"]*"|[^;\s]*)/g;

function isExtended(text: string, name: string): boolean {
  return text.toLowerCase().includes(`${name}*`);
}

/** A byte above 127 stands between other characters as one of those that are nobody's, until the charset is applied. */
const MARKS = 0xf700;

/** The header as UTF-8, with a mark for each byte above 127: the library joins pieces, and so no character is cut. */
function withMarks(text: string, charset: string): string {
  return text.replaceAll(PIECE, (piece) =>
    piece
      .replace(`${charset}'`, "utf-8'")
      .replaceAll(/%([89a-f][0-9a-f])/gi, (_all, hex: string) =>
        encodeURIComponent(String.fromCharCode(MARKS + parseInt(hex, 16))),
      ),
  );
}

function unmarked(text: string): Buffer {
  return Buffer.concat(
    Array.from(text, (character) => {
      const code = character.charCodeAt(0);
      const isMark = code > MARKS + 0x7f && code <= MARKS + 0xff;
      return isMark ? Buffer.of(code - MARKS) : Buffer.from(character);
    }),
  );
}

export { PostalMime };
