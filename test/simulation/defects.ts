import { readFileSync } from 'node:fs';
import { DRAWN } from './faults.js';
import { saveFound } from './found.js';
import type { Edit } from './node/bounds.js';
import { CompiledProgram } from './node/program.js';
import { mixed, seedOf } from './mix.js';
import { planOf, withParts, type Plan, type PlanParts } from './plan.js';
import { simulate } from './run.js';
import { MOST_OF_THEM, shrink } from './shrink.js';
import { Trace } from './world/trace.js';

/** A defect of the protocol that is planted into a copy of the program. */
export interface Defect {
  readonly name: string;
  /** The seed that found it when it was last looked for: it is tried first. */
  readonly seed?: number;
  /** The kind of runs of a mix (mix.ts) that looks where it is: it is found by what each landing draws. */
  readonly mix?: string;
  /** What its runs do not draw: the faults that must meet, where they seldom do among all others. */
  readonly plan?: PlanParts;
  readonly edits: readonly Edit[];
}

export const DEFECTS = 'test/simulation/defects.json';

/** Seeds that are tried before a defect counts as not found. */
export const MOST_SEEDS = 40;

/** Many short runs find more in the same time than few long ones. */
const BRIEF_MS = 20_000;

export function plantedDefects(): Defect[] {
  return JSON.parse(readFileSync(DEFECTS, 'utf8')) as Defect[];
}

/** The program without any. */
let sound: CompiledProgram | null = null;

/**
 * Plants one defect after the other. @returns how many were not found
 * @param save name under which the smallest run that finds it is saved
 */
export async function findDefects(
  chosen: readonly number[],
  given: PlanParts,
  say: (line: string) => void,
  save?: string,
): Promise<number> {
  let missed = 0;
  for (const number of chosen) {
    const defect = plantedDefects()[number - 1]!;
    const { name, edits } = defect;
    const program = await CompiledProgram.compile(edits);
    const began = performance.now();
    const found = await firstFailing(program, defect, given);
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    if (!found) missed++;
    const outcome = found
      ? `found with seed ${found.seed} (${seconds} s): ${found.fault.slice(0, 160)}`
      : `NOT FOUND in ${MOST_SEEDS} seeds`;
    say(`${number} ${name}: ${outcome}`);
    if (found && Object.keys(given).length === 0) {
      say(`Run it again: npm run simulate -- --defects ${number} --seed ${found.seed} --trace`);
    }
    if (!found || save === undefined) continue;
    const least = await shrink(program, found.plan, say, MOST_OF_THEM);
    await saveFound(program, save, least, name, say);
  }
  return missed;
}

/** What a seed draws where a defect is looked for. */
export function plannedFor(defect: Defect, seed: string, given: PlanParts): Plan {
  if (defect.mix !== undefined) return mixed(seed, DRAWN, given);
  return plannedBriefly(seed, { ...defect.plan, ...given });
}

function plannedBriefly(seed: string, parts: PlanParts): Plan {
  const drawn = planOf(seed, DRAWN, Object.keys(parts).length === 0);
  const brief = { ...drawn, explorers: 0, rounds: 1, roundMs: Math.min(BRIEF_MS, drawn.roundMs) };
  // Most are defects of nodes, or of a store on a server; those of a folder say so.
  return withParts(
    {
      ...brief,
      store: 'redis',
      together: 0,
      moves: false,
      files: false,
      services: false,
      planners: false,
      outcasts: false,
      replicas: null,
    },
    { ...parts, seed },
  );
}

async function firstFailing(
  program: CompiledProgram,
  defect: Defect,
  given: PlanParts,
): Promise<{ seed: number; fault: string; plan: Plan } | null> {
  const { mix, seed: known } = defect;
  const seeds = Array.from({ length: MOST_SEEDS }, (_, i) =>
    mix === undefined ? i + 1 : Number(seedOf(mix, i)),
  );
  for (const seed of known === undefined ? seeds : [known, ...seeds]) {
    const plan = plannedFor(defect, String(seed), given);
    const { faults } = await simulate(program, plan, new Trace(1));
    const [fault] = faults;
    if (fault === undefined) continue;
    // Only what holds without the defect has found it.
    sound ??= await CompiledProgram.compile();
    const control = await simulate(sound, plan, new Trace(1));
    if (control.faults.length === 0) return { seed, fault, plan };
  }
  return null;
}
