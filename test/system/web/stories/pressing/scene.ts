import sharp from 'sharp';
import type { Test } from 'tap';
import { ApiClient } from '../../../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../../harness/server.js';
import { upload } from '../../../harness/uploading.js';
import { MARK } from './in-page.js';

/** A guest's role. */
const GUEST = 600;
/** The last one is private. */
const CHANNELS = ['verona', 'padua', 'mantua', 'elsinore', 'court'].map(
  (name) => `${MARK}-${name}`,
);
const TOPIC = `${MARK}-bones`;

/** What {@link ApiClient.createUser} sets. */
export function passwordOf(name: string): string {
  return `willow-anchor-${name}-47`;
}

/** Somebody who presses. */
export interface Reader {
  readonly api: ApiClient;
  readonly email: string;
  readonly password: string;
}

/** An organization where everything has happened that a month brings, with as many things of each kind as are pressed away. */
export interface Scene {
  readonly server: RunningServer;
  readonly readers: Readonly<Record<'owner' | 'member' | 'guest', Reader>>;
  /** Of conversations that all of them are in, for each those first that end with a message of theirs. */
  readonly addresses: Readonly<Record<'owner' | 'member' | 'guest', readonly string[]>>;
}

export async function makeScene(t: Test): Promise<Scene> {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.ok('PATCH', '/settings', { full_name: `${MARK}owner` });
  const member = await owner.createUser(`${MARK}hamlet`);
  const guest = await owner.createUser(`${MARK}osric`);
  await owner.ok('PATCH', `/users/${guest.userId}`, { role: GUEST });
  const everybody = [owner, member, guest];
  const subscribers = everybody.map(({ userId }) => userId);
  const ids: number[] = [];
  for (const name of CHANNELS) {
    const invite_only = name === CHANNELS.at(-1);
    const { id } = await owner.ok('POST', '/channels/create', { name, subscribers, invite_only });
    ids.push(Number(id));
  }
  // One that nobody is in.
  await owner.ok('POST', '/channels/create', { name: `${MARK}-wittenberg`, subscribers: [] });
  const picture = await sharp({ create: { width: 9, height: 7, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  await upload(owner, '/realm/emoji/skull_of_y', 'skull.png', picture);
  for (const [index, name] of CHANNELS.entries()) {
    await talk(everybody, name, picture);
    const last = everybody[index % everybody.length]!;
    await last.say(`${MARK} the very last`, name, TOPIC);
  }
  for (const [from, to] of [
    [owner, member],
    [member, guest],
    [guest, owner],
  ] as const) {
    await from.tell([to.userId], `${MARK} a word`);
    await to.tell([from.userId], `${MARK} another`);
  }
  await owner.tell([member.userId, guest.userId], `${MARK} to both`);
  for (const one of everybody) {
    await one.ok('POST', '/users/me/status', { status_text: `${MARK} at sea`, emoji_name: 'tada' });
    await one.ok('POST', '/drafts', {
      drafts: [{ type: 'stream', to: [ids[0]], topic: `${MARK}-draft`, content: `${MARK} to be` }],
    });
  }
  const own = (index: number, place: number): number =>
    (index - place + everybody.length) % everybody.length;
  const addressesFor = (place: number): string[] =>
    [...ids.entries()]
      .sort(([a], [b]) => own(a, place) - own(b, place))
      .map(([, id]) => `/#/channel/${id}/${encodeURIComponent(TOPIC)}`);
  const reader = (api: ApiClient, name: string): Reader => ({
    api,
    email: api.email,
    password: api === owner ? OWNER_PASSWORD : passwordOf(name),
  });
  return {
    server,
    readers: {
      owner: reader(owner, ''),
      member: reader(member, `${MARK}hamlet`),
      guest: reader(guest, `${MARK}osric`),
    },
    addresses: { owner: addressesFor(0), member: addressesFor(1), guest: addressesFor(2) },
  };
}

/** Says everything in a channel that a message can be, and lets each have a message at the end of a topic. */
async function talk(
  everybody: readonly ApiClient[],
  channel: string,
  picture: Buffer,
): Promise<void> {
  const [owner, member] = everybody as [ApiClient, ApiClient, ApiClient];
  const file = async (name: string, data: Buffer | string): Promise<string> =>
    `[${name}](${String((await upload(member, '/user_uploads', name, Buffer.from(data))).url)})`;
  const first = await member.say(`${MARK} who is there?`, channel, TOPIC);
  const id = await owner.say(
    [
      `${MARK} see #**${channel}**, #**${channel}>${TOPIC}**, #**${channel}>${TOPIC}@${first}**, @**${MARK}owner**`,
      'https://example.org/ and <time:2026-11-29T12:00:00Z> :skull_of_y: `code`',
      `\n* one\n* two\n\n> a quote`,
    ].join('\n'),
    channel,
    TOPIC,
  );
  for (const one of everybody) {
    await one.ok('POST', `/messages/${id}/reactions`, { emoji_name: 'tada' });
  }
  await owner.ok('POST', `/messages/${id}/reactions`, { emoji_name: 'skull_of_y' });
  const files = [
    await file(`${MARK} skull.txt`, 'Alas'),
    await file(`${MARK} wall.png`, picture),
    await file(`${MARK} ghost.mp4`, 'no film'),
    await file(`${MARK} cry.mp3`, 'no sound'),
  ];
  await member.say(files.join(' and '), channel, TOPIC);
  await member.say('| a | b |\n|---|---|\n| 1 | 2 |', channel, TOPIC);
  await member.say('```python\nprint(1)\n```', channel, TOPIC);
  await member.say('```spoiler The end\nEverybody dies.\n```', channel, TOPIC);
  await member.say('$$\\int_0^1 x\\,dx$$', channel, TOPIC);
  await member.say('/me sighs', channel, TOPIC);
  await member.say('/poll Which wall?\nNorth\nSouth', channel, TOPIC);
  await member.say('@**all** come', channel, TOPIC);
  for (const one of everybody) await one.say(`${MARK} my own`, channel, `${MARK}-of-${one.userId}`);
  for (const one of everybody) await one.say(`${MARK} the last`, channel, TOPIC);
}
