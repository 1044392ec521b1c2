import t from 'tap';
import type { NarrowTerm } from '../../../../../schemas/messages/narrow.js';
import { ApiError } from '../../../../../src/errors/index.js';
import { selected, team } from '../fixtures/team.js';

void t.test('narrows select what they say', async (t) => {
  const small = team();
  small.run(({ org }) => {
    org.messageFlags.set(1, 2, 'starred', true);
    org.messageFlags.set(1, 7, 'starred', true);
    org.readState.markRead(1, 101, [1, 2], org.messages.index.conversation(101));
  });
  const cases: [string, number, NarrowTerm[], number[]][] = [
    ['the combined feed is what was received', 1, [], [1, 2, 3, 4, 5, 6, 8, 9, 10]],
    ['protected history starts when one joined', 2, [], [1, 2, 3, 6, 7, 9, 10]],
    ['a guest sees nothing of channels they do not read', 3, [], []],
    ['an administrator has no part in private channels', 4, [], [9]],
    ['a channel by name, also in other case', 1, [['stream', 'GENERAL']], [1, 2, 10]],
    ['a channel by id', 1, [{ operator: 'channel', operand: 1 }], [1, 2, 10]],
    ['history of a public channel never joined', 1, [['channel', 'quiet']], [7]],
    ['protected history by name', 2, [['channel', 'secret']], [6]],
    ['not a channel', 1, [['-stream', 'general']], [3, 4, 5, 6, 8, 9]],
    ['all public channels', 1, [['streams', 'public']], [1, 2, 7, 10]],
    ['a topic, any case', 1, [['topic', 'dinner']], [2]],
    ['the empty topic by its name', 2, [['topic', 'general chat']], [7]],
    [
      'a topic of a channel',
      1,
      [
        ['stream', 'general'],
        ['topic', 'LUNCH'],
      ],
      [1],
    ],
    ['a sender', 1, [['sender', 'bob@example.com']], [2, 3, 10]],
    ['oneself', 2, [['sender', 'me']], [2, 3, 7, 10]],
    ['a conversation by addresses', 1, [['pm-with', 'bob@example.com, ann@example.com']], [3]],
    ['a conversation by ids', 2, [{ operator: 'dm', operand: [1] }], [3]],
    ['notes to self', 1, [{ operator: 'dm', operand: [1] }], [8]],
    ['conversations that include somebody', 1, [{ operator: 'dm-including', operand: 2 }], [3, 9]],
    [
      'conversations that include each of several',
      1,
      [
        { operator: 'dm-including', operand: [1] },
        { operator: 'dm-including', operand: [2] },
        ['dm-including', 'bob@example.com'],
      ],
      [3, 9],
    ],
    [
      'conversations that include nobody else',
      1,
      [{ operator: 'dm-including', operand: [] }],
      [3, 8, 9],
    ],
    [
      'no conversation that includes somebody',
      1,
      [['is', 'dm'], { operator: 'dm-including', operand: 2, negated: true }],
      [8],
    ],
    [
      'some terms twice',
      1,
      [
        ['is', 'unread'],
        ['channel', 'general'],
        ['channel', 'general'],
        ['is', 'unread'],
      ],
      [10],
    ],
    ['a conversation that never was', 2, [{ operator: 'dm', operand: [3] }], []],
    ['direct messages', 1, [['is', 'private']], [3, 8, 9]],
    ['no direct messages', 2, [{ operator: 'is', operand: 'dm', negated: true }], [1, 2, 6, 7, 10]],
    ['stars, also on what was never received', 1, [['is', 'starred']], [2, 7]],
    ['unread', 1, [['is', 'unread']], [3, 4, 5, 6, 8, 9, 10]],
    ['read', 1, [['-is', 'unread']], [1, 2]],
    ['mentions of all kinds', 1, [['is', 'mentioned']], [2, 5, 6, 10]],
    ['resolved topics', 1, [['is', 'resolved']], [10]],
    ['nobody follows yet', 1, [['is', 'followed']], []],
    ['muted', 2, [['is', 'muted']], [1, 2, 10]],
    ['home leaves out what is muted', 2, [['in', 'home']], [3, 6, 7, 9]],
    ['everything', 2, [['in', 'all']], [1, 2, 3, 6, 7, 9, 10]],
    ['links', 1, [['has', 'link']], [1]],
    ['one id', 1, [{ operator: 'id', operand: 3 }], [3]],
    [
      'an id that only wraps around to a known one',
      1,
      [{ operator: 'id', operand: 2 ** 32 + 3 }],
      [],
    ],
    ['near restricts nothing', 4, [{ operator: 'near', operand: 1 }], [9]],
    [
      'with goes where the message is now',
      1,
      [['channel', 'quiet'], { operator: 'with', operand: 1 }],
      [1],
    ],
    ['with an invisible message does nothing', 4, [{ operator: 'with', operand: 4 }], [9]],
    ['direct mentions of a user', 2, [{ operator: 'mentions', operand: 1 }], [2]],
    ['words, in any order', 1, [['search', 'bread soup']], [2]],
    ['a phrase', 1, [['search', '"soup bread"']], [2]],
    ['a phrase in another order', 1, [['search', '"bread soup"']], []],
    ['a phrase of whole words', 1, [['search', '"soup brea"']], []],
    ['what is no word', 1, [['search', '&']], []],
    ['words beside what is none', 1, [['search', 'soup &']], [2]],
    ['words of the topic', 1, [['search', 'dinn']], [2, 10]],
    ['without a word', 1, [['-search', 'message']], [2, 3]],
  ];
  for (const [name, userId, narrow, expected] of cases) {
    t.same(await selected(small, userId, narrow), expected, name);
  }
});

