/** The search indexes of processes, compared with the documents of messages. */
import { join } from 'node:path';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { existsSync, readdirSync } from '../../platform/files.js';
import { nextTurn } from '../../platform/timers.js';
import { IndexReader } from '../../services/search-index/index-reader.js';
import type { IndexedMessage } from '../../services/search-index/layer.js';
import type { IndexState } from '../../services/search-index/protocol.js';
import { indexed } from '../../services/search-index/search-index.js';
import { FIRST_HISTORY } from '../../organization/messages/search/search-feed.js';
import { Fingerprints, printOf } from './fingerprints.js';
import { compareAgain, MOST_SUSPECTS, type ComparedStore } from './kept-comparison.js';

/** How often an index is opened while a server replaces its files. */
const TRIES = 5;

/** Collects the words of all messages as fingerprints, 4 bytes each, and compares the indexes that are kept. */
export class SearchIndexCheck {
  private readonly prints = new Fingerprints();
  private readonly folders: readonly string[];

  /** @param place the folder of the indexes of all processes */
  constructor(
    private readonly store: ComparedStore,
    place: string,
    private readonly report: (line: string) => void,
  ) {
    this.folders = foldersIn(place);
  }

  add(message: MessageDocument): void {
    if (this.folders.length > 0) this.prints.add(message.id, documentPrint(message));
  }

  /** Compares, once all messages were added. */
  async finish(): Promise<void> {
    for (const folder of this.folders) await this.compare(folder);
  }

  private async compare(folder: string): Promise<void> {
    const name = `search index ${folder}`;
    for (let left = TRIES; ; left--) {
      try {
        await this.compareOnce(name, folder);
        return;
      } catch (error) {
        // Its files may have been replaced by newer ones as they were read.
        const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
        if (isGone && left > 1) continue;
        this.report(`${name}: ${(error as Error).message}`);
        return;
      }
    }
  }

  private async compareOnce(name: string, folder: string): Promise<void> {
    const reader = IndexReader.open(folder);
    if (!reader || !(await this.goesOn(reader.state))) return;
    const { position, coveredFrom } = reader.state;
    const said = new Map<number, number>();
    const lines: string[] = [];
    let from = coveredFrom;
    const suspect = (found: Fingerprints, to: number): void => {
      for (const id of this.prints.differing(found, from, to)) {
        // One more than are told apart.
        if (said.size <= MOST_SUSPECTS) said.set(id, found.get(id));
      }
      from = Math.max(from, to + 1);
    };
    for (const part of reader.parts()) {
      suspect(NOTHING, part.from - 1);
      const found = new Fingerprints();
      for (const [id, message] of part.messages) found.add(id, wordsPrint(id, message));
      suspect(found, part.to);
      for (const id of part.misfound)
        lines.push(`${name}: message:${id} is not found by its words`);
      await nextTurn();
    }
    suspect(NOTHING, Infinity);
    const kept = {
      ...{ name, next: position + 1 },
      printIn: (id: number) => said.get(id) ?? 0,
      printOf: (one: MessageDocument) => documentPrint(one),
    };
    await compareAgain(this.store, kept, said.keys(), (line) => void lines.push(line));
    // Only now: an attempt that its server made void reports nothing.
    lines.forEach(this.report);
  }

  /** Whether the next start goes on with an index; another is made anew then, and is no damage. */
  private async goesOn({ history, position }: IndexState): Promise<boolean> {
    const { store } = this;
    const [known] = await store.getMany([{ collection: 'history', id: 'history' }]);
    if (history !== (known?.['id'] ?? FIRST_HISTORY)) return false;
    const [first, last] = [await store.firstSeq(), await store.lastEntry()];
    return position <= (last?.seq ?? 0) && (first ?? Infinity) <= position;
  }
}

const NOTHING = new Fingerprints();

/** The folders of indexes in a place: each process takes one, by number. */
function foldersIn(place: string): string[] {
  if (!existsSync(place)) return [];
  return readdirSync(place)
    .filter((name) => /^\d+$/.test(name))
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(place, name));
}

/** What a search finds a message by. */
function wordsPrint(id: number, { recipient, sender, words }: IndexedMessage): number {
  return printOf(`${id} ${recipient} ${sender} ${words.join(' ')}`);
}

function documentPrint(message: MessageDocument): number {
  return wordsPrint(message.id, indexed(message));
}
