/**
 * What modules of the server keep beside their exports. The program is loaded once for all processes of a simulation:
 * loading it for each takes longer than all that a process does, and each would begin with code that is not compiled.
 * So each of these variables has a value per process, which is put in its place whenever another process works.
 */

/** Constants whose content changes, by module. Variables declared with `let` need no mention. */
const CONSTANTS: Readonly<Record<string, readonly string[]>> = {
  'src/host/node-id.ts': ['NODE_ID'],
  'src/http/events/event-frames.ts': ['kept', 'byLast'],
  'src/http/files/public-file.ts': ['sending'],
  'src/http/files/public-files.ts': ['webFiles'],
  'src/http/native.ts': ['uWS'],
  'src/platform/durable-files.ts': ['PROCESS'],
  'src/services/outside/reachable-addresses.ts': ['RESOLVE'],
  'src/services/web-pages.ts': ['read'],
  'src/store/embedded/lease/process-claim.ts': ['claims'],
  'src/turns/beat.ts': ['running'],
  'src/turns/connection-turns.ts': ['connectionTurns'],
  'src/turns/event-loop-yield.ts': ['waiting', 'urgent'],
  'src/turns/going-on.ts': ['waiting'],
  'src/turns/round.ts': ['round'],
};

/** Modules whose variables are made once from what the program brings with it: the same for everybody. */
const SAME_FOR_ALL: ReadonlySet<string> = new Set([
  'src/platform/compile-cache.ts',
  'src/platform/runtime-support.ts',
  'src/services/markdown/code/highlight.ts',
  'src/services/markdown/formulas/tex.ts',
  'src/services/text/disposable-domains.ts',
  'src/services/text/emoji.ts',
  'src/services/text/slack-emoji.ts',
]);

/** A declaration that begins a line, as the compiler prints it: other lines of it are indented, or close it. */
const DECLARATION =
  /^(?<exported>export )?(?<kind>let|const) (?<name>[\w$]+)(?: = (?<value>[\s\S]*?))?;$(?!\n[ \t])/gm;

/**
 * Makes the variables of a module ones that each process has for itself.
 * @param code JavaScript, as the compiler prints it
 * @throws Error where the module has no such constant
 */
export function withOwnState(file: string, code: string): string {
  if (!file.startsWith('src/') || SAME_FOR_ALL.has(file)) return code;
  const left = new Set(CONSTANTS[file]);
  const registered: string[] = [];
  const changed = code.replace(DECLARATION, (...found: unknown[]) => {
    const { exported = '', kind, name, value } = found.at(-1) as Record<string, string | undefined>;
    if (kind === 'const' && !left.delete(name!)) return found[0] as string;
    registered.push(
      `__given.own({ get: () => ${name}, set: (value) => { ${name} = value; }, make: () => (${value ?? 'undefined'}) });`,
    );
    return `${exported}let ${name};`;
  });
  const [missing] = left;
  if (missing !== undefined) throw new Error(`${file} has no constant ${missing}`);
  return registered.length === 0 ? code : `${changed}\n${registered.join('\n')}\n`;
}

/** A variable of a module. */
export interface OwnVariable {
  readonly get: () => unknown;
  readonly set: (value: unknown) => void;
  /** Its value in a process that begins. */
  readonly make: () => unknown;
}

/** The variables of all modules, which have the values of the process that works. */
export class OwnVariables {
  readonly #all: OwnVariable[] = [];
  #now: OwnValues | null = null;

  /** For a module that is being loaded: before any process began, or in the one that works. */
  add(variable: OwnVariable): void {
    this.#all.push(variable);
    this.#now?.complete(this.#all);
  }

  /** Puts the values of a process in place. */
  enter(values: OwnValues): void {
    if (this.#now === values) return;
    this.#now?.keep(this.#all);
    this.#now = values;
    values.putBack(this.#all);
  }
}

/** The values that one process has. */
export class OwnValues {
  #values: unknown[] = [];

  keep(all: readonly OwnVariable[]): void {
    for (let i = 0; i < all.length; i++) this.#values[i] = all[i]!.get();
  }

  putBack(all: readonly OwnVariable[]): void {
    for (let i = 0; i < this.#values.length; i++) all[i]!.set(this.#values[i]);
    this.complete(all);
  }

  /** Variables of modules that were loaded since. */
  complete(all: readonly OwnVariable[]): void {
    for (let i = this.#values.length; i < all.length; i++) {
      const value = all[i]!.make();
      this.#values.push(value);
      all[i]!.set(value);
    }
  }
}
