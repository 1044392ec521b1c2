/** The file that somebody who helps with a server is sent: no secrets, no addresses, nothing that people wrote. */
import { arch, platform, release } from 'node:os';
import type { ConsoleReply } from '../../../schemas/queues/console.js';
import type { FiguresHistoryFields } from '../../../schemas/queues/console-log.js';
import { waitingMails } from '../../organization/mail/waiting-mails.js';
import { SOFTWARE_VERSION } from '../../organization/state/software.js';
import { currentVersions } from '../../organization/state/migrations.js';
import type { Organization } from '../../organization/state/organization.js';
import { machineBytes } from '../../platform/figures.js';
import { wallTime } from '../../platform/time.js';
import { withoutSecrets } from '../../host/monitoring/without-secrets.js';

/** Records of the audit log, and mails, that it has. */
const MOST_ROWS = 200;
/** Of the figures of each minute it has one in so many. */
const EACH_MINUTES = 15;

/** What a bundle is made of. */
export interface BundleParts {
  readonly org: Organization;
  /** With operation, troubles, actors and log. */
  readonly look: ConsoleReply;
  readonly history: FiguresHistoryFields;
  /** Hidden wherever they stand. */
  readonly secrets: readonly string[];
  /** Whether its reader may see who changed what. */
  readonly withAudit: boolean;
}

/** What the file says. */
export function supportBundle(parts: BundleParts): object {
  const { org, look, history, secrets, withAudit } = parts;
  const hide = (text: string): string => withoutSecrets(text, secrets);
  const { troubles, operation, nodes, due, deletions, log = [] } = look;
  return {
    made_at: new Date(wallTime()).toISOString(),
    versions: {
      parley: SOFTWARE_VERSION,
      node: process.version,
      system: `${platform()} ${release()} ${arch()}`,
      memory_bytes: machineBytes(),
      schemas: currentVersions(),
    },
    options: operation?.options.map(({ option, value, source }) => ({
      ...{ option, value: hide(value), source },
    })),
    backups: operation?.backups && {
      ...{ newest_at: operation.backups.newest_at, last_failure: operation.backups.last_failure },
      count: operation.backups.backups_there.length,
    },
    organization: {
      people: org.users.active.size,
      channels: org.channels.size,
      messages: org.messages.index.size,
      files: org.attachments.size,
      file_bytes: org.attachments.spaceUsed,
    },
    nodes,
    figures: sampled(history),
    actors: { due, deletions },
    troubles: troubles && {
      // Addresses are people's.
      refusals: troubles.refusals.map(({ address: _address, ...row }) => row),
      slow: troubles.slow,
      failures: troubles.failures.map((row) => ({ ...row, reason: hide(row.reason) })),
    },
    mails: waitingMails(org)
      .slice(0, MOST_ROWS)
      .map(({ id, content, created_at, attempts, last_failure }) => ({
        ...{ id, about: content.kind, created_at, attempts },
        why: hide(last_failure ?? ''),
      })),
    ...(withAudit ? { audit: auditOf(org) } : {}),
    log: log.map(({ details, ...row }) => ({ ...row, details: withoutAddress(details) })),
  };
}

/** Without names and values. */
function auditOf(org: Organization): object[] {
  return org.audit.find({ limit: MOST_ROWS }).records.map(({ changes, ...record }) => ({
    ...record,
    changes: changes.map(({ kind, id, action, fields }) => ({
      ...{ kind, id, action, fields: fields.map(({ name }) => name) },
    })),
  }));
}

/** Every fifteenth minute. */
function sampled(history: FiguresHistoryFields): object {
  const columns = Object.entries(history).map(([name, values]) => {
    return [name, values.filter((_value, index) => index % EACH_MINUTES === 0).join(' ')] as const;
  });
  return Object.fromEntries(columns);
}

/** Details of a log line without the network address of a client. */
function withoutAddress(details: string): string {
  return details.replaceAll(/"(?:address|from)":"[^"]*"/g, '"from":"…"');
}
