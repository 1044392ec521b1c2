import { createHash } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../../organization/state/organization.js';
import { inStretches } from '../../turns/event-loop-yield.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';

/**
 * BotKeys finds the bot with an API key. Keys are derived and stored nowhere, so each bot's is derived once and its
 * digest remembered, until the bot gets another key. By digests: how long a look-up takes says nothing about the keys.
 */
export class BotKeys {
  private readonly byDigest = new Map<string, number>();
  private readonly known = new Map<number, { readonly version: string; readonly digest: string }>();

  constructor(
    private readonly org: Organization,
    private readonly keys: ApiKeys,
  ) {}

  /** The bot, active or not; undefined where none has the key. */
  find(key: string): UserDocument | undefined {
    const digest = digestOf(key);
    return this.current(digest) ?? (this.refresh() ? this.current(digest) : undefined);
  }

  /**
   * Derives the keys of all bots, in stretches, so that no caller does: thousands take longer than anybody may wait.
   */
  async prepare(): Promise<void> {
    await inStretches([...this.org.users.bots], (userId) => this.derive(userId));
  }

  private current(digest: string): UserDocument | undefined {
    const userId = this.byDigest.get(digest);
    const user = userId === undefined ? undefined : this.org.users.get(userId);
    return user && this.known.get(user.user_id)?.version === user.key_version ? user : undefined;
  }

  /** Derives the keys of bots that are new or have another one: some 15 µs each. @returns whether there were any */
  private refresh(): boolean {
    let changed = false;
    for (const userId of this.org.users.bots) changed = this.derive(userId) || changed;
    return changed;
  }

  /** @returns whether the key was not known */
  private derive(userId: number): boolean {
    const version = this.org.users.get(userId)!.key_version;
    const before = this.known.get(userId);
    if (before?.version === version) return false;
    if (before) this.byDigest.delete(before.digest);
    const digest = digestOf(this.keys.derive(userId, version));
    this.byDigest.set(digest, userId);
    this.known.set(userId, { version, digest });
    return true;
  }
}

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
