import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { attachmentKey } from '../../../../src/organization/uploads/attachments.js';
import { UnclaimedUploads } from '../../../../src/organization/uploads/unclaimed-uploads.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const DAY_MS = 86_400_000;
const KEEP_DAYS = 35;

class World extends MessagesWorld {
  readonly uploads = new UnclaimedUploads(this.org, {
    keepMs: KEEP_DAYS * DAY_MS,
    transact: (work) => this.transact(work),
    durable: () => Promise.resolve(),
    removeBytes: (key) => void this.blobs.delete(key),
  });

  /** Uploads a file of a size; its id and address. */
  async upload(user: UserDocument = this.hamlet, size = 3) {
    const data = Buffer.alloc(size, 65);
    const file = { field: 'file', name: 'plan.txt', mediaType: 'text/plain', data };
    const { url } = await this.do('upload-file', {}, user, { files: [file] });
    const path = (url as string).slice('/user_uploads/'.length);
    const attachment = this.org.attachments.byPath(path)!;
    return { id: attachment.id, url: url as string, key: attachmentKey(attachment) };
  }

  days(count: number): void {
    this.clock.advance(count * DAY_MS);
  }

  /** One round; ids of the files that are left. */
  async round(): Promise<number[]> {
    this.mark = this.position;
    await this.uploads.run();
    return [...this.org.attachments.values()].map(({ id }) => id);
  }
}

void t.test(
  'a file that no message links goes after its time, and its uploader is told',
  async (t) => {
    const world = new World();
    const { hamlet, ophelia } = world;
    const first = await world.upload(hamlet, 3);
    world.days(1);
    const second = await world.upload(hamlet, 5);
    world.days(KEEP_DAYS - 1 - 1);
    t.same(await world.round(), [first.id, second.id], 'a day before');
    world.days(1);
    t.same(await world.round(), [second.id]);
    t.same(world.seen(hamlet), [
      { type: 'attachment', op: 'remove', attachment: { id: first.id }, upload_space_used: 5 },
    ]);
    t.same(world.seen(ophelia), []);
    t.same([...world.blobs.files.keys()], [second.key]);
    t.same(await world.round(), [second.id], 'nothing more to do');
    t.equal(world.position, world.mark, 'and nothing is written');
  },
);

void t.test('a message keeps its files; when it is gone, their time begins', async (t) => {
  const world = new World();
  const file = await world.upload();
  world.setRealm({ message_content_edit_limit_seconds: null });
  const id = await world.say(`see [plan](${file.url})`);
  world.days(100);
  t.same(await world.round(), [file.id]);
  await world.do('update-message', { message_id: id, content: 'no plan' }, world.hamlet);
  t.notMatch(world.seen(world.hamlet), [{ attachment: { released_at: Number } }], 'not told');
  t.same(await world.round(), [file.id]);
  world.days(KEEP_DAYS - 1);
  t.same(await world.round(), [file.id]);
  world.days(1);
  t.same(await world.round(), []);
});

void t.test('what may still be sent keeps its files', async (t) => {
  const world = new World();
  const { hamlet, org } = world;
  const user_id = hamlet.user_id;
  const files: { id: number; url: string }[] = [];
  for (let i = 0; i < 6; i++) files.push(await world.upload());
  const says = (i: number) => `see [it](https://chat.example.com${files[i]!.url}) and more`;
  const scheduled = {
    user_id,
    content: says(2),
    rendered_content: '',
    deliver_at: world.clock.now() / 1000 + 90 * 86_400,
    failure: null,
  };
  world.transact((tx) => {
    const draft = { user_id, type: '' as const, to: [], topic: '', timestamp: 0 };
    org.drafts.insert({ id: 1, ...draft, content: says(0) });
    org.savedSnippets.insert({ id: 1, user_id, title: 'x', content: says(1), date_created: 0 });
    org.scheduledMessages.actors.begin(tx, {
      ...scheduled,
      id: 1,
      type: 'stream',
      to: 1,
      topic: 'x',
      client: 'test',
      read_by_sender: false,
    });
    org.reminders.actors.begin(tx, {
      ...scheduled,
      id: 1,
      message_id: 1,
      note: '',
      content: says(3),
    });
    // Others cannot have the file, so what they write does not keep it.
    org.drafts.insert({ id: 2, ...draft, user_id: world.ophelia.user_id, content: says(4) });
  });
  world.days(KEEP_DAYS);
  const kept = files.slice(0, 4).map(({ id }) => id);
  t.same(await world.round(), kept);
  world.transact((tx) => {
    org.drafts.delete(1);
    org.savedSnippets.delete(1);
    org.scheduledMessages.delete(tx, 1);
    org.reminders.delete(tx, 1);
  });
  t.same(await world.round(), []);
});

void t.test('a file that is claimed while the schedule is read stays', async (t) => {
  const world = new World();
  const file = await world.upload();
  world.days(KEEP_DAYS);
  const round = world.round();
  await world.say(`see [plan](${file.url})`);
  t.same(await round, [file.id]);
  t.equal(world.blobs.files.size, 1);
});

void t.test('many go in small transactions, and a stop ends that', async (t) => {
  const world = new World();
  const { user_id } = world.hamlet;
  world.transact((tx) => {
    for (let id = 1; id <= 250; id++) {
      const path_id = `1/ab/${String(id).padStart(24, 'x')}/a.txt`;
      const facts = { name: 'a.txt', size: 1, create_time: tx.seconds, message_ids: [] };
      tx.org.attachments.insert({ id, user_id, path_id, ...facts });
    }
  });
  world.days(KEEP_DAYS);
  t.same(await world.round(), []);
  const sizes = world.entries.slice(world.mark).map(({ content }) => content.events.length);
  t.same(sizes, [100, 100, 50]);
  const spaces = world.seen(world.hamlet).map((event) => event.upload_space_used);
  t.same([spaces[0], spaces[249]], [249, 0]);

  const file = await world.upload();
  world.days(KEEP_DAYS);
  world.uploads.stop();
  t.same(await world.round(), [file.id]);
});

void t.test('two rounds at once are one', async (t) => {
  const world = new World();
  await world.upload();
  world.days(KEEP_DAYS);
  t.same(await Promise.all([world.uploads.run(), world.uploads.run()]), [1, 0]);
});

void t.test('after a restart the same files wait', async (t) => {
  const world = new World();
  const [linked, free] = [await world.upload(), await world.upload()];
  await world.say(`see [plan](${linked.url})`);
  t.same([...world.reloaded().attachments.unclaimed], [free.id]);
});
