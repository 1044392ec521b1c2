import type { AuditDocument, AuditKind } from '../../../../schemas/realm/audit-log.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { Collection, type Recorder } from '../collection.js';

/** Which records are asked for. */
export interface AuditQuery {
  /** Only older ones than this. */
  readonly before?: number;
  readonly limit: number;
  /** Of this acting user. */
  readonly user_id?: number;
  /** With a change of this kind. */
  readonly kind?: AuditKind;
  /** With a change of the thing with this number. */
  readonly subject_id?: number;
}

/** Who changed which setting, by the position of the change. */
export class AuditCollection extends Collection<number, AuditDocument> {
  /** Ids in ascending order: of administrators, operator and server; of all others. */
  private readonly weighty: number[] = [];
  private readonly others: number[] = [];

  constructor(recorder: Recorder) {
    super('audit_record', recorder, (record) => record.id);
  }

  /** Ids beyond so many of one kind, oldest first. */
  surplus(limit: number): number[] {
    return [this.weighty, this.others].flatMap((ids) =>
      ids.slice(0, Math.max(0, ids.length - limit)),
    );
  }

  /** When the oldest record was made, milliseconds since 1970; infinite without any. */
  get oldestAt(): number {
    const oldest = [this.weighty, this.others].map(([id]) => this.get(id ?? NaN)?.at ?? Infinity);
    return Math.min(...oldest);
  }

  /** Ids of records of before a time, oldest first. @param at milliseconds since 1970 */
  olderThan(at: number, most: number): number[] {
    const found: number[] = [];
    for (const ids of [this.weighty, this.others]) {
      for (const id of ids) {
        if (found.length === most || this.get(id)!.at >= at) break;
        found.push(id);
      }
    }
    return found;
  }

  /** Records that a query finds, newest first, and whether there are no older ones. */
  find({ before = Infinity, limit, ...query }: AuditQuery): {
    records: AuditDocument[];
    isOldest: boolean;
  } {
    const records: AuditDocument[] = [];
    let [i, j] = [this.weighty.length - 1, this.others.length - 1];
    while (i >= 0 || j >= 0) {
      const [left = -1, right = -1] = [this.weighty[i], this.others[j]];
      const id = Math.max(left, right);
      if (id === left) i -= 1;
      else j -= 1;
      const record = this.get(id)!;
      if (id >= before || !fits(record, query)) continue;
      if (records.length === limit) return { records, isOldest: false };
      records.push(record);
    }
    return { records, isOldest: true };
  }

  protected override reindex(previous?: AuditDocument, next?: AuditDocument): void {
    if (previous) remove(this.idsOf(previous), previous.id);
    if (next) add(this.idsOf(next), next.id);
  }

  private idsOf({ role, way }: AuditDocument): number[] {
    const isWeighty =
      role === null ? way === 'operator' || way === 'server' : role <= ROLE.administrator;
    return isWeighty ? this.weighty : this.others;
  }
}

function fits(
  record: AuditDocument,
  { user_id, kind, subject_id }: Omit<AuditQuery, 'before' | 'limit'>,
): boolean {
  if (user_id !== undefined && record.user_id !== user_id) return false;
  if (kind === undefined && subject_id === undefined) return true;
  return record.changes.some(
    (change) =>
      (kind === undefined || change.kind === kind) &&
      (subject_id === undefined || change.id === subject_id),
  );
}

/** Place of a number in an ascending list: the newest come last, so it is nearly always the end. */
function place(ids: readonly number[], id: number): number {
  if ((ids.at(-1) ?? -1) < id) return ids.length;
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function add(ids: number[], id: number): void {
  ids.splice(place(ids, id), 0, id);
}

function remove(ids: number[], id: number): void {
  const at = place(ids, id);
  if (ids[at] === id) ids.splice(at, 1);
}
