import { bound } from './bound.js';

/* Randomness, as `Platform` says. */

export function random(): number {
  return bound().randomness.random();
}

export function randomBytes(size: number): Buffer {
  return bound().randomness.randomBytes(size);
}

export function randomFillSync(buffer: Uint8Array): void {
  bound().randomness.randomFillSync(buffer);
}

export function randomInt(least: number, end: number): number {
  return bound().randomness.randomInt(least, end);
}

export function randomUUID(): string {
  return bound().randomness.randomUUID();
}
