import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { cannotListen } from '../../http/cannot-listen.js';

/**
 * Finds the port that workers are to share; 0 selects a free one. Workers would listen beside any other process
 * of this account that shares the port, and each would get a part of the requests: so it is tried alone first.
 * @throws Error when the port is in use or the address is not local
 */
export async function findSharedPort(host: string, port: number): Promise<number> {
  const probe = createServer();
  probe.listen({ host, port, exclusive: true });
  try {
    await once(probe, 'listening');
  } catch (error) {
    throw cannotListen(host, port, error);
  }
  const { port: found } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return found;
}
