/** Threads of Slack: each becomes a topic, or its answers quote what they answer. */
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { mention, quotation } from '../../../organization/messages/message-markup.js';
import { codePointLength } from '../../../services/text/stored-text.js';
import type { JsonRow } from '../json-rows.js';
import { text } from './slack-files.js';

/** What becomes of threads. */
export type ThreadForm = 'topics' | 'quotes';

/** Topic of what is in no thread. */
export const TOPIC = 'imported from Slack';

/** What is quoted of a message, code points: enough to know it by. */
const QUOTED = 300;

/** The first message of a thread, as answers name it. */
interface First {
  readonly sender: UserDocument;
  readonly excerpt: string;
}

/** Topics of messages, and what answers quote. */
export class SlackThreads {
  /** By conversation and time. */
  private readonly firsts = new Map<string, First>();

  constructor(private readonly form: ThreadForm) {}

  /** A thread is a topic of its own, named by the time of its first message, which its messages carry. */
  topicOf(row: JsonRow): string {
    const thread = Number(text(row, 'thread_ts'));
    if (this.form === 'quotes' || !(thread > 0)) return TOPIC;
    const at = new Date(thread * 1000).toISOString();
    return `thread of ${at.slice(0, 10)} ${at.slice(11, 23)}`;
  }

  /**
   * The text of a message with what it answers: in direct messages, which have no topics, and where the operator wants it.
   * @param place of the conversation
   */
  quoted(
    place: string,
    row: JsonRow,
    sender: UserDocument,
    content: string,
    isDirect: boolean,
  ): string {
    const thread = text(row, 'thread_ts');
    if (thread === '' || (!isDirect && this.form === 'topics')) return content;
    const key = `${place} ${thread}`;
    if (thread === text(row, 'ts')) {
      this.firsts.set(key, { sender, excerpt: excerptOf(content) });
      return content;
    }
    const first = this.firsts.get(key);
    if (!first) return content;
    return `${mention(first.sender)} said:\n${quotation(first.excerpt)}\n${content}`;
  }
}

function excerptOf(content: string): string {
  if (codePointLength(content) <= QUOTED) return content;
  return `${[...content].slice(0, QUOTED).join('').trimEnd()}…`;
}
