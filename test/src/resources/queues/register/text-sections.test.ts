import { deepStrictEqual } from 'node:assert';
import fc from 'fast-check';
import t from 'tap';
import type { UserDocument } from '../../../../../schemas/users/user-document.js';
import { subscriptionSnapshot, visibleChannels } from '../../../../fixtures/channel-lists.js';
import {
  ownFields,
  realmUserGroups,
} from '../../../../../src/organization/users/people-snapshot.js';
import { JsonParts } from '../../../../../src/resources/snapshot-fragments/json-parts.js';
import {
  SnapshotFragments,
  FragmentCache,
} from '../../../../../src/resources/snapshot-fragments/fragment-cache.js';
import { PreparedChannels } from '../../../../../src/resources/queues/register/prepared-channels.js';
import { EventLoopYield } from '../../../../../src/turns/event-loop-yield.js';
import { TEXT_SECTIONS } from '../../../../../src/resources/queues/register/text-sections.js';
import { presenceReply } from '../../../../../src/organization/views/presence-view.js';
import { apiEmail, userView } from '../../../../../src/organization/views/user-view.js';
import type { AnyHandler } from '../../../../../src/resources/kernel/handler.js';
import type { EncodedReply } from '../../../../../src/resources/kernel/route.js';
import { presenceHandlers } from '../../../../../src/resources/presence/presence.js';
import { userHandlers } from '../../../../../src/resources/users/users.js';
import { handlerOf } from '../../../../fixtures/handler-of.js';
import { scaled } from '../../../../system/harness/scale.js';
import { PEOPLE, STEPS, World } from '../../../../fixtures/snapshot-world.js';
import { presenceSnapshot, realmUsers, userStatuses } from '../../../../fixtures/plain-snapshot.js';

interface Query {
  readonly slim: boolean;
  readonly gravatar: boolean;
  readonly include: boolean | 'partial';
  readonly days: number;
}

function requestOf({ org }: World, { user_id }: UserDocument, query: Query) {
  const params = {
    client_gravatar: query.gravatar,
    slim_presence: query.slim,
    include_subscribers: query.include,
    presence_history_limit_days: query.days,
    client_capabilities: {},
  };
  return {
    org,
    user: org.users.get(user_id)!,
    params,
    wants: () => true,
    named: () => false,
    channels: new PreparedChannels(org, user_id, params),
  };
}

/** @param meanwhile what happens between the preparation and the transaction */
async function written(
  world: World,
  cache: FragmentCache,
  user: UserDocument,
  query: Query,
  meanwhile: () => void,
) {
  const request = requestOf(world, user, query);
  const texts = new SnapshotFragments(cache);
  const sections = Object.values(TEXT_SECTIONS);
  await request.channels.prepare(new EventLoopYield());
  await texts.prepare(
    () => sections.flatMap((section) => section.sources(request as never)),
    () => world.org.users.ranges,
  );
  meanwhile();
  const out = new JsonParts();
  const now = { ...request, user: world.org.users.get(user.user_id)! } as never;
  for (const section of sections) section.write(now, texts, out);
  const text = out.end().map(String).join('');
  return JSON.parse(`{${text.slice(1)}}`) as Record<string, unknown>;
}

function expected({ org }: World, { user_id }: UserDocument, query: Query) {
  const user = org.users.get(user_id)!;
  const lists = realmUsers(org, user, { clientGravatar: query.gravatar, withProfile: true });
  for (const list of Object.values(lists))
    list.sort((a, b) => Number(a.user_id) - Number(b.user_id));
  const all = {
    ...presenceSnapshot(org, { slim: query.slim, historyDays: query.days }),
    realm_user_groups: realmUserGroups(org, { includeDeactivated: false }),
    ...lists,
    ...ownFields(org, user),
    ...subscriptionSnapshot(org, user, {
      includeSubscribers: query.include,
      notificationSettingsNull: false,
      archivedChannels: false,
    }),
    user_status: userStatuses(org),
    streams: visibleChannels(org, user, { archived: false }),
  };
  return JSON.parse(JSON.stringify(all)) as Record<string, unknown>;
}

/** The text of what a handler answers, run as a request would. */
async function answered(
  world: World,
  handlers: readonly AnyHandler[],
  operation: string,
  { user_id }: UserDocument,
  params: object,
): Promise<string> {
  const handler = handlerOf(handlers, operation);
  const request = { user: world.org.users.get(user_id)!, params } as never;
  const loaded = await handler.prepare!(world.org, request);
  const reply = world.run((tx) => handler.run(tx, request, loaded))
    .result as unknown as EncodedReply;
  return reply.pieces.map(String).join('');
}

/** What `GET /users` and `GET /realm/presence` answer, and what they must. */
async function lists(world: World, user: UserDocument, { gravatar, slim }: Query) {
  const { org } = world;
  const viewer = org.users.get(user.user_id)!;
  const params = { client_gravatar: gravatar, include_custom_profile_fields: slim };
  const options = { clientGravatar: gravatar, withProfile: slim };
  const everybody = [...org.users.values()].filter((one) => !one.is_system_bot);
  everybody.sort((a, b) => a.user_id - b.user_id);
  const members = everybody.map((one) => userView(org, viewer, one, options));
  const { presences, server_timestamp } = presenceReply(org, { slim: false, historyDays: 14 });
  const byUser = Object.fromEntries(
    everybody.map((one) => apiEmail(org, one)).flatMap((name) => [[name, presences[name]]]),
  );
  return {
    found: [
      await answered(world, userHandlers({} as never), 'get-users', viewer, params),
      await answered(world, presenceHandlers({} as never), 'get-realm-presence', viewer, {}),
    ],
    expected: [
      `,"members":${JSON.stringify(members)}`,
      `,"presences":${JSON.stringify(byUser)},"server_timestamp":${server_timestamp}`,
    ],
  };
}

