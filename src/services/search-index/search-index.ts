import { join } from 'node:path';
import { existsSync } from '../../platform/files.js';
import { randomBytes } from '../../platform/randomness.js';
import { monotonicTime } from '../../platform/time.js';
import { nextTurn } from '../../platform/timers.js';
import { messageWords } from '../search/terms.js';
import { Bits, PART_SIZE } from './bits.js';
import { ChangeLog, readLogs } from './change-log.js';
import { readManifest, removeOthers, writeManifest, type Manifest } from './folder.js';
import { matchesIn, restrictionOf } from './finding.js';
import type { IndexedMessage, Layer } from './layer.js';
import type { Merged, MergeJob } from './merge.js';
import type {
  IndexAnswer,
  IndexBatch,
  IndexedDocument,
  IndexQuery,
  IndexState,
  OpenedIndex,
} from './protocol.js';
import { Segment } from './segment.js';
import { Tail } from './tail.js';

/**
 * Changes in memory from which on they are merged into the files: some 25 MB of memory, and 5 MB to read at a
 * start; a part that grows is written two or three times until it is full.
 */
const MERGED_AT = 32_768;
/** Time after which other questions have their turn, and the longest that one question is worked on. Milliseconds. */
const TURN_MS = 5;
const MAX_FIND_MS = 500;

const EMPTY: IndexState = { history: null, position: 0, coveredFrom: Infinity };

/**
 * SearchIndex finds messages by their words. It is divided by id into parts of 65,536 messages, so that what is
 * newest is found first. Each part has a file that is never changed, and above it what changed since, in memory and in
 * a log; a part with many changes is written anew by `merge`. Its folder survives a kill at any moment: a
 * manifest names what belongs to it. What is damaged or of another form is thrown away, and what is damaged told.
 */
export class SearchIndex {
  private current: IndexState = EMPTY;
  private readonly segments = new Map<number, { file: string; segment: Segment }>();
  private tail = new Tail();
  /** Being merged; null while nothing is. */
  private merging: Tail | null = null;
  private merged: Promise<void> = Promise.resolve();
  private logs: string[] = [];
  private log: ChangeLog | undefined;
  private files = 0;
  private finding = 0;
  private problem: string | null = null;
  /** Replaced by newer ones, but perhaps still read. */
  private readonly retired: Segment[] = [];

  private constructor(
    private readonly folder: string,
    private readonly merge: (job: MergeJob) => Promise<Merged>,
    private readonly mergedAt: number,
    private readonly clock: () => number,
  ) {}

  /**
   * Opens the index of a folder, or begins an empty one.
   * @param clock milliseconds, monotonic
   */
  static open(
    folder: string,
    merge: (job: MergeJob) => Promise<Merged>,
    mergedAt = MERGED_AT,
    clock: () => number = () => monotonicTime(),
  ): SearchIndex {
    const index = new SearchIndex(folder, merge, mergedAt, clock);
    try {
      const manifest = readManifest(folder);
      removeOthers(folder, manifest);
      if (manifest) index.load(manifest);
    } catch (error) {
      index.problem = (error as Error).message;
      index.clear();
    }
    return index;
  }

  get state(): IndexState {
    return this.current;
  }

  /** How it was found when it was opened. Costs a pass over all parts. */
  get opened(): OpenedIndex {
    let messages = 0;
    let lastId = 0;
    for (const part of this.partsOf({ direction: 'up', from: 0, to: Infinity })) {
      const live = Bits.none();
      for (const layer of this.layersOf(part).reverse()) {
        live.subtract(layer.owned);
        live.unite(layer.live);
      }
      messages += live.size;
      const last = live.previous(PART_SIZE - 1);
      if (last >= 0) lastId = part * PART_SIZE + last;
    }
    return { ...this.current, messages, lastId, problem: this.problem };
  }

  /** Throws everything away and begins at a position. */
  reset(state: IndexState): void {
    this.clear();
    this.current = state;
    this.beginLog();
    this.writeManifest();
  }

  /** Applies changes; resolves when they are in the log, so that they survive a kill. */
  async apply(batch: IndexBatch): Promise<void> {
    const { documents, removed, position, coveredFrom } = batch;
    const changes = [
      ...documents.map((document) => [document.id, indexed(document)] as const),
      ...removed.map((id) => [id, null] as const),
    ];
    this.log!.write({ position, coveredFrom, changes });
    for (const [id, message] of changes) this.tail.put(id, message);
    this.current = { ...this.current, position, coveredFrom };
    if (this.tail.size < this.mergedAt) return;
    if (!this.merging) this.beginMerge();
    // Further changes wait while it runs.
    else await this.merged;
  }

  /** Messages that match, in order; others have their turns meanwhile. */
  async find(query: IndexQuery): Promise<IndexAnswer> {
    this.finding += 1;
    try {
      return await this.look(query);
    } finally {
      this.finding -= 1;
      this.closeRetired();
    }
  }

