import { secondsOf, steadyPace, type Pace } from '../exchange/pace.js';
import { GRACE_MS, type Crew } from './crew.js';
import { judge, verdictText, type Goal, type Verdict } from './goals.js';
import { findLimit, SearchTime, type Limit, type Probe } from './limit.js';
import { machineNow } from '../clock.js';
import { REQUESTS, type Mix } from './mix.js';
import { figuresOf, type RoundFigures } from './round-figures.js';

/** A ramp's rates are only near the limit: they are told apart soon. */
const COARSE_SECONDS = 2;
/** Of the rarest kind of request: fewer latencies make a 99th percentile of the single slowest one. */
const LEAST_LATENCIES = 200;
const LONGEST_STEP_SECONDS = 30;
/** After a rate that was not kept, the first rate for a second until it is kept again, or so often. */
const REST_SECONDS = 1;
const MOST_RESTS = 10;
/** What is not answered so many times later than the goal allows is lost. */
const LATE_TIMES = 5;
const LEAST_GRACE_MS = 1000;
/** A server that waited for a core for a larger share of the time was not alone at its limit. */
const MUCH_WAITING = 0.1;

/** How long a rate is driven so that each kind of request has a 99th percentile worth the name. */
export function stepSeconds(rate: number, mix: Mix, least: number): number {
  const share = Math.min(...REQUESTS.flatMap((kind) => (mix[kind] > 0 ? [mix[kind]] : [])));
  return Math.max(least, Math.min(LONGEST_STEP_SECONDS, LEAST_LATENCIES / (rate * share)));
}

/** How long the end of a rate is waited for: a rate that is not kept has a long one. */
function graceOf({ figure, isUpper, bound }: Goal): number {
  const isTime = isUpper && figure.endsWith('_ms');
  return isTime ? Math.min(GRACE_MS, Math.max(LEAST_GRACE_MS, bound * LATE_TIMES)) : GRACE_MS;
}

/** As on a clock: minutes and seconds. */
function clockText(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** What a rate showed. */
export interface Look {
  readonly figures: RoundFigures;
  readonly verdict: Verdict;
}

function isKeptBy({ figures, verdict }: Look): boolean {
  return verdict.isMet && figures.keptRate;
}

/** Drives a crew at one rate after another, until the highest is found that keeps a goal. */
export class LimitSearch {
  private readonly notes: string[] = [];
  /** How much the server waited for a core at rates that were not kept. */
  private readonly waits = new Map<number, number>();
  private readonly time: SearchTime;
  private tries = 0;

  constructor(
    private readonly crew: Crew,
    private readonly load: { readonly pace: Pace; readonly mix: Mix },
    private readonly goal: Goal,
    private readonly say: (text: string) => void,
    seconds: number,
  ) {
    this.time = new SearchTime(seconds, machineNow);
  }

  /** @returns null where not even the first rate keeps the goal; and in words, what every rate showed */
  async run(): Promise<{ limit: Limit<Look> | null; notes: readonly string[] }> {
    const { notes } = this;
    this.say(
      `looking for the limit of ${this.goal.text}, for ${clockText(this.time.seconds)} at most`,
    );
    const limit = await findLimit(this.first, (rate, isCoarse) => this.probe(rate, isCoarse));
    if (limit) notes.push(...this.conclusions(limit));
    return { limit, notes };
  }

  private get first(): number {
    return this.load.pace[0]!.to;
  }

  private async probe(rate: number, isCoarse: boolean): Promise<Probe<Look>> {
    const { pace, mix } = this.load;
    const seconds = isCoarse ? COARSE_SECONDS : stepSeconds(rate, mix, secondsOf(pace));
    this.time.take(seconds + graceOf(this.goal) / 1000);
    const at = `${clockText(this.time.passed)} of ${clockText(this.time.seconds)}`;
    this.say(`try ${++this.tries}, after ${at}: ${rate} a second`);
    const seen = await this.look(rate, seconds);
    const { figures, verdict } = seen;
    const isKept = isKeptBy(seen);
    // Latencies of senders that were late are no fault of the server.
    const atEnd = figures.refused ?? (isKept ? null : figures.late);
    const reason = atEnd ?? (figures.keptRate ? '' : 'the rate was not kept');
    const text = `${rate} a second: ${verdictText(verdict)}${reason === '' ? '' : `, ${reason}`}`;
    this.say(text);
    this.notes.push(text);
    if (!isKept) {
      const waited = figures.total['wait_share'] ?? 0;
      this.waits.set(rate, Math.max(waited, this.waits.get(rate) ?? 0));
      await this.rest();
    }
    return { isKept, isAtEnd: atEnd !== null, seen };
  }

  private async look(rate: number, seconds: number): Promise<Look> {
    const pace = [{ ...steadyPace(rate)[0]!, seconds }];
    const figures = figuresOf(await this.crew.run({ pace, graceMs: graceOf(this.goal) }), pace);
    return { figures, verdict: judge(this.goal, figures.parts) };
  }

  /** Lets the server end what waits for it still: it is not the next rate's. */
  private async rest(): Promise<void> {
    const each = REST_SECONDS + graceOf(this.goal) / 1000;
    for (let i = 0; i < MOST_RESTS && this.time.hasRoomFor(each); i++) {
      if (isKeptBy(await this.look(this.first, REST_SECONDS))) return;
    }
  }

  private conclusions({
    rate,
    seen,
    tries,
    failed,
    isGenerators,
    isUnfinished,
  }: Limit<Look>): string[] {
    const worst = seen.map(({ verdict }) => verdict.worst?.value).join(' and ');
    const above =
      failed === null ? '' : `; ${failed} a second: not kept${isUnfinished ? '' : ', twice'}`;
    const waited = this.waits.get(failed ?? rate) ?? 0;
    return [
      `${rate} a second: kept ${seen.length} times of ${tries} (${worst})${above}`,
      ...(isUnfinished
        ? [
            `the ${clockText(this.time.seconds)} were over before both were confirmed: --within MINUTES`,
          ]
        : []),
      ...(isGenerators ? ['the generators were at their limit, not the server: add workers'] : []),
      ...(waited > MUCH_WAITING
        ? [
            `at ${failed} a second the server waited for a core ${Math.round(waited * 100)} % of the time: ` +
              'the limit is that of the machine with all that runs on it',
          ]
        : []),
    ];
  }
}
