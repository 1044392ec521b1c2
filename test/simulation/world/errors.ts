/** A fault of the program itself, and none that it expects of its surroundings. */
export function isUnexpected(error: unknown): boolean {
  return error instanceof Error && /^(Type|Range|Reference|Syntax)?Error$/.test(error.name);
}

/** Its stack; of what is no error, its text. */
export function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
