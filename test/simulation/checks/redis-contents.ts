import { CHECKSUM_FIELD, checksumOf, unsealDocument } from '../../../src/store/checksum.js';
import { fromValueText } from '../../../src/store/redis/documents.js';
import type { Document, DocumentKey } from '../../../src/store/port.js';
import { placeOf, type Change, type Database, type Value } from '../redis/database.js';
import type { StoreCheck, StoreContents, StoredDocument } from './store-check.js';

const PREFIX = 'parley:{main}:';
const JOURNAL = `${PREFIX}@journal`;
const WRITER = `${PREFIX}@writer`;

/** What a store on Redis has. */
export function redisContents(db: () => Database): StoreContents {
  return {
    document: (key) => storedDocument(db(), key),
    *keys() {
      for (const name of db().keys()) {
        if (!name.startsWith(PREFIX) || name.startsWith(`${PREFIX}@`)) continue;
        const [, collection, id] = /^([^:]+):([^]*)$/.exec(name.slice(PREFIX.length)) ?? [];
        yield { collection: collection!, id: id! };
      }
    },
    newest: () => newestIn(db()),
    session: () => db().field(WRITER, 'session') ?? '',
  };
}

/** The newest position of the journal that a server has, of those up to one; 0 where it has none. */
export function newestIn(db: Database, upTo = Infinity): number {
  const { ids } = db.get(JOURNAL, 'stream') ?? { ids: [] };
  return ids[placeOf(ids, upTo + 1) - 1] ?? 0;
}

/** Takes one change, which the store has made already. */
export function takeChange(check: StoreCheck, change: Change): void {
  if (change.op === 'add' && change.key === JOURNAL) check.entry(change.id, change.text);
  if (change.op !== 'fields' || change.key !== WRITER) return;
  // The last change of a commit, and the only one of other scripts.
  const { session, landed, attempt } = change.fields;
  if (session) check.began(session);
  if (landed !== undefined && attempt !== '0') check.committed();
}

/** What was read already: a value of the store is never changed, but replaced. */
const READ = new WeakMap<Value, StoredDocument>();

function storedDocument(db: Database, key: DocumentKey): StoredDocument {
  const value = db.value(`${PREFIX}${key.collection}:${key.id}`);
  if (value === undefined) return { text: null, document: undefined };
  let stored = READ.get(value);
  if (!stored) READ.set(value, (stored = readDocument(value, key)));
  return stored;
}

function readDocument(value: Value, key: DocumentKey): StoredDocument {
  if (value.type === 'ReJSON-RL') {
    const text = fromValueText(JSON.stringify(value.json));
    const { [CHECKSUM_FIELD]: checksum, ...document } = JSON.parse(text) as Document;
    return checksum === checksumOf(key, document)
      ? { text, document }
      : { text: `${text}, whose checksum differs`, document: undefined };
  }
  const text = value.type === 'string' ? unsealDocument(key, value.text) : null;
  return { text, document: text === null ? undefined : (JSON.parse(text) as Document) };
}
