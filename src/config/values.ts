/**
 * Where the value of an option comes from. Flags win over the environment, this over the configuration file, this over
 * defaults. What holds a secret may also be named by a file, at each of the three: `--mail-file`, `PARLEY_MAIL_FILE`
 * and `mail-file` for `--mail`. A flag stands in the list of processes for everybody to read, a file does not.
 */
import { readFileSync, statSync } from '../platform/files.js';
import type { Option } from './option.js';
import { OPTIONS } from './options.js';

/** What a configuration file says: each option as the text that its flag would have. */
export interface ConfigFile {
  readonly path: string;
  readonly values: Readonly<Record<string, string>>;
}

/** A flag or variable that cannot be used; its message names it. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/** Variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A value and the flag or variable that gave it, for messages. */
export interface Given {
  readonly value: string;
  readonly source: string;
  /** Nobody gave one. */
  readonly isDefault?: boolean;
}

/** An option with what it comes to. */
export interface EffectiveOption extends Given {
  readonly option: Option;
}

/** What the options come to, without those whose values cannot be read: each is a fault of its own. */
export function effectiveOptions(read: Read): EffectiveOption[] {
  return OPTIONS.flatMap((option) => {
    try {
      return [{ option, ...read(option.flag) }];
    } catch (error) {
      if (error instanceof ConfigError) return [];
      throw error;
    }
  });
}

/** An option as it may be shown: secrets are hidden. */
export interface ShownOption {
  readonly option: string;
  readonly value: string;
  /** `default` where nobody gave one. */
  readonly source: string;
}

/** Stands for a secret. */
const HIDDEN = '***';
/** Before the host of an address of an option that takes none. */
const FOREIGN_CREDENTIALS = /(?<=:\/\/)[^/?#]*(?=@)/;

export function shownOption({ option, value, source, isDefault }: EffectiveOption): ShownOption {
  return {
    option: option.flag,
    // Credentials are a fault in other addresses, and were meant for one.
    value: value.replace(option.secret ?? FOREIGN_CREDENTIALS, HIDDEN),
    source: isDefault === true ? 'default' : source,
  };
}

/** Reads the value of an option, by its flag. @throws ConfigError for a file that gives none */
export type Read = (flag: string) => Given;

/** The flag that names a file with the value. */
export function fileFlag(flag: string): string {
  return `${flag}-file`;
}

/** The variable that names a file with the value. */
export function fileVariable(variable: string): string {
  return `${variable}_FILE`;
}

/** As parsed: a list for a flag that may be given several times, true for a switch. */
export type FlagValue = string | boolean | readonly (string | boolean)[] | undefined;

/** Bounds what is read of a file that was named by mistake; a URL or a password is far shorter. Bytes. */
const MAX_SECRET_BYTES = 4096;

/**
 * @param flags as parsed, without their dashes
 * @param warn told what the operator should know about how a secret was given, one sentence each
 * @param file the configuration file, if there is one
 */
export function valueReader(
  flags: Readonly<Record<string, FlagValue>>,
  environment: Environment,
  warn: (sentence: string) => void = () => undefined,
  file: ConfigFile | null = null,
): Read {
  const known = new Map<string, Given>();
  const find = (flag: string): Given => {
    const option = OPTIONS.find((one) => one.flag === flag)!;
    const variable = option.variable;
    // `--files` of `parley verify` alone names no place.
    const given = flags[flag] === true ? undefined : flags[flag];
    if (Array.isArray(given)) return { value: given.join(','), source: `--${flag}` };
    return (
      choose(option, `--${flag}`, given, `--${fileFlag(flag)}`, flags[fileFlag(flag)], warn) ??
      choose(
        option,
        variable,
        environment[variable] || undefined,
        fileVariable(variable),
        environment[fileVariable(variable)] || undefined,
        warn,
      ) ??
      (file ? inFile(option, file, warn) : undefined) ?? {
        value: option.fallback,
        source: `--${flag}`,
        isDefault: true,
      }
    );
  };
  // Once: a file may be a pipe, and a warning is told once.
  return (flag) => {
    const given = known.get(flag) ?? find(flag);
    known.set(flag, given);
    return given;
  };
}

/** What the configuration file says. */
function inFile(
  option: Option,
  { path, values }: ConfigFile,
  warn: (sentence: string) => void,
): Given | undefined {
  const secretFlag = fileFlag(option.flag);
  const [own, other] = [`${path}: ${option.flag}`, `${path}: ${secretFlag}`];
  return choose(option, own, values[option.flag], other, values[secretFlag], warn);
}

/** The value itself, or that of the file; undefined where neither is given. @throws ConfigError */
function choose(
  option: Option,
  source: string,
  value: FlagValue,
  fileSource: string,
  file: FlagValue,
  warn: (sentence: string) => void,
): Given | undefined {
  if (!option.secret || typeof file !== 'string') {
    if (typeof value !== 'string') return undefined;
    if (source.startsWith('--') && option.secret?.test(value)) {
      warn(
        `${source} shows a secret in the list of processes: use ${fileSource} or ${option.variable} instead`,
      );
    }
    return { value, source };
  }
  if (typeof value === 'string') throw new ConfigError(`Give ${source} or ${fileSource}, not both`);
  return { value: secretIn(file, fileSource, warn), source: fileSource };
}

/** The content of a file, without the line break that editors leave. @throws ConfigError */
function secretIn(path: string, source: string, warn: (sentence: string) => void): string {
  let content: Buffer;
  try {
    // A pipe, as of a shell's <(…), has no size of its own.
    content = readFileSync(path);
  } catch (error) {
    throw new ConfigError(
      `${source}: ${path} cannot be read (${(error as { code: string }).code})`,
    );
  }
  if (content.length > MAX_SECRET_BYTES) {
    throw new ConfigError(`${source}: ${path} has more than ${MAX_SECRET_BYTES} bytes`);
  }
  const value = content.toString('utf8').replace(/\r?\n$/, '');
  if (value === '') throw new ConfigError(`${source}: ${path} is empty`);
  // Nothing of it is repeated.
  if (/[\r\n\0]/.test(value)) throw new ConfigError(`${source}: ${path} has more than one line`);
  warnIfOpen(path, warn);
  return value;
}

/** Warns of a file with secrets that other accounts of the machine can read. */
export function warnIfOpen(path: string, warn: (sentence: string) => void): void {
  if (process.platform === 'win32') return;
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file?.isFile() || (file.mode & 0o077) === 0) return;
  warn(`${path} holds a secret and is accessible to other accounts: set its mode to 0600`);
}
