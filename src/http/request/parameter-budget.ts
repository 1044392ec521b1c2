import type { PairBound, Param } from '../../../schemas/endpoint.js';
import { MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { badRequest, parametersTooLong, tooManyPairs } from '../../errors/index.js';
import type { RawParameters } from './form.js';
import { entriesIn } from './text-check.js';
import { describe, fault, type ValidationFault } from './validation-faults.js';

/** A declared parameter. */
interface NamedParam {
  readonly name: string;
  readonly param: Param;
}

/**
 * Checks the first part of a request's cost budget: the total length of its declared parameters.
 * @throws ApiError 400
 */
export function checkLengths(params: readonly NamedParam[], texts: RawParameters): void {
  let length = 0;
  for (const text of texts.values()) length += text.length;
  if (length <= MAX_PARAMETER_LENGTH) return;
  length = 0;
  for (const { name, param } of params) {
    for (const one of [name, ...param.aliases]) {
      const own = texts.get(one)?.length ?? 0;
      if (own > MAX_PARAMETER_LENGTH) throw badRequest(describe(name, tooLong()));
      length += own;
    }
  }
  if (length > MAX_PARAMETER_LENGTH) throw parametersTooLong(MAX_PARAMETER_LENGTH);
}

function tooLong(): ValidationFault {
  return fault(`is too long (limit: ${MAX_PARAMETER_LENGTH} characters)`);
}

/** Checks the second part of the cost budget: products of list lengths. @throws ApiError 400 */
export function checkPairs(
  pairs: readonly PairBound[],
  values: Readonly<Record<string, unknown>>,
): void {
  for (const { of, max } of pairs) {
    const [first, second] = of.map((name) => entryCount(values[name]));
    if (first! * second! > max) throw tooManyPairs(of, max);
  }
}

/** Number of entries of a list, sent as JSON or separated by commas; 1 for any other value. */
function entryCount(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'string' ? entriesIn(value) : 1;
}
