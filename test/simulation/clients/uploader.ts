import type { CallOptions, Reply, SimClient } from './client.js';
import { KnownFiles, type KnownFile, type ListedFile } from './known-files.js';

/** A node answers from no older state, milliseconds; the rest is for what is on the way. */
const MOST_STALE_MS = 5000 + 1000;
/** What one file has at most, bytes: usually, and now and then, which is read in several parts. */
const USUAL_BYTES = 3000;
const LARGE_BYTES = 290_000;
const LARGE_SHARE = 0.03;
/** Files that it keeps: many times as many fit into the quota. */
const MOST_FILES = 12;
/** Longest pause between two requests, milliseconds. */
const LONGEST_PAUSE_MS = 1000;
/** Files that are uploaded at once, at most. */
const MOST_AT_ONCE = 4;
/** What all files take at most, bytes: it is filled by one file when all others were removed. */
const QUOTA_BYTES = 1024 * 1024;

/** Options of the nodes that have uploaders. */
export const QUOTA_MIB = '1';

/**
 * Uploads files, links them in messages, reads them again at any node and deletes them. It alone has files in the
 * organization, so it knows what must be there, and how much that is.
 */
export class Uploader {
  readonly files: KnownFiles;
  private number = 0;
  /** The newest that it was told of. */
  private position = 0;

  /** @param expires whether files that no message links are removed while it works */
  constructor(
    readonly client: SimClient,
    expires: boolean,
  ) {
    this.files = new KnownFiles(client.world, client.host, expires);
  }

