/** Two nodes behind the load balancers of `docs/operations/nodes.md`. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { BALANCERS, startBalancer } from '../../src/http/proxy-process.js';
import { ApiClient, type WireEvent } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  RunningServer,
  type ServerOptions,
} from '../harness/server.js';
import { SocketReader } from '../harness/socket-reader.js';

const OPTIONS: ServerOptions = {
  args: ['--trusted-proxy', '127.0.0.0/8'],
  env: { PARLEY_METRICS: '127.0.0.1:0' },
};
/** Accounts tried until each node has one: that all of them fall to one node happens once in half a million. */
const MOST_ACCOUNTS = 20;

/** A metric of a node, summed over the labels that match. */
async function metric(node: RunningServer, pattern: RegExp): Promise<number> {
  const url = (await node.printed(/^Metrics are served on (\S+)$/m))[1]!;
  const text = await (await fetch(url)).text();
  return text
    .split('\n')
    .filter((line) => pattern.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

/** Waits until a metric of every node is at least one. */
async function everyNodeHas(nodes: readonly RunningServer[], pattern: RegExp): Promise<void> {
  for (const node of nodes) while ((await metric(node, pattern)) < 1) await pause(10);
}

/** Somebody with one queue that is polled and another one on a socket, all through the balancer. */
class Person {
  readonly heard: { polled: string[]; pushed: string[] } = { polled: [], pushed: [] };
  private constructor(
    readonly client: ApiClient,
    private readonly reader: QueueReader,
    private socket: SocketReader,
    private readonly pushed: { readonly queueId: string; cursor: number },
  ) {}

  static async join(client: ApiClient): Promise<Person> {
    const own = { event_types: ['message'] };
    const { queue_id, last_event_id } = await client.register(own);
    const socket = await SocketReader.open(client, { queue_id, last_event_id });
    const reader = await QueueReader.open(client, own);
    return new Person(client, reader, socket, { queueId: queue_id, cursor: last_event_id });
  }

  /** Polls and reads until both queues have heard something. */
  async hears(last: string): Promise<void> {
    await Promise.all([this.polls(last), this.reads(last)]);
  }

  /** A poll that breaks or is refused fails the test. */
  private async polls(last: string): Promise<void> {
    const { polled } = this.heard;
    while (polled.at(-1) !== last) polled.push(...contents(await this.reader.next()));
  }

  /** A socket that breaks is opened again behind what was heard. */
  private async reads(last: string): Promise<void> {
    const { pushed } = this.heard;
    while (pushed.at(-1) !== last) {
      const [event] = await this.socket.take(1).catch(async () => {
        const { queueId, cursor } = this.pushed;
        const again = { queue_id: queueId, last_event_id: cursor };
        // Refused until the balancer has seen that the node is gone.
        this.socket = await SocketReader.open(this.client, again).catch(() => this.socket);
        return [];
      });
      if (!event) continue;
      if (event.id <= this.pushed.cursor) throw new Error(`event ${event.id} again`);
      this.pushed.cursor = event.id;
      pushed.push(...contents([event]));
    }
  }
}

function contents(events: readonly WireEvent[]): string[] {
  return events
    .filter(({ type }) => type === 'message')
    .map((event) => String((event['message'] as { content: string }).content));
}

for (const kind of BALANCERS) {
  void t.test(`${kind.name} in front of two nodes`, { skip: kind.missing ?? false }, async (t) => {
    const leader = await RunningServer.start(t, OPTIONS);
    const follower = RunningServer.spawn(leader.folder, OPTIONS);
    t.teardown(() => follower.kill());
    await follower.printed(/^Parley follows on/m);
    await follower.listening();
    const nodes = [leader, follower];
    const port = await startBalancer(t, kind, [leader.port, follower.port]);
    const owner = await ApiClient.login(`http://127.0.0.1:${port}`, OWNER_EMAIL, OWNER_PASSWORD);
    const people = new Map<RunningServer, Person>();
    for (let i = 0; people.size < 2 && i < MOST_ACCOUNTS; i++) {
      const client = await owner.createUser(`person${i}`);
      const counts = () =>
        Promise.all(nodes.map((node) => metric(node, /^parley_http_requests_total.*get-own-user/)));
      const before = await counts();
      await client.ok('GET', '/users/me');
      const after = await counts();
      const served = nodes.filter((_node, n) => after[n]! > before[n]!);
      t.equal(served.length, 1, 'one node serves a request');
      if (!people.has(served[0]!)) people.set(served[0]!, await Person.join(client));
    }
    t.equal(people.size, 2, 'accounts are spread over both nodes');
    const everybody = [...people.values()];
    const said: string[] = [];
    const all = async (event: string): Promise<void> => {
      const last = `${event} ${everybody.length - 1}`;
      for (const i of everybody.keys()) said.push(`${event} ${i}`);
      const hearing = Promise.all(everybody.map((person) => person.hears(last)));
      await everyNodeHas(
        nodes.filter(({ running }) => running),
        /^parley_queues\{state="polling"\}/,
      );
      if (event === 'after') {
        await leader.kill();
      }
      for (const [i, { client }] of everybody.entries()) {
        const id = await client.say(`${event} ${i}`);
        const { message } = await client.ok('GET', `/messages/${id}`, { apply_markdown: false });
        t.match(message, { content: `${event} ${i}` }, 'the author reads it at once');
      }
      await hearing;
    };
    await all('before');
    await everyNodeHas(nodes, /^parley_queues\{state="streaming"\}/);
    await all('after');
    for (const { heard } of everybody) t.same(heard, { polled: said, pushed: said });
    await follower.printed(/^Parley is listening on/m);
  });
}
