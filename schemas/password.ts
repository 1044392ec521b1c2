import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from './limits.js';

/** What is said of a password that is too short or too long. */
export const PASSWORD_LENGTHS = `a password has ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters`;

/** Whether a password has a length that is accepted, in code points. */
export function hasPasswordLength(password: string): boolean {
  const { length } = [...password];
  return length >= PASSWORD_MIN_LENGTH && length <= PASSWORD_MAX_LENGTH;
}
