/** Fills the organization that a test begins with, in one transaction, by the rules of any. */
import { ROLE, BOT_TYPE, type UserDocument } from '../../schemas/users/user-document.js';
import type { ChannelDocument } from '../../schemas/channels/channel.js';
import { createUser } from '../organization/accounts/accounts.js';
import {
  channelName,
  channelSettings,
  createChannel,
} from '../organization/channels/channel-creation.js';
import { subscribeUsers } from '../organization/channels/subscribing.js';
import {
  compose,
  participants,
  type Recipient,
} from '../organization/messages/sending/outgoing-message.js';
import { sendMessage } from '../organization/messages/sending/send-message.js';
import type { Transaction } from '../organization/state/transaction.js';
import { createBot } from '../organization/users/bots.js';
import type { Markdown } from '../services/markdown/markdown.js';
import { newTopicName, storedContent } from '../services/text/stored-text.js';
import type { ChannelSeed, MessageSeed, ParleyOptions, UserSeed } from './api.js';

/** The name under which a test has the person who may do everything. */
export const OWNER = 'owner';
export const DOMAIN = 'example.org';
export const OWNER_ADDRESS = `${OWNER}@${DOMAIN}`;

/** Who and what was made, by the names of the seed. */
export interface Seeded {
  readonly users: Map<string, UserDocument>;
  readonly channels: Map<string, ChannelDocument>;
}

/** What a seed needs beside the organization. */
interface SeedParts {
  readonly markdown: Markdown;
  /** Hashes of the passwords that the seed names, by user name. */
  readonly passwordHashes: ReadonlyMap<string, string>;
}

export function userSeeds({ users = [] }: ParleyOptions): UserSeed[] {
  return users.map((user) => (typeof user === 'string' ? { name: user } : user));
}

/** @throws Error for a name that is taken or that nothing has; ApiError for what nobody may do */
export function seed(tx: Transaction, options: ParleyOptions, parts: SeedParts): Seeded {
  const { bots = [], channels = [], messages = [] } = options;
  const owner = [...tx.org.users.values()].find(
    ({ role, is_bot }) => role === ROLE.owner && !is_bot,
  )!;
  const seeded: Seeded = { users: new Map([[OWNER, owner]]), channels: new Map() };
  for (const channel of tx.org.channels.values()) seeded.channels.set(channel.name, channel);
  for (const user of userSeeds(options)) addUser(tx, seeded, user, parts);
  for (const name of bots) addBot(tx, seeded, name, owner);
  for (const channel of channels) {
    addChannel(tx, seeded, typeof channel === 'string' ? { name: channel } : channel, owner);
  }
  for (const message of messages) addMessage(tx, seeded, message, parts.markdown);
  return seeded;
}

function addUser(tx: Transaction, { users }: Seeded, seed: UserSeed, parts: SeedParts): void {
  const { name, role = 'member' } = seed;
  const password_hash = parts.passwordHashes.get(name) ?? null;
  const account = { email: addressOf(name), full_name: name, role: ROLE[role], password_hash };
  setNew(users, name, () => createUser(tx, account));
}

function addBot(tx: Transaction, { users }: Seeded, name: string, owner: UserDocument): void {
  const defaults = {
    default_sending_stream: null,
    default_events_register_stream: null,
    default_all_public_streams: false,
  };
  const email = `${localPart(name)}-bot@${tx.org.site.botDomain}`;
  const bot = { email, full_name: name, bot_type: BOT_TYPE.generic, owner, defaults };
  setNew(users, name, () => createBot(tx, bot));
}

function addChannel(tx: Transaction, seeded: Seeded, seed: ChannelSeed, owner: UserDocument): void {
  const name = channelName(seed.name);
  const request = {
    invite_only: seed.private ?? false,
    is_web_public: false,
    is_default_stream: false,
    message_retention_days: 'realm_default',
    topics_policy: 'inherit',
  } as const;
  const settings = channelSettings(tx.org, owner, request, () => false);
  const text = { name, description: '', rendered_description: '' };
  const channel = setNew(seeded.channels, name, () => createChannel(tx, text, settings));
  const { subscribers = [...seeded.users.keys()] } = seed;
  const userIds = subscribers.map((one) => named(seeded.users, one).user_id);
  subscribeUsers(tx, { channels: [channel], userIds });
}

function addMessage(tx: Transaction, seeded: Seeded, seed: MessageSeed, markdown: Markdown): void {
  const sender = named(seeded.users, seed.from);
  const outgoing = {
    sender,
    recipient: recipientOf(seeded, sender, seed),
    content: storedContent(seed.content),
    clientName: 'test',
    readBySender: true,
  };
  sendMessage(tx, compose(tx.org, markdown, outgoing));
}

function recipientOf(
  seeded: Seeded,
  sender: UserDocument,
  { to, topic = 'test' }: MessageSeed,
): Recipient {
  if (typeof to !== 'string') {
    const others = to.map((one) => named(seeded.users, one));
    return { kind: 'direct', users: participants(sender, others) };
  }
  return { kind: 'channel', channel: named(seeded.channels, to), topic: newTopicName(topic) };
}

function setNew<T>(all: Map<string, T>, name: string, make: () => T): T {
  if (all.has(name)) throw new Error(`${name} is there already`);
  const made = make();
  all.set(name, made);
  return made;
}

/** @throws Error that lists the names there are */
export function named<T>(all: ReadonlyMap<string, T>, name: string): T {
  const found = all.get(name);
  if (found === undefined)
    throw new Error(`There is no ${name}: there are ${[...all.keys()].join(', ')}`);
  return found;
}

function addressOf(name: string): string {
  return `${localPart(name)}@${DOMAIN}`;
}

function localPart(name: string): string {
  const local = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '.')
    .replaceAll(/^\.|\.$/g, '');
  if (local === '') throw new Error(`No address can be made of the name ${name}`);
  return local;
}