  /** The store lost what it had answered. */
  lose(): void {
    this.files.lose();
  }

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    const { random, habits } = world;
    const acts = [
      ...[() => this.uploadSome(), () => this.uploadSome(), () => this.list()],
      ...[() => this.readOne(), () => this.readOne(), () => this.link(), () => this.remove()],
    ];
    while (!world.isResting && !world.isOver) {
      const isFull = this.files.all.length >= MOST_FILES;
      await (isFull ? this.remove() : random.pick(acts)());
      await world.scheduler.pause(
        random.between(0, Math.min(4 * habits.pauseMs, LONGEST_PAUSE_MS)),
      );
    }
  }

  /** What must hold at rest, when everybody serves. */
  async check(when: string): Promise<void> {
    const { client } = this;
    const { world } = client;
    const { files } = this;
    const listed = await this.list();
    if (!listed) return;
    files.settle(listed);
    for (const file of files.all) await this.read(file, client, {});
    await this.removeAll();
    // What was refused counts no more, nor what was never answered: one file may take all of the quota.
    const name = this.newName();
    const data = Buffer.alloc(QUOTA_BYTES, `${name} `);
    for (let reply: Reply | null = null; reply?.status !== 200 && !world.isOver;) {
      files.asked(name, data);
      reply = await client.call('POST', '/user_uploads', {}, { file: { name, data } });
      if (reply !== null && reply.status !== 200 && reply.status !== 503) {
        const refusal = JSON.stringify(reply.body);
        world.fault(`${when}: ${data.length} bytes do not fit though all is removed: ${refusal}`);
      }
      // It may be there all the same.
      await this.removeAll();
    }
  }

  private newName(): string {
    return `${this.client.host}-file-${++this.number}.bin`;
  }

  private async uploadSome(): Promise<void> {
    const { random, habits } = this.client.world;
    const times = random.chance(habits.bursts) ? random.int(2, MOST_AT_ONCE) : 1;
    await Promise.all(Array.from({ length: times }, () => this.upload()));
  }

  private async upload(): Promise<void> {
    const { client } = this;
    const { world } = client;
    const { random } = world;
    const name = this.newName();
    const most = random.chance(LARGE_SHARE) ? LARGE_BYTES : USUAL_BYTES;
    const data = Buffer.alloc(random.int(1, most) + name.length, `${name} `);
    this.files.asked(name, data);
    const { node } = client;
    const reply = await client.call('POST', '/user_uploads', {}, { node, file: { name, data } });
    if (reply === null || reply.status === 503) return;
    if (reply.status !== 200) {
      world.fault(`${client.host}: an upload: ${reply.status} ${JSON.stringify(reply.body)}`);
      return;
    }
    const position = this.told(reply);
    const file = this.files.add(name, String(reply.body.url), position);
    world.counted('acknowledged uploads');
    const isHere = random.chance(0.3);
    await this.read(file, client, isHere ? { node } : this.naming(position));
    if (!file.mayBeLinked) await this.readForOther(file);
  }

  /** What must be there is listed, and all together takes what is said. */
  private async list(): Promise<readonly ListedFile[] | null> {
    const { client } = this;
    const { world } = client;
    const { now } = world.scheduler;
    const reply = await client.call('GET', '/attachments', {}, this.naming(this.position));
    if (!this.isAnswered('GET /attachments', reply)) return null;
    const { attachments, upload_space_used: used } = reply!.body;
    const listed = attachments as readonly ListedFile[];
    const sum = listed.reduce((bytes, { size }) => bytes + size, 0);
    if (used !== sum) world.fault(`${client.host}: files of ${sum} bytes count as ${String(used)}`);
    this.files.compare(listed, now);
    return listed;
  }

  private async readOne(): Promise<void> {
    const { client, files } = this;
    const { world } = client;
    if (files.all.length === 0) return;
    const file = world.random.pick(files.all);
    const isCurrent = world.random.chance(0.5);
    if (file.linkedAt !== null && world.random.chance(0.5)) await this.readForOther(file);
    else if (isCurrent) await this.read(file, client, this.naming(this.position));
    else await this.read(file, client, {}, world.scheduler.now - MOST_STALE_MS);
  }

  /** @param since what was acknowledged until then must be there */
  private async read(
    file: KnownFile,
    reader: SimClient,
    options: CallOptions,
    since = this.client.world.scheduler.now,
  ): Promise<void> {
    const { world } = reader;
    const { data, name, url } = file;
    const first = world.random.chance(0.2) ? world.random.int(0, data.length) : 0;
    const headers = { ...options.headers, ...(first > 0 ? { Range: `bytes=${first}-` } : {}) };
    const reply = await reader.call('GET', url, {}, { ...options, base: '', headers });
    if (reply === null || reply.status === 503) return;
    const { status } = reply;
    world.counted(`files read: ${status}`);
    if (status === (first > 0 ? 206 : 200)) {
      const isSame = reply.bytes.equals(data.subarray(first));
      if (!isSame) world.fault(`${reader.host}: ${name} has other bytes than were uploaded`);
      if (file.isThere.mayBe(true, since)) return;
      world.fault(`${reader.host}: ${name} is read though it was removed`);
    } else if (status === 404) {
      if (file.at > since || this.files.mayBeGone(file, since)) return;
      world.fault(`${reader.host}: ${name} is not there, at ${this.position}`);
    } else world.fault(`${reader.host}: ${name}: ${status} ${JSON.stringify(reply.body)}`);
  }

  /** Somebody else may read a file that a message links, and no other. */
  private async readForOther(file: KnownFile): Promise<void> {
    const { world, userId } = this.client;
    const others = world.clients.filter((one) => one.userId !== userId);
    if (others.length === 0) return;
    const other = world.random.pick(others);
    const { linkedAt } = file;
    if (linkedAt !== null) {
      await this.read(file, other, this.naming(Math.max(linkedAt, file.position)));
      return;
    }
    const options = { ...this.naming(file.position), base: '' };
    const reply = await other.call('GET', file.url, {}, options);
    if (reply?.status !== 200 || file.mayBeLinked) return;
    world.fault(`${other.host}: reads ${file.name}, which no message links`);
  }

  private async link(): Promise<void> {
    const { client, files } = this;
    const { world } = client;
    if (files.all.length === 0) return;
    const file = world.random.pick(files.all);
    file.mayBeLinked = true;
    const content = `see [${file.name}](${file.url})`;
    const said = { type: 'channel', to: 'general', topic: 'files', content };
    const reply = await client.call('POST', '/messages', said);
    if (!this.isAnswered('POST /messages', reply) || !reply) return;
    const position = this.told(reply);
    // One that was gone by then is not there for its message.
    if (!world.isLost(position) && !this.files.mayBeGone(file)) file.linkedAt = position;
  }

  private async remove(): Promise<void> {
    const { client, files } = this;
    const { world } = client;
    if (files.all.length === 0) return;
    const file = world.random.pick(files.all);
    const { setbacks } = world;
    const listed = await client.call('GET', '/attachments', {}, this.naming(this.position));
    if (!this.isAnswered('GET /attachments', listed) || !listed) return;
    const found = (listed.body.attachments as { id: number; name: string }[]).find(
      ({ name }) => name === file.name,
    );
    if (!found) {
      if (!this.files.mayBeGone(file)) world.fault(`${client.host}: ${file.name} is not listed`);
      this.files.forget(file);
      return;
    }
    const done = file.isThere.begin(false);
    const reply = await client.call('DELETE', `/attachments/${found.id}`);
    // The id may be that of another file by then.
    if (setbacks < world.setbacks) for (const one of files.all) one.isThere.maybe(false);
    if (reply?.status === 400 && this.files.mayBeGone(file)) {
      this.files.forget(file);
      return;
    }
    if (!this.isAnswered(`DELETE /attachments/${found.id}`, reply) || !reply) return;
    const position = this.told(reply);
    done(position);
    this.files.removed(file.name);
    if (world.isLost(position)) file.isThere.lose((one) => world.isLost(one));
    world.counted('acknowledged removals of files');
    await this.read(file, client, this.naming(position));
    this.files.forget(file);
  }

  /** Removes what is there, whether its upload was answered or not. */
  private async removeAll(): Promise<void> {
    const { client, files } = this;
    const { world } = client;
    while (!world.isOver) {
      const { attachments } = await client.mustCall('GET', '/attachments');
      const listed = attachments as { id: number; name: string }[];
      if (listed.length === 0) break;
      for (const { id, name } of listed) {
        const reply = await client.call('DELETE', `/attachments/${id}`);
        if (reply?.status === 200) files.removed(name);
      }
    }
    files.all = [];
  }

  private naming(position: number): CallOptions {
    return { headers: { 'Parley-Position': String(position) } };
  }

  private told(reply: Reply): number {
    const position = reply.position ?? 0;
    this.position = Math.max(this.position, position);
    return position;
  }

  private isAnswered(what: string, reply: Reply | null): boolean {
    if (reply === null || reply.status === 503) return false;
    if (reply.status === 200) return true;
    const { host, world } = this.client;
    world.fault(`${host}: ${what}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return false;
  }
}
