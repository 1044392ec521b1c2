import type { Message } from '../../client/index.js';
import type { Model } from './model.js';
import { say } from './say.js';
import { listText } from './view.js';

/** A poll as it stands. */
interface Poll {
  question: string;
  /** By key: `canned` or the user who added it, and a number. */
  readonly options: Map<string, PollOption>;
}

interface PollOption {
  readonly text: string;
  /** Users who vote for it. */
  readonly voters: Set<number>;
}

interface Start {
  readonly widget_type?: string;
  readonly extra_data?: { readonly question?: string; readonly options?: readonly string[] };
}

interface Action {
  readonly type: string;
  readonly question?: string;
  readonly idx?: number;
  readonly option?: string;
  readonly key?: string;
  readonly vote?: number;
}

/** The poll that a message is, by what was done with it; null where it is none. */
export function pollOf({ submessages }: Message): Poll | null {
  const [first, ...later] = submessages;
  const start = first && (JSON.parse(first.content) as Start);
  if (start?.widget_type !== 'poll') return null;
  const { question = '', options = [] } = start.extra_data ?? {};
  const poll: Poll = { question, options: new Map() };
  options.forEach((text, index) =>
    poll.options.set(`canned,${index}`, { text, voters: new Set() }),
  );
  for (const { sender_id, content } of later) {
    carryOut(poll, sender_id, JSON.parse(content) as Action);
  }
  return poll;
}

function carryOut(poll: Poll, sender: number, action: Action): void {
  switch (action.type) {
    case 'question':
      poll.question = action.question ?? '';
      break;
    case 'new_option':
      poll.options.set(`${sender},${action.idx}`, { text: action.option!, voters: new Set() });
      break;
    case 'vote': {
      const voters = poll.options.get(action.key!)?.voters;
      if (action.vote === 1) voters?.add(sender);
      else voters?.delete(sender);
      break;
    }
    default:
  }
}

interface Props {
  readonly model: Model;
  readonly message: Message;
  readonly poll: Poll;
}

/** A question with what one may vote for: any number of options, each as long as one likes. */
export function PollView({ model, message, poll }: Props) {
  const { user_id: me } = model.me;
  const vote = (key: string, isMine: boolean): void => {
    const content = JSON.stringify({ type: 'vote', key, vote: isMine ? -1 : 1 });
    const params = { message_id: message.id, msg_type: 'widget' as const, content };
    model.quietly(model.client.call('POST /submessage', params));
  };
  return (
    <fieldset class="poll">
      <legend dir="auto">{poll.question || say('poll.untitled')}</legend>
      {[...poll.options].map(([key, { text, voters }]) => (
        <button
          key={key}
          type="button"
          aria-pressed={voters.has(me)}
          title={listText([...voters].map((id) => model.nameOf(id)))}
          onClick={() => vote(key, voters.has(me))}
        >
          <span class="name" dir="auto">
            {text}
          </span>{' '}
          <span class="votes">{say('poll.votes', { count: voters.size })}</span>
        </button>
      ))}
      {poll.options.size === 0 && <p>{say('poll.empty')}</p>}
    </fieldset>
  );
}
