import type { SubmessageDocument } from '../../../../schemas/messages/message.js';
import { MAX_WIDGET_INDEX } from '../../../../schemas/limits.js';
import { badRequest } from '../../../errors/index.js';
import { aName, anObject, aString, aText, between, exactly } from './fields.js';
import { CANNED, type Adder, type Widget, type WidgetUser } from './widget.js';
import type { PollStart } from './widget-content.js';

const VOTE = 1;
const TAKEN_BACK = -1;

const NAME = 'poll data';
const readVote = exactly({
  type: aString,
  key: aString,
  vote: (name, value) => {
    const vote = between(TAKEN_BACK, VOTE)(name, value);
    if (vote === 0) throw badRequest(`Invalid ${name}`);
    return vote;
  },
});
const readQuestion = exactly({ type: aString, question: aText });
const readOption = exactly({ type: aString, idx: between(0, MAX_WIDGET_INDEX), option: aName });

/** An action, as this server stored it. */
type PollAction =
  | { readonly type: 'vote'; readonly key: string; readonly vote: number }
  | { readonly type: 'question'; readonly question: string }
  | { readonly type: 'new_option'; readonly idx: number; readonly option: string };

interface Option {
  readonly text: string;
  /** The newest vote of each person. */
  readonly votes: Map<number, number>;
}

/**
 * A poll (endpoints-flags.md#polls): a question, options, and for each option who votes for it. Everybody who sees the
 * message may vote, for any number of options, and add options.
 */
export class Poll implements Widget {
  private question: string;
  /** By key: who added it, a comma, and the number they gave it. */
  private readonly options = new Map<string, Option>();

  constructor({ question, options }: PollStart) {
    this.question = question;
    for (const [idx, option] of options.entries()) this.add(CANNED, idx, option);
  }

  act(user: WidgetUser, action: unknown): boolean {
    const type = aString(`${NAME}["type"]`, typeOf(action));
    switch (type) {
      case 'vote': {
        const { key, vote } = readVote(NAME, action);
        if (!this.options.has(key)) throw badRequest('The poll has no such option.');
        return this.vote(user.id, key, vote);
      }
      case 'question': {
        if (!user.isAuthor) {
          throw badRequest("You can't edit a question unless you are the author.");
        }
        return this.ask(readQuestion(NAME, action).question);
      }
      case 'new_option': {
        const { idx, option } = readOption(NAME, action);
        const known = this.options.get(keyOf(user.id, idx));
        if (known && known.text !== option) {
          throw badRequest('You have given the poll an option with this number already.');
        }
        return this.add(user.id, idx, option);
      }
      default:
        throw badRequest(`Unknown type for poll data: ${type.slice(0, 100)}`);
    }
  }

  replay(senderId: number, action: unknown): void {
    const known = action as PollAction;
    switch (known.type) {
      case 'vote':
        if (this.options.has(known.key)) this.vote(senderId, known.key, known.vote);
        return;
      case 'question':
        this.ask(known.question);
        return;
      case 'new_option':
        this.add(senderId, known.idx, known.option);
    }
  }

  /** The newest vote of each person for each option, the newest question, and all options. */
  effective(actions: readonly SubmessageDocument[]): readonly SubmessageDocument[] {
    const decided = new Set<string>();
    const kept = actions.toReversed().filter(({ sender_id, content }) => {
      const action = JSON.parse(content) as PollAction;
      if (action.type === 'new_option') return true;
      const about = action.type === 'vote' ? `${sender_id} ${action.key}` : action.type;
      if (decided.has(about)) return false;
      decided.add(about);
      return true;
    });
    return kept.reverse();
  }

  private vote(voterId: number, key: string, vote: number): boolean {
    const { votes } = this.options.get(key)!;
    if (votes.get(voterId) === vote) return false;
    votes.set(voterId, vote);
    return true;
  }

  private ask(question: string): boolean {
    if (this.question === question) return false;
    this.question = question;
    return true;
  }

  /** Clients show each text once, and none with too large a number. */
  private add(adder: Adder, idx: number, text: string): boolean {
    if (idx > MAX_WIDGET_INDEX) return false;
    for (const option of this.options.values()) if (option.text === text) return false;
    this.options.set(keyOf(adder, idx), { text, votes: new Map() });
    return true;
  }
}

function keyOf(adder: Adder, idx: number): string {
  return `${adder},${idx}`;
}

/** @throws ApiError for what is no object with a type */
function typeOf(action: unknown): unknown {
  const given = anObject(NAME, action);
  if (!Object.hasOwn(given, 'type')) throw badRequest(`type key is missing from ${NAME}`);
  return given.type;
}
