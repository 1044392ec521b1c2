import fc from 'fast-check';
import t from 'tap';
import { ChunkReader, ChunkWriter } from '../../../../src/http/files/chunks.js';
import { mock } from 'node:test';
import type { Test } from 'tap';
import type { NativeResponse } from '../../../../src/http/native.js';

void t.test(
  'a body in pieces reads like a whole one, however much the network takes',
  async (t) => {
    const pieces = fc.array(fc.nat(200_000), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        pieces,
        fc.infiniteStream(fc.integer({ min: 1, max: 90_000 })),
        async (sizes, taken) => {
          let byte = 0;
          const parts = sizes.map((size) => Buffer.alloc(size, (byte += 1)));
          const whole = Buffer.concat(parts);
          const reader = new ChunkReader(parts);
          t.equal(reader.size, whole.length);
          let offset = 0;
          while (offset < whole.length) {
            const bytes = reader.read(offset);
            if (bytes.length === 0 || bytes.length > 64 * 1024)
              throw new Error(`${bytes.length} bytes`);
            if (!bytes.equals(whole.subarray(offset, offset + bytes.length)))
              throw new Error('other bytes');
            offset += Math.min(bytes.length, taken.next().value as number);
          }
          t.equal(reader.read(offset).length, 0);
        },
      ),
      { numRuns: 30 },
    );
  },
);

/** The native response of a client that takes as many bytes as it is told. */
class Client {
  /** Bytes that it takes now. */
  room = 0;
  received = Buffer.alloc(0);
  tries = 0;
  closed = false;
  private writable: (() => boolean) | undefined;

  /** It reads again. */
  takes(room: number): void {
    this.room = room;
    this.writable!();
  }

  native(writer: () => ChunkWriter): NativeResponse {
    const response = {
      onWritable: (handler: () => boolean) => (this.writable = handler),
      cork: (work: () => void) => work(),
      getWriteOffset: () => this.received.length,
      tryEnd: (piece: Buffer, size: number) => {
        this.tries += 1;
        const taken = piece.subarray(0, this.room);
        this.room -= taken.length;
        this.received = Buffer.concat([this.received, taken]);
        return [taken.length === piece.length, this.received.length === size];
      },
      close: () => {
        this.closed = true;
        writer().stop();
      },
    };
    return response as unknown as NativeResponse;
  }
}

function start(t: Test, body: Buffer): { client: Client; writer: ChunkWriter } {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const client = new Client();
  const writer: ChunkWriter = new ChunkWriter(
    client.native(() => writer),
    body.length,
  );
  return { client, writer };
}

/** Lets what waits for a promise go on. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await Promise.resolve();
}

const BODY = Buffer.from('0123456789');

void t.test('a client that pauses is tried again every 5 s, with what it lacks', async (t) => {
  const { client, writer } = start(t, BODY);
  client.room = 4;
  const written = writer.write(BODY);
  for (let tries = 1; tries <= 10; tries++) {
    t.equal(client.tries, tries);
    mock.timers.tick(5000);
    await settle();
  }
  client.takes(0);
  t.equal(await written, 4, 'the rest is asked for again');
  client.room = 6;
  t.equal(await writer.write(BODY.subarray(4)), 10);
  t.equal(client.received.toString(), '0123456789');
  t.notOk(client.closed);
});

void t.test(
  'a try that the client takes whole goes on without a word of the network',
  async (t) => {
    const { client, writer } = start(t, BODY);
    const written = writer.write(BODY.subarray(0, 5));
    client.room = 5;
    mock.timers.tick(5000);
    t.equal(await written, 5);
  },
);

void t.test('a client that takes nothing for 60 s is cut off', async (t) => {
  const { client, writer } = start(t, BODY);
  const written = writer.write(BODY);
  for (let seconds = 0; seconds < 50; seconds += 5) {
    mock.timers.tick(5000);
    await settle();
  }
  t.notOk(client.closed);
  // One byte, and it has as long again.
  client.room = 1;
  for (let seconds = 0; seconds < 60; seconds += 5) {
    mock.timers.tick(5000);
    await settle();
  }
  t.notOk(client.closed);
  mock.timers.tick(5000);
  t.equal(await written, 0);
  t.ok(client.closed);
  t.equal(client.received.toString(), '0');
});

void t.test('a client that goes while it is waited for', async (t) => {
  const { client, writer } = start(t, BODY);
  const written = writer.write(BODY);
  writer.stop();
  t.equal(await written, 0);
  mock.timers.tick(60_000);
  t.equal(client.tries, 1, 'its response is not touched any more');
});
