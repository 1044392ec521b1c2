import type { RequestPlan } from '../../exchange/jobs.js';
import { BUILT_IN, type ExchangeSample } from '../../exchange/sample.js';
import { driveRequests, type Rate } from './drive.js';
import { type Outcome, FLOOR } from '../measuring/figures.js';
import { NO_SPEED } from '../measuring/measure.js';
import type { Point, ScenarioContext } from '../scenario.js';
import { startFloor } from '../targets.js';

/** What the floor answers where it shall answer like ours. */
export interface FloorWork {
  readonly plan: RequestPlan;
  readonly connections: number;
  readonly rate: Rate;
  /** Bytes of a reply, head included; a poll's follow from its body. */
  readonly replyBytes: number;
  /** Those of our server; some like them where it does not take part. */
  readonly headers?: ExchangeSample['headers'];
  /** It gets fewer requests than it carries where ours gets as many: its speed is left out. */
  readonly isPaced?: boolean;
}

/** Runs requests against the floor and adds the outcome. */
export async function floorRequests(
  context: ScenarioContext,
  point: Point,
  work: FloorWork,
): Promise<void> {
  if (!context.wants(FLOOR)) return;
  context.progress('floor: measuring');
  const headers = work.headers ?? BUILT_IN.message.headers;
  const server = await startFloor({
    sample: { ...BUILT_IN.message, headers },
    replyBytes: Math.max(0, work.replyBytes - headBytes(headers)),
  });
  try {
    const outcome = await driveRequests(server, work.plan, work.connections, work.rate);
    point.add(FLOOR, work.isPaced ? withoutSpeed(outcome) : outcome);
  } finally {
    await server.stop();
  }
}

function withoutSpeed(outcome: Outcome): Outcome {
  const { figures } = outcome;
  return figures === null
    ? outcome
    : { ...outcome, latency: [], figures: { ...figures, ...NO_SPEED } };
}

/** Status line, Date, Content-Length, the server's name, and the empty line. */
const COMMON_HEAD_BYTES = 93;

function headBytes(headers: ExchangeSample['headers']): number {
  return headers.reduce(
    (sum, [name, value]) => sum + name.length + value.length + 4,
    COMMON_HEAD_BYTES,
  );
}

/** Bytes per reply of an outcome, for the floor to repeat. */
export function replyBytesOf(outcome: Outcome | undefined, fallback: number): number {
  return Math.round(outcome?.figures?.bytes_per_op ?? fallback);
}
