import t from 'tap';
import { ROLE } from '../../../../../schemas/users/user-document.js';
import {
  idleTimeoutSeconds,
  queueRequest,
  type RegisterParams,
} from '../../../../../src/resources/queues/register/queue-request.js';
import { account } from '../../../../fixtures/core-node.js';

function params(fields: Partial<RegisterParams> = {}): RegisterParams {
  return {
    apply_markdown: false,
    client_gravatar: true,
    include_subscribers: false,
    slim_presence: false,
    presence_history_limit_days: 14,
    narrow: [],
    client_capabilities: {},
    queue_lifespan_secs: 0,
    ...fields,
  };
}

const request = (fields: Partial<RegisterParams> = {}, role: 400 | 600 = ROLE.member) =>
  queueRequest(account(1, { role }), params(fields));

void t.test('what is not declared is off', (t) => {
  t.same(request(), {
    userId: 1,
    idleTimeoutMs: 600_000,
    filter: {
      event_types: null,
      apply_markdown: false,
      client_gravatar: true,
      slim_presence: false,
      include_subscribers: false,
      all_public_streams: false,
      narrow: [],
      capabilities: {},
    },
  });
  t.end();
});

void t.test('equal wishes make equal texts', (t) => {
  const one = request({
    event_types: ['b', 'a', 'b'],
    client_capabilities: { empty_topic_name: true, archived_channels: true },
  });
  const other = request({
    event_types: ['a', 'b'],
    client_capabilities: {
      archived_channels: true,
      bulk_message_deletion: false,
      empty_topic_name: true,
    },
  });
  t.equal(JSON.stringify(one), JSON.stringify(other));
  t.end();
});

void t.test('a queue that requests user_topic and muted_topics gets only user_topic', (t) => {
  const types = (event_types: string[]) => request({ event_types }).filter.event_types;
  t.same(types(['user_topic', 'muted_topics']), ['user_topic']);
  t.same(types(['muted_topics']), ['muted_topics']);
  t.same(types([]), []);
  t.end();
});

void t.test(
  'a narrow of a queue is normalized, and one that queues cannot filter by is refused',
  (t) => {
    const narrow = (terms: [string, string][]) => request({ narrow: terms }).filter.narrow;
    t.same(narrow([['stream', 'x']]), [['channel', 'x']]);
    t.same(narrow([['is', 'dm']]), [['is', 'dm']]);
    t.throws(() => narrow([['near', '5']]), { message: 'Operator near not supported.' });
    t.end();
  },
);

void t.test('guests do not get all public channels', (t) => {
  t.throws(() => request({ all_public_streams: true }, ROLE.guest), {
    message: 'User not authorized for this query',
  });
  t.ok(request({ all_public_streams: true }).filter.all_public_streams);
  t.end();
});

void t.test('an idle timeout is 10 minutes by default, and at most 7 days', (t) => {
  const seconds = (fields: Partial<RegisterParams>) => idleTimeoutSeconds(params(fields));
  t.equal(seconds({}), 600);
  t.equal(seconds({ queue_lifespan_secs: 50 }), 50);
  t.equal(seconds({ idle_queue_timeout: 70, queue_lifespan_secs: 50 }), 70);
  t.equal(seconds({ idle_queue_timeout: 'mobile' }), 43_200);
  t.equal(seconds({ idle_queue_timeout: 10 ** 9 }), 604_800);
  t.equal(seconds({ queue_lifespan_secs: 10 ** 9 }), 604_800);
  t.end();
});
