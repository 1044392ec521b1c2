import type { NodeRoleState } from '../../actors/node-role.js';
import type { Config } from '../config/config.js';
import type { IndexFile } from '../organization/state/message-index/index-file.js';
import type { SessionSeals } from '../resources/accounts/session-cookies.js';
import type { LoginLimiter, MailLimiter } from '../resources/kernel/limiters.js';
import type { ApiKeys } from '../services/auth/api-keys.js';
import type { BlobStore } from '../services/blob-store.js';
import type { OneTimeCodes } from '../services/auth/one-time-codes.js';
import type { OpenIdProvider } from '../services/auth/openid-provider.js';
import type { VideoCalls } from '../services/calls/video-calls.js';
import type { SealedState } from '../services/auth/sealed-state.js';
import type { Directory } from '../services/auth/ldap-directory.js';
import type { FileLinks } from '../services/auth/file-links.js';
import type { LinkKeys } from '../services/auth/link-keys.js';
import type { Markdown } from '../services/markdown/markdown.js';
import type { OutsidePreviews } from '../services/outside/outside-previews.js';
import type { WebTokens } from '../services/auth/web-tokens.js';
import type { PushTransport } from '../services/push/push-service.js';
import type { Store } from '../store/port.js';
import type { FirstStart } from './history/first-start.js';
import type { KeySecret } from './history/key-secret.js';
import type { AppLog } from '../host/monitoring/log.js';
import type { FigureHistory } from '../host/monitoring/figure-history.js';
import type { RecentLog } from '../host/monitoring/recent-log.js';
import type { MailService } from '../host/mail/mail-service.js';
import type { SearchIndexes } from '../host/data-folder/search-indexes.js';
import type { RecentCommits } from '../store/metered.js';
import type { Troubles } from '../services/troubles.js';
import type { UsedAt } from './history/queues-at-rest.js';
import type { Witness } from './history/witness.js';
import type { HttpSite } from '../http/http-site.js';

/**
 * What belongs to one organization at a process, and outlives it in memory. A process that hosts several has each of these
 * for each.
 */
export interface OrganizationParts {
  /** What this process does for it now. */
  readonly role: () => NodeRoleState;
  /** What the operator has set for it. */
  readonly config: Config;
  /** Base URL in links. */
  readonly url: string;
  readonly store: Store;
  /** Its side of the HTTP server. */
  readonly site: HttpSite;
  /** What the store took lately. */
  readonly recentCommits: RecentCommits;
  /** What went wrong, for the console. */
  readonly troubles: Troubles;
  /** The log, for lines about this organization. */
  readonly log: AppLog;
  /** The last lines of the log, for the console. */
  readonly recentLog: RecentLog;
  /** Figures of the last hours, kept over restarts. */
  readonly figureHistory: FigureHistory;
  /** Addresses of backups that work for a minute. */
  readonly backupLinks: SealedState;
  /** Secret from which API keys are derived. */
  readonly secret: KeySecret;
  readonly keys: ApiKeys;
  readonly markdown: Markdown;
  /** Null where messages show nothing of other servers. */
  readonly outside: OutsidePreviews | null;
  readonly limiter: LoginLimiter;
  readonly codes: OneTimeCodes;
  readonly linkKeys: LinkKeys;
  readonly mail: MailService;
  /** Null where no service for pushes is configured. */
  readonly push: PushTransport | null;
  readonly mailLimiter: MailLimiter;
  readonly blobs: BlobStore;
  readonly fileLinks: FileLinks;
  readonly searchIndexes: SearchIndexes;
  /** When queues were used, before this process put the organization to sleep. */
  readonly queueUsedAt: UsedAt;
  /** What this node has seen of the store, kept outside of it. */
  readonly witness: Witness;
  /** Whether the witness file lies beside the store, and is copied with it. */
  readonly besideStore: boolean;
  /** Where the index of messages is kept between two starts. */
  readonly indexFile: IndexFile;
  readonly firstStart: FirstStart;
  /** Null where none is configured. */
  readonly directory: Directory | null;
  readonly webTokens: WebTokens | null;
  /** In the order of their buttons; empty where none are configured. */
  readonly providers: readonly OpenIdProvider[];
  /** Services for video calls; all null where none are configured. */
  readonly videoCalls: VideoCalls;
  /** What a browser keeps while somebody logs in by a provider. */
  readonly loginState: SealedState;
  /** What a browser keeps of its session. */
  readonly sessionSeals: SessionSeals;
  /** What a browser hands to the desktop app that opened it. */
  readonly desktopTokens: SealedState;
}
