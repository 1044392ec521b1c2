/** `parley export --format zulip`: the organization in the public format of Zulip's exports, as a `.tar.gz`. */
import { createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { Config } from '../../config/config.js';
import { changesOf } from '../../journal/entry-reading.js';
import { loadCollections, messageSource } from '../../organization/state/load.js';
import { Organization } from '../../organization/state/organization.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';
import { existsSync } from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';
import type { BlobStore } from '../../services/blob-store.js';
import { openStore } from '../../store/open.js';
import type { StoreReads } from '../../store/port.js';
import { assertStoreThere, withReads, writeWhole } from '../../store/transfer/command.js';
import { refuseSealed } from '../../store/transfer/seal.js';
import { refuseUnfinishedImport } from '../../store/transfer/unfinished.js';
import { localUrl } from '../../config/network.js';
import { openFiles } from '../data-folder/files.js';
import { reportingLog } from '../monitoring/log.js';
import { Clients } from './clients.js';
import { fileEntries } from './file-entries.js';
import { GroupRows } from './group-rows.js';
import { MessageRows } from './message-rows.js';
import { addOwnThings, addScheduled } from './own-rows.js';
import { addPeople } from './people-rows.js';
import { addChannels, addRealm, addRealmThings } from './realm-rows.js';
import { Recipients } from './recipients.js';
import { REALM_TABLES } from './realm-tables.js';
import { Tables } from './tables.js';
import { tarBytes, type TarEntry } from './tar-writer.js';

/** What the operator asked for. */
export interface ZulipExport {
  readonly config: Config;
  /** The file, which appears when it is complete. */
  readonly path: string;
}

/** Most messages of a file, and rows of who got them: as many as other servers write, and what memory holds easily. */
const MAX_MESSAGES = 1000;
const MAX_RECEIVED = 200_000;

/** Documents that the format has no place for, and what they are in words. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  two_factor: 'second factors',
  device: 'devices',
  push_token: 'devices for notifications',
  invitation: 'invitations',
  multiuse_invitation: 'invitation links',
  message_archive: 'parts of what retention removed',
  audit: 'entries of the audit log',
  realm_export: 'exports',
};

/** What was written, and how much of what the format has no place for. */
interface ZulipExported {
  readonly store: string;
  readonly file: string;
  readonly accounts: number;
  readonly channels: number;
  readonly messages: number;
  readonly reactions: number;
  readonly files: number;
  readonly left_out: readonly { readonly what: string; readonly count: number }[];
}

/** Writes the archive; the store may be served meanwhile. @throws Error as `parley export` does */
export async function runZulipExport(
  { config, path }: ZulipExport,
  report: (line: string) => void,
): Promise<ZulipExported> {
  if (existsSync(path)) throw new Error(`${path} exists already`);
  assertStoreThere(config.store);
  const store = await openStore(config.store);
  const blobs = await openFiles(config, reportingLog(report));
  try {
    await refuseUnfinishedImport(store);
    await refuseSealed(store);
    return await withReads(store, path, changesOf, async (reads, still) => {
      const writer = new Archive(reads, blobs, config, report);
      const bytes = Readable.from(tarBytes(writer.entries(still), Math.floor(wallTime() / 1000)));
      const packed = bytes.pipe(createGzip());
      bytes.on('error', (error) => packed.destroy(error));
      await writeWhole(path, packed);
      return { file: path, ...(await writer.tell(store.description)) };
    });
  } finally {
    blobs.close();
    await store.close();
  }
}

/** The files of one archive. */
class Archive {
  private readonly tables = new Tables(REALM_TABLES);
  private readonly clients = new Clients();
  private readonly org: Organization;
  private rows!: MessageRows;
  private readonly gone: string[] = [];

  constructor(
    private readonly reads: StoreReads,
    private readonly blobs: Pick<BlobStore, 'get'>,
    config: Config,
    private readonly report: (line: string) => void,
  ) {
    const url = config.url ?? localUrl(config.host, config.port, config.tls !== null);
    const botDomain = config.url ? new URL(config.url).hostname : 'parley.invalid';
    this.org = new Organization({ url, botDomain, generation: 0 }, messageSource(reads), wallTime);
  }

  /** @param still proves at the end that nothing changed meanwhile */
  async *entries(still: () => Promise<void>): AsyncGenerator<TarEntry> {
    const { org, reads, tables, clients } = this;
    await loadCollections(reads, org);
    this.rows = new MessageRows(org, tables, clients);
    yield* this.messageFiles();
    const groups = new GroupRows(org, tables);
    groups.write();
    const recipients = new Recipients(org, tables);
    addRealm(org, tables, groups);
    addChannels(org, tables, groups);
    addRealmThings(org, tables);
    addPeople(org, tables, recipients);
    addOwnThings(org, tables, recipients);
    await addScheduled({ org, reads, tables, recipients, clients });
    for (const client of clients.rows()) tables.add('zerver_client', client);
    yield { name: 'realm.json', content: tables.text({ import_source: 'zulip' }) };
    yield { name: 'attachment.json', content: this.attachments() };
    yield { name: 'analytics.json', content: ANALYTICS.text() };
    yield* fileEntries(org, this.blobs, (place) => this.gone.push(place));
    await still();
  }

  private async *messageFiles(): AsyncGenerator<TarEntry> {
    let file = new Tables(['zerver_message', 'zerver_usermessage']);
    let received = 0;
    let number = 0;
    const entry = (): TarEntry => {
      number += 1;
      return { name: `messages-${String(number).padStart(6, '0')}.json`, content: file.text() };
    };
    for await (const batch of this.reads.scan('message', { ahead: true })) {
      for (const { document } of batch) {
        received += this.rows.add(document as unknown as MessageDocument, file);
        if (file.count('zerver_message') < MAX_MESSAGES && received < MAX_RECEIVED) continue;
        yield entry();
        file = new Tables(['zerver_message', 'zerver_usermessage']);
        received = 0;
      }
    }
    if (file.count('zerver_message') > 0 || number === 0) yield entry();
  }

  private attachments(): Buffer[] {
    const tables = new Tables(['zerver_attachment']);
    for (const file of this.org.attachments.values()) {
      const { id, name, path_id, user_id, create_time, size, message_ids, image } = file;
      tables.add('zerver_attachment', {
        ...{ id, file_name: name, path_id, owner: user_id, create_time, size, realm: REALM_ID },
        messages: message_ids,
        scheduled_messages: [],
        content_type: image?.content_type ?? null,
        is_realm_public: false,
        is_web_public: false,
      });
    }
    return tables.text();
  }

  /** Says what was written, and what the format has no place for. */
  async tell(from: string): Promise<Omit<ZulipExported, 'file'>> {
    const { tables, rows, gone, org, report } = this;
    const written = {
      accounts: tables.count('zerver_userprofile'),
      channels: org.channels.size,
      messages: rows.messages,
      reactions: rows.reactions,
      files: org.attachments.size,
    };
    const counts = Object.entries(written).map(([what, count]) => `${count} ${what}`);
    report(`Exported ${counts.join(', ')} from ${from}`);
    const passwords = [...org.users.values()].filter((one) => one.password_hash !== null).length;
    const left: [number, string][] = [[passwords, 'passwords, and all API keys']];
    for (const [collection, words] of Object.entries(LEFT_OUT)) {
      let count = 0;
      for await (const batch of this.reads.scan(collection)) count += batch.length;
      left.push([count, words]);
    }
    const told = left.filter(([count]) => count > 0);
    if (gone.length > 0) told.push([gone.length, `files that are missing (such as ${gone[0]})`]);
    if (told.length > 0) report('Not exported:');
    for (const [count, words] of told) report(`  ${count} ${words}`);
    return { store: from, ...written, left_out: told.map(([count, what]) => ({ what, count })) };
  }
}

const ANALYTICS = new Tables([
  'analytics_realmcount',
  'analytics_streamcount',
  'analytics_usercount',
]);
