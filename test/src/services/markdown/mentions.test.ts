import t from 'tap';
import { html, render } from './fixtures.js';

const NONE = { users: [], groups: [], channel_wildcard: false, topic_wildcard: false };

void t.test('a user by name, with or without an id', async (t) => {
  const hamlet = '<p><span class="user-mention" data-user-id="7">@King Hamlet</span></p>';
  t.equal(html('@**King Hamlet**'), hamlet);
  t.equal(html('@**King Hamlet|7**'), hamlet);
  t.equal(html('@**|7**'), hamlet);
});

void t.test('silent mentions notify nobody', async (t) => {
  const silent = '<p><span class="user-mention silent" data-user-id="8">Othello</span></p>';
  t.equal(html('@_**Othello**'), silent);
  t.equal(html('@_**Othello|8**'), silent);
  t.same(render('@_**Othello** @_*core* @_**all** @_**topic**').mentions, NONE);
});

void t.test('wildcards, even if somebody has that name', async (t) => {
  for (const name of ['all', 'everyone', 'channel', 'stream']) {
    t.equal(
      html(`@**${name}**`),
      `<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@${name}</span></p>`,
    );
    t.same(render(`@**${name}**`).mentions, { ...NONE, channel_wildcard: true });
  }
  t.equal(html('@**topic**'), '<p><span class="topic-mention">@topic</span></p>');
  t.same(render('@**topic**').mentions, { ...NONE, topic_wildcard: true });
  t.equal(html('@_**topic**'), '<p><span class="topic-mention silent">topic</span></p>');
});

void t.test('a group in @*…* is mentioned, in @_*…* silently', async (t) => {
  t.equal(
    html('@*core* @_*core*'),
    '<p><span class="user-group-mention" data-user-group-id="3">@core</span> ' +
      '<span class="user-group-mention silent" data-user-group-id="3">core</span></p>',
  );
  t.same(render('@*core*').mentions, { ...NONE, groups: [3] });
});

void t.test('mentions are listed once each, in order', async (t) => {
  const source = '@**Othello** @**King Hamlet** @**Othello**\n\n* @**|7** @*core* @*core*';
  t.same(render(source).mentions, { ...NONE, users: [7, 8], groups: [3] });
});

void t.test('a mention of nobody known stays text', async (t) => {
  for (const text of ['@**Nobody**', '@_**Nobody**', '@*nobody*', '@**othello**']) {
    t.equal(html(text), `<p>${text}</p>`);
  }
  t.equal(html('@**Othello|7**'), '<p>@**Othello|7**</p>', 'name and id do not fit');
  t.equal(html('@**Othello|99**'), '<p>@**Othello|99**</p>');
  t.equal(html('@**<b>**'), '<p>@**&lt;b&gt;**</p>');
});

void t.test('a mention starts a word and stays on a line', async (t) => {
  t.equal(html('me@**Othello**'), '<p>me@<strong>Othello</strong></p>');
  t.equal(html('(@**Othello**)').includes('user-mention'), true);
  t.equal(render('@**King\nHamlet**').mentions.users.length, 0);
  t.equal(html('@**'), '<p>@**</p>');
  t.equal(html('@****'), '<p>@****</p>');
});

void t.test('the name in a mention is escaped as HTML', async (t) => {
  const userByName = (): { user_id: number; full_name: string } => ({
    user_id: 1,
    full_name: '<img src=x>"',
  });
  t.equal(
    html('@**x**', { userByName }),
    '<p><span class="user-mention" data-user-id="1">@&lt;img src=x&gt;"</span></p>',
  );
});

void t.test('a mention in code mentions nobody', async (t) => {
  t.same(render('`@**Othello**` and\n```\n@**all** @*core*\n```').mentions, NONE);
});

// [c:link-text-silent]
void t.test('the text of a link mentions people silently', async (t) => {
  const url = 'https://x.example.com';
  for (const [mention, span] of [
    [
      '@**all**',
      '<span class="user-mention channel-wildcard-mention silent" data-user-id="*">all</span>',
    ],
    ['@**topic**', '<span class="topic-mention silent">topic</span>'],
    ['@**Othello**', '<span class="user-mention silent" data-user-id="8">Othello</span>'],
    ['@*core*', '<span class="user-group-mention silent" data-user-group-id="3">core</span>'],
  ] as const) {
    const { html, mentions } = render(`[${mention}](${url})`);
    t.equal(html, `<p><a href="${url}">${span}</a></p>`, mention);
    t.same(mentions, NONE, mention);
    t.same(render(`[a **b ${mention} c** d](${url} "${mention}")`).mentions, NONE, 'deep inside');
    t.same(render(`- x\n  - [${mention}](${url})`).mentions, NONE, 'in a list');
    t.same(render(`|[${mention}](${url})|\n|-|`).mentions, NONE, 'in a table');
    t.same(render(`![${mention}](${url}/a.png)`).mentions, NONE, 'of a picture');
  }
  t.same(render(`[a](${url}) @**Othello** [b](${url})`).mentions, { ...NONE, users: [8] });
  t.same(render(`[@**Othello**] (${url})`).mentions, { ...NONE, users: [8] }, 'no link');
  for (const address of ['', 'url', 'javascript:x', 'not a place', '"title"', '<>']) {
    const text = `[see @**Othello** and [@*core*]](${address})`;
    t.same(render(text).mentions, NONE, `an address that leads nowhere: ${address}`);
  }
  for (const text of ['[@**Othello**]', '[@**Othello**](', '(@**Othello**)', '] @**Othello** [(']) {
    t.same(render(text).mentions, { ...NONE, users: [8] }, `no link: ${text}`);
  }
});

void t.test('a quotation mentions people silently', async (t) => {
  const silent = '<span class="user-mention silent" data-user-id="8">Othello</span>';
  for (const source of ['> @**Othello**', '```quote\n@**Othello**\n```']) {
    t.equal(html(source), `<blockquote>\n<p>${silent}</p>\n</blockquote>`);
    t.same(render(source).mentions, NONE);
  }
  t.same(render('> @**Othello**\n\n@**King Hamlet**').mentions.users, [7]);
  t.same(render('```spoiler x\n@**Othello**\n```').mentions.users, [8], 'a spoiler does not');
});

void t.test('a mention inside other constructs counts once', async (t) => {
  const source = '**hi @**Othello** there** (@**King Hamlet**) ![@**all**](https://x.com)';
  t.same(render(source).mentions, { ...NONE, users: [7, 8] });
  t.same(render('[@**Othello**](javascript:x)').mentions.users, []);
});
