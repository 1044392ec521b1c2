import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { addAttachment } from '../../../../src/organization/uploads/attachments.js';
import { realmSection } from '../../../../src/resources/queues/register/realm-section.js';
import { fileAt } from '../../../../src/resources/uploads/uploads.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import { START_SECONDS } from '../../../fixtures/living-organization.js';

const MIB = 1024 * 1024;

function file(name: string, size = 3) {
  return { field: `/home/me/${name}`, name, mediaType: 'text/html', data: Buffer.alloc(size, 65) };
}

/** Uploads a file; its address and its path id. */
async function upload(world: MessagesWorld, user: UserDocument, name = 'plan.txt', size = 3) {
  const { url } = await world.do('upload-file', {}, user, { files: [file(name, size)] });
  return { url: url as string, path_id: (url as string).slice('/user_uploads/'.length) };
}

// [c:attachment-add]
void t.test('events `attachment` add: to the uploader', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia } = world;
  const reply = await world.do('upload-file', {}, hamlet, { files: [file('My plan (1).txt')] });
  t.match(reply.url, /^\/user_uploads\/1\/[0-9a-f]{2}\/[A-Za-z0-9_-]{24}\/My-plan-1\.txt$/);
  t.same(reply, { url: reply.url, uri: reply.url, filename: 'My plan (1).txt' });
  const attachment = {
    id: 1,
    name: 'My plan (1).txt',
    path_id: (reply.url as string).slice('/user_uploads/'.length),
    size: 3,
    create_time: START_SECONDS,
    message_ids: [],
  };
  t.same(world.seen(hamlet), [{ type: 'attachment', op: 'add', attachment, upload_space_used: 3 }]);
  t.same(world.seen(ophelia), []);
  await upload(world, ophelia, 'other.txt', 5);
  t.match(world.seen(ophelia), [{ upload_space_used: 8 }], 'of the whole organization');
  t.same(await world.do('get-attachments', {}, hamlet), {
    attachments: [attachment],
    upload_space_used: 8,
  });
  const [key] = world.blobs.files.keys();
  t.match(key, /^uploads\/[0-9a-f]{2}\/[A-Za-z0-9_-]{24}$/);
  t.equal(world.blobs.files.get(key!)!.toString(), 'AAA');
});

void t.test('file names are made safe', async (t) => {
  const world = new MessagesWorld();
  const named = async (name: string) => {
    const { path_id } = await upload(world, world.hamlet, name);
    const { filename } = await world.do('upload-file', {}, world.hamlet, { files: [file(name)] });
    return [path_id.split('/')[3]!, filename as string] as const;
  };
  t.same(await named('../../etc/passwd'), ['passwd', 'passwd']);
  t.same(await named('C:\\temp\\a b.txt'), ['a-b.txt', 'a b.txt']);
  t.same(await named('..'), ['uploaded-file', '..']);
  t.same(await named(''), ['uploaded-file', 'uploaded-file']);
  t.same(await named('zażółć.png'), ['zażółć.png', 'zażółć.png']);
  t.same(await named('a\u0000\r\n"b.html'), ['ab.html', 'a"b.html']);
  t.same(await named('photo\u202egpj.exe'), ['photogpj.exe', 'photogpj.exe']);
  t.same(await named('a\u200b\u3164\u2800b.txt'), ['ab.txt', 'ab.txt']);
  t.same(await named('\u2066\u034f'), ['uploaded-file', 'uploaded-file']);
  const [path, name] = await named(`${'x'.repeat(300)}.pdf`);
  t.same([path.length, name.length, path.slice(-4)], [100, 250, '.pdf']);
});

// [c:attachment-update]
void t.test(
  'events `attachment` update: on send, before the message; on edit; on delete',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet, ophelia } = world;
    const { url, path_id } = await upload(world, hamlet);
    await world.say('first');
    world.mark = world.position;
    const id = await world.say(`see [plan](${url})`);
    const update = (message_ids: number[]) => ({
      type: 'attachment',
      op: 'update',
      attachment: {
        id: 1,
        name: 'plan.txt',
        path_id,
        size: 3,
        create_time: START_SECONDS,
        message_ids,
      },
      upload_space_used: 3,
    });
    t.match(world.seen(hamlet), [update([id])]);
    const order = world.entries[world.entries.length - 1]!.content.events.map(({ type }) => type);
    t.same(order, ['attachment', 'message']);
    t.notOk(world.seen(ophelia).some(({ type }) => type === 'attachment'));
    t.ok(world.org.messages.peek(id)!.has_attachment);
    const forwarded = await world.say(`look [it](${url})`, 'lunch', ophelia);
    t.match(world.org.attachments.get(1)!.message_ids, [id, forwarded], 'whoever may see it');

    const same = await world.do(
      'update-message',
      {
        message_id: id,
        content: `see again [plan](${url})`,
      },
      hamlet,
    );
    t.same(same, { detached_uploads: [] });
    t.same(
      world.seen(hamlet).map(({ type }) => type),
      ['update_message'],
      'still linked',
    );
    const edited = await world.do('update-message', { message_id: id, content: 'gone' }, hamlet);
    t.same(edited, { detached_uploads: [] }, 'another message links it');
    t.match(world.seen(hamlet), [{ type: 'update_message' }, update([forwarded])]);
    await world.do('update-message', { message_id: id, content: `[back](${url})` }, hamlet);
    t.match(world.seen(hamlet), [{ type: 'update_message' }, update([id, forwarded])]);
    await world.do('delete-message', { message_id: forwarded }, world.owner);
    t.match(world.seen(hamlet), [{ type: 'delete_message' }, update([id])]);
    const last = await world.do('update-message', { message_id: id, content: 'gone' }, hamlet);
    t.same(last, { detached_uploads: [update([]).attachment] }, 'nothing links it any more');
    t.same([...world.org.attachments.ofMessage(id)], []);
  },
);

