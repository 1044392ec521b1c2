import type { Test } from 'tap';
import { CLIENT_CAPABILITIES } from '../../../schemas/queues/register.js';
import { SnapshotClient, type Reading } from './apply/apply-events.js';
import type { ApiClient, Body, Parameters, WireEvent } from './client.js';
import { QueueReader } from './queue-reader.js';

export type Registration = Parameters & Reading;

/** Every capability, declared. */
const EVERY_CAPABILITY = Object.fromEntries(CLIENT_CAPABILITIES.map((name) => [name, true]));

/** The two extremes: a client that declares every capability, and one that declares none. */
export const MODERN: Registration = {
  apply_markdown: true,
  client_gravatar: false,
  slim_presence: true,
  include_subscribers: true,
  client_capabilities: EVERY_CAPABILITY,
};
export const LEGACY: Registration = { apply_markdown: true, include_subscribers: true };

/** A registered client of one account, and what registering afresh would tell it. */
export class Viewer {
  private constructor(
    readonly name: string,
    private client: ApiClient,
    private readonly parameters: Registration,
    private readonly reader: QueueReader,
    private state: SnapshotClient,
  ) {}

  static async open(name: string, client: ApiClient, parameters: Registration): Promise<Viewer> {
    const snapshot = await client.register(parameters);
    const state = new SnapshotClient(client.userId, snapshot, parameters);
    return new Viewer(name, client, parameters, QueueReader.from(client, snapshot), state);
  }

  /** Goes on at another address, e.g. after a restart. */
  move(url: string): void {
    this.client = this.client.at(url);
    this.reader.move(this.client);
  }

  /** What the client believes after its events, and what is so. */
  async compare(): Promise<{ believed: Body; actual: Body; events: readonly WireEvent[] }> {
    const events = await this.reader.now();
    for (const event of events) this.state.apply(event);
    const snapshot = await this.client.register(this.parameters);
    await this.client.ok('DELETE', '/events', { queue_id: snapshot.queue_id });
    const believed = this.state.comparable();
    const { unknown } = this.state;
    // One fault is reported once, not with every later operation.
    this.state = new SnapshotClient(this.client.userId, snapshot, this.parameters);
    const actual = this.state.comparable();
    for (const name of unknown) {
      delete believed[name];
      delete actual[name];
    }
    return { believed, actual, events };
  }
}

/** Runs operations one by one; after each, every viewer must believe what is so. */
export async function check<O>(
  t: Test,
  organization: O,
  viewers: readonly Viewer[],
  operations: Readonly<Record<string, (organization: O) => Promise<unknown>>>,
): Promise<void> {
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async (t) => {
      await operation(organization);
      let heard = 0;
      for (const viewer of viewers) {
        const { believed, actual, events } = await viewer.compare();
        heard += events.length;
        if (t.strictSame(believed, actual, viewer.name)) continue;
        const types = [...new Set(events.map(({ type }) => type))].join(', ');
        t.comment(
          `${viewer.name} was told ${types || 'nothing'}: where the event is right, apply the event in ` +
            'test/system/harness/apply/apply-….ts',
        );
      }
      t.ok(heard > 0, 'somebody was told');
    });
  }
}
