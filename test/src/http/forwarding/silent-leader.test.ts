import t from 'tap';
import { answer } from '../toy-server.js';
import { ScriptedLeader, startFollower, startNode, type Follower } from './nodes.js';

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

/** Sends a message through a node. */
function post({ api }: Follower, content: string) {
  return api('/messages', { method: 'POST', body: new URLSearchParams({ content }) });
}

void t.test('a leader that has become silent gets nothing but a probe', async (t) => {
  let now = 1000;
  const leader = await ScriptedLeader.start(t);
  const next = await startNode(t);
  const options = { now: () => now, probe: '/internal/tick' };
  const follower = await startFollower(t, options);
  follower.leadership.passTo(leader.port);
  const lost = post(follower, 'sent');
  await leader.requests(1);
  now += 101;
  const waiting = [post(follower, 'held 1'), post(follower, 'held 2')];
  await leader.requests(2);
  t.match(leader.received[1], /^POST \/internal\/tick HTTP/);
  await until(() => follower.forward.figures.waiting === 2);
  now += 101;
  waiting.push(post(follower, 'held 3'));
  await until(() => follower.forward.figures.waiting === 3);
  t.equal(leader.count, 2, 'one probe at a time');

  await t.test('until it has answered that', async (t) => {
    leader.sockets[1]!.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nnull');
    await leader.requests(5);
    t.equal(follower.forward.figures.waiting, 0);
    leader.sockets[1]!.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}');
    const [first] = await Promise.all([Promise.race(waiting)]);
    t.equal(first.status, 200);
  });

  await t.test('and the next leader what it did not get', async (t) => {
    now += 101;
    const held = post(follower, 'held 4');
    await leader.requests(6);
    t.match(leader.received.join(''), /tick.*tick/s);
    follower.leadership.passTo(next.internalPort);
    t.match(await answer(await held), { status: 200, body: { params: { content: 'held 4' } } });
    t.match(await answer(await lost), {
      status: 503,
      body: { msg: 'The connection broke: the request may have been carried out' },
    });
    t.notMatch(leader.received.join(''), 'held+4');
  });
});

void t.test('what waits behind requests that the leader serves is not refused', async (t) => {
  let now = 1000;
  const leader = await ScriptedLeader.start(t);
  const follower = await startFollower(t, { now: () => now, waitMs: 5000 });
  follower.leadership.passTo(leader.port);
  // What waits is looked at in intervals: there is one before this node without a leader refuses something.
  const hasty = await startFollower(t, { waitMs: 1 });
  // As many as there are connections, and two more.
  const all = Array.from({ length: 66 }, (_, i) => post(follower, `${i}`));
  await leader.requests(64);
  await until(() => follower.forward.figures.waiting === 2);
  const reply = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
  for (let served = 1; served <= 2; served++) {
    now += 4999;
    t.equal((await post(hasty, 'in vain')).status, 503);
    leader.sockets[served]!.write(reply);
    await leader.requests(64 + served);
  }
  t.equal(now, 10_998, 'ten seconds after they came');
  for (const socket of leader.sockets.slice(3)) socket.write(reply);
  for (const place of [0, 1, 2]) leader.sockets[place]!.write(reply);
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  t.strictSame(new Set(statuses), new Set([200]));
});
