import { hasTerm, type Term } from '../search/terms.js';
import { Bits, PART_SIZE } from './bits.js';
import type { IndexedMessage, Layer } from './layer.js';

/** A word, once in memory, and the places of the messages that have it. */
interface TailWord {
  readonly word: string;
  readonly places: number[];
}

/** First letters by which words are divided, UTF-16 units. */
const LETTERS = 3;

/** Words of more messages count as equally frequent: counting them costs as much as finding them. */
const MOST_WEIGHT = 1000;

/** Changes of one part, in memory. */
export class TailPart implements Layer {
  readonly findsPhrases = false;
  readonly owned = Bits.none();
  readonly live = Bits.none();
  readonly messages = new Map<number, IndexedMessage | null>();
  private readonly byWord = new Map<string, TailWord>();
  /** The same by their first letters, so that few are compared with a beginning. */
  private readonly byLetters = new Map<string, Set<TailWord>>();

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

  weight(word: string, isPrefix: boolean): number {
    let weight = 0;
    for (const { places } of this.matching(word, isPrefix)) {
      weight += places.length;
      if (weight >= MOST_WEIGHT) break;
    }
    return weight;
  }

  addMatches(word: string, isPrefix: boolean, found: Bits): void {
    for (const { places } of this.matching(word, isPrefix)) {
      for (const place of places) found.add(place);
    }
  }

  keepPhrases(found: Bits, term: Term): void {
    for (let place = found.next(0); place >= 0; place = found.next(place + 1)) {
      if (!hasTerm(this.messages.get(place)?.words ?? [], term)) found.remove(place);
    }
  }

  private *matching(word: string, isPrefix: boolean): Generator<TailWord> {
    if (!isPrefix) {
      const known = this.byWord.get(word);
      if (known) yield known;
      return;
    }
    if (word.length >= LETTERS) {
      for (const known of this.byLetters.get(word.slice(0, LETTERS)) ?? []) {
        if (known.word.startsWith(word)) yield known;
      }
      return;
    }
    for (const [letters, words] of this.byLetters) if (letters.startsWith(word)) yield* words;
  }

  private addWord(word: string): TailWord {
    const known = { word, places: [] };
    this.byWord.set(word, known);
    const letters = word.slice(0, LETTERS);
    const words = this.byLetters.get(letters);
    if (words) words.add(known);
    else this.byLetters.set(letters, new Set([known]));
    return known;
  }

  private removeWord(known: TailWord): void {
    this.byWord.delete(known.word);
    const letters = known.word.slice(0, LETTERS);
    const words = this.byLetters.get(letters)!;
    words.delete(known);
    if (words.size === 0) this.byLetters.delete(letters);
  }

  private knownWords(place: number, { words }: IndexedMessage): string[] {
    return words.map((word) => {
      const known = this.byWord.get(word) ?? this.addWord(word);
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
      const known = this.byWord.get(word)!;
      const { places } = known;
      if (places.length === 1) this.removeWord(known);
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
