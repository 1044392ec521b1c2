import t from 'tap';
import { MAX_MESSAGE_LENGTH } from '../../../../schemas/limits.js';
import { messageReportHandler } from '../../../../src/resources/messages/message-report.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { codePointLength } from '../../../../src/services/text/stored-text.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { LivingOrganization, type Body } from '../../../fixtures/living-organization.js';

const markdown = createMarkdown();
const sending = messageHandlers(markdown);
const reporting = messageReportHandler(markdown);
const NO_CHANNEL = 'Moderation request channel must be specified to enable message reporting.';

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly ophelia = this.addUser('ophelia@example.com');

  constructor(moderated = true) {
    super();
    const moderation_request_channel_id = moderated ? this.general.stream_id : -1;
    this.setRealm({ moderation_request_channel_id });
  }

  /** Ophelia writes something. */
  async say(content: string, to: readonly (typeof this.hamlet)[] | null = null): Promise<number> {
    const place = to
      ? { type: 'direct', to: to.map((user) => user.user_id) }
      : { type: 'channel', to: 'general', topic: 'plot twist' };
    const handler = handlerOf(sending, 'send-message');
    return (await this.call(handler, this.ophelia, { ...place, content })).id as number;
  }

  report(message_id: number, params: Body = {}, user = this.hamlet): Promise<Body> {
    return this.call(reporting, user, { message_id, report_type: 'spam', ...params });
  }

  get newest() {
    return this.org.messages.resident(this.org.counters.last('message'))!;
  }
}

void t.test('a report of a channel message goes to the moderation channel', async (t) => {
  const world = new World();
  const { hamlet, ophelia, general } = world;
  const id = await world.say('buy @**hamlet**\n```\nx\n```');
  t.strictSame(await world.report(id, { description: ' It is\n**spam** ' }), {});
  const { newest } = world;
  t.match(world.org.users.get(newest.sender_id)!.email, /^notification-bot@/);
  t.equal(newest.stream_id, general.stream_id);
  t.equal(newest.topic, "ophelia's moderation requests");
  const url =
    `https://chat.example.com/#narrow/channel/${general.stream_id}-general` +
    `/topic/plot.20twist/near/${id}`;
  const author = `@_**ophelia|${ophelia.user_id}**`;
  t.equal(
    newest.content,
    [
      `@_**hamlet|${hamlet.user_id}** reported [a message](${url}) sent by ${author}.`,
      '- Reason: **Spam**',
      '- Notes:',
      '```quote',
      'It is\n**spam**',
      '```',
      '',
      `\`\`\`\`\`spoiler Message sent by ${author}`,
      '````quote',
      'buy @**hamlet**\n```\nx\n```',
      '````',
      '`````',
    ].join('\n'),
  );
  t.same(newest.mentioned, [], 'nobody is mentioned');
  const { rendered_content: html } = newest;
  t.match(html, `<a href="${url}">a message</a>`);
  t.match(html, /<\/ul>\n<blockquote>\n<p>It is<br>\n<strong>spam<\/strong><\/p>\n<\/blockquote>/);
  t.match(
    html,
    /<div class="spoiler-content" aria-hidden="true">\n<blockquote>\n<p>buy .*<code>x\n/s,
  );
  t.match(html, /<\/blockquote>\n<\/div><\/div>$/);
});

void t.test('a report of a direct message shows it, and links nothing', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const id = await world.say('x'.repeat(MAX_MESSAGE_LENGTH), [hamlet]);
  await world.report(id, { report_type: 'norms' });
  const { content } = world.newest;
  t.ok(
    content.startsWith(
      `@_**hamlet|${hamlet.user_id}** reported a direct message sent by ` +
        `@_**ophelia|${ophelia.user_id}**.\n- Reason: **Violates community norms**\n\n\`\`\`\`spoiler`,
    ),
  );
  t.ok(codePointLength(content) <= MAX_MESSAGE_LENGTH);
  t.ok(content.endsWith('\n```\n````'), 'what is cut is the message');
});

void t.test('reports are refused in the words of the contract', async (t) => {
  const world = new World();
  const { owner, hamlet } = world;
  const id = await world.say('hello');
  const direct = await world.say('psst', [hamlet]);
  const before = world.position;
  await t.rejects(world.report(id, { report_type: 'other', description: ' ' }), {
    message: 'An explanation is required.',
  });
  await t.rejects(world.report(direct, {}, owner), { message: 'Invalid message(s)' });
  await t.rejects(world.report(999), { message: 'Invalid message(s)' });
  world.setRealm({ moderation_request_channel_id: 999 });
  await t.rejects(world.report(id), { message: NO_CHANNEL });
  const unmoderated = new World(false);
  await t.rejects(unmoderated.report(await unmoderated.say('hello')), { message: NO_CHANNEL });
  t.equal(world.position, before + 1, 'nothing was sent');
});
