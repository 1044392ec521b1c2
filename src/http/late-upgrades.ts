import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from '../platform/network.js';
import { randomUUID } from '../platform/randomness.js';
import {
  closeListenSocket,
  createApp,
  listen,
  portOf,
  type NativeApp,
  type NativeResponse,
} from './native.js';

const LOOPBACK = '127.0.0.1';

/**
 * LateUpgrades upgrades responses to WebSockets after the native callback of their request has returned.
 *
 * The native layer warns of whatever is written outside of a native callback or a cork: in plain text on standard
 * error, between the lines of the log. But a response must not be upgraded under its own cork: on uncork this build
 * would mistake the WebSocket, which may occupy the memory of the response, for a response, and now and then close it
 * because of a bit that looks like a flag. So it is upgraded under the cork of a response that the process keeps for
 * this alone, to a request of its own that is never answered.
 */
export class LateUpgrades {
  private readonly app: NativeApp = createApp();
  private client: Socket | undefined;
  private response: NativeResponse | null = null;
  private closed = false;

  /** Opens the response. @throws Error where the machine has no loopback address */
  async open(): Promise<void> {
    // Another program of the machine may connect meanwhile.
    const path = `/${randomUUID()}`;
    const arrived = new Promise<void>((resolve) => {
      this.app.get(path, (response) => {
        response.onAborted(() => (this.response = null));
        this.response = response;
        resolve();
      });
    });
    const listener = listen(this.app, LOOPBACK, 0);
    try {
      this.client = connect(portOf(listener), LOOPBACK).unref();
      await once(this.client, 'connect');
      this.client.on('error', () => undefined);
      this.client.write(`GET ${path} HTTP/1.1\r\nHost: ${LOOPBACK}\r\n\r\n`);
      await arrived;
    } finally {
      // The end of the application has closed it, too.
      if (!this.closed) closeListenSocket(listener);
    }
  }

  /** Runs an upgrade. Without the response it works all the same, with the warning. */
  run(upgrade: () => void): void {
    if (this.response) this.response.cork(upgrade);
    else upgrade();
  }

  /** Idempotent. */
  close(): void {
    this.closed = true;
    this.client?.destroy();
    this.app.close();
  }
}
