import t from 'tap';
import { SimClient } from '../../simulation/clients/client.js';
import type { World } from '../../simulation/world/world.js';
import type { Parameters } from '../harness/client.js';

/* What clients of the simulation go by when they look whether something is there (docs/simulation.md). */

void t.test('a client that looks at all messages sees more than a page has', async (t) => {
  const asked: unknown[] = [];
  /** The node, with messages 1 to 2500. */
  class Paged extends SimClient {
    override call(_method: string, path: string, parameters: Parameters = {}) {
      const { anchor, num_before, num_after } = parameters;
      asked.push([path, anchor, num_before, num_after, parameters['narrow']]);
      const first = anchor === 'oldest' ? 1 : Number(anchor);
      const last = Math.min(2500, first + Number(num_after));
      const messages = Array.from({ length: last - first + 1 }, (_, i) => {
        return { id: first + i, content: `text ${first + i}` };
      });
      const body = { messages, found_newest: last === 2500 };
      return Promise.resolve({
        ...{ status: 200, body, position: null, cookies: [], bytes: Buffer.alloc(0) },
      });
    }
  }
  const narrow = [{ operator: 'channel', operand: 'plans' }];
  const found = await new Paged({} as World, 'c1', 'ada@example.com').allMessages(narrow);
  t.strictSame([found.size, found.get(1), found.get(2500)], [2500, 'text 1', 'text 2500']);
  t.strictSame(asked, [
    ['/messages', 'oldest', 0, 1000, narrow],
    ['/messages', 1001, 0, 1000, narrow],
    ['/messages', 2001, 0, 1000, narrow],
  ]);
});
