import type { IncomingMessage } from 'node:http';
import { CannotListenError } from './cannot-listen.js';
import { httpGet } from '../platform/network.js';
import {
  closeListenSocket,
  createApp,
  listen,
  portOf,
  utf8Text,
  type ListenSocket,
  type NativeApp,
} from './native.js';

/*
 * Asks the native library, over the loopback interface, whether it sends and reads what Parley relies on. A test asks
 * the build of every release; a start asks one that nobody has tested (native-binary.ts).
 */

/** What goes out, by what it is. */
const SAMPLES: readonly (readonly [name: string, sent: string | Buffer])[] = [
  ['nothing', ''],
  ['ASCII', 'plain text ~'],
  ['letters of Western Europe', 'Käse für Zoë, naïve Ångström'],
  ['Cyrillic', 'Привет'],
  ['Chinese', '你好'],
  ['emoji', '🎉'],
  ['half of a surrogate pair', 'ä\ud83c'],
  ['any bytes', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
  ['a long text', 'ä'.repeat(100_000)],
  ['a long ASCII text', 'a'.repeat(100_000)],
];

/**
 * Longer samples go out neither in a header nor in the reason of a close, nor as one part of a body, which the network
 * may take in pieces.
 */
const SHORT_LENGTH = 100;
/** A close code of applications. */
const CLOSE_CODE = 4000;
/** Longest that an answer over the loopback interface may take, milliseconds: far more than any takes. */
const ANSWER_MS = 5000;

const HANDSHAKE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const TEXT_FRAME = 1;
const BINARY_FRAME = 2;
const CLOSE_FRAME = 8;

/**
 * What the library does otherwise than Parley needs, a line each.
 * @param create makes a native application; a test gives one that is wrong
 * @throws CannotListenError where no port is free to ask it
 */
export async function nativeFaults(create: () => NativeApp = createApp): Promise<string[]> {
  const app = create();
  serve(app);
  const socket = probeSocket(app);
  const base = `http://127.0.0.1:${portOf(socket)}`;
  const faults: string[] = [];
  const compare = (what: string, expected: Buffer, found: Buffer): void => {
    const fault = difference(expected, found);
    if (fault !== null) faults.push(`${what}: ${fault}`);
  };
  try {
    for (const [at, [name, sent]] of SAMPLES.entries()) {
      const bytes = Buffer.from(sent as string);
      const isShort = typeof sent === 'string' && sent.length <= SHORT_LENGTH;
      for (const way of isShort ? ['whole', 'parts', 'sized'] : ['whole', 'parts']) {
        compare(
          `a body (${way}), ${name}`,
          bytes,
          await bodyOf(await answer(`${base}/${way}/${at}`)),
        );
      }
      if (isShort) {
        const { headers } = await answer(`${base}/header/${at}`);
        const value = headers['x-text'];
        compare(`a header, ${name}`, bytes, Buffer.from(String(value ?? ''), 'latin1'));
      }
      const [text, binary, close] = await framesOf(`${base}/socket/${at}`);
      compare(`a text frame, ${name}`, bytes, text!);
      compare(`a binary frame, ${name}`, bytes, binary!);
      if (isShort) compare(`the reason of a close, ${name}`, bytes, close!.subarray(2));
    }
    const received = await answer(`${base}/read/whole`, { 'X-Text': 'K\u00e4se' });
    compare('a header of a request', Buffer.from('Käse'), await bodyOf(received));
  } catch (error) {
    faults.push(`no answer: ${(error as Error).message}`);
  } finally {
    closeListenSocket(socket);
    app.close();
  }
  return faults;
}

const LOOPBACK = '127.0.0.1';

function probeSocket(app: NativeApp): ListenSocket {
  try {
    return listen(app, LOOPBACK, 0);
  } catch (error) {
    app.close();
    if (!(error instanceof CannotListenError)) throw error;
    throw new CannotListenError(
      LOOPBACK,
      0,
      'no port is free to ask the installed uWebSockets.js, with which Parley was not tested, whether it does what is ' +
        'needed: wait until other programs end connections, or install what package-lock.json names',
    );
  }
}

/** The first bytes that differ, for people; null for none. */
function difference(expected: Buffer, found: Buffer): string | null {
  if (expected.equals(found)) return null;
  let at = 0;
  while (expected[at] === found[at]) at += 1;
  const shown = (bytes: Buffer): string => bytes.toString('hex', at, at + 4) || 'the end';
  return `${shown(found)} in place of ${shown(expected)} at byte ${at}`;
}

/** Sends each sample in every way that Parley sends something. */
function serve(app: NativeApp): void {
  const sampleAt = (path: string): string | Buffer => SAMPLES[Number(path.split('/')[2])]![1];
  app.any('/*', (response, request) => {
    const [, way] = request.getUrl().split('/');
    response.onAborted(() => undefined);
    if (way === 'read') {
      response.end(utf8Text(request.getHeader('x-text')));
      return;
    }
    const sent = sampleAt(request.getUrl());
    response.cork(() => {
      if (way === 'header') {
        response.writeHeader('X-Text', utf8Text(sent)).end(utf8Text(''));
      } else if (way === 'parts') {
        response.write(utf8Text(sent));
        response.end(utf8Text(''));
      } else if (way === 'sized') {
        response.tryEnd(utf8Text(sent), Buffer.byteLength(sent));
      } else {
        response.end(utf8Text(sent));
      }
    });
  });
  app.ws<{ sent: string | Buffer }>('/socket/*', {
    upgrade: (response, request, context) => {
      const key = utf8Text(request.getHeader('sec-websocket-key'));
      const data = { sent: sampleAt(request.getUrl()) };
      response.upgrade(data, key, utf8Text(''), utf8Text(''), context);
    },
    open: (socket) => {
      const { sent } = socket.getUserData();
      const isShort = typeof sent === 'string' && sent.length <= SHORT_LENGTH;
      socket.send(utf8Text(sent), false);
      socket.send(utf8Text(sent), true);
      socket.end(CLOSE_CODE, utf8Text(isShort ? sent : ''));
    },
  });
}

/** The answer to a request. @throws Error where none comes in time */
function answer(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers, timeout: ANSWER_MS } as const;
    const sent = httpGet(url, options, resolve);
    sent.on('timeout', () => sent.destroy(new Error(`nothing came of ${url}`)));
    sent.on('error', reject);
  });
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The contents of the three frames that a socket gets: text, binary, close. @throws Error for others */
async function framesOf(url: string): Promise<Buffer[]> {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const sent = httpGet(url, { agent: false, headers: HANDSHAKE, timeout: ANSWER_MS });
    sent.on('upgrade', (_response, socket, head) => {
      const chunks: Buffer[] = [head];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.on('error', reject);
      // The server ends the connection after its close frame.
      socket.on('end', () => resolve(Buffer.concat(chunks)));
      socket.on('close', () => resolve(Buffer.concat(chunks)));
    });
    sent.on('response', ({ statusCode }) => reject(new Error(`no socket: ${statusCode}`)));
    sent.on('timeout', () => sent.destroy(new Error(`nothing came of ${url}`)));
    sent.on('error', reject);
  });
  const contents: Buffer[] = [];
  let at = 0;
  for (const opcode of [TEXT_FRAME, BINARY_FRAME, CLOSE_FRAME]) {
    if ((received[at] ?? 0) !== (0x80 | opcode)) throw new Error(`not frame ${opcode} of ${url}`);
    let length = received[at + 1]!;
    at += 2;
    if (length === 126) [length, at] = [received.readUInt16BE(at), at + 2];
    else if (length === 127) [length, at] = [Number(received.readBigUInt64BE(at)), at + 8];
    contents.push(received.subarray(at, at + length));
    at += length;
  }
  return contents;
}
