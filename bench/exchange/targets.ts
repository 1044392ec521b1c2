import type { ExchangeSample } from './sample.js';

/** What the floor and the peers are told on their command line, as JSON. */
export interface TargetOptions {
  readonly sample: ExchangeSample;
  /** Length of replies that carry no events (presence, register, writes). */
  readonly replyBytes: number;
}

/** What the floor and the peers print when they listen. */
export function listening(port: number): string {
  return `listening on http://127.0.0.1:${port}`;
}

/** The options of this process. @throws Error when there are none */
export function targetOptions(): TargetOptions {
  const text = process.argv[2];
  if (text === undefined) throw new Error('Options are missing: start this through the bench');
  return JSON.parse(text) as TargetOptions;
}

/** Where the floor's event ids begin, so that they have as many digits as ours. */
export const FIRST_CURSOR = 1_000_000;
