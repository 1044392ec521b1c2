/** Ids of a block: a bit each, in 4 KiB. */
const BLOCK = 32_768;

/** Which ids of messages there were: ten million that follow each other take a megabyte and a half. */
export class IdSet {
  private readonly blocks = new Map<number, Uint8Array>();

  /** Notes a whole number. @returns whether it is a new one */
  add(id: number): boolean {
    const number = Math.floor(id / BLOCK);
    let block = this.blocks.get(number);
    if (!block) {
      block = new Uint8Array(BLOCK / 8);
      this.blocks.set(number, block);
    }
    const place = id - number * BLOCK;
    const bit = 1 << (place & 7);
    const isNew = (block[place >> 3]! & bit) === 0;
    block[place >> 3]! |= bit;
    return isNew;
  }
}
