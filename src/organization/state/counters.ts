import { Collection, type Recorder } from './collection.js';

/** The sequences of numbers. A number is never assigned twice, even after its document is deleted. */
export type CounterName =
  | 'user'
  | 'stream'
  | 'channel_folder'
  | 'recipient'
  | 'message'
  | 'message_archive'
  | 'user_group'
  | 'presence_update'
  | 'custom_profile_field'
  | 'realm_domain'
  | 'invitation'
  | 'multiuse_invitation'
  | 'mail'
  /** Of stores from before messages and scheduled messages shared one sequence; only read. */
  | 'scheduled_message'
  | 'reminder'
  | 'navigation_view'
  | 'push_token'
  | 'push'
  | 'device'
  | 'linkifier'
  | 'custom_emoji'
  | 'attachment'
  | 'playground'
  | 'draft'
  | 'saved_snippet'
  | 'submessage'
  | 'outgoing_hook'
  | 'realm_export';

interface CounterDocument {
  readonly name: CounterName;
  readonly last: number;
}

/** Sequences of ids, starting at 1. */
export class Counters extends Collection<CounterName, CounterDocument> {
  constructor(recorder: Recorder) {
    super('counter', recorder, (counter) => counter.name);
  }

  /** The newest assigned number, or 0. */
  last(name: CounterName): number {
    return this.get(name)?.last ?? 0;
  }

  /** Assigns the next number, in the open transaction. */
  next(name: CounterName): number {
    const last = this.last(name) + 1;
    this.insert({ name, last });
    return last;
  }

  /**
   * Assigns the next id of the sequence that messages and scheduled messages share, so that a scheduled
   * message never has the id of a message (specification-resources.md#scheduled-message). Stores of earlier
   * versions numbered scheduled messages separately: their last number is a lower bound.
   */
  nextMessageId(): number {
    const last = Math.max(this.last('message'), this.last('scheduled_message')) + 1;
    this.insert({ name: 'message', last });
    return last;
  }

  /** Skips the numbers up to `last`. */
  skip(name: CounterName, last: number): void {
    if (last > this.last(name)) this.insert({ name, last });
  }
}
