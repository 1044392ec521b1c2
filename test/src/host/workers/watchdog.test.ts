import t from 'tap';
import type { ProcessReport } from '../../../../src/host/app-options.js';
import { Watchdog, type Watched } from '../../../../src/host/workers/watchdog.js';

class FakeWorker implements Watched {
  readonly place = { index: 2, port: 1 };
  readonly pid = 77;
  listens = true;
  isStopping = false;
  answers = true;
  asked = 0;
  killed = 0;

  report(): Promise<ProcessReport | null> {
    this.asked += 1;
    return Promise.resolve(this.answers ? ({ health: 'ready' } as ProcessReport) : null);
  }

  kill(): void {
    this.killed += 1;
  }
}

function watched(): {
  worker: FakeWorker;
  errors: unknown[];
  ask: (times: number) => Promise<void>;
} {
  const worker = new FakeWorker();
  const errors: unknown[] = [];
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (context: object, text: string) => errors.push({ ...context, text }),
  };
  const watchdog = new Watchdog(() => [worker], log);
  const ask = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await watchdog.ask();
  };
  return { worker, errors, ask };
}

void t.test('a worker that answers nothing is killed at the fifth question', async (t) => {
  const { worker, errors, ask } = watched();
  worker.answers = false;
  await ask(4);
  t.equal(worker.killed, 0);
  await ask(1);
  t.equal(worker.killed, 1);
  const text = 'a worker does not answer: it is killed, and another is started';
  t.same(errors, [{ worker: 2, process: 77, text }]);
});

void t.test('an answer forgives the silence before it', async (t) => {
  const { worker, ask } = watched();
  worker.answers = false;
  await ask(4);
  worker.answers = true;
  await ask(1);
  worker.answers = false;
  await ask(4);
  t.equal(worker.killed, 0);
});

void t.test('one that starts or ends has time limits of its own', async (t) => {
  const { worker, ask } = watched();
  worker.answers = false;
  worker.listens = false;
  await ask(5);
  worker.listens = true;
  worker.isStopping = true;
  await ask(5);
  t.equal(worker.asked, 0);
  t.equal(worker.killed, 0);
});
