import t from 'tap';
import { PagePreviews } from '../../../../../src/organization/messages/previews/page-previews.js';
import type { PageSummary } from '../../../../../src/services/markdown/media/preview-html.js';
import { MessagesWorld } from '../../../../fixtures/messages-world.js';
import { START_SECONDS } from '../../../../fixtures/living-organization.js';

const SUMMARY: PageSummary = {
  title: 'A "page" <b>',
  description: 'about & so on',
  src: '/external_content/ab/cd',
};
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** People who link pages, which say of themselves what the test says, when it says so. */
class PageWorld extends MessagesWorld {
  readonly asked: string[] = [];
  readonly answers: ((summary: PageSummary | null) => void)[] = [];
  readonly warnings: string[] = [];
  readonly previews = this.newPreviews();

  newPreviews(): PagePreviews {
    return new PagePreviews(this, {
      summaryOf: (address) => {
        this.asked.push(address);
        return new Promise((resolve) => this.answers.push(resolve));
      },
      log: { warn: (_context, message) => this.warnings.push(message) },
    });
  }

  static started(): PageWorld {
    const world = new PageWorld({ previewsPages: true });
    world.setRealm({ inline_url_embed_preview: true });
    world.previews.start();
    return world;
  }

  /** The page whose turn it is answers; then what comes of it is awaited. */
  async answer(summary: PageSummary | null = SUMMARY): Promise<void> {
    for (let i = 0; i < 20 && this.answers.length === 0; i++) await tick();
    this.answers.shift()!(summary);
    for (let i = 0; i < 20; i++) await tick();
  }

  async html(id: number): Promise<unknown> {
    return (await this.message(id)).content;
  }
}

const link = (url: string): string => `<p><a href="${url}">${url}</a></p>`;
const preview = (url: string): string =>
  `<div class="message_embed"><a class="message_embed_image" href="${url}" ` +
  'style="background-image: url(&quot;/external_content/ab/cd&quot;)"></a><div class="data-container">' +
  `<div class="message_embed_title"><a href="${url}" title="A &quot;page&quot; &lt;b&gt;">A &quot;page&quot; &lt;b&gt;</a></div>` +
  '<div class="message_embed_description">about &amp; so on</div></div></div>';
const X = 'https://x.com/';

void t.test('a page says something of itself, and who sees the message is told', async (t) => {
  const world = PageWorld.started();
  const id = await world.say(X);
  t.equal(await world.html(id), link(X));
  world.mark = world.position;
  await world.answer();
  const rendered_content = `${link(X)}\n${preview(X)}`;
  t.same(world.seen(world.ophelia), [
    {
      ...{ type: 'update_message', user_id: null, edit_timestamp: START_SECONDS },
      ...{ message_id: id, message_ids: [id], rendering_only: true, flags: [] },
      ...{ stream_id: world.general.stream_id, stream_name: 'general' },
      ...{ content: X, rendered_content, is_me_message: false },
    },
  ]);
  const message = await world.message(id);
  t.equal(message.content, rendered_content);
  t.notOk('last_edit_timestamp' in message, 'it is no edit');
});

void t.test('several pages, asked at once; some have nothing to say', async (t) => {
  const world = PageWorld.started();
  const id = await world.tell(`${X}1 ${X}2 ${X}3`);
  await world.answer();
  t.same(world.asked, [`${X}1`, `${X}2`, `${X}3`], 'one that does not answer delays no other');
  await world.answer(null);
  t.notMatch(await world.html(id), 'message_embed', 'all at once');
  await world.answer({ ...SUMMARY, title: '', description: '' });
  const html = String(await world.html(id));
  t.match(html, `</p>\n${preview(`${X}1`)}<div class="message_embed">`);
  t.match(html, /<div class="data-container"><\/div><\/div>$/, 'no more than its picture');
  const silent = await world.say(X);
  world.mark = world.position;
  await world.answer(null);
  t.same(world.seen(world.ophelia), []);
  t.equal(await world.html(silent), link(X));
});

void t.test('an edit or deletion meanwhile wins', async (t) => {
  const world = PageWorld.started();
  const edited = await world.say(`${X}1`);
  await world.edit(edited, { content: 'nothing' });
  await world.answer();
  t.equal(await world.html(edited), '<p>nothing</p>');
  const again = await world.say(`${X}2`);
  await world.edit(again, { content: `${X}3` });
  await world.edit(again, { content: `${X}2` });
  for (let i = 0; i < 3; i++) await world.answer();
  t.equal(await world.html(again), `${link(`${X}2`)}\n${preview(`${X}2`)}`, 'once');
  await world.edit(again, { content: `${X}4` });
  t.equal(await world.html(again), link(`${X}4`));
  await world.answer();
  t.equal(await world.html(again), `${link(`${X}4`)}\n${preview(`${X}4`)}`);
  const deleted = await world.say(`${X}5`);
  await world.do('delete-message', { message_id: deleted });
  await world.answer();
  t.same(world.warnings, []);
});

void t.test('where no page is asked', async (t) => {
  const world = PageWorld.started();
  await world.say('nothing');
  await world.say(`> ${X}`);
  const { user_id } = world.moderator;
  world.transact((tx) => tx.org.users.update(user_id, { is_bot: true, bot_type: 1 }));
  await world.say(`${X}bot`, 'lunch', world.org.users.get(user_id));
  const late = await world.say(X);
  world.setRealm({ inline_url_embed_preview: false });
  await world.say(`${X}2`);
  await world.answer();
  t.equal(await world.html(late), link(X), 'turned off meanwhile');
  world.setRealm({ inline_url_embed_preview: true });
  world.previews.stop();
  await world.say(`${X}3`);
  t.same(world.asked, [X]);
  const off = new PageWorld();
  off.setRealm({ inline_url_embed_preview: true });
  off.previews.start();
  await off.say(X);
  t.same(off.asked, [], 'where the operator does not want it');
});

void t.test('what the former leader had not shown is dropped', async (t) => {
  const world = PageWorld.started();
  const id = await world.say(X);
  world.previews.stop();
  world.newPreviews().start();
  await world.answer();
  t.equal(await world.html(id), link(X));
});

void t.test('what waits is bounded, and somebody who links little comes first', async (t) => {
  const world = PageWorld.started();
  for (let i = 0; i < 600; i++) await world.say(`${X}${i}`);
  t.equal(world.asked.length, 4, 'at once');
  await world.say(`${X}other`, 'lunch', world.ophelia);
  await world.answer(null);
  t.equal(world.asked.at(-1), `${X}other`);
  while (world.answers.length > 0) {
    world.answers.shift()!(null);
    for (let i = 0; i < 3; i++) await tick();
  }
  t.equal(world.asked.length, 4 + 500, 'those beyond have no previews');
  t.same(world.warnings, []);
});
