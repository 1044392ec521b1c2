import t from 'tap';
import { Thumbnailer } from '../../../../../src/organization/messages/previews/thumbnailer.js';
import { badImage, serviceUnavailable } from '../../../../../src/errors/index.js';
import type { Thumbnails } from '../../../../../src/services/pictures/job.js';
import { MessagesWorld } from '../../../../fixtures/messages-world.js';
import { deliverScheduledMessage } from '../../../../../src/organization/scheduling/scheduled-messages.js';
import type { AnyHandler } from '../../../../../src/resources/kernel/handler.js';
import { scheduledMessageHandlers } from '../../../../../src/resources/scheduling/scheduled-messages.js';
import { createMarkdown } from '../../../../../src/services/markdown/markdown.js';
import { START_SECONDS } from '../../../../fixtures/living-organization.js';

const markdown = createMarkdown();
const MADE: Thumbnails = {
  ...{ width: 90, height: 60, contentType: 'image/png' },
  ...{ still: Buffer.from('still'), moving: null },
};
const SPINNER =
  '<img class="image-loading-placeholder" src="/static/images/loading/loader-black.svg">';

function withScheduling({ handlers }: MessagesWorld): readonly AnyHandler[] {
  return [...handlers, ...scheduledMessageHandlers(markdown)];
}

/** People who send and schedule pictures, whose thumbnails are made when the test says so. */
class PictureWorld extends MessagesWorld {
  /** The pictures that are being worked on. */
  readonly work: Work[] = [];
  readonly thumbnailer = this.newThumbnailer();
  override readonly handlers = withScheduling(this);

  newThumbnailer(): Thumbnailer {
    const thumbnails = (): Promise<Thumbnails> =>
      new Promise((resolve, reject) => this.work.push({ resolve, reject }));
    const log = { warn: () => undefined };
    return new Thumbnailer(this, { blobs: this.blobs, pictures: { thumbnails }, log });
  }

  async upload(name = 'a.png', user = this.hamlet, data = Buffer.from('picture')): Promise<string> {
    const files = [{ field: 'f', name, mediaType: 'image/png', data }];
    const { url } = await this.do('upload-file', {}, user, { files });
    return String(url);
  }

  /** Ends the work on the picture whose turn it is, and waits for what comes of it. */
  async finish(outcome: Thumbnails | Error): Promise<void> {
    while (this.work.length === 0) await tick();
    const { resolve, reject } = this.work.shift()!;
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
    for (let i = 0; i < 20; i++) await tick();
  }
}

interface Work {
  readonly resolve: (made: Thumbnails) => void;
  readonly reject: (error: Error) => void;
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const preview = (url: string, picture: string): string =>
  `<p><a href="${url}">a.png</a></p>\n<div class="message_inline_image"><a href="${url}" title="a.png">${picture}</a></div>`;
const thumbnail = (url: string): string =>
  '<img data-original-content-type="image/png" data-original-dimensions="90x60" ' +
  `src="${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp">`;

void t.test('a message that is sent before waits, and changes when they are there', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  const url = await world.upload();
  const id = await world.say(`[a.png](${url})`);
  t.equal((await world.message(id)).content, preview(url, SPINNER));
  world.mark = world.position;
  await world.finish(MADE);
  const rendered_content = preview(url, thumbnail(url));
  t.same(world.seen(world.ophelia), [
    {
      ...{ type: 'update_message', user_id: null, edit_timestamp: START_SECONDS },
      ...{ message_id: id, message_ids: [id], rendering_only: true, flags: [] },
      ...{ stream_id: world.general.stream_id, stream_name: 'general' },
      ...{ content: `[a.png](${url})`, rendered_content, is_me_message: false },
    },
  ]);
  const message = await world.message(id);
  t.equal(message.content, rendered_content);
  t.notOk('last_edit_timestamp' in message, 'it is no edit');
  t.equal((await world.message(await world.say(`[a.png](${url})`))).content, rendered_content);
  const keys = [...world.blobs.files.keys()].sort();
  t.match(keys[1], /^uploads\/..\/.*-840x560\.webp$/);
  await world.do('remove-attachment', { attachment_id: 1 });
  await tick();
  t.equal(world.blobs.files.size, 0, 'they go with the file');
});

void t.test('direct messages, and those that are edited meanwhile', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  const url = await world.upload();
  const direct = await world.tell(`[a.png](${url})`);
  const edited = await world.say('later');
  await world.edit(edited, { content: `[a.png](${url})` });
  const other = await world.say(`[a.png](${url})`);
  await world.edit(other, { content: 'nothing' });
  await world.finish(MADE);
  for (const id of [direct, edited]) {
    t.equal((await world.message(id)).content, preview(url, thumbnail(url)));
  }
  t.equal((await world.message(other)).content, '<p>nothing</p>');
});

void t.test('what is no picture loses its preview', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  const url = await world.upload();
  const id = await world.say(`[a.png](${url})`);
  await world.finish(badImage());
  t.equal((await world.message(id)).content, `<p><a href="${url}">a.png</a></p>\n`);
  t.equal(
    (await world.message(await world.say(`[a.png](${url})`))).content,
    `<p><a href="${url}">a.png</a></p>`,
  );
});

