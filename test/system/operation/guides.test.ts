/** The guides in docs/guides, and the first event of the README: what they say to type is typed. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createWebServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startOpenIdServer,
} from '../../src/services/fixtures/openid-server.js';
import { discordExport } from '../../fixtures/archives/discord-export.js';
import { mattermostExport } from '../../fixtures/archives/mattermost-export.js';
import { rocketChatDump } from '../../fixtures/archives/rocketchat-dump.js';
import { teamsExport } from '../../fixtures/archives/teams-export.js';
import { slackExport } from '../../fixtures/archives/slack-export.js';
import { tarGz } from '../../fixtures/archives/tar.js';
import { olderStore } from '../../fixtures/older-store.js';
import { zip } from '../../fixtures/archives/zip.js';
import { peerExport } from '../../fixtures/archives/zulip-readers.js';
import { zulipExport } from '../../fixtures/archives/zulip-export.js';
import { noBrowser, openBrowser, openTab } from '../harness/browser.js';
import { ApiClient, type Body } from '../harness/client.js';
import { blocks, missing, outcome, shell, workplace } from '../harness/guide.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(240_000);

/** Waits until a process that runs on has said a word. @returns the whole line */
async function lineWith(child: ChildProcess, word: string): Promise<string> {
  let text = '';
  return new Promise((found, failed) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const line = text.split('\n').find((one) => one.includes(word));
      if (line !== undefined) found(line);
    });
    child.once('close', () => failed(new Error(`It ended without ${word}: ${text}`)));
  });
}

/* What guides need, or why their tests are skipped. */
const BASH = { skip: await missing('bash') };
const CURL = { skip: await missing('curl', 'bash') };
const REDIS = { skip: await missing('curl', 'bash', 'redis-server', 'redis-cli') };
const PYTHON = { skip: await missing('curl', 'python3', 'bash') };

