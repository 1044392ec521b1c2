import t from 'tap';
import { Client, type FeedItem } from '../../../src/client/index.js';

/** Longer than any pause: what waits for a server that says nothing. */
const SILENCE_MS = 60_000;

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

const REGISTERED = { result: 'success', msg: '', queue_id: 'q', last_event_id: -1 };

/**
 * Lets a feed go on until it has paused so often, without any pause passing. @returns the pauses and the requests before
 * each, with all chances even
 */
async function pausesOf(
  answer: (path: string) => Response,
  times: number,
): Promise<{ pauses: number[]; requests: number[] }> {
  const { setTimeout: realTimeout } = globalThis;
  const realRandom = Math.random;
  const [pauses, requests]: [number[], number[]] = [[], []];
  let asked = 0;
  // A loop that never pauses ends by this.
  const most = 20 * times;
  const client = new Client(
    'http://parley.example',
    { email: 'iris@example.org', apiKey: 'k' },
    {
      fetch: (input) => {
        if (++asked > most) feed.close();
        return Promise.resolve(answer(input as string));
      },
    },
  );
  const feed = client.events({ transport: 'poll' });
  Math.random = () => 0.5;
  globalThis.setTimeout = ((act: () => void, ms: number) => {
    if (ms >= SILENCE_MS) return realTimeout(() => undefined, 0);
    pauses.push(ms);
    requests.push(asked);
    asked = 0;
    if (pauses.length >= times) feed.close();
    return realTimeout(act, 0);
  }) as typeof globalThis.setTimeout;
  try {
    const items: FeedItem[] = [];
    for await (const item of feed) items.push(item);
  } finally {
    globalThis.setTimeout = realTimeout;
    Math.random = realRandom;
  }
  return { pauses, requests };
}

void t.test(
  'a server that answers 503 is asked again after longer and longer pauses, never sooner than it says, and spread',
  async (t) => {
    const refusal = { result: 'error', msg: 'The server starts', code: 'SERVICE_UNAVAILABLE' };
    const busy = await pausesOf(() => json(503, refusal, { 'Retry-After': '1' }), 9);
    t.strictSame(
      busy.pauses,
      [1062.5, 1125, 1250, 1500, 3000, 6000, 12_000, 22_500, 22_500],
      'a second and a spread part at first; then half of what doubles, up to 30 s, and half of that again',
    );
    const silent = await pausesOf(() => json(503, refusal), 4);
    t.strictSame(silent.pauses, [187.5, 375, 750, 1500]);
  },
);

void t.test(
  'a connection that is greeted and closed at once is opened less and less often',
  async (t) => {
    const closing = (path: string): Response =>
      json(
        200,
        path.includes('/register') ? REGISTERED : { result: 'success', msg: '', events: [] },
      );
    const { pauses } = await pausesOf(closing, 5);
    t.strictSame(pauses, [187.5, 375, 750, 1500, 3000]);
  },
);

void t.test(
  'a server that knows none of the queues that it gives is asked less and less often',
  async (t) => {
    const gone = { result: 'error', msg: 'Bad event queue ID: q', code: 'BAD_EVENT_QUEUE_ID' };
    const forgetful = (path: string): Response =>
      path.includes('/register') ? json(200, REGISTERED) : json(400, gone);
    const { pauses, requests } = await pausesOf(forgetful, 4);
    t.strictSame(pauses, [187.5, 375, 750, 1500]);
    t.strictSame(requests, [4, 2, 2, 2], 'the first time it registers again at once');
  },
);

void t.test(
  'what something in between answers ends no feed; a refusal of the server does',
  async (t) => {
    const page = '<!doctype html><title>Down for maintenance</title>';
    const html = (status: number): Response =>
      new Response(page, { status, headers: { 'Content-Type': 'text/html' } });
    for (const status of [200, 400, 401, 403, 404, 405, 407, 413]) {
      for (const path of ['/register', '/events']) {
        const answer = (asked: string): Response =>
          asked.includes(path) ? html(status) : json(200, REGISTERED);
        const { pauses } = await pausesOf(answer, 3);
        t.strictSame(pauses, [187.5, 375, 750], `${path}: a page with ${status}`);
      }
    }
    const bare = await pausesOf(() => json(404, { message: 'no such route' }), 3);
    t.strictSame(bare.pauses, [187.5, 375, 750], 'JSON of somebody else');
    const refusal = { result: 'error', msg: 'Invalid API key', code: 'INVALID_API_KEY' };
    await t.rejects(
      pausesOf(() => json(401, refusal), 3),
      { status: 401, code: 'INVALID_API_KEY' },
    );
  },
);

void t.test('an event ends the growth', async (t) => {
  let polls = 0;
  const answer = (path: string): Response => {
    if (path.includes('/register')) return json(200, REGISTERED);
    polls += 1;
    const events = polls % 3 === 0 ? [{ id: polls, type: 'message' }] : [];
    return json(200, { result: 'success', msg: '', events });
  };
  const { pauses } = await pausesOf(answer, 5);
  t.strictSame(pauses, [187.5, 375, 187.5, 375, 187.5]);
});
