import type { HttpServer } from '../http/server.js';
import type { Passwords } from '../services/auth/passwords.js';
import type { MailCounts } from '../services/incoming-mail/mail-counts.js';
import type { MailReader } from '../services/incoming-mail/mail-reader.js';
import type { Pictures } from '../services/pictures/pictures.js';
import type { WebApp } from '../services/web-app/web-app.js';

/** What a process has once, for all organizations that it hosts. Nothing of it tells them apart. */
export interface HostParts {
  /** Id of this process, for other nodes. */
  readonly nodeId: string;
  /** The listeners, and what waits for a reply. */
  readonly server: HttpServer;
  /** Opened for a command of the operator: nothing happens by itself, no mail is sent and no message delivered. */
  readonly maintenance: boolean;
  /** Called when a store must be opened again, which needs a new process: this one ends. */
  readonly unusable: (error: unknown) => void;
  /** Hashes passwords in threads. */
  readonly passwords: Passwords;
  /** Makes thumbnails in another process. */
  readonly pictures: Pictures;
  /** Reads mails that come in, in a thread. */
  readonly mailReader: MailReader;
  /** Counts them. */
  readonly mailCounts: MailCounts;
  /** Null where none is served. */
  readonly webApp: WebApp | null;
}
