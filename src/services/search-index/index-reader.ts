import { join } from 'node:path';
import { Bits, PART_SIZE } from './bits.js';
import { readLogs } from './change-log.js';
import { readManifest, type Manifest } from './folder.js';
import type { IndexedMessage } from './layer.js';
import type { IndexState } from './protocol.js';
import { Segment } from './segment.js';
import { Tail } from './tail.js';

/** One part of an index, read: ids of the messages from one to another. */
export interface ReadPart {
  readonly from: number;
  readonly to: number;
  /** Its messages, in no order; once. */
  readonly messages: Iterable<readonly [id: number, message: IndexedMessage]>;
  /** Those that a search finds by other words than they have. */
  readonly misfound: readonly number[];
}

/** Reads a whole search index and changes nothing, also while a server has it: its files are written once. */
export class IndexReader {
  private readonly tail = new Tail();
  /** How far the index is. */
  readonly state: IndexState;

  private constructor(
    private readonly folder: string,
    private readonly manifest: Manifest,
  ) {
    let { position, coveredFrom } = manifest;
    const paths = manifest.logs.map((name) => join(folder, name));
    readLogs(paths, ({ changes, ...batch }) => {
      for (const [id, message] of changes) this.tail.put(id, message);
      ({ position, coveredFrom } = batch);
    });
    this.state = { history: manifest.history, position, coveredFrom };
  }

  /**
   * The index of a folder; null where there is none of this version.
   * @throws Error where it is damaged, or a server replaced its files meanwhile
   */
  static open(folder: string): IndexReader | null {
    const manifest = readManifest(folder);
    return manifest && new IndexReader(folder, manifest);
  }

  /**
   * Each part, in the order of ids; memory has one at a time.
   * @throws as `open`
   */
  *parts(): Generator<ReadPart> {
    const files = new Map(this.manifest.segments);
    const numbers = new Set([...files.keys(), ...this.tail.parts.keys()]);
    for (const part of [...numbers].sort((a, b) => a - b)) {
      const file = files.get(part);
      const segment = file === undefined ? null : Segment.open(join(this.folder, file));
      try {
        yield this.read(part, segment);
      } finally {
        segment?.close();
      }
    }
  }

  private read(part: number, segment: Segment | null): ReadPart {
    const from = part * PART_SIZE;
    const wrong = segment?.misfound() ?? Bits.none();
    const newer = this.tail.parts.get(part);
    if (newer) wrong.subtract(newer.owned);
    const misfound = placesOf(wrong).map((place) => from + place);
    return { from, to: from + PART_SIZE - 1, messages: this.messages(part, segment), misfound };
  }

  private *messages(
    part: number,
    segment: Segment | null,
  ): Generator<readonly [id: number, message: IndexedMessage]> {
    const from = part * PART_SIZE;
    const newer = this.tail.parts.get(part);
    for (const [place, message] of newer?.messages ?? []) {
      if (message) yield [from + place, message];
    }
    if (!segment) return;
    for (const [place, message] of segment.messages(newer?.owned ?? Bits.none())) {
      yield [from + place, message];
    }
  }
}

function placesOf(bits: Bits): number[] {
  const places: number[] = [];
  for (let place = bits.next(0); place >= 0; place = bits.next(place + 1)) places.push(place);
  return places;
}
