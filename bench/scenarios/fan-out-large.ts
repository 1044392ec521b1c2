import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OURS, rounded, type Outcome } from '../harness/measuring/figures.js';
import { Point, type Scenario } from '../harness/scenario.js';

const PROGRAM = fileURLToPath(new URL('../fan-out/main.js', import.meta.url));
const QUEUES_EACH = 10;
/** More than a list was searched for, in the past. */
const ALL_PUBLIC = 17;
/** Messages of which the medians are given; more where two that differ little are compared. */
const ROUNDS = 7;
const MANY_ROUNDS = 101;

interface Measured {
  readonly deliveries: number;
  readonly cpuMs: number;
  readonly blockMs: number;
}

/** In a process of its own, whose memory holds these queues alone. */
async function measured(...sizes: readonly number[]): Promise<Measured> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...sizes.map(String)]);
  return JSON.parse(stdout) as Measured;
}

function outcome({ deliveries, cpuMs, blockMs }: Measured, base?: Measured): Outcome {
  const figures = {
    cpu_us_per_op: rounded((cpuMs * 1000) / deliveries),
    cpu_ms: rounded(cpuMs),
    longest_block_ms: rounded(blockMs),
    ...(base ? { over_former: rounded(cpuMs / base.cpuMs) } : {}),
    operations: deliveries,
  };
  return { figures, refused: null, latency: [] };
}

export const fanOutLarge: Scenario = {
  name: 'fan-out-large',
  work: 'a message to a channel of N with ten queues each: CPU per queue, and the longest block',
  full: { clients: 100_000, seconds: 0 },
  quick: { clients: 20_000, seconds: 0 },
  async run(context) {
    if (!context.wants(OURS)) return [];
    const { size } = context;
    const { clients } = size;
    const point = (label: string, result: Outcome) => {
      const one = new Point('fan-out-large', label, size);
      one.add(OURS, result);
      return one.result();
    };
    context.progress(`parley: ${clients * QUEUES_EACH} queues`);
    const all = await measured(clients, QUEUES_EACH, QUEUES_EACH, 0, ROUNDS);
    const tenth = await measured(clients, QUEUES_EACH, 1, 0, ROUNDS);
    const alone = await measured(clients, 1, 1, 0, MANY_ROUNDS);
    const withPublic = await measured(clients, 1, 1, ALL_PUBLIC, MANY_ROUNDS);
    return [
      point(`${clients} members, ${QUEUES_EACH} queues each`, outcome(all)),
      point('one of the ten admits messages', outcome(tenth)),
      point('one queue each', outcome(alone)),
      point(`and ${ALL_PUBLIC} all-public queues`, outcome(withPublic, alone)),
    ];
  },
};
