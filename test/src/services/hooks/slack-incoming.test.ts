import t from 'tap';
import { AnomalousPayload, Payload } from '../../../../src/services/hooks/payload.js';
import { slackIncoming } from '../../../../src/services/hooks/slack-incoming.js';
import { told } from './told.js';

const text = (said: string) => told(slackIncoming, { text: said })![1];

void t.test('the markup of Slack becomes Markdown', async (t) => {
  // After https://docs.slack.dev/messaging/formatting-message-text
  for (const [said, shown] of [
    ['*bold* _italic_ ~gone~', '**bold** *italic* ~~gone~~'],
    ['snake_case_name and 2*3*4', 'snake_case_name and 2*3*4'],
    ['`*code*` and ```*block* &lt;b&gt;```', '`*code*` and \n```\n*block* <b>\n```\n'],
    [
      'a <https://x.example/a_b_(c)|*b* `c` [d] &lt;e&gt;> _<https://x.example/|f>_',
      'a [&#42;b&#42; &#96;c&#96; [d] <e>](<https://x.example/a_b_(c)>) *[f](https://x.example/)*',
    ],
    [
      '<https://example.com|a link> <https://example.com>',
      '[a link](https://example.com) https://example.com',
    ],
    ['<!here> <@U012> <#C1|general> <mailto:a@example.com|Mail>', '@here @U012 #general Mail'],
    ['a &amp; b', 'a & b'],
    [':x: `:x:` :tada:', ':cross_mark: `:x:` :tada:'],
    ['<!date^1392734382^{date_num}|on 2014-02-18> <!subteam^S1|@devs>', 'on 2014-02-18 @devs'],
  ] as const) {
    t.equal(text(said), shown, said);
  }
});

void t.test('nobody is mentioned, in whatever part of a payload', async (t) => {
  const named = '@**all** @_**Ann** @*group* @<**all**> a@b.cd @here @\0**all**';
  const section = { type: 'section', text: { type: 'plain_text', text: named } };
  const rich = { type: 'rich_text_section', elements: [{ type: 'text', text: named }] };
  const parts = {
    text: named,
    attachments: [{ pretext: named, title: named, text: named, footer: named, fallback: named }],
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: named } },
      section,
      { type: 'rich_text', elements: [rich] },
    ],
  };
  for (const [name, value] of Object.entries(parts)) {
    const { content } = slackIncoming.message('', new Payload({ [name]: value }))!;
    t.notMatch(content, /@\0?_?\*/, name);
    t.match(content, /@\u200b\*\*all\*\* @\u200b_\*\*Ann\*\* /, name);
    t.match(content, /a@(?:\u200b)?b\.cd/, name);
  }
});

void t.test('attachments and blocks of Slack become Markdown', async (t) => {
  const payload = {
    channel: '#ops',
    text: 'Deployed',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Release' } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: '*v1*' },
        fields: [{ type: 'plain_text', text: '*as it is*' }],
      },
      { type: 'divider' },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            text: { type: 'plain_text', text: 'Open' },
            url: 'https://example.com',
          },
        ],
      },
    ],
    attachments: [
      {
        title: 'Log',
        title_link: 'https://example.com/log',
        text: 'ok',
        fields: [{ title: 'By', value: '_ann_' }],
        footer: 'ci',
      },
      { fallback: 'old' },
    ],
  };
  t.same(told(slackIncoming, payload), [
    'channel: ops',
    'Deployed\n\n### Release\n\n**v1**\n\n*as it is*\n\n----\n\n[Open](https://example.com)\n\n' +
      '### [Log](https://example.com/log)\n\nok\n\n**By**: *ann*\n\n*ci*\n\nold',
  ]);
});

void t.test('more text than a message has room for', async (t) => {
  const blocks = Array.from({ length: 3 }, (_, i) => ({
    type: 'section',
    text: { type: 'plain_text', text: `${i}`.repeat(30_000) },
  }));
  const [, content] = told(slackIncoming, { text: 'a', blocks })!;
  t.equal(content, `a\n\n${'0'.repeat(20_000)}`, 'the beginning of it');
});

void t.test('text as Slack’s editor makes it', async (t) => {
  // After https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
  const word = (said: string, style = {}) => ({ type: 'text', text: said, style });
  const item = (...elements: object[]) => ({ type: 'rich_text_section', elements });
  const elements = [
    item(
      word('Deploy '),
      word('done ', { bold: true, italic: true }),
      { type: 'link', url: 'https://example.com', text: 'here' },
      word(' '),
      { type: 'emoji', name: 'x' },
      word(' '),
      { type: 'user', user_id: 'U012' },
    ),
    { type: 'rich_text_list', style: 'ordered', elements: [item(word('a')), item(word('b'))] },
    { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [item(word('c'))] },
    { type: 'rich_text_quote', elements: [word('said'), word('\nso')] },
    { type: 'rich_text_preformatted', elements: [word('```x')] },
  ];
  t.same(told(slackIncoming, { blocks: [{ type: 'rich_text', elements }] }), [
    'Slack',
    'Deploy ***done*** [here](https://example.com) :cross_mark: @U012\n\n' +
      '1. a\n1. b\n\n  * c\n\n> said\n> so\n\n' +
      "```\n'''x\n```",
  ]);
});

void t.test('a picture of an attachment', async (t) => {
  const attachments = [{ title: 'Graph', image_url: 'https://example.com/g.png' }];
  t.same(told(slackIncoming, { attachments }), [
    'Slack',
    '### Graph\n\n[image](https://example.com/g.png)',
  ]);
});

void t.test(
  'a payload whose text, blocks and attachments say nothing makes no message',
  async (t) => {
    t.equal(told(slackIncoming, { text: null }), null);
    t.equal(told(slackIncoming, { text: null, attachments: [] }), null);
    t.equal(told(slackIncoming, { blocks: [] }), null);
    t.same(told(slackIncoming, { text: null, attachments: [{ text: 'Built' }] }), [
      'Slack',
      'Built',
    ]);
  },
);

void t.test(
  'a payload without text, blocks and attachments is not of the form of Slack',
  async (t) => {
    try {
      told(slackIncoming, { message: 'Built' });
      t.fail('it was told');
    } catch (error) {
      t.type(error, AnomalousPayload);
    }
  },
);
