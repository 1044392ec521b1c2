import { Register } from '../checks/register.js';
import type { World } from '../world/world.js';

/** A file that no message links is removed after so long, by the edits of the program. Milliseconds. */
export const KEPT_MS = 20_000;

/** A file whose upload was acknowledged, or which was found in a list. */
export interface KnownFile {
  readonly name: string;
  readonly url: string;
  readonly data: Buffer;
  /** Where the journal has it; 0 where that is not known. */
  readonly position: number;
  /** When it was asked for, milliseconds: the server knows it since then at the earliest. */
  readonly askedAt: number;
  /** When it was acknowledged, milliseconds. */
  readonly at: number;
  readonly isThere: Register<boolean>;
  /** Position of a message that links it surely; null while there is none. */
  linkedAt: number | null;
  /** Whether somebody may have linked it: others may read it then. */
  mayBeLinked: boolean;
}

/** A file as the server lists it. */
export interface ListedFile {
  readonly name: string;
  readonly size: number;
  readonly path_id: string;
}

/** What became of a file, as far as its bytes tell who it was. */
export type Fate = 'kept' | 'never answered' | 'removed';

/** What the one client that has files may know of them. */
export class KnownFiles {
  all: KnownFile[] = [];
  /** Uploads without an answer that tells their fate: when they were asked for, and their bytes. */
  readonly #astray = new Map<string, { readonly askedAt: number; readonly data: Buffer }>();
  /** Those that were deleted or expired surely, and when that was known, milliseconds. */
  readonly #removedAt = new Map<string, number>();
  /** The store has lost nothing that was acknowledged. */
  #isWhole = true;

  /** @param expires whether files that no message links are removed after {@link KEPT_MS}; otherwise they are kept */
  constructor(
    private readonly world: World,
    /** Who has them. */
    private readonly owner: string,
    private readonly expires: boolean,
  ) {}

  /** An upload is asked for. */
  asked(name: string, data: Buffer): void {
    this.#astray.set(name, { askedAt: this.world.scheduler.now, data });
  }

  /** It is there. */
  add(name: string, url: string, position: number): KnownFile {
    const { scheduler } = this.world;
    const isThere = new Register(true, () => scheduler.now);
    const asked = this.#astray.get(name)!;
    this.#astray.delete(name);
    const own = { name, url, position, at: scheduler.now, isThere };
    const file = { ...asked, ...own, linkedAt: null, mayBeLinked: false };
    if (this.world.isLost(position)) isThere.maybe(false);
    this.all.push(file);
    return file;
  }

  /** Nothing more is asked of it. */
  forget(file: KnownFile): void {
    this.all = this.all.filter((one) => one !== file);
  }

  /** It was removed, as is known for good unless the store goes back. */
  removed(name: string): void {
    this.#astray.delete(name);
    this.#removedAt.set(name, this.world.scheduler.now);
  }

  /** The store lost what it had answered. */
  lose(): void {
    const isLost = (position: number): boolean => this.world.isLost(position);
    for (const file of this.all) {
      file.isThere.lose(isLost);
      if (file.position === 0 || isLost(file.position)) file.isThere.maybe(false);
      if (file.linkedAt !== null && isLost(file.linkedAt)) file.linkedAt = null;
    }
    // What was deleted is there again, without its bytes.
    this.#isWhole = false;
  }

  /** @param since what was acknowledged until then must be known */
  mayBeGone({ isThere, linkedAt, askedAt }: KnownFile, since?: number): boolean {
    if (isThere.mayBe(false, since)) return true;
    const { now } = this.world.scheduler;
    return this.expires && linkedAt === null && now > askedAt + KEPT_MS - 2000;
  }

  /** What must be there is listed, and nothing else is but what was never answered. @param since when it was asked for */
  compare(listed: readonly ListedFile[], since: number): void {
    const { world, owner } = this;
    const names = new Set(listed.map(({ name }) => name));
    for (const file of this.all) {
      const isListed = names.has(file.name);
      const isRight = isListed ? file.isThere.mayBe(true, since) : this.mayBeGone(file, since);
      if (isRight || file.at > since) continue;
      const what = isListed ? 'is listed though it was removed' : 'is not listed';
      world.fault(`${owner}: ${file.name} ${what}`);
    }
    for (const { name, path_id } of listed) {
      if (this.#astray.has(name)) this.add(name, `/user_uploads/${path_id}`, 0);
      else if (this.#isWhole && !this.all.some((one) => one.name === name)) {
        world.fault(`${owner}: ${name} is listed, and is not known`);
      }
    }
  }

  /** At rest: what is not listed is gone for good, and what should have been removed is not there. */
  settle(listed: readonly ListedFile[]): void {
    const names = new Set(listed.map(({ name }) => name));
    for (const { name } of this.all) if (!names.has(name)) this.removed(name);
    this.all = this.all.filter(({ name }) => names.has(name));
    if (!this.expires || !this.#isWhole) return;
    const late = this.world.scheduler.now - 2 * KEPT_MS;
    for (const { name, at, mayBeLinked } of this.all) {
      if (mayBeLinked || at > late) continue;
      this.world.fault(`${this.owner}: ${name} is still there, and no message has ever linked it`);
    }
  }

  /** What became of the bytes of a file, and since when. */
  fateOf(name: string): { readonly fate: Fate; readonly since: number } {
    if (!this.#isWhole) return { fate: 'kept', since: 0 };
    const removedAt = this.#removedAt.get(name);
    if (removedAt !== undefined) return { fate: 'removed', since: removedAt };
    const lost = this.#astray.get(name);
    if (lost) return { fate: 'never answered', since: lost.askedAt };
    return { fate: 'kept', since: 0 };
  }
}
