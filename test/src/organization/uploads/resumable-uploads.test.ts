import { createHash } from 'node:crypto';
import t from 'tap';
import { ResumableUploads } from '../../../../src/organization/uploads/resumable-uploads.js';
import type { Transactor } from '../../../../src/organization/state/runtime.js';
import type { BlobParts } from '../../../../src/services/blob-store.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;
const DIFFERS = { status: 409, message: 'The upload has another offset.' };
const GONE = { status: 410, message: 'There is no such upload, or it has expired.' };

/** Bytes that differ from place to place. */
const data = Buffer.from(Array.from({ length: 2 * MIB + 5 }, (_, i) => (i * 31 + i / 997) & 255));

class World extends MessagesWorld {
  /** Most bytes that were handed over at once for a file. */
  largest = 0;
  private readonly runtime = {
    org: this.org,
    transact: (work, actor) => this.transact(work, actor),
    journal: { barrier: async () => undefined },
  } as Transactor;
  readonly uploads = new ResumableUploads(this.runtime, {
    blobs: {
      get: (key) => this.blobs.get(key),
      delete: (key) => this.blobs.delete(key),
      put: async (key, file: Buffer | BlobParts) => {
        const parts = Buffer.isBuffer(file) ? [file] : file.read();
        for await (const part of parts) this.largest = Math.max(this.largest, part.length);
        await this.blobs.put(key, file);
      },
    },
    onBlobError: (error) => {
      throw error;
    },
  });

  begin(size: number, name = 'film.bin'): Promise<string> {
    return this.uploads.create(this.hamlet.user_id, { name, metadata: '', size });
  }

  /** Sends what is between two offsets. */
  send(id: string, offset: number, end: number): Promise<void> {
    return this.uploads.write(this.hamlet.user_id, id, offset, data.subarray(offset, end));
  }

  offset(id: string): number | undefined {
    return this.org.resumableUploads.get(id)?.offset;
  }

  get pieces(): string[] {
    return [...this.blobs.files.keys()].filter((key) => key.startsWith('tus/'));
  }
}

void t.test(
  'pieces become a file with its checksum, and no more than one is in memory',
  async (t) => {
    const world = new World();
    const id = await world.begin(data.length);
    const { path_id } = world.org.resumableUploads.get(id)!;
    const ends = [10, MIB - 1, MIB + 1, 2 * MIB, data.length];
    let offset = 0;
    for (const end of ends) {
      await world.send(id, offset, end);
      t.equal(world.offset(id), end);
      offset = end;
    }
    t.equal(world.largest, MIB);
    const [key, ...others] = [...world.blobs.files.keys()];
    t.same(others, [], 'no piece is left');
    t.ok(world.blobs.files.get(key!)!.equals(data));
    const attachment = world.org.attachments.byPath(path_id);
    t.match(attachment, {
      ...{ name: 'film.bin', size: data.length, user_id: world.hamlet.user_id },
      sha256: createHash('sha256').update(data).digest('base64url'),
    });
    t.match(world.seen(world.hamlet), [{ type: 'attachment', op: 'add', attachment: { path_id } }]);
  },
);

void t.test(
  'two requests with the same bytes: one is refused, and they are there once',
  async (t) => {
    const world = new World();
    const id = await world.begin(data.length);
    const both = await Promise.allSettled([world.send(id, 0, 1000), world.send(id, 0, 2000)]);
    t.match(both, [{ status: 'fulfilled' }, { reason: DIFFERS }]);
    t.equal(world.offset(id), 1000);
  },
);

void t.test('a piece that was lost is asked for again', async (t) => {
  const world = new World();
  const id = await world.begin(data.length);
  await world.send(id, 0, MIB);
  await world.send(id, MIB, 2 * MIB);
  await world.send(id, 2 * MIB, 2 * MIB + 1);
  const second = world.pieces[1]!;
  world.blobs.files.set(second, data.subarray(MIB, MIB + 3));
  await t.rejects(world.send(id, 2 * MIB + 1, data.length), DIFFERS);
  t.equal(world.offset(id), MIB, 'where it begins');
  t.equal(world.org.attachments.size, 0);
  await world.send(id, MIB, 2 * MIB);
  await world.send(id, 2 * MIB, data.length);
  t.ok([...world.blobs.files.values()][0]!.equals(data));
});

