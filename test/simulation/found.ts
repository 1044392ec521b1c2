import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DRAWN } from './faults.js';
import type { CompiledProgram } from './node/program.js';
import { planOf, withParts, type Plan } from './plan.js';
import { simulate, type Outcome } from './run.js';
import { kindOf, otherCourse } from './shrink.js';
import { Trace } from './world/trace.js';

/** A plan whose run once failed, made as small as it goes. */
export interface FoundPlan {
  /** What failed, in one line: the first fault. */
  readonly story: string;
  /** The subject of the commit that it was found in. */
  readonly commit: string;
  /** The defect of defects.json that it finds where that is planted; absent for one that was not planted since. */
  readonly defect?: string;
  /** Of so many other courses of the plan, how many failed in the same way. */
  readonly courses: string;
  readonly plan: Plan;
}

const FOUND = 'test/simulation/found';
/** Other courses that say how surely a plan fails. */
const SAMPLED = 10;
/** At least so many of them fail: one that needs the course of its seed finds nothing after the next change of the program. */
const LEAST_FAILING = 5;
/** The longest run that is worth its time in each landing: a processor does some 20,000 steps a second. */
const MOST_STEPS = 40_000;
/** Courses that are tried before a plan counts as one that finds nothing any more: by chance one in some thousand. */
const MOST_COURSES = 12;

/** Characters of a story. */
const STORY = 160;

/** All that were saved, by name. */
export function foundPlans(): ReadonlyMap<string, FoundPlan> {
  const files = readdirSync(FOUND).filter((file) => file.endsWith('.json'));
  return new Map(
    files.sort().map((file) => {
      const text = readFileSync(path.join(FOUND, file), 'utf8');
      return [path.basename(file, '.json'), JSON.parse(text) as FoundPlan] as const;
    }),
  );
}

/** What is drawn since a plan was saved comes from its seed. */
export function planFor({ plan }: FoundPlan): Plan {
  const drawn = planOf(plan.seed, DRAWN, false);
  // The first were saved before a store could be in a folder.
  return withParts(
    {
      ...drawn,
      ...{ store: 'redis', moves: false, planners: false, outcasts: false, replicas: null },
    },
    plan,
  );
}

/** The first course of a plan that fails as its story tells, of those that are tried; null where none does. */
export async function findAgain(
  program: CompiledProgram,
  found: FoundPlan,
): Promise<Outcome | null> {
  for (let course = 0; course < MOST_COURSES; course++) {
    const outcome = await simulate(program, otherCourse(planFor(found), course), new Trace(1));
    if (kindOf(outcome.faults) === kindOf([found.story])) return outcome;
  }
  return null;
}

/**
 * Saves the smallest plan that fails, unless it would find nothing soon, or took too long.
 * @param defect that is planted in the program
 */
export async function saveFound(
  program: CompiledProgram,
  name: string,
  plan: Plan,
  defect: string | undefined,
  say: (line: string) => void,
): Promise<void> {
  const { faults, steps } = await simulate(program, plan, new Trace(1));
  const [story] = faults;
  if (story === undefined) return;
  let failing = 0;
  for (let course = 1; course <= SAMPLED; course++) {
    const outcome = await simulate(program, otherCourse(plan, course), new Trace(1));
    if (kindOf(outcome.faults) === kindOf(faults)) failing++;
  }
  const courses = `${failing} of ${SAMPLED}`;
  say(`${courses} other courses fail in the same way; ${steps} steps`);
  if (failing < LEAST_FAILING || steps > MOST_STEPS) {
    say(`Not saved: at least ${LEAST_FAILING} courses must fail, within ${MOST_STEPS} steps`);
    return;
  }
  const commit = execFileSync('git', ['log', '-1', '--format=%s'], { encoding: 'utf8' }).trim();
  const found: FoundPlan = { story: story.slice(0, STORY), commit, defect, courses, plan };
  mkdirSync(FOUND, { recursive: true });
  const file = path.join(FOUND, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  say(`Saved as ${file}`);
}