void t.test('a picture in the text comes, and what is no picture is a link', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  world.setRealm({ inline_image_preview: false });
  const [url, broken] = [await world.upload(), await world.upload('b.png')];
  const source = `> ![a](${url} "t") ![](${broken})`;
  const id = await world.say(source);
  const waiting = (alt: string, src: string, end = ''): string =>
    `<img alt="${alt}" class="inline-image image-loading-placeholder" data-original-src="${src}" ` +
    `src="/static/images/loading/loader-black.svg"${end}>`;
  const quoted = (content: string): string => `<blockquote>\n<p>${content}</p>\n</blockquote>`;
  t.equal(
    (await world.message(id)).content,
    quoted(`${waiting('a', url, ' title="t"')} ${waiting('', broken)}`),
  );
  world.mark = world.position;
  await world.finish(MADE);
  const made =
    `<img alt="a" class="inline-image" data-original-content-type="image/png" data-original-dimensions="90x60" ` +
    `data-original-src="${url}" src="${url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp" title="t">`;
  const [event] = world.seen(world.ophelia);
  t.match(event, { type: 'update_message', rendering_only: true, message_id: id });
  t.equal(event?.['rendered_content'], quoted(`${made} ${waiting('', broken)}`));
  await world.finish(badImage());
  const after = quoted(`${made} <a href="${broken}">${broken}</a>`);
  t.equal((await world.message(id)).content, after);
  t.equal((await world.message(await world.say(source))).content, after, 'as when it is sent now');
  const { attachments } = (await world.do('get-attachments')) as {
    attachments: { path_id: string; message_ids: number[] }[];
  };
  t.same(
    attachments.map(({ path_id, message_ids }) => [`/user_uploads/${path_id}`, message_ids.length]),
    [
      [url, 2],
      [broken, 2],
    ],
    'the messages claim the files',
  );
  for (const [operator, found] of [
    ['has:image', 2],
    ['has:attachment', 2],
  ] as const) {
    const [name = '', operand = ''] = operator.split(':');
    const narrow = [{ operator: name, operand }];
    const page = await world.do('get-messages', {
      anchor: 'newest',
      num_before: 9,
      num_after: 0,
      narrow,
    });
    t.equal((page['messages'] as unknown[]).length, found, operator);
  }
});

void t.test('the next leader makes what the last one left', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  const url = await world.upload();
  const id = await world.say(`[a.png](${url})`);
  world.thumbnailer.stop();
  await world.finish(serviceUnavailable('The server is stopping'));
  t.equal((await world.message(id)).content, preview(url, SPINNER));
  const next = world.newThumbnailer();
  next.start();
  await world.finish(MADE);
  t.equal((await world.message(id)).content, preview(url, thumbnail(url)));
  next.stop();
});

void t.test('a file that is deleted meanwhile leaves nothing', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  await world.upload();
  await world.do('remove-attachment', { attachment_id: 1 });
  await world.finish(MADE);
  t.equal(world.blobs.files.size, 0);
});

void t.test(
  'no previews of pictures where the organization shows none, or of another’s file',
  async (t) => {
    const world = new PictureWorld();
    world.thumbnailer.start();
    const url = await world.upload();
    const text = `<p><a href="${url}">a.png</a></p>`;
    const foreign = await world.say(`[a.png](${url})`, 'lunch', world.ophelia);
    t.equal((await world.message(foreign)).content, text);
    world.setRealm({ inline_image_preview: false });
    t.equal((await world.message(await world.say(`[a.png](${url})`))).content, text);
  },
);

/** The messages that a narrow finds. */
async function found(world: PictureWorld, operand: string): Promise<number[]> {
  const narrow = [{ operator: 'has', operand }];
  const window = { anchor: 'newest', num_before: 9, num_after: 0 };
  const { messages } = (await world.do('get-messages', { ...window, narrow })) as unknown as {
    messages: { id: number }[];
  };
  return messages.map(({ id }) => id);
}

void t.test('has:link and has:image are right after a picture became a link', async (t) => {
  const world = new PictureWorld();
  world.thumbnailer.start();
  // No picture by its name to has:image, so only what is shown counts.
  const [scan, other] = [await world.upload('scan.tif'), await world.upload('other.png')];
  const alone = await world.say(`![](${scan})`);
  const both = await world.say(`![](${scan}) ![](${other})`);
  const linked = await world.say(`[x](${scan})`);
  t.same(await found(world, 'link'), [linked]);
  t.same(await found(world, 'image'), [alone, both]);
  await world.finish(badImage());
  t.same(await found(world, 'link'), [alone, both, linked]);
  t.same(await found(world, 'image'), [both]);
  await world.finish(MADE);
  t.same(await found(world, 'link'), [alone, both, linked]);
  t.same(await found(world, 'image'), [both]);
  await world.edit(alone, { content: `![](${other})` });
  await world.edit(linked, { content: 'nothing' });
  t.same(await found(world, 'link'), [both]);
  t.same(await found(world, 'image'), [alone, both]);
});

