import { hasTerm, type Term } from '../search/terms.js';
import { Bits, PART_SIZE } from './bits.js';
import type { IndexedMessage, Layer } from './layer.js';

/** Changes of one part, in memory. */
export class TailPart implements Layer {
  readonly owned = Bits.none();
  readonly live = Bits.none();
  readonly messages = new Map<number, IndexedMessage | null>();
  /** Each word once, with the places of the messages that have it. */
  private readonly byWord = new Map<string, { readonly word: string; readonly places: number[] }>();

  /** @param message null where it is gone */
  put(place: number, message: IndexedMessage | null): void {
    this.takeOut(place);
    this.messages.set(place, message && { ...message, words: this.knownWords(place, message) });
    this.owned.add(place);
    if (message) this.live.add(place);
  }

  recipients(): (place: number) => number {
    return (place) => this.messages.get(place)!.recipient;
  }

  senders(): (place: number) => number {
    return (place) => this.messages.get(place)!.sender;
  }

  addMatches(word: string, isPrefix: boolean, found: Bits): void {
    if (!isPrefix) {
      for (const place of this.byWord.get(word)?.places ?? []) found.add(place);
      return;
    }
    for (const { word: known, places } of this.byWord.values()) {
      if (known.startsWith(word)) for (const place of places) found.add(place);
    }
  }

  keepPhrases(found: Bits, term: Term): void {
    for (let place = found.next(0); place >= 0; place = found.next(place + 1)) {
      if (!hasTerm(this.messages.get(place)?.words ?? [], term)) found.remove(place);
    }
  }

  private knownWords(place: number, { words }: IndexedMessage): string[] {
    return words.map((word) => {
      let known = this.byWord.get(word);
      if (!known) this.byWord.set(word, (known = { word, places: [] }));
      const { places } = known;
      if (places[places.length - 1] !== place) places.push(place);
      return known.word;
    });
  }

  private takeOut(place: number): void {
    const former = this.messages.get(place);
    if (!former) return;
    this.live.remove(place);
    for (const word of new Set(former.words)) {
      const { places } = this.byWord.get(word)!;
      if (places.length === 1) this.byWord.delete(word);
      else places.splice(places.indexOf(place), 1);
    }
  }
}

/** What changed since the files of the index were written, in memory: the newest state of each message. */
export class Tail {
  readonly parts = new Map<number, TailPart>();

  /** Messages in it, also those that are gone. */
  size = 0;

  /** @param message null where it is gone */
  put(id: number, message: IndexedMessage | null): void {
    const number = Math.floor(id / PART_SIZE);
    let part = this.parts.get(number);
    if (!part) this.parts.set(number, (part = new TailPart()));
    const before = part.messages.size;
    part.put(id % PART_SIZE, message);
    this.size += part.messages.size - before;
  }
}
