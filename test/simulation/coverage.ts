import { Session, type Profiler } from 'node:inspector';
import { SCRIPT } from './node/program.js';

/** Modules whose ways matter most: who leads, what is written, told and passed on. */
const WATCHED = /^src\/(nodes|journal|store|http\/forwarding|turns)\//;
/** Where the bundler begins the next module. */
const MODULE = /^\/\/ (?<file>(?:src|actors|schemas)\/\S+)$/gm;
/** The ways that ordinary work does not take. */
const WAYS = {
  catch: /\bcatch(?: \(\w+\))? \{/g,
  refusal: /\bthrow |\b(?:serviceUnavailable|reject|refuse|refused)\(/g,
} as const;

type Kind = keyof typeof WAYS | 'function';

/** A place of the program, and whether a run came to it. */
interface Place {
  readonly kind: Kind;
  readonly file: string;
  readonly line: string;
  readonly isEntered: boolean;
}

/** Counts which parts of the program run: whether the simulation comes to where faults are handled. */
export class Coverage {
  readonly #session = new Session();

  constructor(private readonly source: string) {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** For people: how many places of each kind were entered, and those that never were. */
  lines(): string[] {
    const places = this.#places();
    const lines = places
      .filter(({ isEntered }) => !isEntered)
      .map(({ kind, file, line }) => `never entered: ${kind.padEnd(8)} ${file}: ${line}`);
    for (const kind of ['function', 'catch', 'refusal'] as const) {
      const all = places.filter((place) => place.kind === kind);
      const entered = all.filter(({ isEntered }) => isEntered).length;
      lines.push(`entered of kind ${kind}: ${entered} of ${all.length}`);
    }
    return lines;
  }

  #places(): Place[] {
    const functions = this.#functions();
    const counts = countsOf(functions, this.source.length);
    const modules = [...this.source.matchAll(MODULE)];
    return modules.flatMap((found, i) => {
      const file = found.groups!.file!;
      if (!WATCHED.test(file)) return [];
      const [from, to] = [found.index, modules[i + 1]?.index ?? this.source.length];
      const place = (kind: Kind, at: number): Place => ({
        ...{ kind, file, line: this.#lineAt(at), isEntered: counts[at] === 1 },
      });
      const ways = Object.entries(WAYS).flatMap(([kind, pattern]) =>
        [...this.source.slice(from, to).matchAll(pattern)].map((way) =>
          // Behind the brace: what comes before it belongs to the work that failed.
          place(kind as Kind, from + way.index + (kind === 'catch' ? way[0].length : 0)),
        ),
      );
      const own = functions
        .filter(({ functionName, ranges: [whole] }) => {
          return functionName !== '' && whole!.startOffset >= from && whole!.startOffset < to;
        })
        .map(({ functionName, ranges: [whole] }) => ({
          ...{ kind: 'function' as const, file, line: functionName, isEntered: whole!.count > 0 },
        }));
      return [...own, ...ways];
    });
  }

  #functions(): Profiler.FunctionCoverage[] {
    let found: Profiler.FunctionCoverage[] = [];
    // In this process it answers at once.
    this.#session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
      found = result.find(({ url }) => url === SCRIPT)?.functions ?? [];
    });
    return found;
  }

  #lineAt(at: number): string {
    const start = this.source.lastIndexOf('\n', at) + 1;
    const end = this.source.indexOf('\n', at);
    const line = this.source.slice(start, end).trim();
    return line.length > 3 ? line : `${line} ${this.source.slice(end).trimStart().split('\n')[0]}`;
  }
}

/** By character: 1 where it ran. A range within another says it more exactly. */
function countsOf(functions: readonly Profiler.FunctionCoverage[], size: number): Uint8Array {
  const counts = new Uint8Array(size);
  const ranges = functions
    .flatMap((one) => one.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  for (const { startOffset, endOffset, count } of ranges) {
    counts.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  }
  return counts;
}