void t.test('README: its commands lead to a first event', CURL, async (t) => {
  const server = await RunningServer.start(t);
  const folder = workplace(t);
  const known: readonly [string, string][] = [
    ['owner@localhost', OWNER_EMAIL],
    ['the password that was shown', OWNER_PASSWORD],
    ['http://127.0.0.1:9991', server.url],
    ['/tmp/parley.env', join(folder, 'parley.env')],
  ];
  const [wait = '', send = '', socket = '', stream = ''] = blocks('README.md', 'sh', '.')
    .filter((block) => block.includes('/tmp/parley.env'))
    .map((block) => known.reduce((text, [example, own]) => text.replaceAll(example, own), block));
  // The package `ws` is found in the folder of the README.
  const env = { NODE_PATH: resolve('node_modules') };
  const type = (script: string): ChildProcess => {
    const child = shell(folder, script, env);
    t.teardown(() => child.kill());
    return child;
  };
  const poll = type(wait.replace(/^(?=curl .* # waits)/m, 'echo waiting\n'));
  const polled = lineWith(poll, 'events');
  await lineWith(poll, 'waiting');
  const { code, said } = await outcome(type(send));
  t.equal(code, 0, said);
  t.match(await polled, '"content":"Hello, **world**"', 'the poll gets the event');
  for (const [name, script] of Object.entries({ socket, stream })) {
    const listening = type(script.replace(/^(?=node|curl)/m, 'exec '));
    t.match(await lineWith(listening, 'world'), '"content":"Hello, **world**"', name);
  }
});

void t.test('the guide to a first bot works as it is written', PYTHON, async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const folder = workplace(t);
  const [python = ''] = blocks('first-bot.md', 'python');
  writeFileSync(join(folder, 'bot.py'), python);
  const script = blocks('first-bot.md', 'sh')
    .join('\n')
    .replace('python3 bot.py', 'exec python3 bot.py');
  const bot = shell(folder, script, {
    URL: server.url,
    EMAIL: OWNER_EMAIL,
    PASSWORD: OWNER_PASSWORD,
  });
  t.teardown(() => bot.kill());
  const ended = outcome(bot);
  const listening = once(bot.stdout!, 'data') as Promise<[Buffer]>;
  const first = await Promise.race([listening.then(([chunk]) => String(chunk)), ended]);
  t.equal(first, 'listening\n');
  const reader = await QueueReader.open(owner, { event_types: ['message'] });
  await owner.say('!ping');
  const contents: string[] = [];
  while (!contents.includes('pong')) {
    for (const { message } of await reader.next()) {
      // A heartbeat has none.
      if (message) contents.push((message as { content: string }).content.replace(/<\/?p>/g, ''));
    }
  }
  t.same(contents, ['!ping', 'pong']);
});

void t.test('the guide to a backup drill works as it is written', CURL, async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.say('remember this');
  const folder = workplace(t);
  const drill = shell(folder, blocks('backup-drill.md', 'sh').join('\n'), {
    DATA: server.folder,
    DRILL_PORT: String(await freePort()),
    EMAIL: owner.email,
    KEY: owner.key,
  });
  const { code, said } = await outcome(drill);
  t.equal(code, 0, said);
  t.match(said, /is intact/);
  t.match(said, /No damage found/);
  const { messages } = JSON.parse(readFileSync(join(folder, 'newest.json'), 'utf8')) as {
    messages: { content: string }[];
  };
  t.equal(messages.at(-1)!.content, '<p>remember this</p>');
});

void t.test('single-sign-on.md: its commands make a configuration that works', CURL, async (t) => {
  const url = 'https://chat.example.org';
  const provider = await startOpenIdServer(t, [`${url}/complete/corp/`]);
  const folder = workplace(t);
  const guide = shell(folder, blocks('single-sign-on.md', 'sh').join('\n'), {
    ISSUER: provider.issuer,
    CLIENT_ID,
    CLIENT_SECRET,
    PORT: String(await freePort()),
    URL: url,
  });
  const { code, said } = await outcome(guide);
  t.equal(code, 0, said);
  t.match(said, /^The configuration is valid/m);
  t.match(said, /^Log in with Corp$/m);
  t.match(said, '"login_url":"/accounts/login/social/corp"');
  t.match(said, `302 ${provider.issuer}/auth?`);
});

/** Serves a page and its script at an origin of their own. */
async function site(t: Test, page: string, script: () => string): Promise<string> {
  const server = createWebServer((request, response) => {
    const isScript = request.url === '/client.js';
    const type = isScript ? 'text/javascript' : 'text/html';
    response.writeHead(200, { 'Content-Type': `${type}; charset=utf-8` });
    response.end(isScript ? script() : page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

void t.test(
  'moving-here.md: its commands import exports, and write one that is imported again',
  BASH,
  async (t) => {
    const folder = workplace(t);
    writeFileSync(join(folder, 'realm.tar.gz'), tarGz(zulipExport()));
    writeFileSync(join(folder, 'export-of-that-server.tar.gz'), peerExport());
    writeFileSync(join(folder, 'slack.zip'), zip(slackExport()));
    writeFileSync(join(folder, 'mattermost.zip'), zip(mattermostExport()));
    writeFileSync(join(folder, 'discord.zip'), zip(discordExport()));
    writeFileSync(join(folder, 'dump.zip'), zip(rocketChatDump()));
    writeFileSync(join(folder, 'teams.zip'), zip(teamsExport()));
    const guide = shell(folder, blocks('moving-here.md', 'sh').join('\n'), {
      URL: 'https://chat.example.org',
      EMAIL: 'ada@example.org',
    });
    const { code, said } = await outcome(guide);
    t.equal(code, 0, said);
    t.equal(
      said.match(/^Imported 6 accounts, 3 channels, .* 10 messages/gm)?.length,
      2,
      'away, too',
    );
    t.match(said, /^Exported 6 accounts, 3 channels, 10 messages/m);
    t.match(said, /^Imported 3 accounts, 3 channels, .* 6 messages/m);
    t.match(said, /https:\/\/chat\.example\.org\/accounts\/password\/reset\/11\//);
    t.match(said, /^Imported 5 accounts, 3 channels, .* 9 messages/m);
    t.match(said, /^Imported 5 accounts, 1 groups, 4 channels, .* 12 messages/m, 'Discord');
    t.match(said, /discord-ada@parley\.invalid +yes +Ada +owner/, 'the first owner is made');
    t.match(said, /^Imported 5 accounts, 0 groups, 5 channels, .* 11 messages/m, 'Rocket.Chat');
    t.match(said, /^Imported 5 accounts, 0 groups, 3 channels, .* 13 messages/m, 'Teams');
    t.match(said, /^Imported 1 accounts, 1 channels, .* 2 messages/m, 'lines that somebody made');
    t.match(said, /^name +Engines Ltd$/m);
  },
);

void t.test('video-calls.md: its commands make a valid configuration', BASH, async (t) => {
  const guide = shell(workplace(t), blocks('video-calls.md', 'sh').join('\n'), {});
  const { code, said } = await outcome(guide);
  t.equal(code, 0, said);
  t.match(said, /^calls +calls\.json +--calls$/m);
  t.match(said, /^The configuration is valid/m);
});

void t.test('upgrading.md: its commands upgrade a store and go back', BASH, async (t) => {
  const folder = workplace(t);
  const data = join(folder, 'data');
  mkdirSync(data);
  const { queues, ann } = olderStore('6a5ad3e', data);
  const { email, key, queue_id, cursor } = queues['ann']!;
  writeFileSync(join(folder, 'parley.yaml'), 'store: embedded:./data\nport: 9991\n');
  const [before = '', back = ''] = blocks('upgrading.md', 'sh', 'docs/operations');
  const prepared = await outcome(shell(folder, before, {}));
  t.equal(prepared.code, 0, prepared.said);
  t.match(prepared.said, /^The configuration is valid/m);
  const upgraded = await RunningServer.serve(t, data);
  const now = new ApiClient(upgraded.url, email, key, 0);
  await now.say('written after the upgrade', 'kitchen', 'upgrade');
  await upgraded.stop();

  const went = await outcome(shell(folder, back, {}));
  t.equal(went.code, 0, went.said);
  const older = await RunningServer.serve(t, join(folder, 'older'));
  const client = new ApiClient(older.url, email, key, 0);
  const page = { anchor: 'newest', num_before: 1000, num_after: 0, apply_markdown: false };
  const { messages } = (await client.ok('GET', '/messages', page)) as {
    messages: { id: number; content: string }[];
  };
  t.same(
    ann.messages.filter(({ id }) => !messages.some((one) => one.id === id)),
    [],
    'what was there is there',
  );
  t.notOk(messages.some(({ content }) => content === 'written after the upgrade'));
  const poll = { queue_id, last_event_id: cursor, dont_block: true };
  const { body } = await client.call('GET', '/events', poll);
  t.equal(body.code, 'BAD_EVENT_QUEUE_ID', 'clients register again');
});

void t.test('sizing.md: its commands show memory, event loop and disk', BASH, async (t) => {
  const folder = workplace(t);
  const data = join(folder, 'data');
  mkdirSync(data);
  olderStore('6a5ad3e', data);
  await RunningServer.serve(t, data);
  const { code, said } = await outcome(shell(folder, blocks('sizing.md', 'sh').join('\n'), {}));
  t.equal(code, 0, said);
  t.match(said, /rss_bytes/);
  t.match(said, /event loop/i);
  t.match(said, /\t\.\/data$/m);
});

void t.test('a client in a browser', { skip: noBrowser }, async (t) => {
  const [page = ''] = blocks('browser-client.md', 'html');
  const [script = ''] = blocks('browser-client.md', 'js');
  let api = '';
  const url = await site(t, page, () => `const API = '${api}';\n${script}`);
  const port = String(await freePort());
  // A page of another origin, which no setting names.
  const args = ['--port', port];
  const server = await RunningServer.start(t, { args });
  api = server.url;
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const browser = await openBrowser(t);
  const { page: tab } = await openTab(browser, url);
  await tab.type('input[name=email]', OWNER_EMAIL);
  await tab.type('input[name=password]', OWNER_PASSWORD);
  await tab.click('button');
  const shows = (id: number) => tab.waitForSelector(`li[data-id="${id}"]`);
  const items = "[...document.querySelectorAll('li')].map((item) => item.textContent)";
  const listed = async () => (await tab.evaluate(items)) as string[];
  // The queue is there before anything is said.
  await tab.waitForFunction("sessionStorage.getItem('chat')?.includes('cursor')");
  await shows(await owner.say('*first* <b>'));
  t.same(await listed(), ['Owner, test: first <b>']);
  await tab.goto('about:blank');
  const missed = [await owner.say('while it was away'), await owner.say('twice')];
  await tab.goto(url);
  await shows(missed[1]!);
  t.same(await listed(), ['Owner, test: while it was away', 'Owner, test: twice']);
  t.equal((await server.stop()).code, 0);
  const again = await server.restart(t);
  t.equal(again.url, server.url);
  await shows(await owner.say('after a restart'));
  t.same((await listed()).at(-1), 'Owner, test: after a restart');
});

void t.test(
  'three-nodes.md: its commands start three nodes that survive their leader',
  REDIS,
  async (t) => {
    const folder = workplace(t);
    const cleared = `trap 'kill $(jobs -p) $(cat redis.pid) 2>/dev/null || true' EXIT\n`;
    const guide = shell(folder, cleared + blocks('three-nodes.md', 'sh').join('\n'), {
      REDIS_PORT: String(await freePort()),
      PORT: String(await freePort()),
      PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
    });
    const { code, said } = await outcome(guide);
    t.equal(code, 0, said);
    t.same(said.match(/"role":"\w+"/g)?.slice(0, 3), [
      '"role":"leader"',
      '"role":"follower"',
      '"role":"follower"',
    ]);
    const { events } = JSON.parse(readFileSync(join(folder, 'events.json'), 'utf8')) as {
      events: { type: string; message?: { content: string } }[];
    };
    t.same(
      events.flatMap(({ message }) => message?.content ?? []),
      ['written at the third node', 'written after the first node was killed'],
    );
  },
);

void t.test('incoming-mail.md: its commands bring a mail to a channel', PYTHON, async (t) => {
  const [start = '', ...others] = blocks('incoming-mail.md', 'sh');
  const flags = start.trim().replaceAll("'", '').split(' ').slice(3);
  const port = await freePort();
  const args = flags.map((flag) => flag.replace('2525', String(port)));
  const server = await RunningServer.start(t, { args });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const script = others.join('\n').replace('2525', String(port));
  const { stream_id } = await owner.ok('GET', '/get_stream_id', { stream: 'general' });
  const guide = shell(workplace(t), script, {
    URL: server.url,
    EMAIL: OWNER_EMAIL,
    KEY: owner.key,
    CHANNEL: String(stream_id),
  });
  const { code, said } = await outcome(guide);
  t.equal(code, 0, said);
  const page = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
  const { messages } = await owner.ok('GET', '/messages', page);
  const [message] = messages as Body[];
  t.match(message, { subject: 'Lunch', display_recipient: 'general' });
  t.match(message!['content'], /Pizza is here/);
});
