import t from 'tap';
import { RawConnection } from '../http/raw-connection.js';
import { basic, startToy, toyEndpoint } from '../http/toy-server.js';

const CALLERS = 40;
const SPENT_MS = 2;

/** Counts rounds of the event loop until it is stopped. */
function countRounds() {
  const rounds = { now: 0, isCounting: true };
  const next = (): void => {
    rounds.now += 1;
    if (rounds.isCounting) setImmediate(next);
  };
  setImmediate(next);
  return rounds;
}

void t.test('many costly reads at once are divided among rounds of the event loop', async (t) => {
  const rounds = countRounds();
  const begun: number[] = [];
  const spend = {
    endpoint: toyEndpoint({ method: 'GET', path: '/costly' }),
    call: () => {
      begun.push(rounds.now);
      const end = performance.now() + SPENT_MS;
      while (performance.now() < end);
      return {};
    },
  };
  const { port } = await startToy(t, { routes: [spend] });
  const all = await Promise.all(Array.from({ length: CALLERS }, () => RawConnection.open(port)));
  const head = ['Host: x', `Authorization: ${basic()}`, '', ''].join('\r\n');
  // The server is in this process: it reads none before all are sent.
  for (const connection of all) connection.write(`GET /api/v1/costly HTTP/1.1\r\n${head}`);
  const replies = await Promise.all(all.map((connection) => connection.response()));
  rounds.isCounting = false;
  t.same([...new Set(replies.map((reply) => reply?.status))], [200]);
  t.equal(begun.length, CALLERS);
  const most = Math.max(...begun.map((round) => begun.filter((other) => other === round).length));
  // 8 ms of those that came, and 16 of those that waited.
  t.ok(most <= 14, `${most} in one round`);
  for (const connection of all) connection.destroy();
});

for (const method of ['GET', 'POST'] as const) {
  void t.test(`so are those of ${method} that go on after they were begun`, async (t) => {
    const rounds = countRounds();
    const worked: number[] = [];
    const spend = {
      endpoint: toyEndpoint({ method, path: '/costly' }),
      goesOn: true,
      call: async () => {
        for (let i = 0; i < 10; i++) await Promise.resolve();
        worked.push(rounds.now);
        const end = performance.now() + SPENT_MS;
        while (performance.now() < end);
        return {};
      },
    };
    const { port } = await startToy(t, { routes: [spend] });
    const all = await Promise.all(Array.from({ length: CALLERS }, () => RawConnection.open(port)));
    const head = ['Host: x', `Authorization: ${basic()}`, 'Content-Length: 0', '', ''].join('\r\n');
    for (const connection of all) connection.write(`${method} /api/v1/costly HTTP/1.1\r\n${head}`);
    const replies = await Promise.all(all.map((connection) => connection.response()));
    rounds.isCounting = false;
    t.same([...new Set(replies.map((reply) => reply?.status))], [200]);
    const most = Math.max(
      ...worked.map((round) => worked.filter((other) => other === round).length),
    );
    // Four before the round is measured, 8 ms of those that came, and 8 of those that waited.
    t.ok(most <= 14, `${most} in one round`);
    for (const connection of all) connection.destroy();
  });
}
