import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type {
  OutgoingPushDocument,
  PushContent,
} from '../../../schemas/notifications/push-notice-document.js';
import { MAX_PUSHED_MESSAGES } from '../../../schemas/limits.js';
import {
  failed,
  RegistrationRefusedError,
  SENT,
  type EncryptedTarget,
  type PushOutcome,
  type PushTarget,
  type PushTransport,
} from '../../services/push/push-service.js';
import { finishRegistration, forgetDeviceToken } from '../personal/push.js';
import { MessageAccess } from '../messages/message-access.js';
import type { Organization } from '../state/organization.js';
import { OutboxWorker } from '../state/scheduled/outbox-worker.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import { pushTargetsOf, queuePush } from '../personal/outgoing-pushes.js';
import { composePush, userUuid } from './push-text.js';

/** First pause after a failed attempt, milliseconds; each further one doubles it up to the longest. */
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 30 * 60_000;
/** Attempts per push: some two hours with the pauses above. Later it would be useless. */
const MAX_ATTEMPTS = 12;
/** Concurrent attempts: one connection of HTTP/2 takes far more, and a bouncer answers within a second. */
const CONCURRENCY = 16;

/** Log of the delivery for operators. */
interface PushLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
  error(context: object, message: string): void;
}

/** Dependencies of {@link PushDelivery}. */
interface PushDeliveryOptions {
  readonly transport: PushTransport;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: PushLog;
  /** Called for each attempt that failed. */
  readonly failed: (error: Error) => void;
}

type Outcomes = ReadonlyMap<number, PushOutcome>;

/** Outcomes of a push by registration; without devices that are gone, and empty where nothing was sent. */
interface Sent {
  readonly tokens: Outcomes;
  /** Of encrypted registrations. */
  readonly devices: Outcomes;
  /** What was registered. */
  readonly token?: { readonly token_id: string };
}

const NONE: Outcomes = new Map();
const NOTHING: Sent = { tokens: NONE, devices: NONE };

/**
 * PushDelivery sends the pushes of the outbox, each once it is durable. What a device has got is taken off the document
 * when its service has said so: a crash loses no push, and may repeat one under the same ids, in place of the former. A
 * device that a service doesn't know any more is dropped. What fails is tried again for two hours.
 */
export class PushDelivery {
  private readonly worker: OutboxWorker<OutgoingPushDocument, Sent>;

  constructor(
    private readonly runtime: Transactor,
    private readonly options: PushDeliveryOptions,
  ) {
    const { outgoingPushes, counters } = runtime.org;
    this.worker = new OutboxWorker(runtime, {
      documents: outgoingPushes,
      newestId: () => counters.last('push'),
      wakeUp: 'push',
      wheel: options.wheel,
      log: options.log,
      failed: 'pushes could not be sent',
      retryMs: FIRST_PAUSE_MS,
      concurrency: CONCURRENCY,
      attempt: (push) => this.send(push),
      record: (push, sent) => this.record(push, sent),
    });
  }

  /** Starts to send what is stored, and what comes. */
  start(): void {
    this.worker.start();
  }

  /** Starts no further attempts. */
  stop(): void {
    this.worker.stop();
  }

