/** The one line by which a client of the admin socket asks. */
import type { Socket } from 'node:net';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { clearTimeout, setTimeout } from '../../platform/timers.js';
import { badRequest } from '../../errors/index.js';
import { EventLoopYield, inStretches } from '../../turns/event-loop-yield.js';
import type { AdminRequest } from './admin-request.js';

/** Longest line, bytes: whatever it says is parsed in some 10 ms, meanwhile everybody waits. */
const MAX_LINE = 128 * 1024;
/** Rows of one request of `users import`, so that a row may have 500 bytes; clients divide longer tables. */
export const ROWS_AT_ONCE = 250;
/** A client sends its line at once; one that does not asks nothing. Milliseconds. */
const LINE_MS = 30_000;

const Text = Type.String({ maxLength: 10_000 });
const Request = Type.Object({
  command: Type.String({ maxLength: 100 }),
  args: Type.Array(Text, { maxItems: 100 }),
  flags: Type.Record(Type.String({ maxLength: 100 }), Type.Union([Text, Type.Boolean()]), {
    maxProperties: 100,
  }),
  rows: Type.Optional(Type.Array(Type.Unknown())),
});
const Row = Type.Object({ line: Type.Integer(), email: Text, name: Text, role: Text });

/**
 * Reads a client's line. The client may vanish at any time, which only ends its own request.
 * @returns null where it goes before its line has come
 * @throws ApiError for a line that is too long or does not come
 */
export function lineOf(client: Socket): Promise<Buffer | null> {
  const parts: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const over = (settle: () => void): void => {
      client.off('data', take).off('close', gone);
      clearTimeout(timer);
      settle();
    };
    const gone = (): void => over(() => resolve(null));
    const refuse = (why: string): void => over(() => reject(badRequest(why)));
    const take = (chunk: Buffer): void => {
      const end = chunk.indexOf('\n');
      parts.push(end === -1 ? chunk : chunk.subarray(0, end));
      length += parts.at(-1)!.length;
      if (length > MAX_LINE) {
        refuse(`The request has more than ${MAX_LINE} bytes`);
      } else if (end !== -1) over(() => resolve(Buffer.concat(parts)));
    };
    const timer = setTimeout(() => refuse('The request did not come'), LINE_MS).unref();
    client.on('data', take).on('close', gone);
  });
}

/** What a line asks. @throws ApiError for one that is no request */
export async function requestIn(line: Buffer): Promise<AdminRequest> {
  // One line in each round of the event loop, however many clients there are.
  await new EventLoopYield().take();
  const request = parsed(line);
  if (!Value.Check(Request, request)) throw malformed();
  await inStretches(request.rows ?? [], (row) => {
    if (!Value.Check(Row, row)) throw malformed();
  });
  return request as AdminRequest;
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8')) as unknown;
  } catch {
    throw malformed();
  }
}

function malformed(): Error {
  return badRequest('This is no request of the admin socket');
}
