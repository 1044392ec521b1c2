import type { MessageColumns } from './message-columns.js';
import { PostingList } from './posting-lists.js';

interface BitList {
  readonly list: PostingList;
  /** Of the columns, when the list was made. */
  readonly version: number;
  /** Rows that were looked at. */
  rows: number;
}

/**
 * BitLists has lists of the messages with a property (`has:link`), made when a narrow first asks for them: a look at a
 * million rows takes 3 ms, testing the messages one by one thirty times as long. New messages are added when the list is
 * asked for again; it is made anew where older ones have changed. Removed messages may still be in it.
 */
export class BitLists {
  private readonly lists = new Map<number, BitList>();

  constructor(private readonly columns: MessageColumns) {}

  /** @param bit one of `BIT` */
  of(bit: number): PostingList {
    const { columns } = this;
    const version = columns.versionOf(bit);
    let known = this.lists.get(bit);
    if (!known || known.version !== version || known.rows > columns.length) {
      this.lists.set(bit, (known = { list: new PostingList(), version, rows: 0 }));
    }
    for (; known.rows < columns.length; known.rows += 1) {
      if ((columns.bitsAt(known.rows) & bit) !== 0) known.list.add(columns.idAt(known.rows));
    }
    return known.list;
  }
}