void t.test('an upload ends six hours after its last bytes, with its pieces', async (t) => {
  const world = new World();
  const id = await world.begin(data.length);
  await world.send(id, 0, 10);
  world.clock.advance(5 * HOUR_MS);
  await world.send(id, 10, 20);
  world.clock.advance(6 * HOUR_MS - 1000);
  t.equal(await world.uploads.removeExpired(), 0);
  world.clock.advance(1000);
  await t.rejects(world.send(id, 20, 30), GONE);
  t.equal(world.pieces.length, 1);
  t.equal(await world.uploads.removeExpired(), 1);
  t.same([world.pieces, world.org.resumableUploads.size], [[], 0]);
});

void t.test(
  'a file that could not be stored is replaced, or removed with its upload',
  async (t) => {
    const world = new World();
    const fail = async (id: string) => {
      world.blobs.fails = /^uploads/;
      await t.rejects(world.send(id, 0, 10), { message: 'the disk is full' });
      world.blobs.fails = null;
    };
    const [again, ended, expired] = [
      await world.begin(10),
      await world.begin(10),
      await world.begin(10),
    ];
    for (const id of [again, ended, expired]) await fail(id);
    await world.send(again, 0, 10);
    await world.uploads.end(world.hamlet.user_id, ended);
    t.equal(world.blobs.files.size, 2);
    world.clock.advance(6 * HOUR_MS);
    t.equal(await world.uploads.removeExpired(), 1);
    t.equal(world.blobs.files.size, 1, 'the file of the one that was completed');
  },
);

void t.test('a complete one is forgotten after an hour, and its file stays', async (t) => {
  const world = new World();
  const id = await world.begin(10);
  await world.send(id, 0, 10);
  world.clock.advance(HOUR_MS - 1000);
  await world.send(id, 10, 10);
  world.clock.advance(1000);
  await t.rejects(world.send(id, 10, 10), GONE);
  t.equal(await world.uploads.removeExpired(), 0, 'none that was not complete');
  t.same([world.org.resumableUploads.size, world.org.attachments.size], [0, 1]);
});

void t.test('room is reserved, of the organization and of the user, and given back', async (t) => {
  const world = new World();
  world.setRealm({ upload_quota_mib: 30 });
  const large = await world.begin(25 * MIB);
  await t.rejects(world.begin(6 * MIB), {
    ...{ status: 413, code: 'REALM_UPLOAD_QUOTA' },
  });
  const file = { field: 'f', name: 'f', mediaType: '', data: Buffer.alloc(6 * MIB) };
  await t.rejects(world.do('upload-file', {}, world.hamlet, { files: [file] }), {
    code: 'REALM_UPLOAD_QUOTA',
  });
  await world.uploads.end(world.hamlet.user_id, large);
  const small = await world.begin(6 * MIB);
  t.equal(world.org.resumableUploads.reserved, 6 * MIB);
  t.equal(world.reloaded().resumableUploads.reservedBy(world.hamlet.user_id), 6 * MIB);
  await world.uploads.end(world.hamlet.user_id, small);
  for (let i = 0; i < 50; i++) await world.begin(1);
  await t.rejects(world.begin(1), {
    ...{ status: 413, message: 'You can have at most 50 uploads that are not complete.' },
  });
});

void t.test('a file that does not fit any more is refused when it is complete', async (t) => {
  const world = new World();
  world.setRealm({ upload_quota_mib: 30 });
  const id = await world.begin(data.length);
  await world.send(id, 0, MIB);
  world.setRealm({ upload_quota_mib: 1 });
  await world.send(id, MIB, 2 * MIB);
  await t.rejects(world.send(id, 2 * MIB, data.length), { code: 'REALM_UPLOAD_QUOTA' });
  t.equal(world.offset(id), 2 * MIB, 'and may be sent again');
  t.equal(world.blobs.files.size, 2, 'the pieces alone');
  world.setRealm({ upload_quota_mib: 30 });
  await world.send(id, 2 * MIB, data.length);
  t.equal(world.org.attachments.spaceUsed, data.length);
});

void t.test('a deactivated user sends nothing more; an erased one leaves nothing', async (t) => {
  const world = new World();
  const id = await world.begin(data.length);
  await world.send(id, 0, 10);
  world.alter(world.hamlet.user_id, { is_active: false });
  await t.rejects(world.send(id, 10, 20), { status: 401, message: 'Account is deactivated' });
  const removed: string[] = [];
  const { erasePersonal } = await import('../../../../src/organization/users/erasure.js');
  const remove = (keys: readonly string[]): unknown => removed.push(...keys);
  while (world.transact((tx) => erasePersonal(tx, world.hamlet.user_id, { remove })) > 0);
  t.equal(world.org.resumableUploads.size, 0);
  t.same(removed.filter((key) => key.startsWith('tus/')).length, 3, 'every piece it may have');
});
