import { setImmediate as nextRound } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import t from 'tap';
import type { RealmExportDocument } from '../../../../schemas/realm/exports.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import type { Exchange } from '../../../../src/http/reply/exchange.js';
import type { ChunkedReply } from '../../../../src/http/reply/exchange-parts.js';
import { exportRoute } from '../../../../src/http/files/export-routes.js';
import { ExportWorker } from '../../../../src/organization/realm/export-worker.js';
import { deactivateUser } from '../../../../src/organization/users/deactivation.js';
import { changeRole } from '../../../../src/organization/users/role-change.js';
import { exportHandlers } from '../../../../src/resources/realm/exports.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import type { Body } from '../../../fixtures/living-organization.js';

class World extends MessagesWorld {
  /** The exports that have begun and are not being made yet. */
  readonly begun: RealmExportDocument[] = [];
  readonly faults: unknown[] = [];
  readonly admin = this.addWithRole('admin@example.com', ROLE.administrator);
  private readonly exportHandlers = exportHandlers({
    blobs: this.blobs,
    onBlobError: (error) => this.faults.push(error),
    runExport: (one) => this.begun.push(one),
  });
  override readonly handlers = [...this.exportHandlers];
  readonly worker = new ExportWorker(this, {
    blobs: this.blobs,
    onError: (error) => this.faults.push(error),
  });

  export(params: Body = {}) {
    return this.do('export-realm', params, this.admin);
  }

  async list(): Promise<Body[]> {
    return (await this.do('get-realm-exports', {}, this.admin)).exports as Body[];
  }

