import type { Pace, Stage } from '../exchange/pace.js';

/** Who receives, and how; and what is requested. Of each kind a share of the clients, or of the rate. */
export const RECEIVERS = ['poll', 'socket', 'sse'] as const;
export const REQUESTS = ['write', 'typing', 'presence'] as const;
export type ReceiverKind = (typeof RECEIVERS)[number];
export type RequestKind = (typeof REQUESTS)[number];

/** What those of the receivers are called who read slowly. */
export const SLOW = 'slow';

/** Shares of each kind: those of receivers add up to 1, or to 0, and so do those of requests. */
export type Mix = Readonly<Record<ReceiverKind | RequestKind, number>>;

/** A team at work: what the web app and phones do. */
export const USUAL_MIX = 'poll=5,socket=4,sse=1,write=8,typing=1,presence=1';

/** Reads `poll=6,socket=4,write=1`. @throws Error */
export function mixOf(text: string): Mix {
  const parts = new Map<string, number>();
  for (const item of text.split(',')) {
    const [name = '', share = ''] = item.split('=');
    const value = Number(share);
    if (![...RECEIVERS, ...REQUESTS].some((kind) => kind === name) || !(value >= 0)) {
      throw new Error(
        `${item} is no share: one is poll=5, of ${[...RECEIVERS, ...REQUESTS].join(', ')}`,
      );
    }
    parts.set(name, value);
  }
  const shared = (kinds: readonly string[]): Record<string, number> => {
    const total = kinds.reduce((sum, kind) => sum + (parts.get(kind) ?? 0), 0);
    return Object.fromEntries(
      kinds.map((kind) => [kind, total === 0 ? 0 : (parts.get(kind) ?? 0) / total]),
    );
  };
  const mix = { ...shared(RECEIVERS), ...shared(REQUESTS) } as Mix;
  if (!REQUESTS.some((kind) => mix[kind] > 0)) {
    throw new Error(`${text} requests nothing: give a share to ${REQUESTS.join(', ')}`);
  }
  return mix;
}

/** Of a number of clients, how many are of each kind; the sum is the number. */
export function clientsOf(mix: Mix, clients: number): Record<ReceiverKind, number> {
  let share = 0;
  let given = 0;
  const counts = { poll: 0, socket: 0, sse: 0 };
  for (const kind of RECEIVERS) {
    share += mix[kind];
    counts[kind] = Math.round(clients * share) - given;
    given += counts[kind];
  }
  return counts;
}

const STAGE = /^([\d.]+)s:([\d.]+)(?:-([\d.]+))?$/;

/** Reads `10s:0-100,30s:100`: seconds, and a rate that stays or changes evenly. @throws Error */
export function stagesOf(text: string): Pace {
  return text.split(',').map((item): Stage => {
    const [, seconds, from, to = from] = STAGE.exec(item) ?? [];
    const stage = { seconds: Number(seconds), from: Number(from), to: Number(to) };
    if (!(stage.seconds > 0) || !(stage.from + stage.to > 0)) {
      throw new Error(`${item} is no stage: one is 10s:100 or 10s:0-100`);
    }
    return stage;
  });
}

/** A pace with a share of its rates. */
export function paceShare(pace: Pace, share: number): Pace {
  return pace.map(({ seconds, from, to }) => ({ seconds, from: from * share, to: to * share }));
}
