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
    ['robot_face', 'robot', '1f916'],
    ['hugging_face', 'hug', '1f917'],
    ['the_horns', 'rock_on', '1f918'],
    ['star-struck', 'star_struck', '1f929'],
    ['flag-de', 'flag_germany', '1f1e9-1f1ea'],
    ['flag-england', 'flag_england', '1f3f4-e0067-e0062-e0065-e006e-e0067-e007f'],
    ['man-shrugging', 'man_shrugging', '1f937-200d-2642'],
    ['female-doctor', 'woman_health_worker', '1f469-200d-2695'],
    ['male-technologist', 'man_technologist', '1f468-200d-1f4bb'],
    ['man-woman-boy', 'family_man_woman_boy', '1f468-200d-1f469-200d-1f466'],
    ['medal', 'military_medal', '1f396'],
    ['simple_smile', 'smile', '1f642'],
  ] as const) {
    t.same(emojiOfSlack(name), { name: here, code }, name);
  }
  t.equal(emojiOfSlack('parrot-of-ours'), undefined, 'a custom one');
  t.equal(emojiOfSlack('constructor'), undefined);
  t.equal(emojiOfSlack('flag-zz'), undefined, 'of no country');
  t.equal(emojiOfSlack('party-popper'), undefined, 'what would be one with another sign');
});

void t.test('shortcodes in a text', async (t) => {
  for (const [said, shown] of [
    [':x: failed :tada:', ':cross_mark: failed :tada:'],
    [':x::x:', ':cross_mark::cross_mark:'],
    ['at 10:30:45 :smile:', 'at 10:30:45 :big_smile:'],
    ['https://example.com/:x:/ :x:', 'https://example.com/:x:/ :cross_mark:'],
    ['<https://example.com/:x:|:x: log>', '<https://example.com/:x:|:cross_mark: log>'],
    [':unknown: :date', ':unknown: :date'],
    [':robot_face: and :wave::skin-tone-3:', ':robot: and :wave:'],
  ] as const) {
    t.equal(withEmojiOfSlack(said), shown, said);
  }
});
