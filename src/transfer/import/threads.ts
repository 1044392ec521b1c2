/** Threads of services that have no topics: each becomes a topic, or its answers quote what they answer. */
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { mention, quotation } from '../../organization/messages/message-markup.js';
import { codePointLength } from '../../services/text/stored-text.js';

/** What becomes of threads. */
export type ThreadForm = 'topics' | 'quotes';

/** What is quoted of a message, code points: enough to know it by. */
const QUOTED = 300;

/** The first message of a thread, as answers name it. */
interface First {
  readonly sender: UserDocument;
  readonly excerpt: string;
}

/** A message by its time, and the thread that it is in by that of its first message: seconds, as text; empty for none. */
export interface Threaded {
  readonly time: string;
  readonly thread: string;
}

/** Topics of messages, and what answers quote. */
export class Threads {
  /** By conversation and time. */
  private readonly firsts = new Map<string, First>();

  /** @param topic of what is in no thread */
  constructor(
    private readonly form: ThreadForm,
    private readonly topic: string,
  ) {}

  /** A thread is a topic of its own, named by the time of its first message, which its messages carry. */
  topicOf({ thread }: Threaded): string {
    const seconds = Number(thread);
    if (this.form === 'quotes' || !(seconds > 0)) return this.topic;
    const at = new Date(seconds * 1000).toISOString();
    return `thread of ${at.slice(0, 10)} ${at.slice(11, 23)}`;
  }

  /**
   * The text of a message with what it answers: in direct messages, which have no topics, and where the operator wants it.
   * @param place of the conversation
   */
  quoted(
    place: string,
    { time, thread }: Threaded,
    sender: UserDocument,
    content: string,
    isDirect: boolean,
  ): string {
    if (thread === '' || (!isDirect && this.form === 'topics')) return content;
    const key = `${place} ${thread}`;
    if (thread === time) {
      this.firsts.set(key, { sender, excerpt: excerptOf(content) });
      return content;
    }
    const first = this.firsts.get(key);
    if (!first) return content;
    return `${mention(first.sender)} said:\n${quotation(first.excerpt)}\n${content}`;
  }
}

/** The beginning of a message, as answers quote it. */
export function excerptOf(content: string): string {
  if (codePointLength(content) <= QUOTED) return content;
  return `${[...content].slice(0, QUOTED).join('').trimEnd()}…`;
}
