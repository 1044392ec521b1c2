import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import { newTopicName, outsidersTopic } from '../../../../src/organization/topics/topic-names.js';

const channel = { topics_policy: 'inherit' } as ChannelDocument;

void t.test('a topic of somebody who hears of no refusal', async (t) => {
  for (const [text, name] of [
    ['  Disk full ', 'Disk full'],
    ['two\r\nlines\tand a tab', 'two lines and a tab'],
    ['nul\0, direction\u202e, half \ud800', 'nul, direction, half'],
    ['👩‍👩‍👧 family', '👩‍👩‍👧 family'],
    ['x'.repeat(61), `${'x'.repeat(57)}...`],
    ['', 'Alert'],
    ['\0\u200b', 'Alert'],
    ['(no topic)', 'Alert'],
    ['General Chat', 'Alert'],
  ] as const) {
    t.equal(outsidersTopic(channel, text, 'Alert'), name, JSON.stringify(text));
  }
  const plain = { topics_policy: 'empty_topic_only' } as ChannelDocument;
  t.equal(outsidersTopic(plain, 'Disk full', 'Alert'), '');
});

void t.test('a topic that a client names is refused for what it may not contain', async (t) => {
  t.equal(newTopicName(' Disk full '), 'Disk full');
  t.throws(() => newTopicName('two\nlines'), {
    message: 'Invalid character in topic, at position 4!',
  });
  t.throws(() => newTopicName('nul\0'), { message: 'Topic must not contain null bytes' });
});
