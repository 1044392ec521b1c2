import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { Asked } from '../../resources/kernel/route.js';
import type { PathValues } from '../router.js';
import { JsonField, type RawParameters } from './form.js';

/** What a request asks of an endpoint, by its path and the names of its parameters alone. */
export function askedOf(
  { params }: EndpointDescriptor,
  path: PathValues,
  texts: RawParameters,
): Asked {
  const given = (name: string): boolean => !isNothing(texts.get(name));
  return { path, gives: (name) => given(name) || (params[name]?.aliases.some(given) ?? false) };
}

/** What some clients send for a parameter that they leave out. */
function isNothing(raw: string | JsonField | undefined): boolean {
  const value = raw instanceof JsonField ? raw.value : raw;
  return value === undefined || value === null || value === 'null' || value === 'undefined';
}
