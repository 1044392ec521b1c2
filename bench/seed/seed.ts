import { join } from 'node:path';
import { ApiKeys, loadSecret } from '../../src/services/auth/api-keys.js';
import { openStore } from '../../src/store/open.js';
import type { Document, Lease, Store, Write } from '../../src/store/port.js';
import { basicAuthorization } from '../harness/api-client.js';
import {
  KEY_VERSION,
  messageDocument,
  queueDocument,
  seedEmail,
  subscriptionDocument,
  userDocument,
} from './documents.js';

/** What to add to an organization whose server is not running. */
export interface SeedPlan {
  readonly users: number;
  /** Accounts besides those, subscribed to nothing. */
  readonly outsiders: number;
  /** Name of the channel that the users are subscribed to and messages are sent to. */
  readonly channel: string;
  /** Further channels that the users are subscribed to. */
  readonly furtherChannels?: readonly string[];
  /** New channels like it that one person is subscribed to, with an unread message in each. */
  readonly copies?: number;
  /** That person's id; absent: the first of the users. */
  readonly copiesFor?: number;
  readonly messages: number;
  /** How many topics they are spread over; 100 unless told. */
  readonly topics?: number;
  /** Characters of each message; a line unless told. */
  readonly contentLength?: number;
  /** Their text by id, where they are not all the same line. */
  readonly contentOf?: (id: number) => string;
  /** Unattached queues, spread over the outsiders, or the users where there are none. */
  readonly queues: number;
}

/** A person the bench acts for. */
export interface Account {
  readonly userId: number;
  readonly authorization: string;
}

export interface Seeded {
  readonly accounts: readonly Account[];
  /** Of those who are subscribed to nothing. */
  readonly outsiders: readonly Account[];
  readonly queueIds: readonly string[];
  /** Ascending. */
  readonly messageIds: readonly number[];
}

/** Writes per commit: some megabytes, so that memory stays bounded. */
const BATCH = 5000;
const TOPICS = 100;
const HOLDER = 'bench-seed';

/**
 * Fills a store directly. Creating a hundred thousand accounts through the API would hash as many
 * passwords; the documents are the same.
 */
export async function seedOrganization(
  url: string,
  secretFolder: string,
  plan: SeedPlan,
): Promise<Seeded> {
  const keys = new ApiKeys(await loadSecret(join(secretFolder, 'api-keys.secret')));
  const store = await openStore(url);
  try {
    const lease = await store.acquireLease(HOLDER, 60_000);
    if (!lease) throw new Error('A server is running on the store to be seeded');
    const seeded = await new Seeder(store, lease, keys).run(plan);
    await store.releaseLease(lease);
    return seeded;
  } finally {
    await store.close();
  }
}

class Seeder {
  private writes: Write[] = [];

  constructor(
    private readonly store: Store,
    private readonly lease: Lease,
    private readonly keys: ApiKeys,
  ) {}

  async run(plan: SeedPlan): Promise<Seeded> {
    const seq = (await this.store.lastEntry())?.seq ?? 0;
    const now = Date.now();
    const userIds = await this.reserve('user', plan.users + plan.outsiders);
    const members = userIds.slice(0, plan.users);
    const outsiders = userIds.slice(plan.users);
    for (const userId of userIds) await this.set('user', String(userId), userDocument(userId, now));
    const channel = await this.channel(plan.channel);
    const channels = [channel];
    for (const name of plan.furtherChannels ?? []) channels.push(await this.channel(name));
    for (const userId of members) {
      for (const { streamId } of channels) {
        const subscription = subscriptionDocument(userId, streamId);
        await this.set('subscription', `${userId}:${streamId}`, subscription);
      }
    }
    const messageIds = await this.reserve('message', plan.messages);
    for (const id of messageIds) {
      const sender = members[id % members.length]!;
      const topic = `topic ${id % (plan.topics ?? TOPICS)}`;
      const document = messageDocument(id, seq, sender, channel, topic, now, plan.contentLength);
      const own = plan.contentOf?.(id);
      const content = own && { content: own, rendered_content: `<p>${own}</p>` };
      await this.set('message', String(id), { ...document, ...content });
    }
    await this.copies(plan, plan.copiesFor ?? members[0]!, now, seq);
    const queueIds = await this.queues(
      plan.queues,
      outsiders.length > 0 ? outsiders : members,
      seq,
    );
    await this.flush();
    const accountOf = (userId: number): Account => ({
      userId,
      authorization: basicAuthorization(seedEmail(userId), this.keys.derive(userId, KEY_VERSION)),
    });
    return {
      accounts: members.map(accountOf),
      outsiders: outsiders.map(accountOf),
      queueIds,
      messageIds,
    };
  }

  private async copies(
    { channel, copies = 0 }: SeedPlan,
    member: number,
    now: number,
    seq: number,
  ): Promise<void> {
    if (copies === 0) return;
    // Numbers are taken from the store.
    await this.flush();
    const original = await this.channelDocument(channel);
    const streamIds = await this.reserve('stream', copies);
    const recipientIds = await this.reserve('recipient', copies);
    const messageIds = await this.reserve('message', copies);
    for (const [i, streamId] of streamIds.entries()) {
      const recipientId = recipientIds[i]!;
      const name = `${channel} ${i}`;
      const copy = { ...original, stream_id: streamId, recipient_id: recipientId, name };
      await this.set('channel', String(streamId), copy);
      const subscription = subscriptionDocument(member, streamId);
      await this.set('subscription', `${member}:${streamId}`, subscription);
      const id = messageIds[i]!;
      const place = { streamId, recipientId };
      // Of nobody among the users, so that it is unread.
      const message = messageDocument(id, seq, 1, place, 'first', now);
      await this.set('message', String(id), message);
    }
  }

  private async queues(count: number, owners: readonly number[], seq: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const queueId = `bench-queue-${i}`;
      const document = queueDocument(queueId, owners[i % owners.length]!, seq);
      await this.set('queue', queueId, document);
      ids.push(queueId);
    }
    return ids;
  }

  /** Takes `count` numbers of a counter. */
  private async reserve(name: string, count: number): Promise<number[]> {
    const key = { collection: 'counter', id: name };
    const [counter] = await this.store.getMany([key]);
    const last = Number(counter?.last ?? 0);
    if (count > 0) await this.set('counter', name, { name, last: last + count });
    return Array.from({ length: count }, (_, i) => last + 1 + i);
  }

  private async channel(name: string): Promise<{ streamId: number; recipientId: number }> {
    const { stream_id, recipient_id } = await this.channelDocument(name);
    return { streamId: Number(stream_id), recipientId: Number(recipient_id) };
  }

  private async channelDocument(name: string): Promise<Document> {
    for await (const batch of this.store.scan('channel')) {
      const found = batch.find(({ document }) => document.name === name);
      if (found) return found.document;
    }
    throw new Error(`There is no channel ${name} to seed`);
  }

  private async set(collection: string, id: string, document: object): Promise<void> {
    this.writes.push({ op: 'set', key: { collection, id }, document: document as Document });
    if (this.writes.length >= BATCH) await this.flush();
  }

  private async flush(): Promise<void> {
    const writes = this.writes;
    this.writes = [];
    await this.store.commit(this.lease, { entries: [], writes, due: [] });
  }
}
