import t from 'tap';
import { readMail } from '../../../../src/services/incoming-mail/read-mail.js';
import { html } from '../markdown/fixtures.js';

const WHOLE = { includeQuotes: true, includeFooter: true, preferHtml: false };

const read = (text: string) =>
  readMail(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'), [WHOLE]);
const bodyOf = async (text: string): Promise<string> => (await read(text)).texts[0]!;

/** The charset of a body, its bytes as quoted-printable, and its text, by the codecs of CPython. */
const BODIES: readonly (readonly [charset: string, body: string, text: string])[] = [
  ['windows-1252', '5 =80 =93so=94 it=92s =96 a=85', '5 € “so” it’s – a…'],
  ['iso-8859-1', '5 =80', '5 €'],
  ['us-ascii', '5 =E2=82=AC', '5 €'],
  ['ibm850', '=86=9D=9E', 'åØ×'],
  ['euc-kr', '=81A=8Cc', '갂똠'],
];

void t.test('bytes of a body are read by its charset, wherever its reader runs', async (t) => {
  for (const [charset, body, text] of BODIES) {
    const head = `Content-Type: text/plain; charset=${charset}\n`;
    t.equal(
      await bodyOf(`${head}Content-Transfer-Encoding: quoted-printable\n\n${body}`),
      text,
      charset,
    );
  }
  t.equal(await bodyOf('Content-Type: text/plain; charset=iso-8859-1\n\n5 \x80'), '5 €');
  t.equal(await bodyOf('Subject: no type\n\n5 \x80'), '5 €');
  t.equal(
    await bodyOf('Content-Type: text/plain; charset=iso-2022-kr\n\n\x1b$)C\x0e>H3g\x0f a'),
    '안녕 a',
  );
});

void t.test(
  'subjects, senders and names of files are read by the charset that they name',
  async (t) => {
    const mail = await read(
      [
        'Subject: =?windows-1252?Q?5_=80?= =?iso-2022-kr?B?GyQpQw4+SDNnDw==?=',
        'From: =?ibm850?Q?=86sa?= <a@example.com>',
        'Content-Type: application/octet-stream',
        "Content-Disposition: attachment; filename*0*=windows-1252''%80; filename*1*=%93x; filename*2=%80.txt",
        '',
        'x',
      ].join('\n'),
    );
    t.equal(mail.subject, '5 €안녕');
    t.equal(mail.from, 'åsa <a@example.com>');
    t.equal(mail.files[0]!.name, '€“x%80.txt');
    const cut = '=?utf-8?B?4oKs4oI=?= =?UTF-8?B?rA==?=';
    t.equal((await read(`Subject: ${cut}\n\nx`)).subject, '€€', 'one of UTF-8, too');
    t.equal((await read('Subject: =?utf-8?Q?=E2=82?=\n =?utf-8?Q?=AC_a?=\n\nx')).subject, '€ a');
    t.equal((await read('Subject: 5 \x80\n\nx')).subject, '5 €', 'bytes of 8 bits in a header');
    t.equal((await read('Subject: \xe2\x82\xac\n\nx')).subject, '€');
    const halves = '=?utf-16be?B?IA==?= =?utf-16be?B?rA==?=';
    t.equal((await read(`Subject: ${halves}\n\nx`)).subject, '€', 'a character in two words');
  },
);

void t.test('HTML says its charset where the header does not', async (t) => {
  const html = (head: string, meta: string, body: string): Promise<string> =>
    bodyOf(`Content-Type: text/html${head}\n\n<html><head>${meta}</head><p>${body}</p></html>`);
  const equiv = '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">';
  t.equal(await html('', equiv, '\xf0\xd2'), 'Пр');
  t.equal(await html('', '<meta charset=windows-1251>', '\xcf\xf0'), 'Пр');
  t.equal(await html('; charset=windows-1251', equiv, '\xcf\xf0'), 'Пр', 'the header first');
  t.equal(await html('', '<meta charset="utf-16">', 'plain \xc3\xa9'), 'plain é');
  t.equal(await html('', '', '\x80'), '€');
});

/** The examples of RFC 3676, 4.2 to 4.5, and the mail that was reported. */
const FLOWED: readonly (readonly [raw: string, text: string])[] = [
  ['> Is it at 5 \nYes', '> Is it at 5 \n\nYes'],
  ['> Is it at 5?\nYes\n> And?\n\nNo', '> Is it at 5?\n\nYes\n> And?\n\nNo'],
  ['a \nb\nc', 'a b\nc'],
  ['>> deep \n>> more\n> less \nnone', '>> deep more\n>\n> less \n\nnone'],
  ['> one \n> two', '> one two'],
  [' >not quoted', '\\>not quoted'],
  [' From here', 'From here'],
  ['text \n-- \nname', 'text \n-- \nname'],
  ['>\n> a', '>\n> a'],
];

void t.test('lines that flow are joined within their quote only (RFC 3676)', async (t) => {
  for (const [raw, text] of FLOWED) {
    t.equal(await bodyOf(`Content-Type: text/plain; format=flowed\n\n${raw}`), text, raw);
    const quoted =
      html(text)
        .match(/<blockquote>.*?<\/blockquote>/gs)
        ?.join('') ?? '';
    t.notMatch(quoted, /Yes|No|none/, 'as a message shows it');
  }
  for (const [raw, text] of [
    ['> Is it at 5?\nYes\n> And?\n\nNo', '> Is it at 5?\n\nYes\n> And?\n\nNo'],
    ['> > deep\n> less\n>\nnone', '> > deep\n>\n> less\n>\nnone'],
    ['```\n> x\ny\n```', '```\n> x\ny\n```'],
  ] as const) {
    t.equal(await bodyOf(`Content-Type: text/plain\n\n${raw}`), text, 'lines that do not flow');
  }
  // What RFC 3676, 4.4, has programs stuff, so that it is no quotation; depth counts before that.
  for (const [raw, text] of [
    [' >text', '\\>text'],
    ['Look: \n >text \nmore', 'Look: >text more'],
    ['A:\n >text \nmore', 'A:\n\\>text more'],
    ['> quoted\n >said', '> quoted\n\n\\>said'],
    ['>  >deeper?', '>  \\>deeper?'],
    ['>> deep', '>> deep'],
    ['```\n >x\n```\n >y', '```\n>x\n```\n\\>y'],
  ] as const) {
    t.equal(await bodyOf(`Content-Type: text/plain; format=flowed\n\n${raw}`), text, raw);
    const shown = html(text);
    if (!text.startsWith('>')) t.notMatch(shown, /<blockquote>/, `${raw}: no quotation`);
  }
  const delsp = 'Content-Type: text/plain; format=flowed; delsp=yes\n\n';
  t.equal(await bodyOf(`${delsp}x \ny`), 'xy');
});
