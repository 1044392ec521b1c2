import type { Body } from '../../system/harness/client.js';
import { Register } from '../checks/register.js';
import type { CallOptions, Reply, SimClient } from './client.js';

/** A file that no message links is removed after so long, by the edits of the program. Milliseconds. */
export const KEPT_MS = 20_000;
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

/** A file whose upload was acknowledged, or which was found in a list. */
interface Upload {
  readonly name: string;
  readonly url: string;
  readonly data: Buffer;
  /** Where the journal has it; 0 where that is not known. */
  readonly position: number;
  /** When it was asked for, milliseconds: the server knows it since then at the earliest. */
  readonly askedAt: number;
  /** When it was acknowledged, milliseconds. */
  readonly at: number;
  readonly isThere: Register<boolean>;
  /** Position of a message that links it surely; null while there is none. */
  linkedAt: number | null;
  /** Whether somebody may have linked it: others may read it then. */
  mayBeLinked: boolean;
}

/** What became of a file, as far as its bytes tell who it was. */
export type Fate = 'kept' | 'never answered' | 'removed';

/**
 * Uploads files, links them in messages, reads them again at any node and deletes them. It alone has files in the
 * organization, so it knows what must be there, and how much that is.
 */
export class Uploader {
  private uploads: Upload[] = [];
  /** Uploads without an answer that tells their fate: when they were asked for, and their bytes. */
  private readonly astray = new Map<string, { readonly askedAt: number; readonly data: Buffer }>();
  /** Those that were deleted or expired surely, and when that was known, milliseconds. */
  private readonly removedAt = new Map<string, number>();
  private number = 0;
  /** The newest that it was told of. */
  private position = 0;
  private isTrusting = true;

