import type { SubmessageDocument } from '../../../../schemas/messages/message.js';
import { MAX_WIDGET_INDEX } from '../../../../schemas/limits.js';
import { badRequest } from '../../../errors/index.js';
import { aBoolean, aName, anObject, aString, aText, between, exactly } from './fields.js';
import { CANNED, type Adder, type Widget, type WidgetUser } from './widget.js';
import type { TodoStart } from './widget-content.js';

const NAME = 'todo data';
const readTask = exactly({
  type: aString,
  key: between(0, MAX_WIDGET_INDEX),
  task: aName,
  desc: aText,
  completed: aBoolean,
});
const readStrike = exactly({ type: aString, key: aString });
const readTitle = exactly({ type: aString, title: aText });

interface NewTask {
  readonly key: number;
  readonly task: string;
  readonly desc: string;
}

/** An action, as this server stored it. */
type TodoAction =
  | ({ readonly type: 'new_task' } & NewTask)
  | { readonly type: 'strike'; readonly key: string }
  | { readonly type: 'new_task_list_title'; readonly title: string };

/**
 * A to-do list (endpoints-flags.md#to-do-lists): a title and tasks. Everybody who sees the message may add tasks, and
 * say of each that it is done, or is not. Whether it is, clients count: each `strike` turns it round, so the server
 * keeps all of them that have no other one to undo them.
 */
export class TodoList implements Widget {
  private title: string;
  /** By key: the number that its author gave it, a comma, and the author. */
  private readonly tasks = new Map<string, NewTask>();

  constructor({ task_list_title, tasks }: TodoStart) {
    this.title = task_list_title;
    for (const [key, { task, desc }] of tasks.entries()) this.add(CANNED, { key, task, desc });
  }

  act(user: WidgetUser, action: unknown): boolean {
    const given = anObject(NAME, action);
    if (!Object.hasOwn(given, 'type')) throw badRequest(`type key is missing from ${NAME}`);
    const type = aString(`${NAME}["type"]`, given.type);
    switch (type) {
      case 'new_task':
        return this.addOnce(user.id, readTask(NAME, action));
      case 'strike':
        if (!this.tasks.has(readStrike(NAME, action).key)) {
          throw badRequest('The list has no such task.');
        }
        return true;
      case 'new_task_list_title': {
        if (!user.isAuthor) {
          throw badRequest("You can't edit the task list title unless you are the author.");
        }
        return this.entitle(readTitle(NAME, action).title);
      }
      default:
        throw badRequest(`Unknown type for todo data: ${type.slice(0, 100)}`);
    }
  }

  replay(senderId: number, action: unknown): void {
    const known = action as TodoAction;
    if (known.type === 'new_task') this.add(senderId, known);
    else if (known.type === 'new_task_list_title') this.entitle(known.title);
  }

  /** All tasks, the newest title, and the last of an odd number of strikes of a task. */
  effective(actions: readonly SubmessageDocument[]): readonly SubmessageDocument[] {
    const read = actions.map((one) => ({ one, action: JSON.parse(one.content) as TodoAction }));
    const strikes = new Map<string, number>();
    for (const { action } of read) {
      if (action.type === 'strike') strikes.set(action.key, (strikes.get(action.key) ?? 0) + 1);
    }
    const decided = new Set<string>();
    const kept = read.toReversed().filter(({ action }) => {
      if (action.type === 'new_task') return true;
      const about = action.type === 'strike' ? `strike ${action.key}` : action.type;
      if (decided.has(about)) return false;
      decided.add(about);
      return action.type !== 'strike' || strikes.get(action.key)! % 2 === 1;
    });
    return kept.map(({ one }) => one).reverse();
  }

  /** @throws ApiError for another task under a number that the user gave before */
  private addOnce(userId: number, task: NewTask): boolean {
    const known = this.tasks.get(keyOf(userId, task.key));
    if (known && (known.task !== task.task || known.desc !== task.desc)) {
      throw badRequest('You have given the list a task with this number already.');
    }
    return this.add(userId, task);
  }

  /** Clients show each name once, and none with too large a number. */
  private add(adder: Adder, { key, task, desc }: NewTask): boolean {
    if (key > MAX_WIDGET_INDEX) return false;
    for (const known of this.tasks.values()) if (known.task === task) return false;
    this.tasks.set(keyOf(adder, key), { key, task, desc });
    return true;
  }

  private entitle(title: string): boolean {
    if (this.title === title) return false;
    this.title = title;
    return true;
  }
}

function keyOf(adder: Adder, number: number): string {
  return `${number},${adder}`;
}