  /** See {@link OutboxWorker.nextDue}. */
  nextDue(): number {
    return this.worker.nextDue();
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private async send(push: OutgoingPushDocument): Promise<Sent> {
    const { transport } = this.options;
    const { content } = push;
    if (content.kind === 'forget') return this.forget(push.user_id, content);
    if (content.kind === 'register') return this.register(content.device_id);
    const notice = await composePush(this.org, push);
    if (!notice) return NOTHING;
    const targets = this.targetsOf(push);
    const encrypted = this.encryptedTargetsOf(push);
    const [tokens, devices] = await Promise.all([
      targets.length > 0 ? transport.send(notice, targets) : NONE,
      encrypted.length > 0 && transport.encrypted
        ? transport.encrypted.send(notice, encrypted)
        : NONE,
    ]);
    return { tokens, devices };
  }

  /** None where the organization has notices only that its services cannot read (notifications.md#pushes). */
  private targetsOf({ tokens, user_id }: OutgoingPushDocument): PushTarget[] {
    if (this.org.realm.current.require_e2ee_push_notifications) return [];
    return tokens.flatMap((id) => {
      const known = this.org.pushTokens.get(id);
      // Registered by somebody else since.
      return known?.user_id === user_id ? [known] : [];
    });
  }

  private encryptedTargetsOf({ devices = [], user_id }: OutgoingPushDocument): EncryptedTarget[] {
    return devices.flatMap((id) => {
      const device = this.org.devices.get(id);
      if (device?.user_id !== user_id) return [];
      const { token_kind: service, push_token_id: tokenId, push_key: key, push_key_id } = device;
      if (service === null || tokenId === null || key === null || push_key_id === null) return [];
      return [{ id, service, tokenId, key, keyId: push_key_id }];
    });
  }

  private async forget(
    user_id: number,
    { service, token }: Extract<PushContent, { kind: 'forget' }>,
  ): Promise<Sent> {
    // Registered again.
    if (this.org.pushTokens.byToken(service, token)?.user_id === user_id) return NOTHING;
    const user = { id: user_id, uuid: userUuid(this.org, user_id) };
    try {
      const { uuid } = this.org.realm.current;
      await this.options.transport.forget({ service, token, appid: null }, user, uuid);
      return NOTHING;
    } catch (error) {
      return { tokens: new Map([[FORGOTTEN, failed(error)]]), devices: NONE };
    }
  }

  /** Brings the pending token of a device to the bouncer. */
  private async register(id: number): Promise<Sent> {
    const token = this.org.devices.get(id)?.pending_token;
    const { encrypted } = this.options.transport;
    if (!token || !encrypted) return NOTHING;
    try {
      await encrypted.register(token, this.org.realm.current.uuid);
      return { tokens: NONE, devices: new Map([[id, SENT]]), token };
    } catch (error) {
      const outcome: PushOutcome =
        error instanceof RegistrationRefusedError ? { kind: 'refused', error } : failed(error);
      return { tokens: NONE, devices: new Map([[id, outcome]]), token };
    }
  }

  private record(push: OutgoingPushDocument, sent: Sent): void {
    const attempts = push.attempts + 1;
    const isLast = attempts >= MAX_ATTEMPTS;
    this.tell(push, sent, attempts);
    this.runtime.transact((tx) => {
      const { org, now } = tx;
      if (push.content.kind === 'register') registered(tx, push.content.device_id, sent, isLast);
      else {
        dropGone(tx, push, sent);
        if ([...sent.tokens.values(), ...sent.devices.values()].some(({ kind }) => kind === 'sent'))
          remember(tx, push);
      }
      const [tokens, devices] = [failedOf(sent.tokens), failedOf(sent.devices)];
      if (tokens.length + devices.length === 0 || isLast) {
        org.outgoingPushes.delete(push.id);
        return;
      }
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
      const left = hasTargets(push) ? { tokens, devices } : {};
      org.outgoingPushes.update(push.id, { ...left, attempts, next_attempt_at: now + pause });
    });
  }

  private tell(push: OutgoingPushDocument, { tokens, devices }: Sent, attempts: number): void {
    const { log } = this.options;
    for (const [id, outcome] of [...tokens, ...devices]) {
      const context = { push: push.id, user: push.user_id, device: id, attempts };
      if ('error' in outcome) this.options.failed(outcome.error);
      if (outcome.kind === 'gone')
        log.info(context, 'the push service no longer knows a device: removed');
      else if (outcome.kind === 'refused') {
        log.error({ ...context, err: outcome.error }, 'a push was refused');
      } else if (outcome.kind === 'failed') {
        const text = attempts >= MAX_ATTEMPTS ? 'a push was given up' : 'a push was not sent';
        log.warn({ ...context, err: outcome.error }, text);
      }
    }
  }
}

/** Stands for the device of a `forget`, which has no registration any more. */
const FORGOTTEN = 0;

/** Those of a registration, and of a token that is forgotten, are in the content. */
function hasTargets({ content: { kind } }: OutgoingPushDocument): boolean {
  return kind !== 'forget' && kind !== 'register';
}

function failedOf(outcomes: Outcomes): number[] {
  return [...outcomes].filter(([, { kind }]) => kind === 'failed').map(([id]) => id);
}

/** What is known of a registration now; one that a newer token has replaced meanwhile has its own push. */
function registered(tx: Transaction, id: number, { devices, token }: Sent, isLast: boolean): void {
  const device = tx.org.devices.get(id);
  const outcome = devices.get(id);
  if (!device || !outcome || device.pending_token?.token_id !== token?.token_id) return;
  if (outcome.kind === 'sent') finishRegistration(tx, device, null);
  else if (outcome.kind === 'refused') finishRegistration(tx, device, codeOf(outcome.error));
  else if (isLast) finishRegistration(tx, device, 'REQUEST_EXPIRED');
}

function codeOf(error: Error): string {
  return error instanceof RegistrationRefusedError ? error.code : 'REQUEST_EXPIRED';
}

/** Deletes the registrations that services do not know any more. */
function dropGone(tx: Transaction, { user_id }: OutgoingPushDocument, sent: Sent): void {
  const { org } = tx;
  for (const [id, { kind }] of sent.tokens) {
    if (kind === 'gone' && org.pushTokens.get(id)?.user_id === user_id) org.pushTokens.delete(id);
  }
  for (const [id, { kind }] of sent.devices) {
    const device = org.devices.get(id);
    if (kind === 'gone' && device?.user_id === user_id) forgetDeviceToken(tx, device);
  }
}

/** Remembers that devices show a message, or takes it away again where it was read meanwhile. */
function remember({ org }: Transaction, { user_id, content }: OutgoingPushDocument): void {
  if (content.kind !== 'message') return;
  const { message_id: id } = content;
  const user = org.users.get(user_id);
  if (!user || !new MessageAccess(org, user).isUnread(id)) {
    queuePush(org, user_id, { kind: 'remove', message_ids: [id] }, pushTargetsOf(org, user_id));
    return;
  }
  const shown = org.pushedMessages.get(user_id)?.messages ?? [];
  if (shown.includes(id)) return;
  org.pushedMessages.insert({ user_id, messages: [...shown, id].slice(-MAX_PUSHED_MESSAGES) });
}
