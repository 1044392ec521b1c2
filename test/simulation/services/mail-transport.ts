import type { SimProcess } from '../node/process.js';
import { codeError, exchange } from './exchange.js';

/** What the product asks of nodemailer. */
interface TransportOptions {
  readonly url?: string;
  readonly connectionTimeout?: number;
  readonly socketTimeout?: number;
  readonly maxConnections?: number;
}

/** In place of nodemailer, whose streams go on by timers of the machine. */
export function mailTransport(process: SimProcess, options: TransportOptions): object {
  const { url } = options;
  if (url !== undefined) return new SmtpPool(process, new URL(url).hostname, options);
  return {
    sendMail: async (mail: object) => ({ message: Buffer.from(JSON.stringify(mail)) }),
    close: () => undefined,
  };
}

/** Sends some mails at a time; others wait. */
class SmtpPool {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly process: SimProcess,
    private readonly host: string,
    private readonly options: TransportOptions,
  ) {
    this.#free = options.maxConnections ?? 1;
  }

  /** @throws Error as the library does */
  async sendMail(mail: object): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      const { connectionTimeout, socketTimeout } = this.options;
      const patience = { connectMs: connectionTimeout, replyMs: socketTimeout };
      const asked = { path: '', body: JSON.stringify(mail) };
      const { status } = await exchange(this.process, this.host, asked, patience);
      if (status !== 250) throw codeError('EENVELOPE', { responseCode: status });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }

  close(): void {
    this.#waiting.length = 0;
  }
}
