import sharp from 'sharp';
import t from 'tap';
import { FetchedMessages } from '../harness/apply/apply-edits.js';
import type { ApiClient, Body, WireEvent } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { upload } from '../harness/uploading.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

const frame = (background: string) =>
  sharp({ create: { width: 9, height: 7, channels: 3, background } })
    .png()
    .toBuffer();
const picture = await frame('green');
const moving = await sharp([picture, await frame('red')], { join: { animated: true } })
  .gif()
  .toBuffer();

const EMOJI: Readonly<Record<string, Operation>> = {
  'a custom emoji': ({ hamlet }) => upload(hamlet, '/realm/emoji/blob', 'blob.png', picture),
  'a moving one': ({ hamlet }) => upload(hamlet, '/realm/emoji/blob-dance', 'b.gif', moving),
  'it is deactivated': ({ owner }) => owner.ok('DELETE', '/realm/emoji/blob'),
  'the name is used again': ({ owner }) => upload(owner, '/realm/emoji/blob', 'c.png', picture),
};

const ORGANIZATION: Readonly<Record<string, Operation>> = {
  'a playground': ({ owner }) =>
    owner.ok('POST', '/realm/playgrounds', {
      name: 'Try it',
      pygments_language: 'Python',
      url_template: 'https://play.example/?code={code}',
    }),
  'it goes': ({ owner }) => owner.ok('DELETE', '/realm/playgrounds/1'),
  'an icon': ({ owner }) => upload(owner, '/realm/icon', 'icon.png', picture),
  'the default icon': ({ owner }) => owner.ok('DELETE', '/realm/icon'),
  'a logo': ({ owner }) => upload(owner, '/realm/logo', 'logo.png', picture),
  'a logo for dark backgrounds': ({ owner }) =>
    upload(owner, '/realm/logo?night=true', 'logo.png', picture),
  'the default logo': ({ owner }) => owner.ok('DELETE', '/realm/logo', { night: true }),
};

void t.test('emoji, playgrounds, icon and logos: snapshot and events agree', async (t) => {
  const organization = await askOrganization(t);
  const { hamlet, iago } = organization;
  const viewers = [
    await Viewer.open('hamlet, modern', hamlet, MODERN),
    await Viewer.open('iago, legacy', iago, LEGACY),
  ];
  await check(t, organization, viewers, { ...EMOJI, ...ORGANIZATION });
});

/** Files of one's own, kept current from events alone. */
class Attachments {
  private readonly known = new Map<number, Body>();
  private space: unknown;

  private constructor(
    private readonly client: ApiClient,
    private readonly reader: QueueReader,
  ) {}

  static async open(client: ApiClient): Promise<Attachments> {
    const reader = await QueueReader.open(client, { event_types: ['attachment'] });
    const opened = new Attachments(client, reader);
    const { attachments, upload_space_used } = await opened.fetch();
    for (const one of attachments as Body[]) opened.known.set(Number(one.id), one);
    opened.space = upload_space_used;
    return opened;
  }

  async compare(): Promise<{ believed: Body; actual: Body; events: readonly WireEvent[] }> {
    const events = await this.reader.now();
    for (const { op, attachment, upload_space_used } of events) {
      const { id } = attachment as { id: number };
      if (op === 'remove') this.known.delete(id);
      else this.known.set(id, attachment as Body);
      this.space = upload_space_used;
    }
    const attachments = [...this.known.values()];
    const believed = { attachments, upload_space_used: this.space };
    return { believed, actual: await this.fetch(), events };
  }

  private async fetch(): Promise<Body> {
    const { attachments, upload_space_used } = await this.client.ok('GET', '/attachments');
    return { attachments, upload_space_used };
  }
}

// [c:snapshot-content]
void t.test('reactions, widgets and files: fetching and events agree', async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet, iago } = organization;
  const sent: Record<string, number> = {};
  let url = '';
  const react = (client: ApiClient, method: string, message: string, emoji_name: string) =>
    client.ok(method, `/messages/${sent[message]}/reactions`, { emoji_name });
  await upload(hamlet, '/realm/emoji/blob', 'blob.png', picture);
  sent.first = await hamlet.say('first');
  sent.direct = await hamlet.tell([iago.userId], 'psst');
  const readers = [
    await FetchedMessages.open('hamlet', hamlet, ['general']),
    await FetchedMessages.open('iago', iago, ['general']),
    await FetchedMessages.open('owner', owner, ['general']),
  ];
  const files = await Attachments.open(hamlet);
  const act = (client: ApiClient, message: string, action: Body) =>
    client.ok('POST', '/submessage', {
      message_id: sent[message],
      msg_type: 'widget',
      content: JSON.stringify(action),
    });
  const vote = { type: 'vote', key: 'canned,0', vote: 1 };
  const operations: Record<string, () => Promise<unknown>> = {
    'a reaction': () => react(iago, 'POST', 'first', 'tada'),
    'another of the same emoji': () => react(owner, 'POST', 'first', 'tada'),
    'a custom emoji': () => react(hamlet, 'POST', 'first', 'blob'),
    'to a direct message': () => react(iago, 'POST', 'direct', 'heart'),
    'one is taken back': () => react(iago, 'DELETE', 'first', 'tada'),
    'a poll': async () => (sent.poll = await hamlet.say('/poll Lunch?\nSoup\nSalad')),
    'a vote': () => act(iago, 'poll', vote),
    'another vote': () => act(owner, 'poll', vote),
    'an option': () => act(iago, 'poll', { type: 'new_option', idx: 1, option: 'Bread' }),
    'a vote is taken back': () => act(iago, 'poll', { ...vote, vote: -1 }),
    'the poll asks something else': () =>
      act(hamlet, 'poll', { type: 'question', question: 'Dinner?' }),
    'a to-do list among two': async () =>
      (sent.list = await hamlet.tell([iago.userId], '/todo Party\nCake')),
    'a task is done': () => act(iago, 'list', { type: 'strike', key: '0,canned' }),
    'a file': async () => {
      url = String((await upload(hamlet, '/user_uploads', 'a.txt', Buffer.from('abc'))).url);
    },
    'a message with it': async () => (sent.linking = await hamlet.say(`see [a](${url})`)),
    another: async () => (sent.again = await iago.say(`again [a](${url})`)),
    'an edit takes it out': () =>
      hamlet.ok('PATCH', `/messages/${sent.linking}`, { content: 'nothing' }),
    'the other message goes': () => owner.ok('DELETE', `/messages/${sent.again}`),
    'the file goes': async () => {
      const { attachments } = await hamlet.ok('GET', '/attachments');
      await hamlet.ok('DELETE', `/attachments/${(attachments as Body[])[0]!.id as number}`);
    },
  };
  for (const [name, operation] of Object.entries(operations)) {
    await t.test(name, async (t) => {
      await operation();
      let heard = 0;
      for (const reader of readers) {
        const { believed, actual, events } = await reader.compare();
        heard += events.length;
        t.strictSame(believed, actual, reader.name);
      }
      const { believed, actual, events } = await files.compare();
      t.strictSame(believed, actual, 'files of hamlet');
      t.ok(heard + events.length > 0, 'somebody was told');
    });
  }
});
