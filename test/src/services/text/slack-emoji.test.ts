import t from 'tap';
import { emojiOfSlack, withEmojiOfSlack } from '../../../../src/services/text/slack-emoji.js';

void t.test('names that Slack and clients understand differently', async (t) => {
  // After the short names of https://github.com/iamcal/emoji-data, which Slack uses.
  for (const [name, here, code] of [
    ['smile', 'big_smile', '1f604'],
    ['slightly_smiling_face', 'slightly_smiling_face', '1f642'],
    ['x', 'cross_mark', '274c'],
    ['o', 'circle', '2b55'],
    ['dog', 'puppy', '1f436'],
    ['point_up', 'wait_one_second', '261d'],
    ['construction', 'work_in_progress', '1f6a7'],
    ['date', 'calendar', '1f4c5'],
    ['calendar', 'date', '1f4c6'],
    ['ok', 'squared_ok', '1f197'],
    ['+1', '+1', '1f44d'],
    ['white_check_mark', 'white_check_mark', '2705'],
    ['grinning', 'grinning', '1f600'],
    ['email', 'email', '2709'],
    ['umbrella', 'umbrella', '2602'],
    ['snowman', 'snowman', '2603'],
    ['satellite', 'satellite', '1f6f0'],
  ] as const) {
    t.same(emojiOfSlack(name), { name: here, code }, name);
  }
  t.equal(emojiOfSlack('parrot-of-ours'), undefined, 'a custom one');
  t.equal(emojiOfSlack('constructor'), undefined);
});

void t.test('shortcodes in a text', async (t) => {
  for (const [said, shown] of [
    [':x: failed :tada:', ':cross_mark: failed :tada:'],
    [':x::x:', ':cross_mark::cross_mark:'],
    ['at 10:30:45 :smile:', 'at 10:30:45 :big_smile:'],
    ['https://example.com/:x:/ :x:', 'https://example.com/:x:/ :cross_mark:'],
    ['<https://example.com/:x:|:x: log>', '<https://example.com/:x:|:cross_mark: log>'],
    [':unknown: :date', ':unknown: :date'],
  ] as const) {
    t.equal(withEmojiOfSlack(said), shown, said);
  }
});
