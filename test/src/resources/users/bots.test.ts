import t from 'tap';
import sharp from 'sharp';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { botsSeenBy } from '../../../../src/organization/users/bots.js';
import { assertNotWebhookBot } from '../../../../src/http/auth/authentication.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';
import { handlerOf } from '../../../fixtures/handler-of.js';

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

const BOTS = { ...MODERN, event_types: ['realm_bot'] };

const NO_DEFAULTS = {
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
};

async function png() {
  const data = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'blue' } })
    .png()
    .toBuffer();
  return { field: 'file', name: 'bot.png', mediaType: 'image/png', data };
}

// [c:bot-created]
void t.test('a bot is created, told of in order, and works at once', async (t) => {
  const world = new World();
  const { hamlet, iago, admin } = world;
  const since = world.position;
  const reply = await world.do('create-bot', { full_name: 'Echo', short_name: 'echo' }, hamlet);
  const bot = world.user(reply.user_id as number);
  t.strictSame(reply, {
    user_id: bot.user_id,
    api_key: world.keys.derive(bot.user_id, bot.key_version),
    avatar_url: reply.avatar_url,
    ...NO_DEFAULTS,
  });
  t.match(bot, {
    email: 'echo-bot@chat.example.com',
    is_bot: true,
    bot_type: 1,
    bot_owner_id: hamlet.user_id,
    role: 400,
  });
  const added = {
    type: 'realm_bot',
    op: 'add',
    bot: { user_id: bot.user_id, ...NO_DEFAULTS, services: [] },
  };
  const told = (user: UserDocument) =>
    world.received(user, since).map(({ type, op }) => [type, op]);
  const everybody = [
    ['realm_user', 'add'],
    ['user_group', 'add_members'],
    ['user_group', 'add_members'],
  ];
  t.strictSame(told(iago), everybody);
  t.strictSame(told(hamlet), [...everybody, ['realm_bot', 'add']]);
  t.strictSame(world.received(admin, since).at(-1), added);
  t.notOk(JSON.stringify(world.received(admin, since)).includes('api_key'), 'never the key');
});

void t.test('the list has your own active bots with their keys', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  const echo = await world.bot(hamlet, 'Echo', { default_sending_stream: 'general' });
  const idle = await world.bot(hamlet, 'Idle');
  await world.bot(iago, 'Other');
  await world.do('deactivate-bot', { bot_id: idle.user_id }, hamlet);
  const { bots } = await world.do('get-bots', {}, hamlet);
  t.strictSame(bots, [
    {
      username: 'echo-bot@chat.example.com',
      full_name: 'Echo',
      api_key: world.keys.derive(echo.user_id, echo.key_version),
      avatar_url: (bots as Body[])[0]!.avatar_url,
      default_sending_stream: 'general',
      default_events_register_stream: null,
      default_all_public_streams: false,
    },
  ]);
});

// [c:bot-refusals]
void t.test('creation is refused in the words of the contract', async (t) => {
  const world = new World();
  const { hamlet, iago, guest } = world;
  await world.bot(hamlet, 'Echo');
  world.channel('closed', { invite_only: true }, [hamlet]);
  const since = world.position;
  const params = { full_name: 'Second', short_name: 'second' };
  const refusals: [Body, string][] = [
    [{ short_name: '' }, 'Bad name or username'],
    [{ short_name: 'a b' }, 'Bad name or username'],
    [{ short_name: 'ECHO' }, 'Username already in use'],
    [{ full_name: 'Echo' }, 'Name is already in use!'],
    [{ full_name: 'iago' }, 'Name is already in use!'],
    [{ full_name: 'x' }, 'Name too short!'],
    [{ bot_type: 3 }, 'Enter a valid URL.'],
    [{ bot_type: 3, payload_url: 'ftp://example.com' }, 'Enter a valid URL.'],
    [{ bot_type: 3, payload_url: 'https://exa\nmple.com' }, 'Enter a valid URL.'],
    [{ bot_type: 3, payload_url: 'https://exa\u200bmple.com' }, 'Enter a valid URL.'],
    [
      { bot_type: 3, payload_url: 'https://example.com', interface_type: 3 },
      'Invalid interface type',
    ],
    [
      { bot_type: 1, payload_url: 'https://example.com' },
      'Only outgoing webhook bots have a payload URL.',
    ],
    [
      { bot_type: 4 },
      'Embedded bots are not enabled. Run the bot as a program with the key of a generic bot (bot_type 1), or behind an address as an outgoing webhook bot (bot_type 3).',
    ],
    [{ bot_type: 5 }, 'Invalid bot type'],
    [{ default_sending_stream: 'absent' }, "Invalid channel name 'absent'"],
    [{ default_events_register_stream: 'closed' }, "Invalid channel name 'closed'"],
  ];
  for (const [wrong, message] of refusals) {
    await t.rejects(world.do('create-bot', { ...params, ...wrong }, iago), refused(message));
  }
  await t.rejects(world.do('create-bot', params, guest), refused('Insufficient permission'));
  const two = [await png(), await png()];
  await t.rejects(
    world.do('create-bot', params, iago, { files: two }),
    refused('You may only upload one file at a time'),
  );
  t.equal(world.position, since, 'and then nothing changes');
});

