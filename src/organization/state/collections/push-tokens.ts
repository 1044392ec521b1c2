import type { PushTokenDocument, PushService } from '../../../../schemas/personal/push-document.js';
import { type Recorder, release } from '../collection.js';
import { OwnedCollection } from '../user-collections.js';

/** Push tokens of the legacy API; each belongs to one user at a time. */
export class PushTokenCollection extends OwnedCollection<PushTokenDocument> {
  private readonly idByToken = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('push_token', recorder);
  }

  byToken(service: PushService, token: string): PushTokenDocument | undefined {
    const id = this.idByToken.get(`${service}:${token}`);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: PushTokenDocument, next?: PushTokenDocument): void {
    super.reindex(previous, next);
    if (previous && !next) {
      release(this.idByToken, `${previous.service}:${previous.token}`, previous.id);
    }
    if (next) this.idByToken.set(`${next.service}:${next.token}`, next.id);
  }
}
