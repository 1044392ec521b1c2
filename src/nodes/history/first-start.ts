/**
 * Decides whether this process may create the organization: only without signs of an earlier one, because
 * an emptied store or a wrong URL must not become a new organization without members.
 */
import { existsSync } from '../../platform/files.js';
import type { DocumentKey, Store } from '../../store/port.js';
import { unfinishedImport } from '../../store/transfer/unfinished.js';
import type { Witness } from './witness.js';

const REALM: DocumentKey = { collection: 'realm', id: 'realm' };

/** The store has no organization, and this process may not create one; it waits for the right store. */
export class MissingOrganizationError extends Error {
  constructor(store: string, signs: string) {
    super(
      `${store} holds no organization, and this process must not create one: ${signs}. Restore the store ` +
        'or correct its URL. To begin with a new organization, start once with --new-organization on',
    );
    this.name = 'MissingOrganizationError';
  }
}

/** Places with signs of an organization. */
interface Traces {
  readonly secretPath: string;
  /** What shows that there are uploaded files, in words, or null. */
  readonly files: () => Promise<string | null>;
  readonly witness: Witness;
}

/** Decides about creating the organization, by the files there were when the process started. */
export class FirstStart {
  private constructor(
    /** Signs of an organization, in words; empty for none. */
    private signs: string,
  ) {}

  /**
   * Looks for signs. Call before any file is created.
   * @param wanted the operator asks for a new organization in spite of signs
   */
  static async look({ secretPath, files, witness }: Traces, wanted: boolean): Promise<FirstStart> {
    if (wanted) return new FirstStart('');
    // The witness exists without a history: an earlier first start was interrupted.
    if (!witness.isNew && witness.seen.history === null) return new FirstStart('');
    const signs: string[] = [];
    if (!witness.isNew) signs.push(`${witness.path} knows of one`);
    if (existsSync(secretPath)) signs.push(`${secretPath} is there`);
    // A bucket is far away, and one that does not answer would delay every start.
    const sign = signs.length === 0 ? await files() : null;
    if (sign !== null) signs.push(sign);
    return new FirstStart(signs.join(', '));
  }

  /** Whether an empty store may get an organization. */
  get mayCreate(): boolean {
    return this.signs === '';
  }

  /** Call when the organization exists: from now on this process creates none. */
  found(): void {
    this.signs ||= 'it has served one';
  }

  /** @throws MissingOrganizationError for a store without an organization, where none may be created */
  async assertPresent(store: Store): Promise<void> {
    if (this.mayCreate) return;
    const [realm] = await store.getMany([REALM]);
    if (realm === undefined && (await unfinishedImport(store)) === null) {
      this.refuse(store.description);
    }
  }

  /** @throws MissingOrganizationError where none may be created */
  refuse(store: string): void {
    if (!this.mayCreate) throw new MissingOrganizationError(store, this.signs);
  }
}
