/** What each of many messages says, in 32 bits: enough to find the few that two sources say otherwise. */
import { crc32 } from 'node:zlib';

/** Ids that have their numbers in one piece of memory, 4 kB: a message takes 4 bytes where ids are dense. */
const PAGE = 1024;
/** Names that are remembered with their numbers. */
const MAX_NAMES = 100_000;

/** Fingerprints by id. A message that was never noted has 0. */
export class Fingerprints {
  private readonly pages = new Map<number, Uint32Array>();

  get(id: number): number {
    return this.pages.get(Math.floor(id / PAGE))?.[id % PAGE] ?? 0;
  }

  /** Notes a message; adds to what was noted of it. */
  add(id: number, print: number): void {
    const number = Math.floor(id / PAGE);
    let page = this.pages.get(number);
    if (!page) this.pages.set(number, (page = new Uint32Array(PAGE)));
    page[id % PAGE]! += print;
  }

  /** Ids of a range whose fingerprints another source has otherwise, or has not; in no order. */
  *differing(other: Fingerprints, from = 0, to = Infinity): Generator<number> {
    for (const number of new Set([...this.pages.keys(), ...other.pages.keys()])) {
      if (number * PAGE > to || (number + 1) * PAGE <= from) continue;
      for (let id = number * PAGE; id < (number + 1) * PAGE; id++) {
        if (id >= from && id <= to && this.get(id) !== other.get(id)) yield id;
      }
    }
  }
}

/** The fingerprint of a text; never 0. */
export function printOf(text: string): number {
  return crc32(text) || 1;
}

const names = new Map<string, number>();

/** As {@link printOf}, of a short text that comes again and again. */
export function printOfName(name: string): number {
  let print = names.get(name);
  if (print === undefined) {
    if (names.size >= MAX_NAMES) names.clear();
    names.set(name, (print = printOf(name)));
  }
  return print;
}
