import { Create } from 'typebox/value';
import t from 'tap';
import { COLLECTIONS } from '../../../../schemas/collections.js';
import {
  damageLine,
  lossOf,
  SetAside,
} from '../../../../src/organization/state/damaged-documents.js';
import { storedFault } from '../../../../src/organization/state/stored-fault.js';
import { DamagedError, type Document } from '../../../../src/store/port.js';
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

void t.test('a start is refused over a document that it cannot do without', async (t) => {
  const node = await CoreNode.start();
  node.memory.collections.set('user', new Map([['7', '{"user_id":7}']]));
  await t.rejects(node.restart(), {
    name: 'DamagedError',
    subject: 'user:7',
    message: /^user:7 in memory: is damaged: it does not fit its schema: .*\. Run parley verify/,
  });
});

/** What a start needs of every document of the other collections. A new collection is in one of the lists. */
const NEEDED: Readonly<Record<string, string>> = {
  attachment: 'without it a file that messages show is removed as abandoned',
  bot: 'whose bot it is, and what it may read',
  channel: 'who may read its messages',
  channel_folder: 'channels name it',
  conversation: 'whose messages they are',
  counter: 'an id would be given twice',
  custom_emoji: 'reactions and messages name it',
  custom_profile_field: 'profiles name it',
  history: 'whether positions that clients have still mean the same',
  history_request: 'likewise',
  key_secret: 'whether the keys of all accounts are valid',
  leader: 'who may write',
  realm: 'what the organization is, and who may do what',
  realm_domain: 'whose addresses may join',
  realm_user_settings_defaults: 'what new accounts show of themselves',
  schema_versions: 'how documents are read',
  server: 'what wrote them',
  subscription: 'who may read a private channel',
  two_factor: 'a password alone would open the account',
  user: 'who may do what',
  user_group: 'likewise',
  user_settings: 'who may see an address, and what may be mailed',
  waiting_period: 'who is a full member',
};

/** Read when somebody asks for them. */
const LATER = new Set(['message', 'message_archive']);

void t.test(
  'one damaged document of any collection: what is missed by one only is set aside',
  async (t) => {
    const aside: string[] = [];
    for (const name of COLLECTIONS.keys()) {
      const node = await CoreNode.start();
      await node.found();
      const documents = node.memory.collections;
      if (!documents.has(name)) documents.set(name, new Map());
      documents.get(name)!.set('bad', '{"any":"thing"}');
      const lost = lossOf(name);
      if (lost === undefined && !LATER.has(name)) {
        await t.rejects(node.restart(), { name: 'DamagedError', subject: `${name}:bad` }, name);
        continue;
      }
      const next = await node.restart();
      t.equal(next.org.setAside.size, lost === undefined ? 0 : 1, name);
      t.equal(documents.get(name)!.get('bad'), '{"any":"thing"}', `${name}: it is kept`);
      if (lost !== undefined) aside.push(name);
    }
    const undecided = [...COLLECTIONS.keys()].filter(
      (name) => !aside.includes(name) && !LATER.has(name),
    );
    t.same(undecided.sort(), Object.keys(NEEDED).sort(), 'each other one is needed, and why');
  },
);

void t.test('a damaged queue is one that nobody knows, and the others go on', async (t) => {
  const node = await CoreNode.start();
  await node.found();
  const { user_id } = node.user('owner@example.com');
  const [lost, whole] = [await node.register(user_id), await node.register(user_id)];
  node.memory.collections.get('queue')!.set(lost.queueId, '{"queue_id":7}');
  const next = await node.restart();
  t.throws(() => next.queues.find(lost.queueId, user_id), { code: 'BAD_EVENT_QUEUE_ID' });
  t.equal(next.queues.find(whole.queueId, user_id).queueId, whole.queueId);
});

void t.test(
  'who reads the journal leaves out parts of what was set aside, until it is written anew',
  (t) => {
    const told: string[] = [];
    const aside = new SetAside(({ subject }) => void told.push(subject));
    const key = { collection: 'presence_session', id: '4:web' };
    aside.add(new DamagedError('the store', 'presence_session:4:web', 'its checksum differs'));
    t.same(told, ['presence_session:4:web']);
    const merge = { op: 'merge', key, fields: { value: 'idle' } } as const;
    const set = { op: 'set', key, fields: { value: 'active' } } as const;
    t.same(aside.without([merge]), []);
    t.same(aside.without([set, merge]), [set, merge]);
    t.equal(aside.size, 0);
    t.end();
  },
);

void t.test('the log says what is lost with a damaged document', (t) => {
  const line = (subject: string) => damageLine(new DamagedError('s', subject, 'p'), 's');
  t.same(line('queue:x'), [
    { document: 'queue:x', problem: 'p', store: 's', lost: 'its client registers again' },
    'a stored document is damaged, and set aside',
  ]);
  t.same(line('message:7'), [
    { document: 'message:7', problem: 'p', store: 's' },
    'a stored document is damaged: what needs it fails',
  ]);
  t.end();
});
