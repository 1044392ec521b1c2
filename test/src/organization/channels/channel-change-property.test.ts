import fc from 'fast-check';
import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import { ApiError } from '../../../../src/errors/index.js';
import type { JournalEvent } from '../../../../src/journal/entry.js';
import { everyViewer } from '../../../fixtures/channel-viewer.js';
import {
  channelWorld as world,
  only,
  type ChannelWorld as World,
  type Params,
} from '../../../fixtures/channel-world.js';

type Step = (world: World & { channels: ChannelDocument[] }) => readonly JournalEvent[];

/** A request, which may well be refused. */
function asking(
  operation: string,
  person: number,
  paramsOf: (world: World, channel: ChannelDocument) => Params,
  place: number,
): Step {
  return (world) => {
    const channel = world.test.org.channels.get(world.channels[place]!.stream_id)!;
    try {
      return world.run(operation, world.users[person]!, paramsOf(world, channel)).events;
    } catch (error) {
      if (error instanceof ApiError) return [];
      throw error;
    }
  };
}

const flags = fc.record(
  {
    is_private: fc.boolean(),
    is_web_public: fc.constant(false),
    history_public_to_subscribers: fc.boolean(),
    is_default_stream: fc.boolean(),
    is_archived: fc.constant(false),
    topics_policy: fc.constantFrom('inherit', 'disable_empty_topic', 'empty_topic_only'),
  },
  { requiredKeys: [] },
);
const holders = fc.record(
  {
    can_subscribe_group: fc.subarray([0, 2, 3]),
    can_add_subscribers_group: fc.subarray([2, 3]),
    can_administer_channel_group: fc.subarray([2, 3]),
    can_send_message_group: fc.subarray([0, 1, 2]),
  },
  { requiredKeys: [] },
);
const person = fc.nat(4);
const place = fc.nat(3);

const changing = fc.tuple(fc.nat(2), flags, holders, place).map(([who, fields, groups, at]) =>
  asking(
    'update-channel',
    who,
    ({ users }, { stream_id }) => ({
      stream_id,
      ...fields,
      ...Object.fromEntries(
        Object.entries(groups).map(([name, places]) => [
          name,
          { new: only(...places.map((one) => users[one]!)) },
        ]),
      ),
    }),
    at,
  ),
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: changing },
  fc
    .tuple(fc.nat(1), place)
    .map(([who, at]) =>
      asking('archive-channel', who, (_world, { stream_id }) => ({ stream_id }), at),
    ),
  fc.tuple(person, person, place).map(([who, whom, at]) =>
    asking(
      'subscribe',
      who,
      ({ users }, { name }) => ({
        subscriptions: [{ name }],
        principals: [users[whom]!.user_id],
      }),
      at,
    ),
  ),
  fc
    .tuple(person, place)
    .map(([who, at]) =>
      asking('unsubscribe', who, (_world, { name }) => ({ subscriptions: [name] }), at),
    ),
);

void t.test('whatever is changed, clients believe what is so', async (t) => {
  fc.assert(
    fc.property(fc.array(anyStep, { minLength: 1, maxLength: 10 }), (steps) => {
      const made = world();
      const channels = [
        made.test.channel({ name: 'open' }),
        made.test.channel({ name: 'secret', invite_only: true }),
        made.test.channel({ name: 'web', is_web_public: true }),
        made.test.channel({ name: 'old', is_archived: true }),
      ];
      for (const channel of channels) {
        for (const user of [made.owner, made.ann]) made.test.subscribe(user, channel);
        // Somebody who left, and may come to see what they left.
        made.test.subscribe(made.bob, channel, { active: false, spans: [[1, 2]] });
      }
      const viewers = everyViewer(made.test.org);
      for (const step of steps) {
        const events = step({ ...made, channels });
        for (const viewer of viewers) viewer.receive(events);
      }
      for (const viewer of viewers) t.strictSame(viewer.believed, viewer.actual);
      return t.passing();
    }),
    { numRuns: 80, seed: 20261121 },
  );
});
