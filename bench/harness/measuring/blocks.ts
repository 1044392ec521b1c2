import { readFileSync } from 'node:fs';

/** Blocks of the event loop from this length on are listed: a fifth of what a person notices. Milliseconds. */
export const LISTED_MS = 20;

/** A time in which the event loop of a server did one thing. */
export interface Block {
  /** Its end on the machine's clock, microseconds. */
  readonly endUs: number;
  readonly ms: number;
}

/** What V8 writes with `--cpu-prof`. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** On the machine's clock, microseconds. */
  readonly startTime: number;
  /** The node of each sample, and the microseconds since the one before. */
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** A function below which most of a block was spent is its cause. */
const MOST = 0.5;
/** Frames told of a cause, innermost last. */
const FRAMES = 4;

export function readBlocks(file: string): Block[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Block);
}

/**
 * What the event loop did during each block: the innermost functions of the program below which more than half of
 * its samples lie, e.g. `sendMessage > commit > garbage collector 62 %`, or where there are none the functions with
 * most of them.
 */
export function causesOf(profile: CpuProfile, blocks: readonly Block[]): string[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes) {
    for (const child of children) parents.set(child, id);
  }
  const times = sampleTimes(profile);
  return blocks.map(({ endUs, ms }) => {
    const from = firstAt(times, endUs - ms * 1000);
    const samples = profile.samples.slice(from, firstAt(times, endUs));
    const counts = new Map<number, number>();
    for (const sample of samples) {
      for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
        counts.set(id, (counts.get(id) ?? 0) + 1);
      }
    }
    const most = [...counts]
      .filter(([, count]) => count > samples.length * MOST)
      // Ids of V8 grow from callers to what they call.
      .sort(([a], [b]) => a - b);
    const names = most.map(([id]) => nameOf(nodes.get(id)!)).filter((name) => name !== null);
    if (names.length === 0) return heaviest(samples, nodes);
    const share = Math.round((100 * most.at(-1)![1]) / samples.length);
    return `${names.slice(-FRAMES).join(' > ')} ${share} %`;
  });
}

/** The functions in which most samples lie, where no single one is to blame. */
function heaviest(samples: readonly number[], nodes: ReadonlyMap<number, ProfileNode>): string {
  const counts = new Map<string, number>();
  for (const id of samples) {
    const name = nodes.get(id)!.callFrame.functionName || 'anonymous';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, FRAMES)
    .map(([name, count]) => `${name} ${Math.round((100 * count) / samples.length)} %`)
    .join(', ');
}

function nameOf({ callFrame: { functionName, url } }: ProfileNode): string | null {
  if (functionName.startsWith('(')) {
    return functionName === '(garbage collector)' ? 'garbage collector' : null;
  }
  return url.startsWith('node:') ? null : functionName || 'anonymous';
}

/** When each sample was taken, microseconds. */
function sampleTimes({ startTime, timeDeltas }: CpuProfile): Float64Array {
  const times = new Float64Array(timeDeltas.length);
  let time = startTime;
  timeDeltas.forEach((delta, i) => (times[i] = time += delta));
  return times;
}

/** The first index whose time is not before a time. */
function firstAt(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
