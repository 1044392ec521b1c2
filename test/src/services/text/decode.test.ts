import t from 'tap';
import { decode, decodeStrictly } from '../../../../src/services/text/decode.js';

/*
 * Label, bytes and text. The pairs were made by another program (the codecs of CPython 3, of the charset's own name);
 * those of windows-1252 are the Encoding Standard's index.
 */
const TABLE: readonly (readonly [label: string, hex: string, text: string])[] = [
  ['windows-1252', '3520 80', '5 €'],
  ['iso-8859-1', '80 82838485868788898a8b8c 8e', '€‚ƒ„…†‡ˆ‰Š‹ŒŽ'],
  ['ISO_8859-1:1987', '9192939495969798999a9b9c 9e9f', '‘’“”•–—˜™š›œžŸ'],
  ['latin1', 'e9e8', 'éè'],
  ['us-ascii', '93e994', '“é”'],
  ['x-cp1252', '80', '€'],
  ['csISOLatin1', '3520809371', '5 €“q'],
  ['cp28591', '80', '€'],
  ['csASCII', 'e282ac', '€'],
  ['iso-ir-6', 'e282ac', '€'],
  ['csISOLatin5', 'ddf0fe80', 'İğş€'],
  ['cp28599', '80', '€'],
  ['csISOLatin9', 'e282ac', '€'],
  ['', '80', '€'],
  ['no-such-charset', '80', '€'],
  ['us-ascii', 'e282ac', '€'],
  ['iso-8859-1', 'e282ac', '€'],
  ['ISO-8859-15', 'e282ac', '€'],
  ['no-such-charset', 'e282ac', '€'],
  ['utf-8', 'e282ac', '€'],
  ['"UTF8"', 'e282ac', '€'],
  ['utf-8', '80', '\ufffd'],
  ['us-ascii*en', 'e282ac', '€'],
  ['iso-8859-2', 'c2a4', 'Â¤'],
  ['iso-2022-jp', '1b2442467c4b5c386c1b28422074657874', '日本語 text'],
  ['iso-2022-jp-1', '1b24284430211b244224221b2842', '丂あ'],
  ['iso-2022-jp', '1b28493132331b2842', 'ｱｲｳ'],
  ['iso-2022-kr', '1b2429430e3e4833670f2061', '안녕 a'],
  ['hz-gb-2312', '7e7b44633a437e7d7e7e61', '你好~a'],
  ['euc-kr', '81418c63', '갂똠'],
  ['ks_c_5601-1987', '81418c63', '갂똠'],
  ['cp949', '81418c63', '갂똠'],
  ['ibm850', '869d9e', 'åØ×'],
  ['cp850', '869d9e', 'åØ×'],
  ['cp437', '8e9c82', 'Ä£é'],
  ['IBM00858', 'd5869d', '€åØ'],
  ['cp720', 'a0a1e4', 'بةغ'],
  ['ibm037', 'c88593939640e9', 'Hello Z'],
  ['csIBM037', '4a5abbba', '¢!]['],
  ['cp500', '4a5abbba', '[]|¬'],
  ['IBM01140', '9f', '€'],
  ['kz1048', 'c0bcd5', 'АәХ'],
  ['PTCP154', 'c0a2', 'Аў'],
  ['macintosh', 'dbbd', '€Ω'],
  ['x-mac-roman', 'dbbd', '€Ω'],
  ['x-mac-cyrillic', '8ff0e8e2e5f2', 'Привет'],
  ['iso-8859-15', '352080937194a4e9', '5 €“q”€é'],
  ['iso-8859-2', '93b194', '“ą”'],
  ['x-mac-ce', '8aab', 'äę'],
  ['x-mac-icelandic', 'dcdd', 'Ðð'],
  ['ISO_8859-2:1987', 'b1ea', 'ąę'],
  ['ISO_8859-7:1987', 'e1e2', 'αβ'],
  ['uhc', '8cef', '뚳'],
  ['DOS-862', '8081', 'אב'],
  ['dos-720', 'a0a1e4', 'بةغ'],
  ['koi8-r', 'f0d2c9d7c5d4', 'Привет'],
  ['koi8-u', 'a7ad', 'їґ'],
  ['ibm866', '8fe0a8a2a5e2', 'Привет'],
  ['shift_jis', '93fa967b', '日本'],
  ['csShiftJIS', '93fa967b', '日本'],
  ['windows-31j', '8740eeefeee0', '①ⅰ髙'],
  ['euc-jp', 'c6fccbdcb8ec', '日本語'],
  ['x-euc-jp', 'c6fccbdcb8ec', '日本語'],
  ['gb18030', 'c4e3a2e39439fc36', '你€😀'],
  ['gb2312', 'c4e3bac3', '你好'],
  ['big5', 'a4a4a4e5', '中文'],
  ['big5-hkscs', '8840', '㇀'],
  ['windows-1250', 'a3f3649f80', 'Łódź€'],
  ['x-cp1251', 'cff0e8e2e5f288', 'Привет€'],
  ['windows-1253', 'c5ebebdce4e1', 'Ελλάδα'],
  ['iso-8859-9', 'ddf0fe80', 'İğş€'],
  ['windows-1255', 'f9ece5ed', 'שלום'],
  ['windows-1256', 'd3e1c7e3', 'سلام'],
  ['windows-1257', 'e0e8e6', 'ąčę'],
  ['iso-8859-2', 'a3f364bc', 'Łódź'],
  ['iso-8859-5', 'bfe0d8d2d5e2', 'Привет'],
  ['iso-8859-7', 'c5ebebdce4e1', 'Ελλάδα'],
  ['iso-8859-8-i', 'f9ece5ed', 'שלום'],
  ['iso-8859-13', 'e0e8e6', 'ąčę'],
  ['iso-8859-15', 'a4bc', '€Œ'],
  ['tis-620', 'a1a2', 'กข'],
  ['windows-874', '80a1', '€ก'],
  ['utf-7', '35202b494b772d', '5 €'],
  ['utf-16le', '35002000ac20', '5 €'],
  ['utf-16be', '0035002020ac', '5 €'],
  ['utf-32le', '3500000020000000ac200000', '5 €'],
];

