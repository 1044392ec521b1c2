import t from 'tap';
import { FORMS, openReader, type Form } from '../../../../bench/harness/load/event-readers.js';
import { emitAny } from '../../../fixtures/emit-any.js';
import { startEventServer } from '../../../src/http/events/event-server.js';
import { basic } from '../../../src/http/toy-server.js';

const TEXT = 'Shall we go on with the release? The build of this morning is green again. '.repeat(
  20,
);

void t.test('each form of events is decoded, and its bytes on the wire are counted', async (t) => {
  const { toy, node } = await startEventServer(t);
  const bytes = new Map<Form, number>();
  for (const form of FORMS) {
    const { queueId } = await node.register(1);
    const seat = { authorization: basic(), queueId, lastEventId: -1 };
    let all = '';
    let came = (): void => undefined;
    const onText = (text: string): void => {
      all += text;
      if (all.includes(`${form}!`)) came();
    };
    const reader = await openReader(form, { host: '127.0.0.1', port: toy.port }, seat, onText);
    t.teardown(() => reader.close());
    const end = new Promise<void>((resolve) => (came = resolve));
    const event = { text: `${TEXT}${form}!` };
    node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'users', users: [1] }, event));
    await node.journal.barrier();
    await end;
    t.ok(all.includes(TEXT), form);
    bytes.set(form, reader.bytes());
    reader.close();
  }
  for (const form of ['socket', 'stream', 'poll'] as const) {
    const [plain, compressed] = [form, FORMS.find((one) => one.startsWith(`${form},`))!].map(
      (one) => bytes.get(one)!,
    );
    t.ok(plain! > TEXT.length, `${form}: ${plain}`);
    t.ok(compressed! < TEXT.length / 2, `${form}: ${compressed}`);
  }
});