void t.test('refusals say what is unknown', async (t) => {
  const small = team();
  const refusals: [NarrowTerm[], string][] = [
    [[['color', 'red']], 'unknown operator color'],
    [[['stream', 'nowhere']], 'unknown channel nowhere'],
    [[['stream', 'secret']], 'unknown channel secret'],
    [[['sender', 'x@y.z']], 'unknown user x@y.z'],
    [[{ operator: 'dm', operand: [77] }], 'unknown user in 77'],
    [[['is', 'blue']], "unknown 'is' operand blue"],
    [Array.from({ length: 11 }, () => ['dm', Array<number>(1000).fill(1)]), 'too many users'],
    [Array.from({ length: 3 }, () => ['-dm-including', '1,'.repeat(5000)]), 'too many users'],
    [
      [
        ['channel', 'general'],
        ['is', 'dm'],
      ],
      'No message can be both a channel message and direct message',
    ],
  ];
  small.user(5, 'Eve');
  for (const [narrow, desc] of refusals) {
    const error = await selected(small, 5, narrow).catch((reason: unknown) => reason);
    t.ok(error instanceof ApiError);
    t.same((error as ApiError).body(), {
      result: 'error',
      msg: `Invalid narrow operator: ${desc}`,
      code: 'BAD_NARROW',
      desc,
    });
  }
});

void t.test('leaving a channel ends what one receives, not what one received', async (t) => {
  const small = team();
  small.subscribe(1, 1, {
    active: false,
    spans: [
      [0, 2],
      [10, 11],
    ],
  });
  small.message({ id: 11 });
  t.same(
    await selected(small, 1, [
      ['is', 'unread'],
      ['channel', 'general'],
    ]),
    [1, 10],
  );
  small.subscribe(1, 2, { active: false, spans: [[0, 6]] });
  t.same(
    await selected(small, 1, [
      ['is', 'dm'],
      ['-is', 'starred'],
    ]),
    [3, 8, 9],
  );
  t.same(await selected(small, 1, []), [1, 3, 8, 9, 10], 'a private channel closes behind one');
});
