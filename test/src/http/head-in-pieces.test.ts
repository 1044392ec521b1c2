import t from 'tap';
import { RawConnection } from './raw-connection.js';
import { startToy } from './toy-server.js';

/** On Node 20 the native library takes a request line for broken where it arrives in pieces (docs/http-limits.md). */
const ON_20 = process.versions.node.startsWith('20.');

const LINE = 'GET /api/v1/open HTTP/1.1';

/** A head of so many bytes. */
function head(line: string, bytes: number): string {
  const before = `${line}\r\nHost: test\r\n`;
  const header = 'X-Filling: ';
  const filling = bytes - before.length - header.length - 4;
  return `${before}${header}${'x'.repeat(filling)}\r\n\r\n`;
}

/** The status of the answer to a head that arrives in two pieces; null where the server closes without one. */
async function statusOf(port: number, bytes: string, cut: number): Promise<number | null> {
  const connection = await RawConnection.open(port);
  connection.write(bytes.slice(0, cut));
  // What the server answers afterwards, it answers when it has read the first piece.
  const other = await RawConnection.open(port);
  other.request('GET', '/api/v1/open');
  await other.response();
  connection.write(bytes.slice(cut));
  const reply = await connection.response();
  connection.destroy();
  other.destroy();
  return reply?.status ?? null;
}

void t.test('a head of 16 KB that arrives in two pieces is read, wherever it is cut', async (t) => {
  const { port } = await startToy(t);
  const bytes = head(LINE, 16_000);
  const afterLine = LINE.length + 2;
  for (const cut of [1, 3, afterLine, afterLine + 3, 4095, 4097, 8000, 15_997, 15_999]) {
    t.equal(await statusOf(port, bytes, cut), 200, `after ${cut} bytes`);
  }
});

void t.test('a head of 17 KB in two pieces is refused', async (t) => {
  const { port } = await startToy(t);
  t.equal(await statusOf(port, head(LINE, 17_000), 9000), 431);
});

void t.test(
  'a request line of 8 KB that arrives in two pieces is read',
  { skip: ON_20 },
  async (t) => {
    const { port } = await startToy(t);
    const line = `GET /api/v1/open?x=${'y'.repeat(8000)} HTTP/1.1`;
    for (const cut of [10, 1448, 4097, line.length - 3, line.length + 1]) {
      t.equal(await statusOf(port, head(line, 9000), cut), 200, `after ${cut} bytes`);
    }
  },
);
