import type {
  InvitationDocument,
  InvitationTallyDocument,
  MultiuseInvitationDocument,
} from '../../../../schemas/invitations/invites.js';
import { Collection, release, type Recorder } from '../collection.js';

interface Linked {
  readonly id: number;
  readonly key_hash: string;
}

/** Documents with a number, also indexed by the digest of their link's key. */
class LinkedCollection<D extends Linked> extends Collection<number, D> {
  private readonly idByHash = new Map<string, number>();

  constructor(name: string, recorder: Recorder) {
    super(name, recorder, (document) => document.id);
  }

  byKeyHash(hash: string): D | undefined {
    const id = this.idByHash.get(hash);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: D, next?: D): void {
    if (previous && previous.key_hash !== next?.key_hash) {
      release(this.idByHash, previous.key_hash, previous.id);
    }
    if (next) this.idByHash.set(next.key_hash, next.id);
  }
}

/** Invitations by mail that were neither accepted nor revoked; some have expired. */
export class InvitationCollection extends LinkedCollection<InvitationDocument> {
  constructor(recorder: Recorder) {
    super('invitation', recorder);
  }
}

/** Reusable links, including revoked and expired ones. */
export class MultiuseInvitationCollection extends LinkedCollection<MultiuseInvitationDocument> {
  constructor(recorder: Recorder) {
    super('multiuse_invitation', recorder);
  }
}

/** Number of invitations sent today; a single document. */
export class InvitationTallyCollection extends Collection<string, InvitationTallyDocument> {
  constructor(recorder: Recorder) {
    super('invitation_tally', recorder, () => 'today');
  }

  /** Invitations sent on the UTC day of a time. @param now milliseconds since 1970 */
  sentOn(now: number): number {
    const tally = this.get('today');
    return tally?.day === dayOf(now) ? tally.sent : 0;
  }

  add(now: number, count: number): void {
    this.insert({ day: dayOf(now), sent: this.sentOn(now) + count });
  }
}

function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}
