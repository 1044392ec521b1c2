import type { NativeResponse } from '../http/native.js';

/** What becomes of a reply: it comes so much later, or its connection closes in its place. */
export type ReplyFate = { readonly kind: 'late'; readonly ms: number } | { readonly kind: 'lost' };

type Method = (...given: never[]) => unknown;

/** What the head of a reply is written with. */
const HEAD: ReadonlySet<string | symbol> = new Set(['writeStatus', 'writeHeader']);
/** What completes a reply. */
const END: ReadonlySet<string | symbol> = new Set(['end', 'endWithoutBody']);
/** What a reply in several pieces is written with, and what turns the connection into a WebSocket. */
const PIECES: ReadonlySet<string | symbol> = new Set(['write', 'tryEnd', 'onWritable', 'upgrade']);

/**
 * A native response whose reply meets a fate. What the server writes is kept, and written in one piece when it is time.
 * A reply in several pieces (a large file, a stream of events) is not late: it can only be lost.
 * @param later calls `work` after some milliseconds
 */
export function fatedResponse(
  native: NativeResponse,
  fate: ReplyFate,
  later: (ms: number, work: () => void) => void,
): NativeResponse {
  let isGone = false;
  let aborted = (): void => undefined;
  // Null once it was written.
  let kept: (() => unknown)[] | null = [];
  native.onAborted(() => {
    isGone = true;
    aborted();
  });
  const write = (): void => {
    const writes = kept ?? [];
    kept = null;
    if (!isGone) native.cork(() => writes.forEach((one) => one()));
  };
  const meet = (): void => {
    if (fate.kind === 'late') later(fate.ms, write);
    else if (!isGone) native.close();
  };
  const response: NativeResponse = new Proxy(native, {
    get: (target, name) => {
      const method = (Reflect.get(target, name) as Method).bind(target);
      if (name === 'onAborted') return (listener: () => void) => ((aborted = listener), response);
      if (kept === null) return method;
      if (name === 'cork') return (work: () => void) => (work(), response);
      return (...given: never[]) => {
        const isHead = HEAD.has(name);
        if (isHead || END.has(name)) {
          kept?.push(() => method(...given));
          if (!isHead) meet();
          return response;
        }
        if (PIECES.has(name)) {
          if (fate.kind === 'lost') meet();
          else write();
        }
        return isGone ? undefined : method(...given);
      };
    },
  });
  return response;
}
