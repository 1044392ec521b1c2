import t from 'tap';
import { ApiError } from '../../../../src/errors/index.js';
import { readForm } from '../../../../src/http/request/form.js';

const MULTIPART = 'multipart/form-data; boundary=XX';

function part(head: string, data: string): string {
  return `--XX\r\nContent-Disposition: form-data; ${head}\r\n\r\n${data}\r\n`;
}

function read(contentType: string, body: string | Buffer) {
  const { fields, files } = readForm(contentType, Buffer.from(body));
  return { fields: fields && Object.fromEntries(fields), files };
}

function refusal(contentType: string, body: string | Buffer) {
  try {
    return read(contentType, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return `${error.status} ${error.code} ${error.message}`;
  }
}

/** A part of bytes, one for each character. */
const labelled = (type: string, bytes: string) =>
  `--XX\r\nContent-Disposition: form-data; name="a"\r\n${type}\r\n${bytes}\r\n`;

void t.test('the charset of a part is that of the part, the form, or the body', async (t) => {
  const latin = (...parts: string[]) => Buffer.from(`${parts.join('')}--XX--\r\n`, 'latin1');
  const plain = (charset: string) => `Content-Type: text/plain; charset=${charset}\r\n`;
  const field = (charset: string) => part('name="_charset_"', charset);
  const value = (type: string, body: Buffer) => read(type, body).fields?.a;
  for (const charset of ['iso-8859-1', '"Windows-1252"', 'us-ascii']) {
    t.equal(value(MULTIPART, latin(labelled(plain(charset), '5 \x80 \xe9'))), '5 € é', charset);
    const bare = charset.replaceAll('"', '');
    t.equal(value(MULTIPART, latin(field(bare), labelled('', '5 \x80'))), '5 €', `field ${bare}`);
    const whole = `${MULTIPART}; charset=${charset}`;
    t.equal(value(whole, latin(labelled('', '5 \x80'))), '5 €', `body ${charset}`);
  }
  t.equal(value(MULTIPART, latin(labelled(plain('iso-8859-1'), '\xc3\xa9'))), 'é', 'UTF-8 wins');
  t.equal(value(MULTIPART, latin(labelled('', '\xe9'))), '\ufffd', 'as Django, without a label');
  for (const charset of ['koi8-r', 'shift_jis', 'utf-16le', 'utf-7']) {
    const refused = `415 BAD_REQUEST Unsupported charset: ${charset}`;
    t.equal(refusal(MULTIPART, latin(labelled(plain(charset), '\xc1'))), refused);
    t.equal(refusal(MULTIPART, latin(field(charset), labelled('', '\xc1'))), refused);
    const url = 'application/x-www-form-urlencoded';
    t.equal(refusal(url, `_charset_=${charset}&a=%C1`), refused);
  }
  t.equal(value(MULTIPART, latin(labelled(plain('koi8-r'), 'plain'))), 'plain', "ASCII's signs");
  t.equal(
    value(MULTIPART, latin(field('koi8-r'), labelled(plain('utf-8'), '\xc3\xa9'))),
    'é',
    'the nearest label',
  );
});

void t.test('a name in Latin is read as one; an encoded part is refused', async (t) => {
  const file =
    '--XX\r\nContent-Disposition: form-data; name="f"; filename="na\xefve.txt"\r\n\r\nx\r\n';
  const [found] = read(MULTIPART, Buffer.from(`${file}--XX--\r\n`, 'latin1')).files;
  t.equal(found?.name, 'naïve.txt');
  for (const encoding of ['7bit', '8BIT', 'binary']) {
    const body = `${labelled(`Content-Transfer-Encoding: ${encoding}\r\n`, 'eA==')}--XX--\r\n`;
    t.same(read(MULTIPART, body).fields, { a: 'eA==' }, encoding);
  }
  for (const encoding of ['base64', 'quoted-printable', 'x']) {
    const body = `${labelled(`Content-Transfer-Encoding: ${encoding}\r\n`, 'eA==')}--XX--\r\n`;
    const refused = `415 BAD_REQUEST Unsupported content encoding: ${encoding}`;
    t.equal(refusal(MULTIPART, body), refused);
  }
});
