import type { PushService } from '../../../schemas/personal/push.js';

/** An app on a device, as a push service knows it. */
export interface PushTarget {
  /** Id of the registration. */
  readonly id: number;
  readonly service: PushService;
  readonly token: string;
  /** Null where the service does not ask. */
  readonly appid: string | null;
}

/** What is pushed, in the form of each service. */
export interface PushNotice {
  /** The same for every attempt: a UUID, from which the id for each device is made. */
  readonly id: string;
  /** What is shown in place of an earlier notice of the same name; null for one of its own. */
  readonly collapse: string | null;
  /** Whether the device is woken for it at once. */
  readonly isUrgent: boolean;
  /** Whose devices these are. */
  readonly user: { readonly id: number; readonly uuid: string };
  readonly realmUuid: string;
  readonly apns: ApnsPayload;
  readonly fcm: Readonly<Record<string, unknown>>;
  /** What is encrypted for devices that have a key. */
  readonly encrypted: Readonly<Record<string, unknown>>;
}

/** A device with an encrypted registration. */
export interface EncryptedTarget {
  readonly id: number;
  readonly service: PushService;
  /** Id of its token at the bouncer. */
  readonly tokenId: string;
  /** Base64: a byte that names the cipher, and the key. */
  readonly key: string;
  readonly keyId: number;
}

/** The registration of a device as its client sealed it for the bouncer. */
export interface SealedRegistration {
  readonly token_id: string;
  readonly bouncer_public_key: string;
  readonly encrypted_push_registration: string;
}

/** The bouncer refused a registration for good; `code` is for the client. */
export class RegistrationRefusedError extends Error {
  constructor(readonly code: string) {
    super(`The push bouncer refused a registration: ${code}`);
    this.name = 'RegistrationRefusedError';
  }
}

/** Hands encrypted notices to a bouncer, which can read neither them nor whose they are. */
export interface EncryptedPush {
  /** @throws RegistrationRefusedError; any other error to try again */
  register(registration: SealedRegistration, realmUuid: string): Promise<void>;
  /** @returns the outcome by the id of each target; never throws */
  send(
    notice: PushNotice,
    targets: readonly EncryptedTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>>;
}

/** What a device of Apple gets: `custom` is a sibling of `aps`. */
export interface ApnsPayload {
  readonly alert?: { readonly title: string; readonly subtitle?: string; readonly body: string };
  readonly sound?: string;
  readonly custom: Readonly<Record<string, unknown>>;
}

/** The outcome of a notice for one device. `gone`: the token is dead; `refused`: trying again is useless. */
export type PushOutcome =
  | { readonly kind: 'sent' | 'gone' }
  | { readonly kind: 'refused' | 'failed'; readonly error: Error };

/** Hands notices to devices. */
export interface PushTransport {
  /** What operators read; holds no credentials. */
  readonly description: string;
  /** Absent where no bouncer is configured. */
  readonly encrypted?: EncryptedPush;
  /** @returns the outcome by the id of each target; never throws */
  send(
    notice: PushNotice,
    targets: readonly PushTarget[],
  ): Promise<ReadonlyMap<number, PushOutcome>>;
  /** Forgets a device; only for services that keep them. @throws Error to try again */
  forget(
    target: Omit<PushTarget, 'id'>,
    user: PushNotice['user'],
    realmUuid: string,
  ): Promise<void>;
  close(): void;
}

export const SENT: PushOutcome = { kind: 'sent' };
export const GONE: PushOutcome = { kind: 'gone' };

export function failed(error: unknown): PushOutcome {
  return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
}

export function refused(message: string): PushOutcome {
  return { kind: 'refused', error: new Error(message) };
}

/** The outcome of each target, sent to one by one at the same time. */
export async function eachOf<T extends { readonly id: number }>(
  targets: readonly T[],
  send: (target: T) => Promise<PushOutcome>,
): Promise<ReadonlyMap<number, PushOutcome>> {
  return new Map(
    await Promise.all(targets.map(async (target) => [target.id, await send(target)] as const)),
  );
}

/** The same outcome for all targets. */
export function allOf(
  targets: readonly { readonly id: number }[],
  outcome: PushOutcome,
): ReadonlyMap<number, PushOutcome> {
  return new Map(targets.map(({ id }) => [id, outcome]));
}