// [c:attachment-remove]
void t.test('events `attachment` remove: its uploader deletes it, bytes and all', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, owner } = world;
  const { url } = await upload(world, hamlet);
  await world.say(`see [it](${url})`);
  for (const user of [ophelia, owner]) {
    t.equal(
      await world.refused('remove-attachment', { attachment_id: 1 }, user),
      'Invalid attachment',
    );
  }
  t.equal(
    await world.refused('remove-attachment', { attachment_id: 2 }, hamlet),
    'Invalid attachment',
  );
  t.same(await world.do('remove-attachment', { attachment_id: 1 }, hamlet), {});
  t.same(world.seen(hamlet), [
    { type: 'attachment', op: 'remove', attachment: { id: 1 }, upload_space_used: 0 },
  ]);
  t.equal(world.blobs.files.size, 0);
  t.same(await world.do('get-attachments', {}, hamlet), { attachments: [], upload_space_used: 0 });
});

void t.test('who may have a file: its uploader, and who sees a message with it', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, owner, org } = world;
  const guest = world.addUser('guest@example.com', { role: ROLE.guest });
  world.channel('vault', { invite_only: true }, [hamlet, owner]);
  const { url, path_id } = await upload(world, hamlet);
  const path = path_id.slice(2);
  const outcome = (user: UserDocument, realm = 1) => {
    try {
      return fileAt(org, world.user(user.user_id), realm, path).id;
    } catch (error) {
      const { status, message } = error as { status: number; message: string };
      return `${status} ${message}`;
    }
  };
  const forbidden = '403 Access denied';
  t.equal(outcome(hamlet), 1);
  t.equal(outcome(hamlet, 2), '404 File not found.');
  t.equal(outcome(owner), forbidden, 'also administrators');
  await world.say(`I know [it](${url})`, 'lunch', ophelia);
  t.equal(outcome(ophelia), forbidden, 'an address alone opens nothing');
  t.equal(outcome(owner), forbidden, 'nor does a message of somebody who may not have it');
  await world.say(`see [it](${url})`, 'plan', hamlet, 'vault');
  t.equal(outcome(owner), 1, 'who reads it in a private channel');
  t.equal(outcome(ophelia), forbidden);
  world.channel('rome', { is_default: false }, [owner]);
  await world.say(`see [it](${url})`, 'plan', owner, 'rome');
  t.equal(outcome(ophelia), 1, 'forwarded to a public channel');
  t.equal(outcome(guest), forbidden, 'a guest who does not see that channel');
});

void t.test('a signed address works for a minute', async (t) => {
  const world = new MessagesWorld();
  const { hamlet, ophelia, fileLinks, clock } = world;
  const { path_id } = await upload(world, hamlet, 'zażółć 1.txt');
  const params = { realm_id: 1, path: path_id.slice(2) };
  const { url } = await world.do('get-file-temporary-url', params, hamlet);
  const [, token, name] = /^\/user_uploads\/temporary\/([^/]+)\/([^/]+)$/.exec(url as string)!;
  t.equal(decodeURIComponent(name!), 'zażółć-1.txt');
  t.equal(fileLinks.fileOf(token!, clock.now()), 1);
  t.equal(fileLinks.fileOf(token!, clock.now() + 59_000), 1);
  t.equal(fileLinks.fileOf(token!, clock.now() + 60_000), undefined);
  t.equal(fileLinks.fileOf(token!.replace(/^1\./, '2.'), clock.now()), undefined, 'forged');
  t.equal(fileLinks.fileOf(token!.slice(0, -1), clock.now()), undefined);
  t.equal(await world.refused('get-file-temporary-url', params, ophelia), 'Access denied');
  t.equal(
    await world.refused('get-file-temporary-url', { realm_id: 1, path: 'no/such/file' }, hamlet),
    'File not found.',
  );
});

