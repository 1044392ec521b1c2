import { say } from './say.js';

const WORDS = {
  active: 'presence.active',
  idle: 'presence.idle',
  offline: 'presence.offline',
} as const;
export type Presence = keyof typeof WORDS;

export function presenceText(presence: Presence): string {
  return say(WORDS[presence]);
}

/** Seconds after which somebody who has shown no sign of life counts as away. */
const OFFLINE_SECONDS = 140;

type Times = { active_timestamp?: number; idle_timestamp?: number };

/** Who is there, by the times of the server. */
export class Presences {
  private readonly active = new Map<number, number>();
  private readonly idle = new Map<number, number>();
  /** Seconds by which the clock of the server is ahead of this one. */
  private ahead = 0;

  start(section: Readonly<Record<string, unknown>>, serverTime: number): void {
    this.active.clear();
    this.idle.clear();
    if (serverTime > 0) this.ahead = serverTime - Date.now() / 1000;
    this.update(section);
  }

  update(section: Readonly<Record<string, unknown>>): void {
    for (const [id, times] of Object.entries(section)) {
      const { active_timestamp: active = 0, idle_timestamp: idle = 0 } = times as Times;
      this.active.set(Number(id), active);
      this.idle.set(Number(id), idle);
    }
  }

  /** Everybody who was heard of. */
  known(): Iterable<number> {
    return this.active.keys();
  }

  of(userId: number): Presence {
    const since = Date.now() / 1000 + this.ahead - OFFLINE_SECONDS;
    if ((this.active.get(userId) ?? 0) >= since) return 'active';
    return (this.idle.get(userId) ?? 0) >= since ? 'idle' : 'offline';
  }
}
