/** `parley export --format zulip`: the organization in the public format of Zulip's exports, as a `.tar.gz`. */
import { createGzip } from 'node:zlib';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { Config } from '../../config/config.js';
import { changesOf } from '../../journal/entry-reading.js';
import { loadCollections, messageSource } from '../../organization/state/load.js';
import { Organization } from '../../organization/state/organization.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';
import { existsSync, mkdir, rm } from '../../platform/files.js';
import { wallTime } from '../../platform/time.js';
import type { BlobStore } from '../../services/blob-store.js';
import { openStore } from '../../store/open.js';
import type { StoreReads } from '../../store/port.js';
import { assertStoreThere, withReads, writeWhole } from '../../store/transfer/command.js';
import { refuseSealed } from '../../store/transfer/seal.js';
import { refuseUnfinishedImport } from '../../store/transfer/unfinished.js';
import { localUrl } from '../../config/network.js';
import { openFiles } from '../../host/data-folder/files.js';
import { reportingLog } from '../../host/monitoring/log.js';
import { Clients } from './clients.js';
import { fileEntries } from './file-entries.js';
import { GroupRows } from './group-rows.js';
import { MessageRows } from './message-rows.js';
import { addOwnThings, addScheduled } from './own-rows.js';
import { addPeople } from './people-rows.js';
import { addChannels, addRealm, addRealmThings } from './realm-rows.js';
import { PeerForm } from './peer-form.js';
import { Recipients } from './recipients.js';
import { REALM_TABLES } from './realm-tables.js';
import { Tables } from './tables.js';
import { tarBytes, type TarEntry } from './tar-writer.js';

/** What the operator asked for. */
export interface ZulipExport {
  readonly config: Config;
  /** The file, which appears when it is complete. */
  readonly path: string;
  /** An export that the server wrote which is to read the file; null: none, and no server of Zulip takes it. */
  readonly like: string | null;
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
  { config, path, like }: ZulipExport,
  report: (line: string) => void,
): Promise<ZulipExported> {
  if (existsSync(path)) throw new Error(`${path} exists already`);
  assertStoreThere(config.store);
  const work = resolve(`${path}.like`);
  const store = await openStore(config.store);
  const blobs = await openFiles(config, reportingLog(report));
  try {
    await refuseUnfinishedImport(store);
    await refuseSealed(store);
    return await withReads(store, path, changesOf, async (reads, still) => {
      const writer = new Archive({ reads, blobs, config, report, like, work });
      const bytes = Readable.from(tarBytes(writer.entries(still), Math.floor(wallTime() / 1000)));
      const packed = bytes.pipe(createGzip());
      bytes.on('error', (error) => packed.destroy(error));
      await writeWhole(path, packed);
      return { file: path, ...(await writer.tell(store.description)) };
    });
  } finally {
    await rm(work, { recursive: true, force: true });
    blobs.close();
    await store.close();
  }
}

/** What an archive is made of. */
interface ArchiveParts {
  readonly reads: StoreReads;
  readonly blobs: Pick<BlobStore, 'get'>;
  readonly config: Config;
  readonly report: (line: string) => void;
  readonly like: string | null;
  /** Folder for the files of `like`. */
  readonly work: string;
}

/** The files of one archive. */
class Archive {
  private form: PeerForm | null = null;
  private tables!: Tables;
  private readonly clients = new Clients();
  private readonly org: Organization;
  private rows!: MessageRows;
  private readonly gone = new Set<string>();
  /** Messages that files belong to, and that are there. */
  private readonly withFiles = new Set<number>();

  constructor(private readonly parts: ArchiveParts) {
    const { config, reads } = parts;
    const url = config.url ?? localUrl(config.host, config.port, config.tls !== null);
    const botDomain = config.url ? new URL(config.url).hostname : 'parley.invalid';
    this.org = new Organization({ url, botDomain, generation: 0 }, messageSource(reads), wallTime);
  }

