/** What a node closes without an answer must not count against it, with every block of the documentation. */
import { createServer, request as requestHttp1 } from 'node:http';
import { connect as connectHttp2, constants, type ClientHttp2Session } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import {
  BALANCERS,
  PROXIES,
  startBalancer,
  startProxyServer,
  type Front,
} from './proxy-process.js';
import { basic, startToy } from './toy-server.js';

const FRONTS: readonly Front[] = ['HTTP/1.1', 'HTTP/2'];
/** More header lines than the HTTP library has places for, also where the proxy adds none. */
const TOO_MANY = Object.fromEntries(
  Array.from({ length: 98 }, (_, i) => [`x-line-${i}`, 'v'] as const),
);

/** A client of a proxy: the status of the answer to `GET path`; 0 where the proxy closes, too. */
type Ask = (path: string, headers?: Readonly<Record<string, string>>) => Promise<number>;

function client(t: Test, port: number, front: Front): Ask {
  if (front === 'HTTP/2') {
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    t.teardown(() => session.destroy());
    return (path, headers = {}) => askHttp2(session, path, headers).catch(() => 0);
  }
  return async (path, headers = {}) => {
    const request = requestHttp1({
      ...{ host: '127.0.0.1', port, path, agent: false },
      headers: { Host: 'chat.example.org', ...headers },
    });
    // A proxy that is to end waits for its clients.
    t.teardown(() => request.destroy());
    request.end();
    const [response] = (await once(request, 'response')) as [
      { statusCode: number; resume(): void },
    ];
    response.resume();
    return response.statusCode;
  };
}

async function askHttp2(
  session: ClientHttp2Session,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number> {
  const stream = session.request({
    [constants.HTTP2_HEADER_PATH]: path,
    [constants.HTTP2_HEADER_AUTHORITY]: 'chat.example.org',
    ...headers,
  });
  stream.end();
  const [response] = (await once(stream, 'response')) as [Record<string, unknown>];
  stream.resume();
  return Number(response[constants.HTTP2_HEADER_STATUS]);
}

/** A node that closes what asks for `/closes`, without an answer. */
async function startNode(t: Test): Promise<number> {
  const server = createServer((request, response) => {
    if (request.url === '/closes') request.socket.destroy();
    else response.end('here');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

for (const kind of BALANCERS) {
  for (const front of FRONTS) {
    const options = { skip: kind.missing ?? false };
    void t.test(
      `${kind.name}, ${front}: nodes that close a request serve the others`,
      options,
      async (t) => {
        const nodes = [await startNode(t), await startNode(t)] as const;
        const ask = client(t, await startBalancer(t, kind, nodes, front), front);
        while ((await ask('/')) !== 200);
        for (let i = 0; i < 10; i++) {
          // Of different accounts, so that each node has some.
          const Authorization = basic(`person${i}@example.org`);
          const refused = await ask('/closes', { Authorization });
          t.ok(refused === 502 || refused === 0, `${refused}`);
          t.equal(await ask('/', { Authorization }), 200, 'the next request of the same account');
          t.equal(await ask('/', { Authorization: basic(`other${i}@example.org`) }), 200);
        }
      },
    );
  }
}

/**
 * Whether requests with too many header lines are answered: HAProxy's block does, and the library on Node 22 and 24.
 */
function isAnswered(name: string): boolean {
  return name === 'haproxy' || !process.versions.node.startsWith('20.');
}

for (const kind of PROXIES) {
  for (const front of FRONTS) {
    void t.test(
      `${kind.name}, ${front}: too many header lines harm no other request`,
      { skip: kind.missing ?? false },
      async (t) => {
        const { port } = await startToy(t);
        const ask = client(t, await startProxyServer(t, kind, port, front), front);
        while ((await ask('/health')) !== 200);
        const refused = Promise.all(
          Array.from({ length: 10 }, () => ask('/api/v1/open', TOO_MANY)),
        ).catch(() => []);
        for (let i = 0; i < 20; i++) t.equal(await ask('/api/v1/open'), 200);
        // Without an answer they hold their connections for 8 to 12 s, and with nginx that again.
        if (isAnswered(kind.name))
          t.same(
            await refused,
            Array.from({ length: 10 }, () => 431),
          );
      },
    );
  }
}
