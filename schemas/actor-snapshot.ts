import Type, { type TSchema } from 'typebox';
import { oneOf } from './endpoint.js';

/**
 * The stored document of an actor, which is the snapshot of its machine (`actors/`): all that the machine has decided.
 * A document of another machine, version or state is damaged.
 * @param version of the machine; a new one comes with a migration of the documents
 */
export function snapshot<M extends string, V extends number, S extends string, C extends TSchema>(
  machine: M,
  version: V,
  states: readonly S[],
  context: C,
) {
  return Type.Object({
    machine: Type.Literal(machine),
    version: Type.Literal(version),
    value: oneOf(...states),
    context,
  });
}
