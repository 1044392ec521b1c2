import type { ResumableUploadDocument } from '../../../schemas/uploads/resumable-uploads.js';
import type { Uploads } from '../../http/files/tus-routes.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  uploadOf,
  type NewUpload,
  ResumableUploads,
} from '../../organization/uploads/resumable-uploads.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { OtherNodesNow, UploadCall } from '../../resources/queues/other-nodes.js';
import type { NodeParts } from '../node-parts.js';

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Takes uploads in pieces on any node: a follower passes each piece on to the leader, so that no more than one of a
 * request is in its memory, and what has come is stored even where the client breaks off.
 */
export class NodeUploads implements Uploads {
  /** What this node does with uploads while it leads. */
  readonly own: ResumableUploads;
  private readonly org: Organization;

  constructor(
    runtime: Runtime,
    { blobs, log }: Pick<NodeParts, 'blobs' | 'log'>,
    private readonly others: OtherNodesNow,
  ) {
    this.org = runtime.org;
    this.own = new ResumableUploads(runtime, {
      blobs,
      onBlobError: (error) => log.error({ err: error }, 'a file could not be removed'),
    });
  }

  async create(userId: number, upload: NewUpload): Promise<ResumableUploadDocument> {
    const id = await this.pass({ op: 'create', user: userId, ...upload });
    return uploadOf(this.org, userId, id);
  }

  async state(userId: number, id: string): Promise<ResumableUploadDocument> {
    const others = this.others();
    // What the client sent last may have reached the leader by another node.
    await (others ? others.catchUp() : this.own.settled(id));
    return uploadOf(this.org, userId, id);
  }

  async write(
    userId: number,
    id: string,
    offset: number,
    bytes: Buffer,
  ): Promise<ResumableUploadDocument> {
    await this.pass({ op: 'write', user: userId, id, offset }, bytes);
    return uploadOf(this.org, userId, id);
  }

  async end(userId: number, id: string): Promise<void> {
    await this.pass({ op: 'end', user: userId, id });
  }

  /** Carries out a call on the node that leads. @returns the id of the upload @throws ApiError */
  async carryOut(call: UploadCall, bytes: Buffer): Promise<string> {
    const { own } = this;
    if (call.op === 'create') return own.create(call.user, call);
    if (call.op === 'write') await own.write(call.user, call.id, call.offset, bytes);
    else await own.end(call.user, call.id);
    return call.id;
  }

  private pass(call: UploadCall, bytes = NOTHING): Promise<string> {
    return this.others()?.upload(call, bytes) ?? this.carryOut(call, bytes);
  }
}
