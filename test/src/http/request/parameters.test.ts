import t from 'tap';
import { readUrlEncoded } from '../../../../src/http/request/parameters.js';
import { answer, startToy } from '../toy-server.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

void t.test('escapes, plus signs and repetition', async (t) => {
  const read = (text: string) => Object.fromEntries(readUrlEncoded(text));
  t.same(read('a=1+2&b=%C3%A9%2B&c&d=x=y&&=z&a=3'), { a: '3', b: 'é+', c: '', d: 'x=y' });
  t.same(read(''), {});
  for (const bad of ['a=%', 'a=%zz', '%ff=1', 'a=%ed%a0%80']) {
    t.throws(() => readUrlEncoded(bad), { status: 400, message: 'Malformed payload' }, bad);
  }
});

void t.test('at most 1000 fields', async (t) => {
  const fields = Array.from({ length: 1001 }, (_, i) => `f${i}=`);
  t.equal(readUrlEncoded(fields.slice(1).join('&')).size, 1000);
  t.throws(() => readUrlEncoded(fields.join('&')), { status: 400, code: 'BAD_REQUEST' });
});

void t.test('query and body count for every method; the body wins', async (t) => {
  const { api } = await startToy(t);
  const call = (method: string, query: string, body?: string) =>
    api(`/messages/5?${query}`, { method, headers: body === undefined ? {} : FORM, body }).then(
      answer,
    );

  t.match(await call('PATCH', 'content=query'), { body: { params: { content: 'query' } } });
  t.match(await call('PATCH', '', 'content=body'), { body: { params: { content: 'body' } } });
  t.match(await call('PATCH', 'content=query', 'content=body'), {
    body: { params: { content: 'body' } },
  });
  t.match(await call('DELETE', 'other=1'), {
    body: { ignored_parameters_unsupported: ['other'] },
  });
  t.match(await call('DELETE', 'x=1', 'message_id=9&a=1&x=2'), {
    status: 200,
    body: {
      params: { message_id: 5 },
      ignored_parameters_unsupported: ['a', 'message_id', 'x'],
    },
  });
});

void t.test('ignored names are told on success only', async (t) => {
  const { api } = await startToy(t);
  const fine = await answer(await api('/messages?client=x&method=y'));
  t.notOk('ignored_parameters_unsupported' in fine.body);
  const refused = await answer(await api('/messages?anchor=x&other=1'));
  t.same(refused, {
    status: 400,
    body: { result: 'error', msg: 'anchor is not valid JSON', code: 'BAD_REQUEST' },
  });
});

void t.test('a malformed query is refused', async (t) => {
  const { api } = await startToy(t);
  t.match(await answer(await api('/messages?anchor=%ff')), {
    status: 400,
    body: { msg: 'Malformed payload' },
  });
});
