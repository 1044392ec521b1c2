import { Collection, type Recorder } from './collection.js';

/** What is numbered. Numbers are never given twice, also after the thing is gone. */
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
  /** Of stores before messages and scheduled messages shared one sequence; only read. */
  | 'scheduled_message'
  | 'reminder'
  | 'navigation_view'
  | 'push_token'
  | 'device'
  | 'linkifier'
  | 'custom_emoji'
  | 'attachment'
  | 'playground'
  | 'draft'
  | 'saved_snippet';

interface CounterDocument {
  readonly name: CounterName;
  readonly last: number;
}

/** Sequences of ids, starting at 1. */
export class Counters extends Collection<CounterName, CounterDocument> {
  constructor(recorder: Recorder) {
    super('counter', recorder, (counter) => counter.name);
  }

  /** The newest number given, or 0. */
  last(name: CounterName): number {
    return this.get(name)?.last ?? 0;
  }

  /** Takes the next number; part of the running transaction. */
  next(name: CounterName): number {
    const last = this.last(name) + 1;
    this.insert({ name, last });
    return last;
  }

  /**
   * Takes the next id that messages and scheduled messages share, so that a scheduled message never
   * has the id of a message (specification-resources.md#scheduled-message). Stores of earlier versions number scheduled
   * messages on their own: their last number is a floor.
   */
  nextMessageId(): number {
    const last = Math.max(this.last('message'), this.last('scheduled_message')) + 1;
    this.insert({ name: 'message', last });
    return last;
  }

  /** Leaves numbers out: those up to `last` are never given. */
  skip(name: CounterName, last: number): void {
    if (last > this.last(name)) this.insert({ name, last });
  }
}
