import { Create } from 'typebox/value';
import t from 'tap';
import { COLLECTIONS } from '../../../../schemas/collections.js';
import { storedFault } from '../../../../src/organization/state/stored-fault.js';
import type { Document } from '../../../../src/store/port.js';
import { CoreNode } from '../../../fixtures/core-node.js';

void t.test('every collection has a schema', async (t) => {
  const node = await CoreNode.start();
  const names = [...node.org.loadable.map(({ name }) => name), 'queue'];
  t.same(
    names.filter((name) => !COLLECTIONS.has(name)),
    [],
  );
});

void t.test('what does not fit is told with its place', async (t) => {
  const mark = { user_id: 4, message_id: 7 };
  t.match(
    storedFault('mark', '4:7', mark),
    /^does not fit its schema: it must have required properties/,
  );
  const status = { name: 'message', last: '7' };
  t.equal(
    storedFault('counter', 'message', status),
    'does not fit its schema: last must be integer',
  );
  t.equal(storedFault('counter', 'message', { name: 'message', last: 7, later: true }), null);
  t.equal(storedFault('nobody-knows', '1', { any: 'thing' }), null);
});

void t.test('a document of each collection is found under another key than it says', (t) => {
  for (const [name, { document: schema }] of COLLECTIONS) {
    const document = Create(schema) as Document;
    const fault = storedFault(name, 'elsewhere', document);
    const [, own] = new RegExp(`^says that it is ${name}:(.*)$`).exec(fault ?? '') ?? [];
    t.type(own, 'string', `${name}: ${fault}`);
    t.equal(storedFault(name, own!, document), null, `${name}:${own} is where it belongs`);
  }
  t.end();
});

void t.test(
  'an item under the key of another is noticed, and takes nobody the place',
  async (t) => {
    const node = await CoreNode.start();
    await node.found();
    const texts = node.memory.collections.get('user')!;
    const [first] = texts.keys();
    texts.set('77', texts.get(first!)!);
    await t.rejects(node.restart(), {
      name: 'DamagedError',
      subject: 'user:77',
      problem: `it says that it is user:${first}`,
    });
  },
);

void t.test('a start is refused over a document that is none of its collection', async (t) => {
  const node = await CoreNode.start();
  const queue = await node.register(1);
  node.memory.collections.get('queue')!.set(queue.queueId, '{"queue_id":7}');
  await t.rejects(node.restart(), {
    name: 'DamagedError',
    subject: `queue:${queue.queueId}`,
    message: /^queue:.* in memory: is damaged: it does not fit its schema: .*\. Run parley verify/,
  });
});
