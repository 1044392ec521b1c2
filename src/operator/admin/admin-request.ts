import type { LeadingNode } from '../../nodes/internal-calls.js';

/** A node that leads. */
export type AdminNode = LeadingNode;

/** What is asked: a command with its arguments, as the command line has checked them. */
export interface AdminRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  /** Of `users import`: what its file has. */
  readonly rows?: readonly ImportedUser[];
}

/** A row of a table of accounts. */
export interface ImportedUser {
  /** Where it stands in the file, from 1. */
  readonly line: number;
  readonly email: string;
  readonly name: string;
  /** Empty: a member's. */
  readonly role: string;
}

/** Who asked. */
export interface Asker {
  /** Sends one row of an answer that goes on. */
  readonly row: (row: unknown) => void;
  /** Resolves when the other end has taken what was sent, or has gone. */
  readonly drained: () => Promise<void>;
  /** Resolves when the other end has gone. */
  readonly gone: Promise<void>;
  /** Whether it has. */
  readonly isGone: () => boolean;
}

/** A command. */
export type Work = (node: AdminNode, request: AdminRequest, asker: Asker) => unknown;
