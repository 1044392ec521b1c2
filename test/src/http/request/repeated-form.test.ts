import t from 'tap';
import Type from 'typebox';
import { required, optional } from '../../../../schemas/endpoint.js';
import { ApiError } from '../../../../src/errors/index.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { readForm } from '../../../../src/http/request/form.js';
import { readRepeatedForm } from '../../../../src/http/request/repeated-form.js';
import { toyEndpoint } from '../toy-server.js';

const URL_ENCODED = 'application/x-www-form-urlencoded';
const KEEP_ALIVE = 'status=active&slim_presence=true';

const params = { status: required(Type.String()), slim_presence: optional(Type.Boolean()) };
const decode = compileDecoder(toyEndpoint({ method: 'POST', path: '/x', params }));

function repeated(body: string | Buffer, contentType = URL_ENCODED) {
  return readRepeatedForm(contentType, Buffer.from(body));
}

void t.test('a form is read the same however often it comes', async (t) => {
  const bodies = [
    ...[KEEP_ALIVE, 'status=a%20b+c', 'status=%C3%A9', 'status=é', 'status', '=x', '&', ''],
    ...['status=1&status=2', 'other=1&status=x', `status=${'x'.repeat(300)}`],
  ];
  for (const body of bodies) {
    const { fields } = readForm(URL_ENCODED, Buffer.from(body));
    for (const time of [1, 2, 3]) {
      const form = repeated(body);
      t.same(form.fields && [...form.fields], fields && [...fields], `${body} (${time})`);
      t.same(form.files, []);
    }
  }
});

void t.test('a repeated form is decoded once, and nobody can change the result', async (t) => {
  const body = 'status=idle&slim_presence=true';
  const results = [1, 2, 3].map(() => decode(repeated(body).fields!, {}));
  for (const { params, ignored } of results) {
    t.same({ params, ignored }, { params: { status: 'idle', slim_presence: true }, ignored: [] });
  }
  t.equal(results[1]!.params, results[2]!.params);
  t.not(results[0]!.params, results[1]!.params);
  t.throws(() => Object.assign(results[2]!.params, { status: 'active' }), TypeError);
});

void t.test('forms are told apart', async (t) => {
  const spellings = ['active', 'idle__', 'activf', 'Active'];
  for (const status of [...spellings, ...spellings, ...spellings]) {
    const { params } = decode(repeated(`status=${status}`).fields!, {});
    t.equal(params.status, status);
  }
});

void t.test('one text is another form in another media type', async (t) => {
  const text = '{"status":"active"}';
  for (let time = 0; time < 3; time++) {
    t.same([...repeated(text).fields!.keys()], [text]);
    const json = repeated(text, 'application/json').fields!;
    t.same([...json.keys()], ['status']);
    t.same(decode(json, {}).params, { status: 'active' });
    t.equal(repeated(text, '').fields, null);
  }
});

void t.test('another endpoint decodes the same form by its own parameters', async (t) => {
  const other = compileDecoder(
    toyEndpoint({ method: 'POST', path: '/y', params: { status: required(Type.String()) } }),
  );
  for (let time = 0; time < 3; time++) {
    const { fields } = repeated(KEEP_ALIVE);
    t.same(decode(fields!, {}).ignored, []);
    t.same(other(fields!, {}).ignored, ['slim_presence']);
  }
});

void t.test('a refused form is refused each time', async (t) => {
  for (const body of ['status=a&slim_presence=7', 'slim_presence=%zz']) {
    for (let time = 0; time < 3; time++) {
      t.throws(() => decode(repeated(body).fields!, {}), ApiError);
    }
  }
});
