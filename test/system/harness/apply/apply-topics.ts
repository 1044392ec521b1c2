import type { Body, Snapshot, WireEvent } from '../client.js';

interface Choice {
  readonly stream_id: number;
  readonly topic_name: string;
  readonly last_updated: number;
  readonly visibility_policy: number;
}

type Row = readonly [channel: string, topic: string, muted: number];

/** What a client knows of topic settings, muted people and onboarding, from events alone. */
export class TopicState {
  private readonly choices = new Map<string, Choice>();
  private muted: Row[];
  private mutedUsers: unknown;
  private steps: unknown;

  constructor(snapshot: Snapshot) {
    for (const one of (snapshot.user_topics ?? []) as Choice[]) this.choices.set(keyOf(one), one);
    this.muted = [...((snapshot.muted_topics ?? []) as Row[])];
    this.mutedUsers = snapshot.muted_users;
    this.steps = snapshot.onboarding_steps;
  }

  apply(event: WireEvent): void {
    if (event.type === 'muted_users') this.mutedUsers = event.muted_users;
    else if (event.type === 'onboarding_steps') this.steps = event.onboarding_steps;
    else if (event.type === 'muted_topics') this.muted = [...(event.muted_topics as Row[])];
    else if (event.type === 'user_topic') {
      const { id: _id, type: _type, ...body } = event;
      const choice = body as unknown as Choice;
      if (choice.visibility_policy === 0) this.choices.delete(keyOf(choice));
      else this.choices.set(keyOf(choice), choice);
    } else if (event.type === 'stream' && event.property === 'name') this.rename(event);
  }

  /** What was chosen for a topic, or undefined where its channel decides. */
  isMuted(streamId: number, topic: string): boolean | undefined {
    const choice = this.choices.get(keyOf({ stream_id: streamId, topic_name: topic }));
    return choice && choice.visibility_policy === 1;
  }

  /** The fields of a snapshot this keeps, lists in one order. */
  fields(): Body {
    return {
      user_topics: [...this.choices.entries()].sort().map(([, choice]) => choice),
      muted_topics: this.muted.map((row) => JSON.stringify(row)).sort(),
      muted_users: this.mutedUsers,
      onboarding_steps: this.steps,
    };
  }

  /** The older list names channels, so a client that keeps it goes by the name. */
  private rename({ name, value }: WireEvent): void {
    this.muted = this.muted.map(([channel, topic, muted]) =>
      channel === name ? [String(value), topic, muted] : [channel, topic, muted],
    );
  }
}

function keyOf({ stream_id, topic_name }: Pick<Choice, 'stream_id' | 'topic_name'>): string {
  return `${stream_id}:${topic_name.toLowerCase()}`;
}