const step = fc.record({
  kind: fc.constantFrom(...Object.keys(STEPS)),
  value: fc.integer({ min: 0, max: 60 }),
  whom: fc.integer({ min: 0, max: PEOPLE - 1 }),
});

const query = fc.record({
  slim: fc.boolean(),
  gravatar: fc.boolean(),
  include: fc.constantFrom(true, false, 'partial' as const),
  days: fc.constantFrom(0, 3, 14),
});

void t.test('joined texts are what the documents say, whatever changed', async () => {
  for (const maxBytes of [256 * 1024 * 1024, 300_000, 0]) {
    const world = new World();
    for (const { user_id } of world.users.slice(0, 400)) world.presence(user_id);
    const cache = new FragmentCache(maxBytes, world.org.now);
    const round = fc.tuple(fc.array(step, { maxLength: 12 }), query, fc.nat(PEOPLE - 1));
    await fc.assert(
      fc.asyncProperty(round, async ([steps, asked, viewer]) => {
        const user = world.users[viewer]!;
        const take = (some: typeof steps): void => {
          for (const { kind, value, whom } of some) STEPS[kind]!(value)(world, world.users[whom]!);
          // Only people who are there ask.
          if (!world.org.users.get(user.user_id)!.is_active) STEPS.activity!(0)(world, user);
        };
        const half = Math.floor(steps.length / 2);
        take(steps.slice(0, half));
        const found = await written(world, cache, user, asked, () => take(steps.slice(half)));
        deepStrictEqual(found, expected(world, user, asked));
        const replies = await lists(world, user, asked);
        deepStrictEqual(replies.found, replies.expected);
        if (cache.size > maxBytes) throw new Error(`${cache.size} bytes are kept`);
      }),
      { numRuns: maxBytes === 0 ? scaled(5, 10) : scaled(25, 60), endOnFailure: true },
    );
  }
});

void t.test(
  'a shared text without the viewer is encoded anew, with their own address',
  async (t) => {
    const world = new World();
    const viewer = world.users[300]!;
    STEPS.visibility!(4)(world, viewer);
    const asked: Query = { slim: true, gravatar: true, include: true, days: 14 };
    const request = requestOf(world, viewer, asked);
    const fragments = new SnapshotFragments(new FragmentCache(1_000_000_000, world.org.now));
    const found = (change: (text: string) => string) => {
      const texts = {
        text: (...of: Parameters<SnapshotFragments['text']>) => {
          const text = fragments.text(...of);
          return { ...text, bytes: Buffer.from(change(text.bytes.toString())) };
        },
      };
      const out = new JsonParts();
      TEXT_SECTIONS.realm_user!.write(request as never, texts as never, out);
      const json = JSON.parse(`{${out.end().map(String).join('').slice(1)}}`) as object;
      return (json as { realm_users: { user_id: number; delivery_email: string | null }[] })
        .realm_users;
    };
    const right = found((text) => text);
    const self = right.find(({ user_id }) => user_id === viewer.user_id);
    t.equal(self!.delivery_email, viewer.email);
    t.equal(right.length, PEOPLE);
    const name = JSON.stringify(viewer.full_name);
    const stale = found((text) => text.replace(`"full_name":${name}`, '"full_name":"Earlier"'));
    t.strictSame(stale, right);
  },
);

void t.test('a text is encoded once, and again only where something changed', async (t) => {
  const world = new World();
  const cache = new FragmentCache(1_000_000_000, world.org.now);
  const encoded: number[] = [];
  const source = {
    key: 'names',
    stamp: (range: number) => world.org.users.changes.of(range),
    encode: (range: number) => {
      encoded.push(range);
      return { text: `,${range}` };
    },
  };
  const read = (): string => {
    const out = new JsonParts();
    out.ranges(new SnapshotFragments(cache), source, world.org.users.ranges);
    return out.end().map(String).join('');
  };
  t.equal(read(), '0,1,2,3');
  t.equal(read(), '0,1,2,3');
  STEPS.name!(1)(world, world.users[300]!);
  t.equal(read(), '0,1,2,3');
  t.strictSame(encoded, [0, 1, 2, 3, 1]);
});

void t.test('what changes while a snapshot is prepared is in it', async (t) => {
  const world = new World();
  const cache = new FragmentCache(1_000_000_000, world.org.now);
  const asked: Query = { slim: true, gravatar: true, include: true, days: 14 };
  const [viewer, other] = [world.users[0]!, world.users[500]!];
  const request = requestOf(world, viewer, asked);
  const texts = new SnapshotFragments(cache);
  const sections = Object.values(TEXT_SECTIONS);
  const sources = () => sections.flatMap((section) => section.sources(request as never));
  await texts.prepare(sources, () => world.org.users.ranges);
  STEPS.name!(5)(world, other);
  STEPS.leave!(2)(world, other);
  STEPS.newcomer!(0)(world, other);
  const out = new JsonParts();
  for (const section of sections) section.write(request as never, texts, out);
  const found = JSON.parse(`{${out.end().map(String).join('').slice(1)}}`) as object;
  t.strictSame(found, expected(world, viewer, asked));
});
