/** What a command of the operator prints: text for people, or with `--json` what scripts read. */

/** Something that is told: a value for scripts, and its text for people. */
export interface Told {
  /** What JSON can express. */
  readonly value: unknown;
  /** One or more lines; absent where people were told all of it meanwhile. */
  readonly text?: string | undefined;
}

/** What a server tells its operator while it serves, with its words for people. */
export interface Announcement extends Told {
  readonly text: string;
}

/** @param text for people; scripts read it as `message`, beside the facts */
export function announcement(text: string, facts: object): Announcement {
  return { value: { ...facts, message: text }, text };
}

/** What a command came to. */
export interface Outcome extends Told {
  /** Exit status; default: 0. */
  readonly status?: 0 | 1 | 2;
}

/** What a command tells while it runs. */
export interface Output {
  /** One of many that follow one another, e.g. a journal entry: a line of JSON each. */
  readonly row: (row: Told) => void;
  /** A line for people, part of what the outcome has for scripts. */
  readonly say: (line: string) => void;
  /** A line on standard error: progress, advice, and what it is about where standard output is an export. */
  readonly note: (line: string) => void;
}

/** Text to its stream. */
type Write = (text: string) => void;

/** Why a command failed. */
export interface Failure {
  /** With the form in which people read it. */
  readonly text: string;
  readonly message: string;
  readonly status: number;
}

/**
 * Printer is the one place where a command meets standard output and error. With `--json` standard output has the
 * outcome as one document; where the command tells many rows, a line for each, and the outcome, if any, as the last line.
 * Standard error then has lines `{"note": …}` and, last, `{"error": …, "status": …}` of a command that failed.
 */
export class Printer implements Output {
  private hasRows = false;

  constructor(
    private readonly asJson: boolean,
    private readonly out: Write,
    private readonly err: Write,
  ) {}

  readonly row = ({ value, text }: Told): void => {
    this.hasRows = true;
    if (this.asJson) this.out(`${JSON.stringify(value)}\n`);
    else if (text !== undefined) this.out(`${text}\n`);
  };

  readonly say = (line: string): void => {
    if (!this.asJson) this.out(`${line}\n`);
  };

  readonly note = (note: string): void => {
    this.err(`${this.asJson ? JSON.stringify({ note }) : note}\n`);
  };

  /** Once, at the end. */
  outcome({ value, text }: Outcome): void {
    if (this.asJson) this.out(`${JSON.stringify(value, null, this.hasRows ? 0 : 2)}\n`);
    else if (text !== undefined) this.out(text.endsWith('\n') ? text : `${text}\n`);
  }

  failure({ text, message, status }: Failure): void {
    this.err(`${this.asJson ? JSON.stringify({ error: message, status }) : text}\n`);
  }
}
