/** The one file of a bulk export of Mattermost: a line of JSON for each thing, messages in no order of time. */
import { createReadStream, open } from '../../../platform/files.js';
import { decode } from '../../../services/text/decode.js';
import { ArchiveError } from '../archive.js';
import type { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { noteUnknown } from '../unknown-fields.js';
import { LINES } from './mattermost-fields.js';

/** Longest line, bytes: a message with all its answers. */
const MAX_LINE = 64 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Kinds of lines that are kept in memory: they grow with people and channels. */
type Kept = keyof typeof LINES;
const KEPT = Object.keys(LINES) as Kept[];

/** Kinds that nothing here corresponds to, and why. */
const FOREIGN: Readonly<Record<string, string>> = {
  version: '',
  info: '',
  role: 'roles are fixed here',
  scheme: 'roles are fixed here',
};

/** Where a message is in the file, and when it was sent. */
export interface PostPlace {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly from: number;
  readonly length: number;
  /** Which of its answers it is; -1 for the message itself. */
  readonly reply: number;
}

/** What the export has: everything but messages, and where those are. */
export class MattermostFile {
  private readonly lists = new Map<Kept, JsonRow[]>(KEPT.map((kind) => [kind, []]));
  readonly posts: PostPlace[] = [];
  /** Sets of people who write to each other, by their names. */
  readonly conversations = new Map<string, readonly string[]>();
  /** Names of who writes, reacts or takes part, whether a line has them or not. */
  readonly named = new Set<string>();

  private constructor(readonly path: string) {}

  /** @throws ArchiveError */
  static async read(path: string, omissions: Omissions): Promise<MattermostFile> {
    const file = new MattermostFile(path);
    for await (const { line, from } of linesOf(path)) file.take(line, from, omissions);
    file.posts.sort((a, b) => a.time - b.time || a.from - b.from || a.reply - b.reply);
    return file;
  }

  rows(kind: Kept): readonly JsonRow[] {
    return this.lists.get(kind)!;
  }

  private take(line: Buffer, from: number, omissions: Omissions): void {
    const row = rowIn(line, this.path);
    const kind = typeof row['type'] === 'string' ? row['type'] : '';
    const [own = {}] = rowsIn([row[kind]]);
    if (kind === 'post' || kind === 'direct_post') {
      const replies = listIn(own, 'replies');
      // One without a time has no place among the others: nothing settles it.
      omissions.found(MESSAGES, 1 + replies.length);
      const given = own['replies'];
      const strange = Array.isArray(given) ? given.length - replies.length : 0;
      for (let i = 0; i < strange; i++) omissions.missStrange('answers of a message');
      if (kind === 'direct_post') this.addConversation(textsIn(own, 'channel_members'));
      for (const [reply, one] of [[-1, own] as const, ...replies.entries()]) {
        const time = timeIn(one, 'create_at');
        this.name(text(one, 'user'), ...listIn(one, 'reactions').map((by) => text(by, 'user')));
        if (time > 0) this.posts.push({ time, from, length: line.length, reply });
      }
      return;
    }
    const why = FOREIGN[kind];
    const kept = this.lists.get(kind as Kept);
    if (kept) {
      kept.push(own);
      const name = text(own, 'name') || text(own, 'username') || membersIn(own).join();
      noteUnknown(own, LINES[kind as Kept], (what, example) => {
        omissions.add(what, example || name);
      });
    } else if (why === undefined) omissions.found(`lines of the kind ${kind}`);
    else if (why !== '') omissions.add(`lines of the kind ${kind} (${why})`);
    if (kind === 'direct_channel') this.addConversation(membersIn(own));
  }

  private addConversation(members: readonly string[]): void {
    const names = [...members].sort();
    if (names.length > 0) this.conversations.set(names.join(), names);
    this.name(...names);
  }

  private name(...names: readonly string[]): void {
    for (const name of names) if (name !== '') this.named.add(name);
  }
}

/** Who takes part in a conversation; newer exports have more of each than the name. */
export function membersIn(row: JsonRow): string[] {
  const names = textsIn(row, 'members');
  return names.length > 0 ? names : listIn(row, 'participants').map((one) => text(one, 'username'));
}

/** What messages are called in reports. */
export const MESSAGES = 'messages';

/** Reads messages again, one after another; the answers of one are on its line. */
export class PostReader {
  private last: { from: number; row: JsonRow } | null = null;

  private constructor(
    private readonly handle: Awaited<ReturnType<typeof open>>,
    private readonly path: string,
  ) {}

  static async open(path: string): Promise<PostReader> {
    return new PostReader(await open(path, 'r'), path);
  }

  /** The line's own message, and whether it is a direct one. */
  async read({ from, length }: PostPlace): Promise<{ post: JsonRow; isDirect: boolean }> {
    if (this.last?.from !== from) {
      const { buffer } = await this.handle.read(Buffer.alloc(length), 0, length, from);
      this.last = { from, row: rowIn(buffer, this.path) };
    }
    const { row } = this.last;
    const isDirect = row['type'] === 'direct_post';
    return { post: row[isDirect ? 'direct_post' : 'post'] as JsonRow, isDirect };
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function* linesOf(path: string): AsyncGenerator<{ line: Buffer; from: number }> {
  let rest: Buffer = Buffer.alloc(0);
  let from = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE, start)) {
      if (end > start) yield { line: rest.subarray(start, end), from: from + start };
      start = end + 1;
    }
    from += start;
    rest = rest.subarray(start);
    if (rest.length > MAX_LINE)
      throw new ArchiveError(`${path} has a line above ${MAX_LINE} bytes`);
  }
  if (decode(rest).trim() !== '') yield { line: rest, from };
}

function rowIn(line: Buffer, path: string): JsonRow {
  try {
    const value = JSON.parse(decode(line)) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as JsonRow;
  } catch {
    // Said below.
  }
  throw new ArchiveError(
    `${path} has a line that is no JSON object: this is no export of Mattermost`,
  );
}

/** Rows of a list; none where it is null. */
export function listIn(row: JsonRow, field: string): readonly JsonRow[] {
  const list = row[field];
  return Array.isArray(list) ? rowsIn(list) : [];
}

function rowsIn(list: readonly unknown[]): readonly JsonRow[] {
  return list.filter((one): one is JsonRow => {
    return typeof one === 'object' && one !== null && !Array.isArray(one);
  });
}

/** The last time that there is a date for, milliseconds since 1970. */
const LAST_TIME = 8.64e15;

/** Milliseconds since 1970; 0 where there is no such time. */
export function timeIn(row: JsonRow, field: string): number {
  const time = Number(row[field] ?? 0);
  return time >= 0 && time <= LAST_TIME ? Math.round(time) : 0;
}

/** A part of a row that is one of its own; empty where there is none. */
export function part(row: JsonRow, field: string): JsonRow {
  return rowsIn([row[field]])[0] ?? {};
}

/** Texts of a list. */
export function textsIn(row: JsonRow, field: string): string[] {
  const list = row[field];
  return Array.isArray(list) ? (list as unknown[]).filter((one) => typeof one === 'string') : [];
}

/** A text of a row; empty where there is none. */
export function text(row: JsonRow, field: string): string {
  const value = row[field];
  return typeof value === 'string' ? value : '';
}
