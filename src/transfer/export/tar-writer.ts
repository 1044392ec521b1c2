/** Writing a tar archive (POSIX, with pax headers for long names) a file at a time. */

/** Size of headers; contents are filled up to a multiple of it. Bytes. */
const BLOCK = 512;
/** Longest name that fits into a header of its own, bytes. */
const SHORT = 100;

/** A file of an archive, with its content in pieces. */
export interface TarEntry {
  readonly name: string;
  readonly content: readonly Buffer[];
}

/** The bytes of an archive. @param seconds when its files were changed, UNIX seconds */
export async function* tarBytes(
  entries: AsyncIterable<TarEntry>,
  seconds: number,
): AsyncGenerator<Buffer> {
  for await (const { name, content } of entries) {
    if (Buffer.byteLength(name) > SHORT) {
      const path = paxRecord('path', name);
      yield header('PaxHeader', path.length, 'x', seconds);
      yield padded(path);
    }
    const size = content.reduce((sum, piece) => sum + piece.length, 0);
    yield header(name, size, '0', seconds);
    yield* content;
    yield Buffer.alloc(rest(size));
  }
  yield Buffer.alloc(2 * BLOCK);
}

function header(name: string, size: number, type: '0' | 'x', seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  // A long name was said before; no character is cut in two.
  block.write(name, 0, SHORT);
  block.write('0000600\0', 100);
  block.write('0000000\0'.repeat(2), 108);
  block.write(`${octal(size)}\0`, 124);
  block.write(`${octal(seconds)}\0`, 136);
  block.write('        ', 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** Eleven digits: 8 GiB, above any file of an export. */
function octal(value: number): string {
  return value.toString(8).padStart(11, '0');
}

/** `LENGTH key=value`, whose length counts its own digits. */
function paxRecord(key: string, value: string): Buffer {
  const said = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(said);
  let length = bytes + String(bytes).length;
  if (String(length).length > String(bytes).length) length = bytes + String(length).length;
  return Buffer.from(`${length}${said}`);
}

function padded(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc(rest(content.length))]);
}

function rest(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
