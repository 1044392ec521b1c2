import type { Client } from '../../../client/index.js';

/** Names of the groups that can be mentioned, fetched when somebody first mentions one; anew after some time. */
export class GroupNames {
  private names: readonly string[] = [];
  private asked = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {}

  /** Those whose names begin with a text; none before they are here. */
  startingWith(wanted: string): readonly string[] {
    // Guests, who may not ask, are not told of a refusal.
    if (Date.now() - this.asked > FRESH_MS) void this.load().catch(() => undefined);
    return this.names.filter((name) => name.toLowerCase().startsWith(wanted));
  }

  private async load(): Promise<void> {
    this.asked = Date.now();
    const { user_groups } = await this.client.call('GET /user_groups', {});
    this.names = user_groups
      // Those of roles have names that only programs know.
      .filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated)
      .map(({ name }) => name);
    this.changed();
  }
}

/** How long names count as fresh: groups are made seldom. Milliseconds. */
const FRESH_MS = 60_000;
