import t from 'tap';
import { utf8Text, type NativeResponse, type NativeSocket } from '../../../src/http/native.js';
import { RawConnection } from './raw-connection.js';
import { ROUTES, startToy, toyEndpoint } from './toy-server.js';

/** Texts whose letters beyond ASCII lie below U+0100, beside others; halves of surrogate pairs are no characters. */
const TEXTS: Readonly<Record<string, string>> = {
  'Latin-1': 'Crème brûlée für Zoë',
  ASCII: 'Sunday roast',
  Cyrillic: 'Привет',
  CJK: '你好',
  emoji: '🎉',
  'Latin-1 and others': 'Käse 🧀 — сыр',
  'half a surrogate pair': 'ä\ud83c',
  'the other half': '\udf89ä',
  controls: 'a\u0080b\u00ff',
  nothing: '',
  'a long one': 'Ångström '.repeat(6000),
};

/** The bytes on the wire. */
function bytesOf(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/** Nobody calls it: that it compiles shows that the compiler refuses every text that did not pass `utf8Text`. */
export function refused(
  response: NativeResponse,
  socket: NativeSocket<unknown>,
  text: string,
): void {
  // @ts-expect-error a plain text
  response.end(text);
  // @ts-expect-error a plain text
  response.write(text);
  // @ts-expect-error a plain text
  response.tryEnd(text, 1);
  // @ts-expect-error a plain text
  response.writeStatus(text);
  // @ts-expect-error a plain text
  response.writeHeader('X-Text', text);
  // @ts-expect-error a plain text
  socket.send(text, false);
  // @ts-expect-error a plain text
  socket.end(1000, text);
  response.end(utf8Text(text));
}

void t.test('text is handed over as bytes unless it is ASCII alone', async (t) => {
  t.equal(utf8Text('plain ~\n'), 'plain ~\n');
  t.same(utf8Text('é'), Buffer.from([0xc3, 0xa9]));
  t.same(utf8Text('\u0080'), Buffer.from([0xc2, 0x80]));
  t.same(utf8Text('a\ud800'), Buffer.from([0x61, 0xef, 0xbf, 0xbd]), 'half a pair is U+FFFD');
  const bytes = Buffer.from([0xff, 0]);
  t.equal(utf8Text(bytes), bytes, 'bytes stay what they are');
});

void t.test('every reply has its text as UTF-8', async (t) => {
  let text = '';
  const routes = [
    ...ROUTES,
    {
      endpoint: toyEndpoint({ method: 'GET', path: '/text', access: 'anonymous' }),
      call: () => ({ text }),
    },
  ];
  const { port } = await startToy(t, {
    routes,
    files: () => ({ body: text, contentType: 'text/plain; charset=utf-8' }),
  });
  for (const [name, one] of Object.entries(TEXTS)) {
    text = one;
    for (const [target, expected] of [
      ['/api/v1/text', `{"result":"success","msg":"","text":${JSON.stringify(one)}}\n`],
      ['/file.txt', one],
    ] as const) {
      const connection = await RawConnection.open(port);
      connection.request('GET', target);
      const reply = await connection.bytes();
      t.equal(reply?.status, 200, `${name}: ${target}`);
      t.ok(reply?.body.equals(bytesOf(expected)), `${name}: ${target} as UTF-8`);
      connection.request('HEAD', target);
      const head = await connection.response({ head: true });
      t.equal(
        head?.headers.get('content-length'),
        String(bytesOf(expected).length),
        `HEAD ${name}`,
      );
      connection.destroy();
    }
  }
});
