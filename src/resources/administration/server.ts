import * as descriptors from '../../../schemas/administration/server.js';
import { ROLE } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { EventQueue } from '../../journal/queues/event-queue.js';
import type { Queues } from '../../journal/queues/queues.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { emitNameAgain } from '../../organization/views/realm-events.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';

/** Backups of the server that leads. */
export interface BackupMaker {
  /** Why none can be made now; null where one can. */
  readonly objection: string | null;
  /** Begins one. */
  makeNow(): void;
  /** Whether there is a backup of a name. */
  has(name: string): Promise<boolean>;
}

/** What administrators have the server do. */
export interface ServerDeeds {
  readonly backups: BackupMaker;
  /** An address of a backup for somebody, for a minute. @param now milliseconds since 1970 */
  readonly backupUrl: (name: string, userId: number, now: number) => string;
  /** Tries mail server, directory and providers, one after the other. */
  readonly tryServices: () => Promise<{ service: string; fault: string | null }[]>;
  /** What a support bundle says. @param withAudit whether also who changed what, which owners alone see */
  readonly bundle: (withAudit: boolean) => Promise<object>;
}

/** Backups, trials and the support bundle (endpoints-organization.md#console). */
export function serverDeedHandlers(deeds: ServerDeeds, queues: Pick<Queues, 'all'>): AnyHandler[] {
  return [
    handle(descriptors.makeBackup, (tx) => {
      const { backups } = deeds;
      if (backups.objection !== null) throw badRequest(backups.objection);
      record(tx, 'backup', '', 'created');
      tx.onceDurable(() => backups.makeNow());
      return {};
    }),
    handlePrepared(
      descriptors.linkBackup,
      async (_org, { params: { backup } }) => {
        if (!(await deeds.backups.has(backup))) throw badRequest('There is no such backup.');
      },
      (tx, { user, params: { backup } }) => {
        record(tx, 'backup', backup, 'done');
        return { backup_url: deeds.backupUrl(backup, user.user_id, tx.now) };
      },
    ),
    handlePrepared(
      descriptors.tryServices,
      () => deeds.tryServices(),
      (tx, _request, services) => {
        record(tx, 'server', 'try_services', 'done');
        return { services };
      },
    ),
    handle(descriptors.publishTestEvent, (tx, { params: { user_id } }) => {
      if (user_id !== undefined && !tx.org.users.has(user_id)) throw badRequest('No such user');
      record(tx, 'server', 'test_event', 'done');
      emitNameAgain(tx, user_id === undefined ? undefined : [user_id]);
      const isTold = (queue: EventQueue): boolean =>
        user_id === undefined || queue.userId === user_id;
      return { journal_position: tx.seq, queues: [...queues.all()].filter(isTold).length };
    }),
    handlePrepared(
      descriptors.makeSupportBundle,
      async (_org, { user }) => {
        return JSON.stringify(await deeds.bundle(user.role === ROLE.owner), null, 2);
      },
      (tx, _request, bundle) => {
        record(tx, 'server', 'support_bundle', 'done');
        return { bundle };
      },
    ),
  ];
}

/** What no document of settings shows. */
function record(
  tx: Transaction,
  kind: 'backup' | 'server',
  name: string,
  action: 'created' | 'done',
): void {
  recordAction(tx, { kind, id: 0, name, action, fields: [] });
}
