/**
 * Whether this process may create the organization: only where nothing tells that there was one. An
 * emptied store, or a wrong URL, must not become a new organization whose members are all unknown.
 */
import { existsSync, readdirSync } from 'node:fs';
import type { DocumentKey, Store } from '../store/port.js';
import { unfinishedImport } from '../store/transfer/unfinished.js';
import type { Witness } from './witness.js';

const REALM: DocumentKey = { collection: 'realm', id: 'realm' };

/** The store holds no organization, and this process may not create one; it waits for the right store. */
export class MissingOrganizationError extends Error {
  constructor(store: string, signs: string) {
    super(
      `${store} holds no organization, and this process must not create one: ${signs}. Restore the store ` +
        'or correct its URL. To begin with a new organization, start once with --new-organization on',
    );
    this.name = 'MissingOrganizationError';
  }
}

/** Where the traces of an organization lie. */
export interface Traces {
  readonly secretPath: string;
  /** Folder of uploaded files. */
  readonly files: string;
  readonly witness: Witness;
}

/** Decides about creating the organization, from what lay there when the process started. */
export class FirstStart {
  private constructor(
    /** What tells of an organization, in words; empty for nothing. */
    private signs: string,
  ) {}

  /**
   * Looks around. Call before anything is made.
   * @param wanted the operator asks for a new organization, whatever there was
   */
  static look({ secretPath, files, witness }: Traces, wanted: boolean): FirstStart {
    if (wanted) return new FirstStart('');
    // The file is there, and knows of none: an earlier first start did not come to its end.
    if (!witness.isNew && witness.seen.history === null) return new FirstStart('');
    const signs: string[] = [];
    if (!witness.isNew) signs.push(`${witness.path} knows of one`);
    if (existsSync(secretPath)) signs.push(`${secretPath} is there`);
    if (hasEntries(files)) signs.push(`${files} holds files`);
    return new FirstStart(signs.join(', '));
  }

  /** Whether an empty store may get an organization. */
  get mayCreate(): boolean {
    return this.signs === '';
  }

  /** There is an organization: from now on this process creates none. */
  found(): void {
    this.signs ||= 'it has served one';
  }

  /** @throws MissingOrganizationError for a store without one, where none may be created */
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

function hasEntries(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
