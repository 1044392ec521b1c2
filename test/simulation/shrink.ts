import type { CompiledProgram } from './node/program.js';
import type { Plan } from './plan.js';
import { simulate } from './run.js';
import { Trace } from './world/trace.js';

/** Smaller plans, the greatest steps first. */
function* smaller(plan: Plan): Generator<Plan> {
  if (plan.rounds > 1) yield { ...plan, rounds: 1 };
  if (plan.nodes.length > 1) yield { ...plan, nodes: plan.nodes.slice(0, -1) };
  if (plan.readers > 1) yield { ...plan, readers: 1 };
  if (plan.writers > 1) yield { ...plan, writers: 1 };
  if (plan.files) yield { ...plan, files: false };
  if (plan.untold) yield { ...plan, untold: false };
  if (plan.planners) yield { ...plan, planners: false };
  if (plan.outcasts) yield { ...plan, outcasts: false };
  if (plan.lookMs > 0) yield { ...plan, lookMs: 0 };
  if (plan.moves) yield { ...plan, moves: false };
  if (plan.explorers > 0) yield { ...plan, explorers: 0 };
  if (plan.services) yield { ...plan, services: false };
  if (plan.users > 1) yield { ...plan, users: 1 };
  for (const fault of plan.faults) {
    if (plan.faults.length > 1)
      yield { ...plan, faults: plan.faults.filter((one) => one !== fault) };
  }
  if (plan.faultEveryMs < 8000) yield { ...plan, faultEveryMs: plan.faultEveryMs * 2 };
  if (plan.roundMs > 2000) yield { ...plan, roundMs: Math.round(plan.roundMs / 2) };
  const { habits } = plan;
  for (const name of Object.keys(habits.work)) {
    if (name === 'send' || habits.work[name] === 0) continue;
    yield { ...plan, habits: { ...habits, work: { ...habits.work, [name]: 0 } } };
  }
  for (const transport of habits.transports) {
    if (habits.transports.length === 1) break;
    const transports = habits.transports.filter((one) => one !== transport);
    yield { ...plan, habits: { ...habits, transports } };
  }
  if (habits.naps > 0) yield { ...plan, habits: { ...habits, naps: 0 } };
  if (habits.sleeps > 0) yield { ...plan, habits: { ...habits, sleeps: 0 } };
  if (habits.bursts > 0) yield { ...plan, habits: { ...habits, bursts: 0 } };
  if (habits.doubles > 0) yield { ...plan, habits: { ...habits, doubles: 0 } };
}

/** Other courses of the same plan: what is smaller happens otherwise, and may need another seed to fail. */
const COURSES = 5;
/** Of those, for a plan that is saved. */
export const MOST_OF_THEM = 4;

/** The same plan with another seed; 0 stands for its own. */
export function otherCourse(plan: Plan, course: number): Plan {
  const [seed] = plan.seed.split('.');
  return course === 0 ? plan : { ...plan, seed: `${seed}.${course}` };
}

/** What a fault is about, without its numbers and the texts of messages: a smaller run must fail in the same way. */
export function kindOf(faults: readonly string[]): string {
  return (faults[0] ?? '').replace(/\bw\d+-\d+ \S+|["'].*|\d+/g, '').slice(0, 40);
}

/**
 * Makes a failing run smaller as long as it fails in the same way, and tells the story of what is left.
 * @param needed of {@link COURSES} courses of what is smaller, so many fail: one finds a seed that fails, most of them a plan
 *   that finds the defect after other changes of the program too
 */
export async function shrink(
  program: CompiledProgram,
  plan: Plan,
  say: (line: string) => void,
  needed = 1,
): Promise<Plan> {
  const wanted = kindOf((await simulate(program, plan, new Trace(1))).faults);
  if (wanted === '') {
    say(`Seed ${plan.seed} holds`);
    return plan;
  }
  let least = plan;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const candidate of smaller(least)) {
      const found = await failing(program, candidate, wanted, needed);
      if (!found) continue;
      say(`Still fails: ${JSON.stringify(found)}`);
      least = found;
      isSmaller = true;
      break;
    }
  }
  const trace = new Trace(Infinity);
  const { faults } = await simulate(program, least, trace);
  for (const line of trace.lines) say(line);
  for (const fault of faults) say(fault);
  say(`The least that was found: ${JSON.stringify(least)}`);
  return least;
}

async function failing(
  program: CompiledProgram,
  plan: Plan,
  wanted: string,
  needed: number,
): Promise<Plan | null> {
  let first: Plan | null = null;
  let count = 0;
  for (let course = 0; course < COURSES; course++) {
    if (count + COURSES - course < needed) break;
    const candidate = otherCourse(plan, course);
    const { faults } = await simulate(program, candidate, new Trace(1));
    if (kindOf(faults) !== wanted) continue;
    first ??= candidate;
    if (++count === needed) return first;
  }
  return null;
}
