/** A command with what it was given: its options, wherever their values come from. */
import { readConfigFile } from '../config/file.js';
import { variableFaults } from '../config/variables.js';
import {
  ConfigError,
  valueReader,
  type ConfigFile,
  type Environment,
  type FlagValue,
} from '../config/values.js';
import type { Command, Invocation, Spec } from './spec.js';

/**
 * Carries out what a command was asked for, with its options from flags, environment and configuration file.
 * @throws ConfigError with a line for each fault
 */
export function carryOut(
  spec: Spec,
  args: readonly string[],
  flags: Readonly<Record<string, FlagValue>>,
  environment: Environment,
  warn: (sentence: string) => void,
): Command {
  // What takes no option reads neither file nor variables.
  const takesOptions = spec.options.length > 0;
  const faults = takesOptions ? variableFaults(environment) : [];
  const file = takesOptions ? fileOf(flags, environment, warn, faults) : null;
  const read = valueReader(flags, environment, warn, file);
  const command = commandOf(spec, { read, args, own: flags, environment, warn, faults });
  if (faults.length > 0 && command.kind !== 'config check')
    throw new ConfigError(faults.join('\n'));
  const of = spec.ofOne === true ? flags['organization'] : undefined;
  return typeof of === 'string' ? { ...command, of } : command;
}

/** @throws ConfigError with the faults that are known before, too */
function commandOf(spec: Spec, given: Invocation): Command {
  try {
    return spec.command(given);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...given.faults, error.message].join('\n'));
  }
}

/** The configuration file, if one is named; null, and a fault, for one that cannot be used. */
function fileOf(
  flags: Readonly<Record<string, FlagValue>>,
  environment: Environment,
  warn: (sentence: string) => void,
  faults: string[],
): ConfigFile | null {
  const path = valueReader(flags, environment)('config').value;
  if (path === '') return null;
  try {
    return readConfigFile(path, warn);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(error.message);
    return null;
  }
}