void t.test('who may only have write-only bots has only incoming webhooks', async (t) => {
  const world = new World();
  const { hamlet, owner } = world;
  const nobody = world.system('role:nobody');
  world.setRealm({ can_create_bots_group: nobody });
  const params = { full_name: 'Hook', short_name: 'hook' };
  await t.rejects(world.do('create-bot', params, hamlet), refused('Insufficient permission'));
  const { user_id } = await world.do('create-bot', { ...params, bot_type: 2 }, hamlet);
  t.equal(world.user(user_id as number).bot_type, 2);
  world.setRealm({ can_create_write_only_bots_group: nobody });
  await t.rejects(
    world.do('create-bot', { full_name: 'Two', short_name: 'two', bot_type: 2 }, owner),
    refused('Insufficient permission'),
  );
});

// [c:webhook-bots-send-only]
void t.test('incoming-webhook bots may only send messages', async (t) => {
  const world = new World();
  const hook = await world.bot(world.hamlet, 'Hook', { bot_type: 2 });
  const handlers = world.handlers.map((one) => one.endpoint);
  for (const endpoint of handlers) {
    t.throws(() => assertNotWebhookBot(hook, endpoint), {
      status: 401,
      code: 'UNAUTHORIZED',
      message: 'This API is not available to incoming webhook bots.',
    });
  }
  const send = {
    ...handlerOf(world.handlers, 'create-bot').endpoint,
    method: 'POST',
    path: '/messages',
  } as const;
  t.doesNotThrow(() => assertNotWebhookBot(hook, send));
});

// [c:bot-defaults]
void t.test('only what changed of the defaults is told, to owner and administrators', async (t) => {
  const world = new World();
  const { hamlet, admin, iago } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  const since = world.position;
  const reply = await world.do(
    'update-bot',
    {
      bot_id: user_id,
      default_sending_stream: 'general',
      default_all_public_streams: false,
    },
    hamlet,
  );
  t.strictSame(reply, {
    full_name: 'Echo',
    avatar_url: reply.avatar_url,
    service_interface: null,
    service_payload_url: null,
    config_data: null,
    ...NO_DEFAULTS,
    default_sending_stream: 'general',
  });
  const update = {
    type: 'realm_bot',
    op: 'update',
    bot: { user_id, default_sending_stream: 'general' },
  };
  t.strictSame(world.received(hamlet, since), [update]);
  t.strictSame(world.received(admin, since), [update]);
  t.strictSame(world.received(iago, since), []);
});

void t.test('a default channel that somebody sees no longer is not named to them', async (t) => {
  const world = new World();
  const { hamlet, admin, iago } = world;
  const kitchen = world.channel('kitchen', {}, [admin, iago]);
  const { user_id } = await world.bot(hamlet, 'Echo', { default_sending_stream: 'kitchen' });
  world.transact((tx) => {
    tx.org.channels.update(kitchen.stream_id, { invite_only: true, name: 'layoffs' });
  });
  const channelOf = (bots: unknown) => (bots as Body[])[0]!.default_sending_stream;
  const { bots } = await world.do('get-bots', {}, hamlet);
  t.equal(channelOf(bots), null);
  t.equal(channelOf(botsSeenBy(world.org, hamlet)), null, 'nor in the reply of register');
  t.equal(channelOf(botsSeenBy(world.org, admin)), 'layoffs');

  const since = world.position;
  const change = { bot_id: user_id, default_events_register_stream: 'layoffs' };
  t.match(await world.do('update-bot', change, admin), {
    default_events_register_stream: 'layoffs',
  });
  const told = (user: UserDocument) =>
    world.received(user, since, BOTS).map(({ bot }) => bot as Body);
  t.strictSame(told(hamlet), [{ user_id, default_events_register_stream: null }]);
  t.strictSame(told(admin), [{ user_id, default_events_register_stream: 'layoffs' }]);

  const given = world.position;
  await world.do('update-bot', { bot_id: user_id, bot_owner_id: world.guest.user_id }, hamlet);
  t.match(world.received(world.guest, given, BOTS), [
    { op: 'add', bot: { default_sending_stream: null, default_events_register_stream: null } },
  ]);
});

void t.test('a name, an address and a picture of a bot are told to everybody', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  const since = world.position;
  const change = { bot_id: user_id, full_name: 'Narcissus', short_name: 'narcissus' };
  const { avatar_url } = await world.do('update-bot', change, hamlet, { files: [await png()] });
  t.match(avatar_url, /^\/user_avatars\/[0-9a-f]{32}\.png\?version=2$/);
  const forms = world.received(iago, since).map(({ person }) => Object.keys(person as object)[1]);
  t.strictSame(forms, [
    'full_name',
    'delivery_email',
    'avatar_source',
    'new_email',
    'avatar_source',
  ]);
  t.equal(world.user(user_id).email, 'narcissus-bot@chat.example.com');
});

