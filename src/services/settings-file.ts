import type { Static, TSchema } from 'typebox';
import Value from 'typebox/value';
import { readFile } from '../platform/files.js';

/**
 * Reads a JSON file an operator wrote, of the given form; what it leaves out takes its default.
 * @throws Error that names the file and the field; never shows a value, which may be a secret
 */
export async function readSettingsFile<T extends TSchema>(
  path: string,
  schema: T,
): Promise<Static<T>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read (${error.code ?? error.message})`);
  });
  const settings = Value.Default(schema, parsed(path, text));
  const [fault] = Value.Errors(schema, settings);
  if (fault) {
    const field = fault.instancePath.slice(1) || 'the file';
    throw new Error(`${path}: ${field} ${fault.message}`);
  }
  return settings as Static<T>;
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path} is not JSON`);
  }
}
