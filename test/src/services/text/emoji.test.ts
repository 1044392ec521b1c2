import { gemoji } from 'gemoji';
import t from 'tap';
import { CLIENT_NAMES } from '../../../../src/services/text/emoji-client-names.js';
import { PREFERRED_NAMES } from '../../../../src/services/text/emoji-names.js';
import {
  codeOfCharacters,
  emojiCode,
  emojiData,
  emojiNames,
  standardCode,
} from '../../../../src/services/text/emoji.js';

void t.test('names that clients use resolve to their codes', async (t) => {
  const expected: Record<string, string> = {
    '+1': '1f44d',
    thumbs_up: '1f44d',
    '-1': '1f44e',
    smile: '1f642',
    big_smile: '1f604',
    heart: '2764',
    tada: '1f389',
    octopus: '1f419',
    check: '2705',
    working_on_it: '1f6e0',
    cat: '1f408',
    rofl: '1f923',
    flag_germany: '1f1e9-1f1ea',
    hash: '0023-20e3',
  };
  for (const [name, code] of Object.entries(expected)) t.equal(emojiCode(name), code, name);
  t.equal(emojiCode('no_such_emoji'), undefined);
  t.equal(emojiCode('constructor'), undefined);
});

void t.test('a code has its names, the preferred one first', async (t) => {
  t.same(emojiNames('1f44d').slice(0, 2), ['+1', 'thumbs_up']);
  t.equal(emojiNames('1f642')[0], 'smile');
  t.same(emojiNames('ffff'), []);
});

void t.test('variation selectors in a code do not matter', async (t) => {
  t.equal(codeOfCharacters('❤️'), '2764');
  t.equal(codeOfCharacters('©️'), '00a9');
  t.same(emojiNames('1f575-fe0f-200d-2642-fe0f'), emojiNames('1f575-200d-2642'));
  t.not(emojiNames('1f575-fe0f-200d-2642-fe0f').length, 0);
});

void t.test('an emoji with two variation selectors keeps them, as clients have it', async (t) => {
  // The codes of zulip-terminal: it compares them with those of the reactions it gets.
  const codes = [
    '1f575-fe0f-200d-2642-fe0f',
    '26f9-fe0f-200d-2640-fe0f',
    '1f3f3-fe0f-200d-26a7-fe0f',
  ];
  for (const code of codes) {
    t.equal(emojiCode(emojiNames(code)[0]!), code);
    t.equal(standardCode(code.replaceAll('-fe0f', '')), code);
  }
  t.equal(codeOfCharacters('\u{1f575}\u200d\u2642'), codes[0]);
  t.equal(standardCode('1f3f3-fe0f-200d-1f308'), '1f3f3-200d-1f308', 'one is left out');
});

/** Emoji of Unicode 15.1, which the package does not have. */
const NEWER = [
  ['lime', '1f34b-200d-1f7e9'],
  ['brown_mushroom', '1f344-200d-1f7eb'],
  ['phoenix', '1f426-200d-1f525'],
  ['broken_chain', '26d3-200d-1f4a5'],
  ['head_shaking_horizontally', '1f642-200d-2194'],
  ['head_shaking_vertically', '1f642-200d-2195'],
] as const;

void t.test('emoji that are newer than the package', async (t) => {
  for (const [name, code] of NEWER) t.equal(emojiCode(name), code);
  t.equal(emojiNames(codeOfCharacters('⛓️‍💥'))[0], 'broken_chain');
});

void t.test('the emoji data document is complete and consistent', async (t) => {
  const { code_to_names: names } = emojiData();
  t.equal(Object.keys(names).length, gemoji.length + NEWER.length, 'the newer ones too');
  const owners = new Map<string, string>();
  for (const [code, list] of Object.entries(names)) {
    t.match(code, /^[0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*$/);
    if (code.split('-fe0f').length === 2) t.fail(code);
    for (const name of list) {
      if (!/^[\p{Ll}\p{Lo}\p{M}\p{N}_+-]+$/u.test(name)) t.fail(`${code} is called ${name}`);
      if (owners.has(name)) t.fail(`${name} names both ${code} and ${owners.get(name)}`);
      if (emojiCode(name) !== code) t.fail(`${name} does not resolve to ${code}`);
      owners.set(name, code);
    }
  }
  for (const { emoji } of gemoji) {
    if (!names[codeOfCharacters(emoji)]) t.fail(`${emoji} has no name`);
  }
});

void t.test('every preferred name is free of conflicts and names an existing emoji', async (t) => {
  const known = new Set(gemoji.map(({ emoji }) => codeOfCharacters(emoji)));
  for (const [code, names] of Object.entries(PREFERRED_NAMES)) {
    t.ok(known.has(code), code);
    t.same(emojiNames(code).slice(0, names.split(' ').length), names.split(' '));
  }
});

void t.test('the document is a copy', async (t) => {
  emojiData().code_to_names['1f642']?.push('broken');
  t.notOk(emojiNames('1f642').includes('broken'));
});

void t.test('every name and alias that existing clients have is known', async (t) => {
  const expected: Record<string, string> = {
    kiwi: '1f95d',
    holiday_tree: '1f384',
    division: '2797',
    gold: '1f947',
    bunny: '1f430',
    calculation: '1f9ee',
    numbers: '1f522',
    alphabet: '1f521',
    accordion: '1fa97',
    love: '2764',
  };
  for (const [name, code] of Object.entries(expected)) t.equal(emojiCode(name), code, name);
  t.equal(emojiNames('1f384')[0], 'holiday_tree', 'the preferred one comes first');
  for (const entry of CLIENT_NAMES.trim().split(/ \/ |\n/)) {
    const [code = '', ...names] = entry.split(' ');
    t.same(emojiNames(code).slice(0, names.length), names, code);
  }
});