// [c:bot-owner-changed]
void t.test('a bot goes to another owner: each hears what changes for them', async (t) => {
  const world = new World();
  const { hamlet, iago, guest, admin } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  const since = world.position;
  const change = { bot_id: user_id, bot_owner_id: iago.user_id };
  const { bot_owner } = await world.do('update-bot', change, hamlet);
  t.equal(bot_owner, 'iago@example.com');
  t.strictSame(world.received(guest, since), [
    { type: 'realm_user', op: 'update', person: { user_id, bot_owner_id: iago.user_id } },
  ]);
  t.strictSame(world.received(hamlet, since, BOTS), [
    { type: 'realm_bot', op: 'delete', bot: { user_id } },
  ]);
  t.match(world.received(iago, since, BOTS), [{ op: 'add', bot: { user_id, services: [] } }]);
  t.strictSame(world.received(admin, since, BOTS), [], 'administrators know it anyway');
  await t.rejects(world.do('update-bot', change, hamlet), refused('Insufficient permission'));
});

void t.test('changing bots is refused in the words of the contract', async (t) => {
  const world = new World();
  const { hamlet, iago, admin } = world;
  const echo = await world.bot(hamlet, 'Echo');
  const gone = world.addUser('gone@example.com');
  world.alter(gone.user_id, { is_active: false });
  const bot_id = echo.user_id;
  const since = world.position;
  const ask = (caller: UserDocument, params: Body) =>
    world.do('update-bot', { bot_id, ...params }, caller);
  await t.rejects(ask(iago, { full_name: 'Mine' }), refused('Insufficient permission'));
  await t.rejects(ask(hamlet, { bot_id: 999 }), refused('No such bot'));
  await t.rejects(ask(hamlet, { bot_id: iago.user_id }), refused('No such bot'), 'a human');
  await t.rejects(ask(admin, { bot_id: 1 }), refused('No such bot'), 'a system bot');
  const owner = (bot_owner_id: number, why: string) =>
    t.rejects(ask(hamlet, { bot_owner_id }), refused(`Failed to change owner, ${why}`));
  await owner(999, 'no such user');
  await owner(gone.user_id, 'user is deactivated');
  await owner(1, "bots can't own other bots");
  await t.rejects(ask(hamlet, { role: 200 }), { message: 'Must be an organization administrator' });
  await t.rejects(ask(admin, { role: 100 }), { message: 'Must be an organization owner' });
  await t.rejects(ask(hamlet, { full_name: 'iago' }), refused('Name is already in use!'));
  await t.rejects(ask(hamlet, { short_name: '' }), refused('Bad name or username'));
  t.equal(world.position, since);
});

void t.test('keys of bots are for their owner and administrators', async (t) => {
  const world = new World();
  const { hamlet, iago, admin } = world;
  const echo = await world.bot(hamlet, 'Echo');
  const params = { bot_id: echo.user_id };
  const old = world.keys.derive(echo.user_id, echo.key_version);
  const newest = () => world.org.audit.find({ limit: 1 }).records[0]!;
  t.strictSame(await world.do('get-bot-api-key', params, hamlet), { api_key: old });
  t.not(newest().changes[0]!.action, 'done', 'its owner reads it unnoted');
  t.strictSame(await world.do('get-bot-api-key', params, admin), { api_key: old });
  t.strictSame(newest().changes, [
    {
      ...{ kind: 'bot', id: echo.user_id, name: 'Echo', action: 'done' },
      fields: [{ name: 'api_key', old: null, new: null }],
    },
  ]);
  await t.rejects(world.do('get-bot-api-key', params, iago), refused('Insufficient permission'));
  await t.rejects(world.do('get-bot-api-key', { bot_id: 999 }, hamlet), refused('No such bot'));
  const { api_key } = await world.do('regenerate-bot-api-key', params, hamlet);
  t.not(api_key, old);
  t.strictSame(await world.do('get-bot-api-key', params, hamlet), { api_key });
  t.strictSame(world.closedSockets, [echo.user_id]);
});

void t.test('the key of a bot that is an owner is for owners', async (t) => {
  const world = new World();
  const { hamlet, admin, owner } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  await world.do('update-bot', { bot_id: user_id, role: 100 }, owner);
  const params = { bot_id: user_id };
  await t.rejects(world.do('get-bot-api-key', params, admin), {
    code: 'UNAUTHORIZED_PRINCIPAL',
    message: 'Must be an organization owner',
  });
  t.ok((await world.do('get-bot-api-key', params, owner)).api_key);
  t.ok((await world.do('get-bot-api-key', params, hamlet)).api_key);
});

void t.test('a deactivated bot is told of as any account', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  await t.rejects(
    world.do('deactivate-bot', { bot_id: user_id }, iago),
    refused('Insufficient permission'),
  );
  const since = world.position;
  t.strictSame(await world.do('deactivate-bot', { bot_id: user_id }, hamlet), {});
  t.strictSame(world.received(hamlet, since).at(-1), {
    type: 'realm_user',
    op: 'update',
    person: { user_id, is_active: false },
  });
  await t.rejects(
    world.do('deactivate-bot', { bot_id: user_id }, hamlet),
    refused('User is deactivated'),
  );
});