  /** @param still proves at the end that nothing changed meanwhile */
  async *entries(still: () => Promise<void>): AsyncGenerator<TarEntry> {
    const { org, clients } = this;
    const { reads, blobs, like } = this.parts;
    await loadCollections(reads, org);
    if (like !== null) this.form = await this.formOf(like);
    const tables = (this.tables = new Tables(REALM_TABLES, this.form));
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
    yield { name: 'analytics.json', content: ANALYTICS.text() };
    if (this.form) yield { name: 'migration_status.json', content: [this.form.migrations] };
    yield* fileEntries(org, blobs, (place) => this.gone.add(place));
    yield { name: 'attachment.json', content: this.attachments() };
    await still();
  }

  private async formOf(like: string): Promise<PeerForm> {
    const { work } = this.parts;
    await mkdir(work, { mode: 0o700 });
    const administrators = this.org.groups.system('role:administrators').id;
    return PeerForm.read(like, work, administrators);
  }

  private async *messageFiles(): AsyncGenerator<TarEntry> {
    const start = (): Tables => new Tables(['zerver_message', 'zerver_usermessage'], this.form);
    let file = start();
    let received = 0;
    let number = 0;
    const entry = (): TarEntry => {
      number += 1;
      return { name: `messages-${String(number).padStart(6, '0')}.json`, content: file.text() };
    };
    for await (const batch of this.parts.reads.scan('message', { ahead: true })) {
      for (const { document } of batch) {
        const message = document as unknown as MessageDocument;
        if (message.has_attachment) this.withFiles.add(message.id);
        received += this.rows.add(message, file);
        if (file.count('zerver_message') < MAX_MESSAGES && received < MAX_RECEIVED) continue;
        yield entry();
        file = start();
        received = 0;
      }
    }
    if (file.count('zerver_message') > 0 || number === 0) yield entry();
  }

  /** Files whose bytes are there, each with messages that are there: Zulip asks for both without looking. */
  private attachments(): Buffer[] {
    const tables = new Tables(['zerver_attachment'], this.form);
    for (const file of this.org.attachments.values()) {
      const { id, name, path_id, user_id, create_time, size, message_ids, image } = file;
      if (this.gone.has(`uploads/${path_id}`)) continue;
      tables.add('zerver_attachment', {
        ...{ id, file_name: name, path_id, owner: user_id, create_time, size, realm: REALM_ID },
        messages: message_ids.filter((id) => this.withFiles.has(id)),
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
    const { tables, rows, gone, org, form } = this;
    const { report, reads } = this.parts;
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
      for await (const batch of reads.scan(collection)) count += batch.length;
      left.push([count, words]);
    }
    const told = left.filter(([count]) => count > 0);
    const [oneGone] = gone;
    if (oneGone !== undefined)
      told.push([gone.size, `files that are missing (such as ${oneGone})`]);
    for (const { column, count } of form?.leftColumns ?? []) {
      told.push([count, `values of ${column}, which the other server does not have`]);
    }
    if (told.length > 0) report('Not exported:');
    for (const [count, words] of told) report(`  ${count} ${words}`);
    const unknown = form?.without(tables.filled) ?? [];
    if (unknown.length > 0) report(`${NO_EXAMPLE} ${unknown.join(', ')}`);
    if (form === null) report(NO_FORM);
    return { store: from, ...written, left_out: told.map(([count, what]) => ({ what, count })) };
  }
}

/** Where the other server's form of some tables is not known. */
const NO_EXAMPLE =
  'The example has no row of these tables, so they are written in the newest form that is known here:';
const NO_FORM =
  'Parley and programs that convert archives read this file. A Zulip server takes columns of its own release alone: ' +
  'for one, add --like with an export that it wrote.';

const ANALYTICS = new Tables([
  'analytics_realmcount',
  'analytics_streamcount',
  'analytics_usercount',
]);
