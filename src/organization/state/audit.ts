import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { AuditChange, AuditDocument } from '../../../schemas/realm/audit-log.js';
import { MAX_AUDIT_RECORDS } from '../../../schemas/limits.js';
import { positionOf } from '../../journal/entry-reading.js';
import { encodeEntry } from '../../journal/entry-text.js';
import type { DueChange, Lease, Store, Write } from '../../store/port.js';
import {
  auditRecord,
  changesOf,
  OPERATOR,
  valueText,
  type AuditedChange,
  type Actor,
} from './audited.js';
import type { Organization } from './organization.js';

/** The part of a transaction that is recorded. */
interface ActorsTransaction {
  readonly org: Organization;
  /** Position of the transaction's entry. */
  readonly seq: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly actor: Actor;
  readonly deeds: AuditChange[];
}

/** Whether somebody changes how they themselves see things: very frequent, and nobody else's business. */
function isOwnTaste({ collection, id }: AuditedChange, { user }: Actor): boolean {
  return collection === 'user_settings' && user?.user_id === id;
}

/** One change for each document, from what it was before the first change to what it is after the last. */
function byDocument(changes: readonly AuditedChange[]): AuditedChange[] {
  const byName = new Map<string, AuditedChange>();
  for (const change of changes) {
    const name = `${change.collection}:${change.id}`;
    const first = byName.get(name);
    byName.set(name, first ? { ...first, next: change.next } : change);
  }
  return [...byName.values()];
}

/**
 * Records what a transaction changed of settings, where it changed any, in the transaction, as its last work. The
 * oldest record goes where there are too many. The transaction that creates the organization is not recorded: nobody
 * acted.
 */
export function recordSettings(tx: ActorsTransaction): void {
  const { org, seq, now, actor, deeds } = tx;
  const others = org.unit.settings.filter((one) => !isOwnTaste(one, actor));
  if (others.length === 0 && deeds.length === 0) return;
  const changed = byDocument(others);
  if (changed.some((one) => one.collection === 'realm' && !one.previous)) return;
  const nameOf = (id: number): string | undefined => org.users.get(id)?.full_name;
  const record = auditRecord(seq, now, actor, [...deeds, ...changesOf(changed, nameOf)]);
  if (record) insert(tx, record);
}

/** Records something that a transaction does and no document of settings shows. */
export function recordAction(tx: Pick<ActorsTransaction, 'deeds'>, change: AuditChange): void {
  tx.deeds.push(change);
}

/** Records that a topic is being deleted, not which: an owner need not be among those who could read it. */
export function recordTopicDeletion(
  tx: Pick<ActorsTransaction, 'deeds'>,
  { stream_id: id, name }: NamedChannel,
): void {
  const fields = [{ name: 'topic', old: null, new: null }];
  recordAction(tx, { kind: 'channel', id, name, action: 'changed', fields });
}

type NamedChannel = Pick<ChannelDocument, 'stream_id' | 'name'>;

/**
 * Records whom somebody subscribed to channels, or took away from them; not what people do for themselves.
 * @param byUser the channels of each person
 */
export function recordSubscribers(
  tx: Pick<ActorsTransaction, 'deeds'>,
  actorId: number,
  byUser: Iterable<readonly [number, readonly NamedChannel[]]>,
  side: 'old' | 'new',
): void {
  const byChannel = new Map<NamedChannel, number[]>();
  for (const [userId, channels] of byUser) {
    if (userId === actorId) continue;
    for (const one of channels) {
      const ids = byChannel.get(one);
      if (ids) ids.push(userId);
      else byChannel.set(one, [userId]);
    }
  }
  for (const [{ stream_id: id, name }, ids] of byChannel) {
    const fields = [{ name: 'subscribers', old: null, new: null, [side]: valueText(ids) }];
    recordAction(tx, { kind: 'channel', id, name, action: 'changed', fields });
  }
}

function insert({ org }: ActorsTransaction, record: AuditDocument): void {
  org.audit.insert(record);
  for (const id of org.audit.surplus(MAX_AUDIT_RECORDS)) org.audit.delete(id);
}

/** What a command of the operator changes in one journal entry, in a store that no process serves. */
interface OfflineChange {
  readonly writes: readonly Write[];
  readonly due?: readonly DueChange[];
  /** What the audit log tells of it. */
  readonly told: readonly AuditChange[];
}

/** Commits a change of the operator as one journal entry without events, with its audit record. */
export async function commitOffline(
  store: Store,
  lease: Lease,
  now: number,
  { writes, due = [], told }: OfflineChange,
): Promise<void> {
  const last = await store.lastEntry();
  const position = last ? positionOf(last) : { seq: 0, span: 1 };
  const seq = position.seq + position.span;
  const record = auditRecord(seq, now, OPERATOR, told);
  const key = { collection: 'audit_record', id: String(seq) };
  const all: Write[] = [...writes];
  if (record) all.push({ op: 'set', key, document: record });
  const entry = encodeEntry(seq, now, { writes: all, events: [], due });
  await store.commit(lease, { entries: [entry], writes: all, due });
}