void t.test('bytes of a label are the text that other programs read in them', async (t) => {
  for (const [label, hex, text] of TABLE) {
    t.equal(decode(bytesOf(hex), label), text, `${label} ${hex}`);
  }
});

void t.test(
  'a byte order mark decides before a label that says little, and is no part of the text',
  async (t) => {
    t.equal(decode(bytesOf('efbbbf e282ac'), 'windows-1251'), '€');
    t.equal(decode(bytesOf('fffe ac20'), 'iso-8859-1'), '€');
    t.equal(decode(bytesOf('feff 20ac')), '€');
    t.equal(decode(bytesOf('fffe ac20'), 'utf-16'), '€');
    t.equal(decode(bytesOf('fffe 35'), 'utf-8'), '\ufffd\ufffd5', 'not UTF-16 by its label');
  },
);

void t.test(
  'a label of any form has a text: names that the library gives a meaning of its own, too',
  async (t) => {
    for (const label of [
      'base64',
      'hex',
      'binary',
      'constructor',
      '__proto__',
      '?',
      'x-',
      '_sbcs',
      '_internal',
      '_dbcs',
      'x'.repeat(100),
    ]) {
      t.equal(decode(bytesOf('35 20 80'), label), '5 €', label);
    }
  },
);

void t.test(
  'read strictly, an unknown label and bytes without a meaning have no text',
  async (t) => {
    t.equal(decodeStrictly(bytesOf('80'), 'iso-8859-1'), '€');
    t.equal(decodeStrictly(bytesOf('80'), 'utf-8'), undefined);
    t.equal(decodeStrictly(bytesOf('80'), 'no-such-charset'), undefined);
  },
);

function bytesOf(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}