void t.test('uploads are refused in the words of the contract', async (t) => {
  const world = new MessagesWorld();
  const { hamlet } = world;
  const refused = (...files: ReturnType<typeof file>[]) =>
    world.refused('upload-file', {}, hamlet, { files: files });
  t.equal(await refused(), 'You must specify a file to upload');
  t.equal(await refused(file('a'), file('b')), 'You may only upload one file at a time');
  t.equal(
    await refused(file('a', 25 * 1024 * 1024 + 1)),
    'Uploaded file is larger than the allowed limit of 25 MiB',
  );
  world.setRealm({ upload_quota_mib: 1 });
  await upload(world, hamlet, 'half', 512 * 1024);
  t.equal(
    await refused(file('more', 512 * 1024 + 1)),
    "REALM_UPLOAD_QUOTA: Upload would exceed your organization's upload quota.",
  );
  await upload(world, hamlet, 'rest', 512 * 1024);
  t.equal(world.blobs.files.size, 2);
});

void t.test('a file that could not be stored leaves nothing', async (t) => {
  const world = new MessagesWorld();
  world.setRealm({ upload_quota_mib: 1 });
  world.blobs.fails = /^uploads/;
  await t.rejects(upload(world, world.hamlet, 'a', MIB), { message: 'the disk is full' });
  t.equal(world.blobs.files.size, 0);
  world.blobs.fails = null;
  await upload(world, world.hamlet, 'b', MIB);
  t.equal(world.blobs.files.size, 1, 'it takes no room');
});

void t.test('files and their links are there after a restart', async (t) => {
  const world = new MessagesWorld();
  const { url, path_id } = await upload(world, world.hamlet);
  const id = await world.say(`see [it](${url})`);
  const { attachments } = world.reloaded();
  t.equal(attachments.byPath(path_id)!.id, 1);
  t.same([...attachments.ofMessage(id)], [1]);
  t.equal(attachments.spaceUsed, 3);
});

void t.test(
  'files that no message links are bounded by person, also while they are stored',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet, owner } = world;
    const refused = (size: number, user = hamlet) =>
      world.refused('upload-file', {}, user, { files: [file('more', size)] });
    const text =
      'Your uploaded files that no message links may take at most 250 MiB. Send or delete some first.';
    // Documents without bytes: the bound is about what they say.
    world.transact((tx) => {
      for (let i = 0; i < 10; i++) {
        addAttachment(tx, hamlet, { name: 'x', path_id: `1/aa/${i}/x`, size: 25 * MIB });
      }
    });
    t.equal(await refused(1), text);
    await upload(world, owner, 'other', 1);
    const [first] = world.org.attachments.of(hamlet.user_id);
    await world.say(`[it](/user_uploads/${first!.path_id})`);
    const both = await Promise.allSettled(
      [1, 2].map(() => world.do('upload-file', {}, hamlet, { files: [file('half', 13 * MIB)] })),
    );
    t.strictSame(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
    t.equal(await refused(12 * MIB + 1), text);
    await upload(world, hamlet, 'last', 12 * MIB);
    t.equal(await refused(1), text);
  },
);

void t.test(
  'there is a quota by default, and nobody but administrators fills it alone',
  async (t) => {
    const world = new MessagesWorld();
    const { hamlet, owner } = world;
    (world.org.site as { uploadQuotaMib?: number }).uploadQuotaMib = 2000;
    t.equal(realmSection(world.org).realm_upload_quota_mib, 2000);
    const linked = (user: UserDocument, mib: number) =>
      world.transact((tx) => {
        const path_id = `1/aa/${tx.org.counters.next('attachment')}/x`;
        const size = mib * MIB;
        const { id } = tx.org.attachments.insert({
          ...{
            id: tx.org.counters.next('attachment'),
            user_id: user.user_id,
            name: 'x',
            path_id,
            size,
          },
          ...{ create_time: 1, message_ids: [1] },
        });
        return id;
      });
    linked(hamlet, 500);
    t.equal(
      await world.refused('upload-file', {}, hamlet, { files: [file('x', 1)] }),
      'Your uploaded files may take at most 500 MiB.',
    );
    linked(owner, 1499);
    await upload(world, owner, 'fits', MIB);
    t.equal(
      await world.refused('upload-file', {}, owner, { files: [file('x', 1)] }),
      "REALM_UPLOAD_QUOTA: Upload would exceed your organization's upload quota.",
    );
    world.setRealm({ upload_quota_mib: 3000 });
    t.equal(realmSection(world.org).realm_upload_quota_mib, 3000, 'its own wins');
    await upload(world, owner, 'fits again', 1);
  },
);
