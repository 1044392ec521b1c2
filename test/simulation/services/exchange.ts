import type { SimProcess } from '../node/process.js';
import { SERVICE_PORT, type ServiceReply } from './service-host.js';

interface Patience {
  /** How long a connection may take, and then the reply, milliseconds. */
  readonly connectMs?: number;
  readonly replyMs?: number;
  readonly signal?: AbortSignal | null;
}

/** Asks a service once, over a connection of its own. @throws Error with a code where there is no reply */
export function exchange(
  process: SimProcess,
  host: string,
  asked: { readonly path: string; readonly body: string },
  { connectMs = Infinity, replyMs = Infinity, signal }: Patience = {},
): Promise<ServiceReply> {
  const { machine } = process;
  const end = machine.network.connect(machine.name, host, SERVICE_PORT);
  process.ends.add(end);
  end.run = (work) => process.arrive(work);
  return new Promise((resolve, reject) => {
    let cancel: () => void = () => undefined;
    const waitFor = (ms: number): void => {
      cancel();
      if (ms === Infinity) return;
      const timer = process.at(machine.scheduler.now + ms, () => failed(codeError('ETIMEDOUT')));
      cancel = () => process.cancel(timer);
    };
    const aborted = (): void => failed(signal?.reason);
    const over = (): void => {
      cancel();
      signal?.removeEventListener('abort', aborted);
      process.ends.delete(end);
      process.send(() => end.close());
    };
    const failed = (error: unknown): void => {
      over();
      reject(error instanceof Error ? error : codeError('ABORT_ERR'));
    };
    signal?.addEventListener('abort', aborted);
    waitFor(connectMs);
    end.onOpen = () => {
      waitFor(replyMs);
      process.send(() => end.send({ ...asked, sender: process }));
    };
    end.onClose = (_how, code) => failed(codeError(code));
    end.onData = (payload) => {
      const reply = payload as ServiceReply;
      over();
      reply.received();
      resolve(reply);
    };
  });
}

export function codeError(code: string, more: object = {}): Error {
  return Object.assign(new Error(code), { code, ...more });
}
