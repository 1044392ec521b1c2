import type { PushService } from '../../../schemas/personal/push-document.js';

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
}

/** What a device of Apple gets: `custom` stands beside `aps`. */
export interface ApnsPayload {
  readonly alert?: { readonly title: string; readonly subtitle?: string; readonly body: string };
  readonly sound?: string;
  readonly custom: Readonly<Record<string, unknown>>;
}

/** What became of a notice for one device. `gone`: the token is dead; `refused`: trying again is useless. */
export type PushOutcome =
  | { readonly kind: 'sent' | 'gone' }
  | { readonly kind: 'refused' | 'failed'; readonly error: Error };

/** Hands notices to devices. */
export interface PushTransport {
  /** What operators read; holds no credentials. */
  readonly description: string;
  /** @returns what became of it by the id of each target; never throws */
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

/** The same outcome for all targets. */
export function allOf(
  targets: readonly PushTarget[],
  outcome: PushOutcome,
): ReadonlyMap<number, PushOutcome> {
  return new Map(targets.map(({ id }) => [id, outcome]));
}
