import type { Health, NodeHealth } from '../http/health.js';
import type { MailSink } from '../services/incoming-mail/mail-protocol.js';
import type { FetchCount } from '../services/outside/outside-previews.js';
import type { NodeFigures } from './monitoring/node-metrics.js';

/** All that a host asks of what it hosts, of which it knows nothing else. */
export interface Hosted {
  /** Which requests can be served now. */
  state(): Health;
  /** Further fields of `/health`. */
  nodeHealth(): NodeHealth;
  /** Null while nothing is in memory. */
  figures(): NodeFigures | null;
  /** Position of the oldest journal entry kept; null where there is none. */
  firstSeq(): Promise<number | null>;
  /** What was fetched of other servers. */
  fetches(): Iterable<FetchCount>;
  /** Takes mails that come in; undefined while there is nobody who can. */
  mailSink(): MailSink | undefined;
}
