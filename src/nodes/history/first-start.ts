/**
 * Decides whether this process may create the organization: only without signs of an earlier one, because
 * an emptied store or a wrong URL must not become a new organization without members.
 */
import { existsSync } from '../../platform/files.js';
import type { DocumentKey, Store } from '../../store/port.js';
import { unfinishedImport } from '../../store/transfer/unfinished.js';
import type { Witness } from './witness.js';

/** Of the document about the organization itself. */
export const REALM: DocumentKey = { collection: 'realm', id: 'realm' };

/** For an organization beside the main one. */
const ADVICE_OF_CATALOGUE =
  'Mount its disk or restore its folder, then run parley organizations reactivate with its name';

/** The store has no organization, and this process may not create one; it waits for the right store. */
export class MissingOrganizationError extends Error {
  /** @param advice what to do, where it is not what the main organization of a data folder needs */
  constructor(
    store: string,
    signs: string,
    advice = 'Restore the store or correct its URL. To begin with a new organization, start once with --new-organization on',
  ) {
    super(
      `${store} holds no organization, and this process must not create one: ${signs}. ${advice}`,
    );
    this.name = 'MissingOrganizationError';
  }
}

/** Whether a store has an organization. */
export async function holdsOrganization(store: Pick<Store, 'getMany'>): Promise<boolean> {
  const [realm] = await store.getMany([REALM]);
  return realm !== undefined;
}

/** Places with signs of an organization. */
interface Traces {
  readonly secretPath: string;
  /** The catalogue of the organizations beside it, which is made after it; absent or null: there is none. */
  readonly catalogue?: string | null;
  /** What shows that there are uploaded files, in words, or null. */
  readonly files: () => Promise<string | null>;
  readonly witness: Witness;
}

/** Decides about creating the organization, by the files there were when the process started. */
export class FirstStart {
  private constructor(
    /** Signs of an organization, in words; empty for none. */
    private signs: string,
    private readonly advice?: string,
  ) {}

  /** Creates none: the catalogue of a data folder has the organization, created to its end. */
  static never(): FirstStart {
    return new FirstStart('the catalogue has one of this folder', ADVICE_OF_CATALOGUE);
  }

  /**
   * Looks for signs. Call before any file is created.
   * @param wanted the operator asks for a new organization in spite of signs
   */
  static async look(
    { secretPath, catalogue, files, witness }: Traces,
    wanted: boolean,
  ): Promise<FirstStart> {
    if (wanted) return new FirstStart('');
    // The witness exists without a history: an earlier first start was interrupted.
    if (!witness.isNew && witness.seen.history === null) return new FirstStart('');
    const signs: string[] = [];
    if (!witness.isNew) signs.push(`${witness.path} knows of one`);
    if (existsSync(secretPath)) signs.push(`${secretPath} is there`);
    if (catalogue) signs.push(`${catalogue} is there`);
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

  /**
   * Call before a secret is made: it would be in the way of that of a backup.
   * @throws MissingOrganizationError for a store without an organization, where none may be created
   */
  async assertPresent(store: Store): Promise<void> {
    if (this.mayCreate) return;
    if (!(await holdsOrganization(store)) && (await unfinishedImport(store)) === null) {
      this.refuse(store.description);
    }
  }

  /** @throws MissingOrganizationError where none may be created */
  refuse(store: string): void {
    if (!this.mayCreate) throw new MissingOrganizationError(store, this.signs, this.advice);
  }
}