  /** Makes the file of what has begun. @returns its lines */
  async made(): Promise<Body[]> {
    const one = this.begun.pop()!;
    await this.worker.run(one);
    const { parts } = this.org.realmExports.get(one.id)!;
    const bytes = parts.map((_size, part) => this.blobs.files.get(`exports/${one.token}/${part}`)!);
    const lines = gunzipSync(Buffer.concat(bytes)).toString('utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Body);
  }
}

const DAY_MS = 86_400_000;
const kinds = (lines: readonly Body[], kind: string) => lines.filter((one) => one.kind === kind);

void t.test('public channels and their messages, with people and groups', async (t) => {
  const world = new World();
  const secret = world.channel('secret', { invite_only: true }, [world.owner, world.hamlet]);
  const id = await world.say('to be');
  await world.say('hidden', 'plot', world.hamlet, 'secret');
  await world.tell('between us');
  t.same(await world.export(), { id: 1 });
  t.match(world.seen(world.admin), [
    { type: 'realm_export', exports: [{ id: 1, pending: true, export_url: null }] },
  ]);
  t.same(world.seen(world.hamlet), [], 'only administrators are told');
  t.equal(await world.refused('export-realm', {}, world.admin), 'An export is being made.');
  t.equal(
    await world.refused('delete-realm-export', { export_id: 1 }, world.admin),
    'Export still in progress',
  );
  world.mark = world.position;
  const [header, ...lines] = await world.made();
  t.match(header, {
    format: 'parley-organization-export',
    version: 1,
    export_type: 'public',
    organization: { name: 'Example' },
    consenting_user_ids: [],
  });
  const people = kinds(lines, 'user').map((one) => one.full_name);
  t.ok(people.includes('hamlet') && people.includes('Olive Owner'));
  t.same(
    kinds(lines, 'channel').map(({ name }) => name),
    ['general', 'verona'],
  );
  t.notOk(JSON.stringify(lines).includes(secret.name));
  t.ok(kinds(lines, 'user_group').length >= 8);
  t.match(kinds(lines, 'message'), [
    { id, channel_id: 1, topic: 'lunch', sender_id: world.hamlet.user_id, content: 'to be' },
  ]);
  t.same(lines.at(-1), { kind: 'end', messages: 1 });

  const [one] = await world.list();
  const { token } = world.org.realmExports.get(1)!;
  const shown = {
    id: 1,
    acting_user_id: world.admin.user_id,
    export_type: 'public',
    pending: false,
    failed_timestamp: null,
    deleted_timestamp: null,
    export_url: `https://chat.example.com/exports/${token}/parley-export-1.jsonl.gz`,
    export_from_prior_server: false,
  };
  t.strictSame(one, { ...shown, export_time: one!.export_time });
  t.equal(world.reloaded().realmExports.size, 1, 'also after a restart');

  await world.do('delete-realm-export', { export_id: 1 }, world.admin);
  const [deleted] = await world.list();
  t.match(deleted, { export_url: null, deleted_timestamp: one!.export_time });
  t.equal(world.blobs.files.size, 0);
  const refused = (export_id: number) =>
    world.refused('delete-realm-export', { export_id }, world.admin);
  t.equal(await refused(1), 'Export already deleted');
  t.equal(await refused(7), 'Invalid data export ID');
  t.same(world.faults, []);
});

// [c:export-addresses]
void t.test('an administrator who is none any more knows no address of a file', async (t) => {
  const world = new World();
  const second = world.addWithRole('second@example.com', ROLE.administrator);
  await world.export();
  await world.made();
  const failed: unknown[] = [];
  const fetched: number[] = [];
  const server = { fail: (_exchange: unknown, error: unknown) => void failed.push(error) };
  const route = exportRoute({
    ...{ org: world.org, blobs: world.blobs, server },
    record: async (id) => void fetched.push(id),
  });
  const exchange = { replyChunks: async () => undefined } as unknown as Exchange;
  const address = async (): Promise<string> => {
    const [, token = ''] = /exports\/([\w-]+)\//.exec(String((await world.list())[0]!.export_url))!;
    void route.respond(exchange, { params: { token, filename: 'x' } } as never);
    return token;
  };
  const gone = (token: string) =>
    t.throws(() => route.respond(exchange, { params: { token, filename: 'x' } } as never), {
      message: 'File not found.',
    });
  const known = [await address()];
  const moderator = world.addWithRole('third@example.com', ROLE.moderator);
  world.transact((tx) => changeRole(tx, moderator, ROLE.member));
  t.equal(await address(), known[0], 'whoever was none knew none');
  world.mark = world.position;
  world.transact((tx) => changeRole(tx, second, ROLE.member));
  const told = world.seen(world.admin).at(-1);
  t.notOk(world.seen(second).some(({ type }) => type === 'realm_export'));
  known.push(await address());
  t.match(told, {
    type: 'realm_export',
    exports: [
      { export_url: `https://chat.example.com/exports/${known[1]!}/parley-export-1.jsonl.gz` },
    ],
  });
  const third = world.addWithRole('fourth@example.com', ROLE.administrator);
  world.transact((tx) =>
    deactivateUser(tx, third, { endQueues: () => undefined, forgetPresence: () => undefined }),
  );
  await address();
  for (const token of known) gone(token);
  await world.do('delete-realm-export', { export_id: 1 }, world.admin);
  t.equal(world.blobs.files.size, 0, 'the file is that of before');
  t.same([world.faults, failed], [[], []]);
});

void t.test('what people allow: their private channels and direct messages', async (t) => {
  const world = new World();
  const { hamlet, ophelia, owner } = world;
  world.channel('castle', { invite_only: true }, [owner, hamlet]);
  world.channel('garden', { invite_only: true }, [owner, ophelia]);
  await world.say('in the castle', 'plot', hamlet, 'castle');
  await world.say('in the garden', 'flowers', ophelia, 'garden');
  await world.tell('between us');
  const contents = async () => {
    await world.export({ export_type: 'full_with_consent' });
    return kinds(await world.made(), 'message').map(({ content }) => content);
  };
  t.same(await contents(), [], 'nobody allows it');
  world.presetSettings(hamlet, { allow_private_data_export: true });
  t.same(await contents(), ['in the castle', 'between us']);
});

void t.test('a file of many parts is one file', async (t) => {
  const world = new World();
  for (let i = 0; i < 5; i++) await world.say(`message ${i}`);
  const worker = new ExportWorker(world, {
    ...{ blobs: world.blobs, onError: (error) => world.faults.push(error), partLength: 1000 },
  });
  await world.export();
  await worker.run(world.begun.pop()!);
  const { token, parts } = world.org.realmExports.get(1)!;
  t.ok(parts.length > 5);
  const sent: Buffer[] = [];
  const replies: Body[] = [];
  const exchange = {
    async replyChunks({ size, read, ...head }: ChunkedReply) {
      for (let offset = 0; offset < size;) {
        const bytes = await read(offset);
        sent.push(bytes.subarray(0, 100));
        offset += Math.min(bytes.length, 100);
      }
      replies.push(head);
    },
  } as unknown as Exchange;
  const failed: unknown[] = [];
  const fetched: number[] = [];
  const server = { fail: (_exchange: unknown, error: unknown) => void failed.push(error) };
  const route = exportRoute({
    ...{ org: world.org, blobs: world.blobs, server },
    record: async (id) => void fetched.push(id),
  });
  const ask = (asked: string): void =>
    void route.respond(exchange, { params: { token: asked, filename: 'x' } } as never);
  ask(token);
  while (replies.length + failed.length === 0) await nextRound();
  const lines = gunzipSync(Buffer.concat(sent)).toString('utf8').trimEnd().split('\n');
  t.same(JSON.parse(lines.at(-1)!), { kind: 'end', messages: 5 });
  t.match(replies, [
    {
      mediaType: 'application/gzip',
      headers: { 'Content-Disposition': 'attachment; filename="parley-export-1.jsonl.gz"' },
    },
  ]);
  t.same(fetched, [1], 'on record');
  t.throws(() => ask('another'), { status: 404, message: 'File not found.' });
  world.blobs.files.clear();
  ask(token);
  while (failed.length === 0) await nextRound();
  t.match(failed, [{ status: 404 }], 'a file that is gone');
});

void t.test('five in a week, and what fails', async (t) => {
  const world = new World();
  for (let i = 0; i < 4; i++) {
    await world.export();
    await world.made();
  }
  await world.export();
  const stored = world.blobs.files.size;
  world.blobs.fails = /^/;
  await world.worker.run(world.begun.pop()!);
  t.match(world.faults, [{ message: 'the disk is full' }]);
  t.equal(world.blobs.files.size, stored, 'no part is left');
  t.match((await world.list())[4], { pending: false, export_url: null, failed_timestamp: Number });
  t.equal(
    await world.refused('delete-realm-export', { export_id: 5 }, world.admin),
    'Export failed, nothing to delete',
  );
  t.equal(await world.refused('export-realm', {}, world.admin), 'Exceeded rate limit.');
  world.clock.advance(7 * DAY_MS);
  t.same(await world.export(), { id: 6 });

  world.worker.stop();
  await world.worker.run(world.begun.pop()!);
  t.match((await world.list())[5], { pending: true }, 'a node that ends says nothing');
  world.worker.start();
  t.match(
    (await world.list())[5],
    { pending: false, failed_timestamp: Number },
    'its successor does',
  );
});
