/*
 * Every listener of a process has a gate (connection-limit.ts): nobody takes all of its connections, or all files of the
 * process. The exception is the local socket of the operator, which only the server's own account can open.
 */
import type { AddressInfo, Server } from 'node:net';
import type { NativeApp, NativeResponse } from '../native.js';
import { canonicalAddress } from '../request/trusted-proxies.js';
import type { ConnectionGate } from './connection-limit.js';

/** Guards the connections of a native application. Of one that becomes a WebSocket the gate must be told the end. */
export function guardApp(app: NativeApp, gate: ConnectionGate): void {
  app.filter((response, change) => {
    if (Number(change) < 0) gate.closed();
    else if (!gate.opened(() => remoteAddressOf(response))) response.close();
  });
}

/** Guards the connections of a server of Node's own, which does not listen yet. */
export function guardServer(server: Server, gate: ConnectionGate): void {
  server.once('listening', () => gate.listensAt((server.address() as AddressInfo).port));
  server.on('connection', (socket) => {
    socket.once('close', () => gate.closed());
    const from = socket.remoteAddress ?? '';
    if (!gate.opened(() => canonicalAddress(from) ?? from)) socket.destroy();
  });
}

/** The other end of a connection. */
export function remoteAddressOf(response: NativeResponse): string {
  const text = Buffer.from(response.getRemoteAddressAsText()).toString('latin1');
  return canonicalAddress(text) ?? text;
}
