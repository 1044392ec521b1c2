import type { RealmExportDocument } from '../../schemas/realm/exports.js';
import type { Queues } from '../journal/queues/queues.js';
import type { PresenceTracker } from '../organization/presence/presence-tracker.js';
import type { TopicDeletions } from '../organization/messages/deletion/topic-deletions.js';
import type { ApiKeys } from '../services/auth/api-keys.js';
import type { Directory } from '../services/auth/ldap-directory.js';
import type { VideoCalls } from '../services/calls/video-calls.js';
import type { LinkKeys } from '../services/auth/link-keys.js';
import type { Markdown } from '../services/markdown/markdown.js';
import type { OneTimeCodes } from '../services/auth/one-time-codes.js';
import type { Passwords } from '../services/auth/passwords.js';
import type { WebTokens } from '../services/auth/web-tokens.js';
import type { LoginLimiter, MailLimiter } from './kernel/limiters.js';
import type { PictureParts } from './users/picture-upload.js';
import type { MailSender } from './administration/mails.js';
import type { ServerDeeds } from './administration/server.js';
import type { SessionCookies } from './accounts/session-cookies.js';
import type { Console } from './queues/console.js';
import type { OtherNodesNow } from './queues/other-nodes.js';
import type { SocketTickets } from './queues/socket-tickets.js';
import type { UploadParts } from './uploads/uploads.js';

/** What the handlers of all resources need between them. */
export interface HandlerParts extends PictureParts, UploadParts {
  readonly queues: Queues;
  readonly otherNodes: OtherNodesNow;
  readonly presence: PresenceTracker;
  readonly topicDeletions: TopicDeletions;
  readonly markdown: Markdown;
  /** Called when the waiting period of new members was changed. */
  readonly waitingPeriodChanged: () => void;
  readonly passwords: Passwords;
  readonly keys: ApiKeys;
  readonly limiter: LoginLimiter;
  /** Codes of authenticator apps. */
  readonly codes: OneTimeCodes;
  readonly directory: Directory | null;
  readonly webTokens: WebTokens | null;
  readonly videoCalls: VideoCalls;
  /** Makes the file of an export of the organization. */
  readonly runExport: (begun: RealmExportDocument) => void;
  /** A service for video calls did not do what it was asked. */
  readonly onCallError: (error: unknown) => void;
  readonly tickets: SocketTickets;
  /** What browsers keep of their sessions. */
  readonly sessions: SessionCookies;
  /** What administrators see of the node. */
  readonly console: Console;
  readonly mailSender: MailSender;
  /** What administrators have the server do. */
  readonly serverDeeds: ServerDeeds;
  readonly linkKeys: LinkKeys;
  readonly mailLimiter: MailLimiter;
  readonly invitationValidityMinutes: number;
}
