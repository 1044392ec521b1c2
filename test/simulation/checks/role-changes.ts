/** A change of what a node does, as `follows>leads`. */
interface Change {
  readonly node: string;
  readonly what: string;
}

/**
 * Counts how nodes change what they do one after the other: which interleavings of the protocol of leadership a run came
 * to. Each change counts with the one before it that was of another node.
 */
export class RoleChanges {
  private newest: Change | null = null;
  /** The newest change of another node than that. */
  private other: Change | null = null;

  constructor(private readonly counted: (what: string) => void) {}

  changed(node: string, from: string, to: string): void {
    if (from === to) return;
    const what = `${from}>${to}`;
    if (this.newest !== null && this.newest.node !== node) this.other = this.newest;
    this.newest = { node, what };
    if (this.other !== null) this.counted(`roles: ${this.other.what}, then another ${what}`);
  }
}
