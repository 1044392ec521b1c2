import type { QueueRequest } from '../../journal/queues/queues.js';
import type { ConsoleParams, ConsoleReply } from '../../../schemas/queues/console.js';
import type { NewUpload } from '../../organization/uploads/resumable-uploads.js';
import type { MailEnvelope, MailReply } from '../../services/incoming-mail/mail-protocol.js';
import type { Session } from '../kernel/route.js';

/** A step of an upload in pieces; the bytes of a `write` come beside it. */
export type UploadCall =
  | ({ readonly op: 'create'; readonly user: number } & NewUpload)
  | { readonly op: 'write'; readonly user: number; readonly id: string; readonly offset: number }
  | { readonly op: 'end'; readonly user: number; readonly id: string };

/** What a follower asks of the other nodes; the leader asks nothing. */
export interface OtherNodes {
  /** Resolves once this node has everything that is durable now. @throws ApiError 503 */
  catchUp(): Promise<void>;
  /** Registers a queue at the leader, and waits until this node has it. @returns its id @throws ApiError */
  register(request: QueueRequest): Promise<string>;
  /** What the leader shows administrators, of itself and of all nodes. @throws ApiError 503 */
  console(params: ConsoleParams): Promise<ConsoleReply>;
  /** Has the leader make a message of a mail. @returns a reply for each recipient @throws ApiError */
  receiveMail(envelope: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]>;
  /** Has the leader carry out a step of an upload, and waits until this node has it. @returns its id @throws ApiError */
  upload(call: UploadCall, bytes: Buffer): Promise<string>;
  /** Has the leader record that somebody fetches the file of an export. @throws ApiError */
  exportFetched(exportId: number): Promise<void>;
  /** Redeems a ticket at the leader; null for one that is unknown, used or expired. @throws ApiError */
  redeemTicket(ticket: string): Promise<Session | null>;
}

/** The other nodes, or null on the leader, which a follower may become at any time. */
export type OtherNodesNow = () => OtherNodes | null;
