import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Where ports are looked for: below those that the system gives to connections and to listeners without a port of
 * their own (from 32768 on Linux), one of which could take the port while its server restarts. A Redis Cluster also
 * takes the port 10,000 above, which is then below them, too.
 */
const FIRST = 11_000;
const LAST = 21_999;
const ATTEMPTS = 100;

/** A port on 127.0.0.1 on which nobody listens, and which only another caller of this function would take. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = FIRST + Math.floor(Math.random() * (LAST + 1 - FIRST));
    if (await canListen(port)) return port;
  }
  throw new Error(`None of ${ATTEMPTS} ports between ${FIRST} and ${LAST} is free`);
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
