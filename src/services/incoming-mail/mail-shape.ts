/**
 * What a mail is made of, counted before it is read: a scan costs 0.1 s for 25 MiB, and each part or line is far dearer
 * to read.
 */

/** Most parts of a mail, mails within it too. A digest of a list has some hundreds; 10,000 take more than a second. */
const MAX_PARTS = 5000;
/**
 * Most lines that are neither base64 nor quoted-printable, which the library takes 25 µs for, twenty times as long as
 * one of these: a log of 8 MB has as many.
 */
const MAX_PLAIN_LINES = 100_000;
/** Shorter lines count as plain ones, bytes: half a million of base64 would take all memory. Programs write 76. */
const MIN_ENCODED_LINE = 40;
/** Most lines of any kind: 25 MiB in lines of 76 characters are 350,000. */
const MAX_LINES = 1_000_000;
/** What is looked at of the headers of one part, bytes; the library bounds all headers together. */
const MAX_HEADERS = 64 * 1024;
/** Longer than any boundary (RFC 2046), bytes. */
const MAX_BOUNDARY = 100;

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;
const BOUNDARY =
  /^content-type:[^\n]*(?:\n[ \t][^\n]*)*?boundary\s*=\s*(?:"([^"\n]*)"|([^\s;"]+))/im;
const MULTIPART = /^content-type:\s*multipart\//im;
const MESSAGE = /^content-type:\s*message\/rfc822/im;
const ENCODED = /^content-transfer-encoding:\s*(?:base64|quoted-printable)/im;

/** @throws Error for a mail of more parts or lines than are read */
export function checkShape(raw: Uint8Array): void {
  new Shape(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)).scan();
}

/** A mail while its lines are counted. Whatever is not recognized counts as plain lines. */
class Shape {
  private readonly boundaries = new Set<string>();
  private parts = 0;
  private lines = 0;
  private plainLines = 0;
  private headersFrom = 0;
  private inHeaders = true;
  private isEncoded = false;

  constructor(private readonly raw: Buffer) {}

  scan(): void {
    const { raw } = this;
    for (let start = 0; start < raw.length;) {
      const newline = raw.indexOf(LF, start);
      const next = newline < 0 ? raw.length : newline + 1;
      const end = raw[next - 2] === CR ? next - 2 : next - 1;
      this.line(start, Math.max(start, newline < 0 ? raw.length : end), next);
      start = next;
    }
  }

  private line(start: number, end: number, next: number): void {
    this.lines += 1;
    if (this.lines > MAX_LINES) throw new Error(`it has more than ${MAX_LINES} lines`);
    if (this.isBoundary(start, end)) {
      this.countPart();
      this.inHeaders = true;
      this.headersFrom = next;
    } else if (this.inHeaders) {
      if (start === end) this.readHeaders(start, next);
    } else if (!this.isEncoded || end - start < MIN_ENCODED_LINE) {
      this.plainLines += 1;
      if (this.plainLines > MAX_PLAIN_LINES) {
        throw new Error(
          `it has more than ${MAX_PLAIN_LINES} lines of text that is not encoded, or short`,
        );
      }
    }
  }

  private countPart(): void {
    this.parts += 1;
    if (this.parts > MAX_PARTS) throw new Error(`it has more than ${MAX_PARTS} parts`);
  }

  private isBoundary(start: number, end: number): boolean {
    const { raw, boundaries } = this;
    if (raw[start] !== DASH || raw[start + 1] !== DASH || boundaries.size === 0) return false;
    if (end - start > MAX_BOUNDARY) return false;
    return boundaries.has(raw.toString('latin1', start + 2, end).trimEnd());
  }

  private readHeaders(end: number, next: number): void {
    const from = this.headersFrom;
    const headers = this.raw
      .toString('latin1', from, Math.min(end, from + MAX_HEADERS))
      .replaceAll('\r\n', '\n');
    const isMultipart = MULTIPART.test(headers);
    if (isMultipart) {
      const found = BOUNDARY.exec(headers);
      this.boundaries.add(found?.[1] ?? found?.[2] ?? '');
    }
    // The mail within one has headers of its own.
    this.inHeaders = MESSAGE.test(headers);
    if (this.inHeaders) this.countPart();
    this.headersFrom = next;
    this.isEncoded = !isMultipart && ENCODED.test(headers);
  }
}
