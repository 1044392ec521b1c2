import t from 'tap';
import { BodyBudget } from '../../../../src/http/request/body.js';
import { EarlyBody } from '../../../../src/http/request/early-body.js';

/** An exchange whose body comes by {@link receive}. */
class Sending {
  receive: (chunk: ArrayBuffer, last: boolean) => void = () => undefined;
  isHeld = false;
  early: EarlyBody | null = null;
  readonly aborted = false;

  holdBody(isHeld: boolean): void {
    this.isHeld = isHeld;
  }

  onData(listener: Sending['receive']): void {
    this.receive = listener;
  }

  onAbort(): void {}

  cutOff(): void {}
}

void t.test('the client is held back from the first part on until its body is received', (t) => {
  for (const parts of [1, 2, 3]) {
    const sending = new Sending();
    const body = new EarlyBody(sending, new BodyBudget(100));
    for (let i = 1; i <= parts; i++) sending.receive(new ArrayBuffer(i), i === 3);
    t.equal(sending.isHeld, true);
    const received: [number, boolean][] = [];
    body.release(() => {
      t.equal(sending.isHeld, false, 'else the next request of the connection would wait');
      body.onData((chunk, last) => received.push([chunk.byteLength, last]));
    });
    for (let i = parts + 1; i <= 3; i++) sending.receive(new ArrayBuffer(i), i === 3);
    t.same(received, [
      [1, false],
      [2, false],
      [3, true],
    ]);
  }
  t.end();
});
