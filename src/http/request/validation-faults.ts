import { describeExcess, type Excess } from '../../services/text/json-text.js';

/**
 * A value that does not match its schema: its place relative to the checked value (`[3]["key"]`), and a
 * message with the name of the place (requests.md#invalid).
 */
export interface ValidationFault {
  readonly at: string;
  readonly say: (place: string) => string;
}

/** The usual form: `{place} {complaint}`. */
export function fault(complaint: string): ValidationFault {
  return { at: '', say: (place) => `${place} ${complaint}` };
}

/** A value outside an enumeration: `Invalid {place}`. */
export function invalid(): ValidationFault {
  return { at: '', say: (place) => `Invalid ${place}` };
}

/** A required key that an object lacks. */
export function missingKey(key: string): ValidationFault {
  return { at: '', say: (place) => `${key} key is missing from ${place}` };
}

/** A key that an object must not have. */
export function unexpectedKey(key: string): ValidationFault {
  return { at: '', say: (place) => `Argument "${key}" at ${place} is unexpected` };
}

/** JSON that has too much of something. */
export function tooMuchJson(excess: Excess): ValidationFault {
  return fault(`has too many ${describeExcess(excess)}`);
}

/** The same fault seen from the list or object around the value. */
export function inside(step: string, found: ValidationFault): ValidationFault {
  return { at: step + found.at, say: found.say };
}

/** The message for a parameter of this name. */
export function describe(name: string, found: ValidationFault): string {
  return found.say(name + found.at);
}
