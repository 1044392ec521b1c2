import t from 'tap';
import { RawConnection } from '../raw-connection.js';
import { basic } from '../toy-server.js';
import { ScriptedLeader, startFollower } from './nodes.js';

const AUTH = `Authorization: ${basic()}`;

void t.test('the bytes of a reply go to the client as they came, texts or not', async (t) => {
  const scripted = await ScriptedLeader.start(t);
  const follower = await startFollower(t);
  follower.leadership.passTo(scripted.port);
  const connection = await RawConnection.open(follower.port);
  // As UTF-8, and as bytes that are none: Z\xfc, half of a surrogate pair, \xff.
  const sent: Readonly<Record<string, Buffer>> = {
    'Latin-1 letters': Buffer.from('Zoë für Käse'),
    Cyrillic: Buffer.from('сыр 🧀'),
    'no UTF-8': Buffer.from([0x5a, 0xfc, 0xed, 0xa0, 0xbd, 0xff]),
  };
  let count = 0;
  for (const [name, bytes] of Object.entries(sent)) {
    connection.request('POST', '/api/v1/messages', AUTH);
    await scripted.requests((count += 1));
    scripted.sockets[0]!.write(
      Buffer.concat([
        Buffer.from('HTTP/1.1 200 OK\r\nX-Name: '),
        bytes,
        Buffer.from('\r\nX-Again: '),
        bytes,
        Buffer.from(`\r\nContent-Length: ${bytes.length}\r\n\r\n`),
        bytes,
      ]),
    );
    const reply = await connection.bytes();
    t.equal(reply?.headers.get('x-name'), bytes.toString('latin1'), name);
    t.equal(reply?.headers.get('x-again'), bytes.toString('latin1'), name);
    t.ok(reply?.body.equals(bytes), name);
  }
  connection.destroy();
});
