import { readFileSync } from 'node:fs';
import { nearName } from '../../src/config/file.js';
import type { DriveFlags } from './options.js';

/** Flags of `drive` that a file may give. */
const SINGLE = [
  'mix',
  'clients',
  'rate',
  'seconds',
  'stages',
  'find-limit',
  'within',
  'accounts',
  'token-file',
  'slow',
  'vanish',
  'storm',
  'store',
] as const;
const SEVERAL = ['goal', 'worker'] as const;
const NAMES: ReadonlySet<string> = new Set([...SINGLE, ...SEVERAL]);

/**
 * Reads a load from a file: JSON with flags of `drive` by name, as the command line has them, `goal` and `worker` as lists.
 * @throws Error that says what is wrong with it
 */
export function readLoadFile(path: string): DriveFlags {
  const load: unknown = parsed(path);
  if (typeof load !== 'object' || load === null || Array.isArray(load)) {
    throw new Error(`${path}: flags by name are expected, such as {"clients": 50}`);
  }
  const flags: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(load)) {
    if (!NAMES.has(name)) {
      const near = nearName(name, NAMES);
      throw new Error(
        `${path}: no load has ${name}${near === null ? '' : `; did you mean ${near}?`}`,
      );
    }
    const isList = (SEVERAL as readonly string[]).includes(name);
    const values: readonly unknown[] = isList && Array.isArray(value) ? value : [value];
    if (!values.every((one) => typeof one === 'string' || typeof one === 'number')) {
      throw new Error(`${path}: ${name} is text or a number${isList ? ', or a list of them' : ''}`);
    }
    flags[name] = isList ? values.map(String) : String(values[0]);
  }
  return flags;
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`);
  }
}
