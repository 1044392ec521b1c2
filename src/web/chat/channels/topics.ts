import type { Client, UserTopic } from '../../../client/index.js';
import { isSameTopic } from '../view.js';

/** Values of `visibility_policy`. */
export const INHERIT = 0;
export const MUTED = 1;
export const UNMUTED = 2;
export const FOLLOWED = 3;
export type Policy = 0 | 1 | 2 | 3;
/** Before the name of a topic, it says that its question is settled. */
const RESOLVED = '✔ ';

export interface TopicRow {
  readonly name: string;
  readonly newest: number;
}

/** Topics of channels that were opened, and what the reader wants of topics. */
export class Topics {
  private readonly rows = new Map<number, readonly TopicRow[]>();
  private readonly policies = new Map<string, number>();

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {}

  start(policies: readonly UserTopic[]): void {
    this.rows.clear();
    this.policies.clear();
    for (const one of policies)
      this.setPolicy(one.stream_id, one.topic_name, one.visibility_policy);
  }

  /** Forgets names: they have changed. */
  clear(): void {
    this.rows.clear();
  }

  of(channelId: number): readonly TopicRow[] {
    return this.rows.get(channelId) ?? [];
  }

  load(channelId: number): void {
    if (this.rows.has(channelId)) return;
    this.rows.set(channelId, []);
    const params = { stream_id: channelId, allow_empty_topic_name: true };
    this.client.call('GET /users/me/{stream_id}/topics', params).then(
      ({ topics }) => {
        this.rows.set(
          channelId,
          topics.map(({ name, max_id }) => ({ name, newest: max_id })),
        );
        this.changed();
      },
      () => this.rows.delete(channelId),
    );
  }

  /** A message came there. */
  heard(channelId: number, name: string, newest: number): void {
    const others = this.rows.get(channelId)?.filter((one) => !isSameTopic(one.name, name));
    if (others) this.rows.set(channelId, [{ name, newest }, ...others]);
  }

  policy(channelId: number, topic: string): number {
    return this.policies.get(keyOf(channelId, topic)) ?? INHERIT;
  }

  setPolicy(channelId: number, topic: string, policy: number): void {
    this.policies.set(keyOf(channelId, topic), policy);
  }
}

function keyOf(channelId: number, topic: string): string {
  return `${channelId}/${topic.toLowerCase()}`;
}

export function isResolved(topic: string): boolean {
  return topic.startsWith(RESOLVED);
}

/** The name that a topic has after it was resolved, or after that was taken back. */
export function turnedName(topic: string): string {
  return isResolved(topic) ? topic.slice(RESOLVED.length) : RESOLVED + topic;
}