void t.test(
  'many messages wait for one picture, and some are edited while they change',
  async (t) => {
    const world = new PictureWorld();
    const COUNT = 300;
    let changed = 0;
    let edits: Promise<unknown> = Promise.resolve();
    const ids: number[] = [];
    let url = '';
    const transact: PictureWorld['transact'] = (work) => {
      const done = world.transact(work);
      // The first message is told already.
      if (++changed === COUNT / 2) {
        edits = Promise.all([
          world.edit(ids[0]!, { content: `again ![](${url})` }),
          world.say(`new ![](${url})`).then((id) => ids.push(id)),
        ]);
      }
      return done;
    };
    let ready: ((made: Thumbnails) => void) | undefined;
    const pictures = { thumbnails: () => new Promise<Thumbnails>((resolve) => (ready = resolve)) };
    const { log, blobs } = { log: { warn: () => undefined }, blobs: world.blobs };
    const thumbnailer = new Thumbnailer(
      { ...{ org: world.org, hooks: world.hooks }, transact },
      { blobs, pictures, log },
    );
    thumbnailer.start();
    url = await world.upload();
    for (let i = 0; i < COUNT; i++) ids.push(await world.say(`![](${url})`));
    while (!ready) await tick();
    let asked = 0;
    const { messages } = world.org;
    const resident = messages.resident.bind(messages);
    messages.resident = (id) => {
      asked += 1;
      return resident(id);
    };
    ready(MADE);
    const { attachments } = world.org;
    while ([...attachments.values()][0]!.image?.state === 'pending') await tick();
    messages.resident = resident;
    await edits;
    t.equal(ids.length, COUNT + 1);
    t.ok(asked < 20 * COUNT, `${asked} looks at ${COUNT} messages`);
    const waiting: number[] = [];
    for (const id of ids) {
      if (String((await world.message(id)).content).includes('placeholder')) waiting.push(id);
    }
    t.same(waiting, []);
    thumbnailer.stop();
  },
);

void t.test(
  'a picture whose head tells its size has it before its thumbnails are there',
  async (t) => {
    const world = new PictureWorld();
    world.thumbnailer.start();
    const data = Buffer.from(
      '89504e470d0a1a0a0000000d494844520000005a0000003c0802000000deadbeef',
      'hex',
    );
    const url = await world.upload('a.png', world.hamlet, data);
    const id = await world.say(`[a.png](${url}) ![a](${url})`);
    const known = 'data-original-content-type="image/png" data-original-dimensions="90x60"';
    const spinner = 'src="/static/images/loading/loader-black.svg">';
    const text = async () => String((await world.message(id)).content);
    t.equal(
      await text(),
      `<p><a href="${url}">a.png</a> <img alt="a" class="inline-image image-loading-placeholder" ${known} ` +
        `data-original-src="${url}" ${spinner}</p>\n<div class="message_inline_image"><a href="${url}" title="a.png">` +
        `<img class="image-loading-placeholder" ${known} ${spinner}</a></div>`,
    );
    await world.finish(MADE);
    t.notMatch(await text(), 'placeholder');
    t.equal((await text()).split(`${known} `).length, 3);
  },
);

void t.test(
  'a scheduled message is listed with the thumbnails there are, and sent with them',
  async (t) => {
    const world = new PictureWorld();
    world.thumbnailer.start();
    const [url, broken] = [await world.upload(), await world.upload('b.png')];
    const LATER = START_SECONDS + 3600;
    await world.do('create-scheduled-message', {
      ...{ type: 'channel', to: world.general.stream_id, topic: 'later' },
      ...{ content: `[a.png](${url}) ![](${broken})`, scheduled_delivery_timestamp: LATER },
    });
    const listed = async (): Promise<string> => {
      const { scheduled_messages: all } = await world.do('get-scheduled-messages');
      return (all as { rendered_content: string }[])[0]!.rendered_content;
    };
    const shown = (second: string, picture: string): string =>
      preview(url, picture).replace('</a></p>', `</a> ${second}</p>`);
    const waiting =
      `<img alt="" class="inline-image image-loading-placeholder" data-original-src="${broken}" ` +
      'src="/static/images/loading/loader-black.svg">';
    t.equal(await listed(), shown(waiting, SPINNER));
    await world.finish(MADE);
    t.equal(await listed(), shown(waiting, thumbnail(url)));
    await world.finish(badImage());
    const ended = shown(`<a href="${broken}">${broken}</a>`, thumbnail(url));
    t.equal(await listed(), ended);
    await world.do('update-scheduled-message', {
      ...{ scheduled_message_id: 1, scheduled_delivery_timestamp: LATER + 1 },
    });
    t.match(world.seen(), [{ op: 'update', scheduled_message: { rendered_content: ended } }]);
    const { scheduledMessages } = world.org;
    const scheduled = scheduledMessages.resident(1)!;
    const document = world.transact((tx) => scheduledMessages.actors.wake(tx, scheduled));
    world.transact((tx) => deliverScheduledMessage(tx, markdown, document, 1e9));
    const sent = world.org.counters.last('message');
    t.equal((await world.message(sent)).content, ended);
  },
);