  private async look(query: IndexQuery): Promise<IndexAnswer> {
    const { direction, from, to, limit } = query;
    const began = this.clock();
    let turn = began;
    const restriction = restrictionOf(query);
    const ids: number[] = [];
    const isUp = direction === 'up';
    const parts = this.partsOf(query);
    for (const part of parts) {
      const start = part * PART_SIZE;
      const now = this.clock();
      // The first part is always looked at: it may begin before the range, and every answer goes on from there.
      if (part !== parts[0] && now - began > MAX_FIND_MS) {
        return { ids, next: isUp ? start : start + PART_SIZE - 1 };
      }
      if (now - turn > TURN_MS) {
        await nextTurn();
        turn = this.clock();
      }
      const found = matchesIn(part, this.layersOf(part), query, restriction);
      if (!found) continue;
      let place = isUp ? found.next(0) : found.previous(PART_SIZE - 1);
      for (; place >= 0; place = isUp ? found.next(place + 1) : found.previous(place - 1)) {
        const id = start + place;
        if (isUp ? id < from : id > from) continue;
        if (isUp ? id > to : id < to) return { ids, next: undefined };
        ids.push(id);
        if (ids.length >= limit) return { ids, next: isUp ? id + 1 : id - 1 };
      }
    }
    return { ids, next: undefined };
  }

  /** Ends in good order; a merge that goes on is done anew after the next start, and what it wrote is left alone. */
  close(): void {
    this.merging = null;
    this.log?.sync();
    this.closeLog();
    for (const { segment } of this.segments.values()) segment.close();
  }

  private load(manifest: Manifest): void {
    this.current = manifest;
    for (const [part, file] of manifest.segments) {
      this.segments.set(part, { file, segment: Segment.open(join(this.folder, file)) });
    }
    this.logs = [...manifest.logs];
    const paths = this.logs.map((name) => join(this.folder, name));
    const length = readLogs(paths, ({ position, coveredFrom, changes }) => {
      for (const [id, message] of changes) this.tail.put(id, message);
      this.current = { ...this.current, position, coveredFrom };
    });
    const last = paths.at(-1);
    if (last !== undefined) this.log = ChangeLog.append(last, length);
    const { history, position, coveredFrom } = this.current;
    this.current = { history, position, coveredFrom };
  }

  private clear(): void {
    this.closeLog();
    this.retired.push(...[...this.segments.values()].map(({ segment }) => segment));
    this.segments.clear();
    this.closeRetired();
    this.current = EMPTY;
    this.tail = new Tail();
    this.merging = null;
    this.logs = [];
    removeOthers(this.folder, null);
  }

  private closeLog(): void {
    this.log?.close();
    this.log = undefined;
  }

  private closeRetired(): void {
    if (this.finding > 0) return;
    for (const segment of this.retired.splice(0)) segment.close();
  }

  private beginLog(): void {
    this.log?.close();
    const name = this.newName('log');
    this.log = ChangeLog.create(join(this.folder, name));
    this.logs.push(name);
  }

  private newName(kind: string): string {
    let name: string;
    do name = `${kind}-${++this.files}`;
    while (existsSync(join(this.folder, name)));
    return name;
  }

  private writeManifest(): void {
    const { history, position, coveredFrom } = this.current;
    const segments = [...this.segments].map(([part, { file }]) => [part, file] as const);
    writeManifest(this.folder, { history, position, coveredFrom, segments, logs: this.logs });
  }

  /** What is in memory so far is merged; what comes goes to another log. */
  private beginMerge(): void {
    this.log!.sync();
    const logs = [...this.logs];
    const merging = this.tail;
    this.merging = merging;
    this.tail = new Tail();
    this.beginLog();
    this.writeManifest();
    const segments = [...this.segments].map(([part, { file }]) => [part, file] as const);
    const suffix = randomBytes(6).toString('hex');
    this.merged = this.merge({ folder: this.folder, logs, segments, suffix }).then((files) => {
      // Thrown away meanwhile.
      if (this.merging !== merging) return;
      this.endMerge(files, logs);
    });
  }

  private endMerge(files: Merged, logs: readonly string[]): void {
    const former = files.flatMap(([part]) => this.segments.get(part) ?? []);
    for (const [part, file] of files) {
      if (file === null) this.segments.delete(part);
      else this.segments.set(part, { file, segment: Segment.open(join(this.folder, file)) });
    }
    this.merging = null;
    this.logs = this.logs.filter((name) => !logs.includes(name));
    this.writeManifest();
    this.retired.push(...former.map(({ segment }) => segment));
    this.closeRetired();
    const { history, position, coveredFrom } = this.current;
    const segments = [...this.segments].map(([part, { file }]) => [part, file] as const);
    removeOthers(this.folder, { history, position, coveredFrom, segments, logs: this.logs });
  }

  /** The parts that may have messages of a range, in order. */
  private partsOf({
    direction,
    from,
    to,
  }: Pick<IndexQuery, 'direction' | 'from' | 'to'>): number[] {
    const [lowest, highest] = direction === 'up' ? [from, to] : [to, from];
    const tails = [this.tail, ...(this.merging ? [this.merging] : [])];
    const parts = new Set([
      ...this.segments.keys(),
      ...tails.flatMap((tail) => [...tail.parts.keys()]),
    ]);
    return [...parts]
      .filter((part) => part * PART_SIZE <= highest && (part + 1) * PART_SIZE > lowest)
      .sort((a, b) => (direction === 'up' ? a - b : b - a));
  }

  /** What is said of a part, the newest first. */
  private layersOf(part: number): Layer[] {
    const layers: (Layer | undefined)[] = [
      this.tail.parts.get(part),
      this.merging?.parts.get(part),
      this.segments.get(part)?.segment,
    ];
    return layers.filter((layer) => layer !== undefined);
  }
}

/** A message as the index knows it, of its document. */
export function indexed(document: Omit<IndexedDocument, 'id'>): IndexedMessage {
  return {
    recipient: document.recipient_id,
    sender: document.sender_id,
    words: messageWords(document),
  };
}
