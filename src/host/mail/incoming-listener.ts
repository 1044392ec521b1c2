import { pause as sleep } from '../../platform/timers.js';
import type { Config } from '../../config/config.js';
import type { MailCounts } from '../../services/incoming-mail/mail-counts.js';
import type { MailReply, MailSink } from '../../services/incoming-mail/mail-protocol.js';
import type { SmtpListener } from '../../services/incoming-mail/smtp-listener.js';
import { cannotListen } from '../../http/cannot-listen.js';
import type { ConnectionLimit } from '../../http/limits/connection-limit.js';
import { guardServer } from '../../http/limits/guarded.js';
import type { AppLog } from '../monitoring/log.js';
import type { AppOptions } from '../app-options.js';

/** How often a worker tries to take the port that another one has, milliseconds. */
const TAKE_OVER_MS = 1000;

/** Mail servers that hand over at once: a large one opens twenty connections. Half at most from one address. */
const MAX_CONNECTIONS = 100;

/** Whoever sends tries again. */
export const AWAY: MailReply = {
  code: 451,
  text: 'The server is starting or stopping, try again later',
};

/** What a listener needs of the process. */
interface ListenerParts {
  /** Takes mails; undefined while this node serves nothing. */
  readonly sink: () => MailSink | undefined;
  readonly log: AppLog;
  readonly limit: ConnectionLimit;
  readonly counts: MailCounts;
  /** The name by which it greets. */
  readonly name: string;
  /** Of a worker: others have the same port, of which one listens. */
  readonly isWorker: boolean;
  readonly ending: AbortSignal;
  /** Told the address where mails are accepted. */
  readonly announce: AppOptions['announce'];
}

/** A listener for mails, which ends with `close`. */
export type IncomingListener = Pick<SmtpListener, 'close'>;

/**
 * Listens for mails; any node does, and hands them to the one that leads. Resolves when it listens: of several workers
 * one does at a time, and another soon after it ended.
 * @throws Error where the port is taken, except by another worker
 */
export async function listenForMail(
  { protocol, host, port }: NonNullable<Config['incomingMail']>,
  { sink, log, limit, counts, name, isWorker, ending, announce }: ListenerParts,
): Promise<IncomingListener | null> {
  // Loaded only where mail is taken, because every start would wait for it.
  const { SmtpListener } = await import('../../services/incoming-mail/smtp-listener.js');
  const onError = (error: Error): void => log.info({ err: error }, 'a connection for mail failed');
  while (!ending.aborted) {
    const listener = new SmtpListener({
      lmtp: protocol === 'lmtp',
      name,
      sink: deferring(sink, log, counts),
      counts,
      onError,
      guard: (server) => guardServer(server, limit.gate('mails', MAX_CONNECTIONS)),
    });
    try {
      const taken = await listener.listen(host, port);
      const place = `${protocol}://${host}:${taken}`;
      announce(`Mails are taken at ${place}`, { incoming_mail: place });
      return listener;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (!isTaken || !isWorker) {
        throw new Error(`Mail: ${cannotListen(host, port, error).message}`, { cause: error });
      }
      await sleep(TAKE_OVER_MS, undefined, { ref: false, signal: ending }).catch(() => undefined);
    }
  }
  return null;
}

/** A sink that has senders try again while there is none, or where it fails. */
function deferring(sink: () => MailSink | undefined, log: AppLog, counts: MailCounts): MailSink {
  const orAway = async <T>(work: (sink: MailSink) => Promise<T>, away: () => T): Promise<T> => {
    const taker = sink();
    if (!taker) return away();
    // What waits for another node may fail at any time.
    return work(taker).catch((error: unknown) => {
      log.warn({ err: error }, 'a mail was deferred');
      return away();
    });
  };
  return {
    check: (address) =>
      orAway(
        (taker) => taker.check(address),
        () => AWAY,
      ),
    receive: (envelope, raw) =>
      orAway(
        (taker) => taker.receive(envelope, raw),
        () => {
          counts.add('deferred', envelope.to.length);
          return envelope.to.map(() => AWAY);
        },
      ),
  };
}
