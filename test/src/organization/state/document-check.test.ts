import t from 'tap';
import { COLLECTIONS } from '../../../../schemas/collections.js';
import { documentFault } from '../../../../src/organization/state/document-check.js';
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
    documentFault('mark', mark),
    /^does not fit its schema: it must have required properties/,
  );
  const status = { name: 'message', last: '7' };
  t.equal(documentFault('counter', status), 'does not fit its schema: last must be integer');
  t.equal(documentFault('counter', { name: 'message', last: 7, later: true }), null);
  t.equal(documentFault('nobody-knows', { any: 'thing' }), null);
});

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
