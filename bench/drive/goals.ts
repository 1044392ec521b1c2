import { SLOW } from './mix.js';
import type { Figures } from '../harness/measuring/figures.js';

/** A bound that a figure keeps: `p99<200ms`, or of one part alone, `write.p99<50ms`. */
export interface Goal {
  readonly text: string;
  /** Null: of every part that has the figure, but for those who are slow on purpose. */
  readonly part: string | null;
  /** Name in the figures. */
  readonly figure: string;
  readonly isUpper: boolean;
  readonly bound: number;
}

export interface Verdict {
  readonly goal: Goal;
  readonly isMet: boolean;
  /** The worst of what was judged; null where nothing has the figure. */
  readonly worst: { readonly part: string; readonly value: number } | null;
}

/** What goals may be about, by the words of the command line. */
const FIGURES: Readonly<
  Record<string, { readonly figure: string; readonly unit: 'ms' | '%' | '' }>
> = {
  p50: { figure: 'p50_ms', unit: 'ms' },
  p90: { figure: 'p90_ms', unit: 'ms' },
  p99: { figure: 'p99_ms', unit: 'ms' },
  'p99.9': { figure: 'p99_9_ms', unit: 'ms' },
  max: { figure: 'max_ms', unit: 'ms' },
  recovery: { figure: 'recovery_ms', unit: 'ms' },
  errors: { figure: 'errors_percent', unit: '%' },
  missed: { figure: 'missed_percent', unit: '%' },
  rate: { figure: 'ops_per_second', unit: '' },
};

const FORM = /^(?:([a-z]+)\.)?([a-z0-9.]+)([<>])([\d.]+)(ms|s|%|)$/;

/** Reads a goal. @throws Error that says what a goal looks like */
export function goalOf(text: string): Goal {
  const [, part, name = '', sign, number, unit] = FORM.exec(text) ?? [];
  const known = FIGURES[name];
  const isFitting = unit === '' || (unit === 's' ? known?.unit === 'ms' : unit === known?.unit);
  if (!known || !isFitting || !Number.isFinite(Number(number))) {
    const names = Object.keys(FIGURES).join(', ');
    throw new Error(`${text} is no goal: one is p99<200ms or write.errors<1%, of ${names}`);
  }
  return {
    text,
    part: part ?? null,
    figure: known.figure,
    isUpper: sign === '<',
    bound: Number(number) * (unit === 's' ? 1000 : 1),
  };
}

/** Judges the parts of a run. A goal about a figure that nobody has is not met: nothing showed it. */
export function judge(goal: Goal, parts: Readonly<Record<string, Figures>>): Verdict {
  const values = Object.entries(parts).flatMap(([part, figures]) => {
    const isMeant = goal.part === null ? part !== SLOW : part === goal.part;
    const value = isMeant ? figures[goal.figure] : null;
    return value === null || value === undefined ? [] : [{ part, value }];
  });
  const sign = goal.isUpper ? -1 : 1;
  const [worst = null] = values.sort((a, b) => sign * (a.value - b.value));
  const isMet =
    worst !== null && (goal.isUpper ? worst.value < goal.bound : worst.value > goal.bound);
  return { goal, isMet, worst };
}

export function verdictText({ goal, isMet, worst }: Verdict): string {
  const seen = worst === null ? 'nothing shows it' : `${worst.part}: ${worst.value}`;
  return `goal ${goal.text}: ${isMet ? 'met' : 'NOT MET'} (${seen})`;
}