  /** @param expires whether files that no message links are removed after {@link KEPT_MS}; otherwise they are kept */
  constructor(
    readonly client: SimClient,
    private readonly expires: boolean,
  ) {}

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    const { random, habits } = world;
    const acts = [
      ...[() => this.uploadSome(), () => this.uploadSome(), () => this.list()],
      ...[() => this.readOne(), () => this.readOne(), () => this.link(), () => this.remove()],
    ];
    while (!world.isResting && !world.isOver) {
      const isFull = this.uploads.length >= MOST_FILES;
      await (isFull ? this.remove() : random.pick(acts)());
      await world.scheduler.pause(
        random.between(0, Math.min(4 * habits.pauseMs, LONGEST_PAUSE_MS)),
      );
    }
  }

  /** The store lost what it had answered. */
  lose(): void {
    const { world } = this.client;
    const isLost = (position: number): boolean => world.isLost(position);
    for (const upload of this.uploads) {
      upload.isThere.lose(isLost);
      if (upload.position === 0 || isLost(upload.position)) upload.isThere.maybe(false);
      if (upload.linkedAt !== null && isLost(upload.linkedAt)) upload.linkedAt = null;
    }
    // What they deleted is there again, without its bytes.
    this.isTrusting = false;
  }

  /** What must hold at rest, when everybody serves. */
  async check(when: string): Promise<void> {
    const { client } = this;
    const { world } = client;
    if (!(await this.list(true))) return;
    for (const upload of this.uploads) await this.read(upload, client, {});
    // What was refused counts no more, nor what was never answered: one file may take all of it.
    const listed = await client.mustCall('GET', '/attachments');
    for (const { id } of listed.attachments as { id: number }[]) {
      for (let reply: Reply | null = null; reply?.status !== 200 && !world.isOver;) {
        reply = await client.call('DELETE', `/attachments/${id}`);
        if (reply?.status === 400) break;
        if (reply?.status !== 200) await world.scheduler.pause(50);
      }
    }
    for (const upload of this.uploads) this.gone(upload);
    this.uploads = [];
    const name = this.newName();
    const data = Buffer.alloc(QUOTA_BYTES, `${name} `);
    for (let reply: Reply | null = null; reply?.status !== 200 && !world.isOver;) {
      this.astray.set(name, { askedAt: world.scheduler.now, data });
      reply = await client.call('POST', '/user_uploads', {}, { file: { name, data } });
      if (reply !== null && reply.status !== 200 && reply.status !== 503) {
        const refusal = JSON.stringify(reply.body);
        world.fault(`${when}: ${data.length} bytes do not fit though all is removed: ${refusal}`);
      }
      if (reply === null || reply.status === 503) await this.removeUnknown();
    }
    await this.removeUnknown();
  }

  /** What the one who wrote some bytes may think of them. */
  fateOf(name: string): { readonly fate: Fate; readonly since: number } {
    const removedAt = this.removedAt.get(name);
    if (removedAt !== undefined) return { fate: 'removed', since: removedAt };
    const lost = this.astray.get(name);
    if (lost && this.isTrusting) return { fate: 'never answered', since: lost.askedAt };
    return { fate: 'kept', since: 0 };
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
    const { random, scheduler } = world;
    const name = this.newName();
    const most = random.chance(LARGE_SHARE) ? LARGE_BYTES : USUAL_BYTES;
    const data = Buffer.alloc(random.int(1, most) + name.length, `${name} `);
    const askedAt = scheduler.now;
    this.astray.set(name, { askedAt, data });
    const { node } = client;
    const reply = await client.call('POST', '/user_uploads', {}, { node, file: { name, data } });
    if (reply === null || reply.status === 503) return;
    if (reply.status !== 200) {
      world.fault(`${client.host}: an upload: ${reply.status} ${JSON.stringify(reply.body)}`);
      return;
    }
    const position = this.told(reply);
    const url = String(reply.body.url);
    const upload = this.known({ name, url, data, position, askedAt });
    if (world.isLost(position)) upload.isThere.maybe(false);
    world.counted('acknowledged uploads');
    const isHere = random.chance(0.3);
    await this.read(upload, client, isHere ? { node } : this.naming(position));
    if (!upload.mayBeLinked) await this.readForOther(upload);
  }

  private known(found: Pick<Upload, 'name' | 'url' | 'data' | 'position' | 'askedAt'>): Upload {
    const { scheduler } = this.client.world;
    const isThere = new Register(true, () => scheduler.now);
    const at = scheduler.now;
    const upload = { ...found, at, isThere, linkedAt: null, mayBeLinked: false };
    this.astray.delete(found.name);
    this.uploads.push(upload);
    return upload;
  }

  /** What must be there is listed, nothing else is but what was never answered, and all together takes what is said. */
  private async list(isLast = false): Promise<boolean> {
    const { client } = this;
    const { world } = client;
    const askedAt = world.scheduler.now;
    const { position } = this;
    const reply = await client.call('GET', '/attachments', {}, this.naming(position));
    if (!this.isAnswered('GET /attachments', reply) || !reply) return false;
    const { attachments, upload_space_used: used } = reply.body as {
      attachments: { name: string; size: number; path_id: string }[];
      upload_space_used: number;
    } & Body;
    const sum = attachments.reduce((bytes, { size }) => bytes + size, 0);
    if (used !== sum) world.fault(`${client.host}: files of ${sum} bytes count as ${used}`);
    const listed = new Set(attachments.map(({ name }) => name));
    for (const upload of [...this.uploads]) {
      const isListed = listed.has(upload.name);
      if (isListed ? upload.isThere.mayBe(true, askedAt) : this.mayBeGone(upload, askedAt))
        continue;
      if (upload.at > askedAt) continue;
      const what = isListed ? 'is listed though it was removed' : 'is not listed';
      world.fault(`${client.host}: ${upload.name} ${what}, at ${position}`);
    }
    for (const { name, path_id } of attachments) {
      const lost = this.astray.get(name);
      const url = `/user_uploads/${path_id}`;
      if (lost) this.known({ name, url, ...lost, position: 0 });
      else if (!this.uploads.some((one) => one.name === name) && !this.removedAt.has(name)) {
        world.fault(`${client.host}: ${name} is listed, and is not known`);
      }
    }
    if (isLast) this.forgetGone(listed);
    return true;
  }

  /** Of what was listed last by everybody who serves: what is not there is gone for good. */
  private forgetGone(listed: ReadonlySet<string>): void {
    for (const upload of this.uploads) if (!listed.has(upload.name)) this.gone(upload);
    this.uploads = this.uploads.filter(({ name }) => listed.has(name));
    if (!this.expires || !this.isTrusting) return;
    const { world } = this.client;
    const late = world.scheduler.now - 2 * KEPT_MS;
    for (const { name, at, mayBeLinked } of this.uploads) {
      if (mayBeLinked || at > late) continue;
      world.fault(`${this.client.host}: ${name} is still there, and no message has ever linked it`);
    }
  }

  private gone({ name }: Pick<Upload, 'name'>): void {
    if (this.isTrusting) this.removedAt.set(name, this.client.world.scheduler.now);
  }

  private async readOne(): Promise<void> {
    const { client, uploads } = this;
    const { world } = client;
    if (uploads.length === 0) return;
    const upload = world.random.pick(uploads);
    const isCurrent = world.random.chance(0.5);
    if (upload.linkedAt !== null && world.random.chance(0.5)) await this.readForOther(upload);
    else if (isCurrent) await this.read(upload, client, this.naming(this.position));
    else await this.read(upload, client, {}, world.scheduler.now - MOST_STALE_MS);
  }

  /** @param since what was acknowledged until then must be there */
  private async read(
    upload: Upload,
    reader: SimClient,
    options: CallOptions,
    since = this.client.world.scheduler.now,
  ): Promise<void> {
    const { world } = reader;
    const { data, name, url } = upload;
    const first = world.random.chance(0.2) ? world.random.int(0, data.length) : 0;
    const headers = { ...options.headers, ...(first > 0 ? { Range: `bytes=${first}-` } : {}) };
    const reply = await reader.call('GET', url, {}, { ...options, base: '', headers });
    if (reply === null || reply.status === 503) return;
    const { status } = reply;
    world.counted(`files read: ${status}`);
    if (status === (first > 0 ? 206 : 200)) {
      const isSame = reply.bytes.equals(data.subarray(first));
      if (!isSame) world.fault(`${reader.host}: ${name} has other bytes than were uploaded`);
      if (upload.isThere.mayBe(true, since)) return;
      world.fault(`${reader.host}: ${name} is read though it was removed`);
    } else if (status === 404) {
      if (upload.at > since || this.mayBeGone(upload, since)) return;
      world.fault(`${reader.host}: ${name} is not there, at ${this.position}`);
    } else world.fault(`${reader.host}: ${name}: ${status} ${JSON.stringify(reply.body)}`);
  }

  /** Somebody else may read a file that a message links, and no other. */
  private async readForOther(upload: Upload): Promise<void> {
    const { world, userId } = this.client;
    const others = world.clients.filter((one) => one.userId !== userId);
    if (others.length === 0) return;
    const other = world.random.pick(others);
    const { linkedAt } = upload;
    if (linkedAt !== null) {
      await this.read(upload, other, this.naming(Math.max(linkedAt, upload.position)));
      return;
    }
    const options = { ...this.naming(upload.position), base: '' };
    const reply = await other.call('GET', upload.url, {}, options);
    if (reply?.status !== 200 || upload.mayBeLinked) return;
    world.fault(`${other.host}: reads ${upload.name}, which no message links`);
  }

  private async link(): Promise<void> {
    const { client, uploads } = this;
    const { world } = client;
    if (uploads.length === 0) return;
    const upload = world.random.pick(uploads);
    upload.mayBeLinked = true;
    const content = `see [${upload.name}](${upload.url})`;
    const said = { type: 'channel', to: 'general', topic: 'files', content };
    const reply = await client.call('POST', '/messages', said);
    if (!this.isAnswered('POST /messages', reply) || !reply) return;
    const position = this.told(reply);
    // One that was gone by then is not there for its message.
    if (!world.isLost(position) && !this.mayBeGone(upload)) upload.linkedAt = position;
  }

  private async remove(): Promise<void> {
    const { client, uploads } = this;
    const { world } = client;
    if (uploads.length === 0) return;
    const upload = world.random.pick(uploads);
    const { setbacks } = world;
    const listed = await client.call('GET', '/attachments', {}, this.naming(this.position));
    if (!this.isAnswered('GET /attachments', listed) || !listed) return;
    const found = (listed.body.attachments as { id: number; name: string }[]).find(
      ({ name }) => name === upload.name,
    );
    if (!found) {
      if (!this.mayBeGone(upload)) world.fault(`${client.host}: ${upload.name} is not listed`);
      this.forget(upload);
      return;
    }
    const done = upload.isThere.begin(false);
    const reply = await client.call('DELETE', `/attachments/${found.id}`);
    // The id may be that of another file by then.
    if (setbacks < world.setbacks) for (const one of uploads) one.isThere.maybe(false);
    if (reply?.status === 400 && this.mayBeGone(upload)) {
      this.forget(upload);
      return;
    }
    if (!this.isAnswered(`DELETE /attachments/${found.id}`, reply) || !reply) return;
    const position = this.told(reply);
    done(position);
    this.gone(upload);
    if (world.isLost(position)) upload.isThere.lose((one) => world.isLost(one));
    world.counted('acknowledged removals of files');
    await this.read(upload, client, this.naming(position));
    this.forget(upload);
  }

  private forget(upload: Upload): void {
    this.uploads = this.uploads.filter((one) => one !== upload);
  }

  /** Removes what is there of uploads that were never answered. */
  private async removeUnknown(): Promise<void> {
    const { client } = this;
    const { attachments } = await client.mustCall('GET', '/attachments');
    for (const { id, name } of attachments as { id: number; name: string }[]) {
      const reply = await client.call('DELETE', `/attachments/${id}`);
      if (reply?.status !== 200) continue;
      this.astray.delete(name);
      this.gone({ name });
    }
  }

  private mayBeGone({ isThere, linkedAt, askedAt }: Upload, since?: number): boolean {
    if (isThere.mayBe(false, since)) return true;
    const { now } = this.client.world.scheduler;
    return this.expires && linkedAt === null && now > askedAt + KEPT_MS - 2000;
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
