import { rounded, type Result } from './harness/measuring/figures.js';

/** How a figure is judged: whether more of it is worse, and whether noise of the machine moves it. */
interface Judgement {
  readonly moreIsWorse: boolean;
  readonly noisy: boolean;
}

const JUDGED: Readonly<Record<string, Judgement>> = {
  cpu_us_per_op: { moreIsWorse: true, noisy: false },
  bytes_per_op: { moreIsWorse: true, noisy: false },
  bytes_per_client: { moreIsWorse: true, noisy: true },
  bytes_per_queue: { moreIsWorse: true, noisy: false },
  slope: { moreIsWorse: true, noisy: false },
  cpu_seconds: { moreIsWorse: true, noisy: false },
  ready_seconds: { moreIsWorse: true, noisy: false },
  ops_per_second: { moreIsWorse: false, noisy: true },
  p50_ms: { moreIsWorse: true, noisy: true },
  p99_ms: { moreIsWorse: true, noisy: true },
};

export interface CompareOptions {
  /** Largest worsening that passes, as a fraction. */
  readonly margin: number;
  /** Also fail on figures that a busy machine changes. */
  readonly latency: boolean;
}

export interface Comparison {
  readonly text: string;
  readonly worse: boolean;
}

/** After over before, figure by figure, for points that both runs have with the same size. */
export function compareResults(
  before: readonly Result[],
  after: readonly Result[],
  options: CompareOptions,
): Comparison {
  const lines: string[] = [];
  let worse = false;
  let compared = 0;
  for (const result of after) {
    const former = before.find((one) => sameWork(one, result));
    if (!former) {
      lines.push(`${title(result)}: only in the second file`);
      continue;
    }
    lines.push(title(result));
    for (const line of compareFigures(former, result, options)) {
      compared += 1;
      worse ||= line.worse;
      lines.push(line.text);
    }
  }
  for (const former of before) {
    if (after.some((one) => sameWork(one, former))) continue;
    // What can no longer be measured may not pass as good.
    worse = true;
    lines.push(`${title(former)}: MISSING in the second file`);
  }
  if (compared === 0) throw new Error('The files have nothing in common to compare');
  lines.push(worse ? `worse by more than ${options.margin * 100} %` : 'within the margin');
  return { text: lines.join('\n'), worse };
}

function title({ scenario, point }: Result): string {
  return `${scenario}: ${point}`;
}

function sameWork(a: Result, b: Result): boolean {
  return a.scenario === b.scenario && a.point === b.point && a.clients === b.clients;
}

function* compareFigures(before: Result, after: Result, { margin, latency }: CompareOptions) {
  for (const [name, { moreIsWorse, noisy }] of Object.entries(JUDGED)) {
    const was = before.figures?.[name];
    const is = after.figures?.[name];
    if (!was) continue;
    if (is === null || is === undefined) {
      yield { text: `  ${name.padEnd(16)} ${was} → none  WORSE`, worse: true };
      continue;
    }
    const ratio = is / was;
    const cost = moreIsWorse ? ratio : 1 / ratio;
    const worse = (!noisy || latency) && cost > 1 + margin;
    const verdict = worse ? '  WORSE' : '';
    yield {
      text: `  ${name.padEnd(16)} ${was} → ${is}  × ${rounded(ratio)}${verdict}`,
      worse,
    };
  }
}
