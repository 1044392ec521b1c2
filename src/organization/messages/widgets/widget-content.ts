import { badRequest } from '../../../errors/index.js';
import { withoutInvalidCharacters } from '../../../services/text/stored-text.js';
import { anObject, aString, aText, exactly, listOf, type Read } from './fields.js';

/** What a poll begins with. */
export interface PollStart {
  readonly question: string;
  readonly options: readonly string[];
}

/** What a to-do list begins with. */
export interface TodoStart {
  readonly task_list_title: string;
  readonly tasks: readonly { readonly task: string; readonly desc: string }[];
}

/** The widget of a message, as its first submessage has it. */
export type WidgetContent =
  | { readonly widget_type: 'poll'; readonly extra_data: PollStart }
  | { readonly widget_type: 'todo'; readonly extra_data: TodoStart }
  | { readonly widget_type: 'zform'; readonly extra_data: Readonly<Record<string, unknown>> };

/** What ends a line, as far as clients know. */
const LINE_END = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/u;
/** The mark of a list, which an option or a task may have. */
const LIST_MARK = /^\s*[-*]?\s*/u;

/**
 * The widget that a text makes (endpoints-flags.md#widgets): `/poll` or `/todo`, question or title in the same line,
 * and an option or a task in each further one, without what `aText` refuses. Undefined for all other texts.
 */
export function widgetOf(content: string): WidgetContent | undefined {
  const command = /^\/(poll|todo)(?=\s|$)/u.exec(content);
  if (!command) return undefined;
  const [heading, ...rest] = content.slice(command[0].length).split(LINE_END) as [
    string,
    ...string[],
  ];
  const title = withoutInvalidCharacters(heading).trim();
  const lines = rest
    .map((line) => withoutInvalidCharacters(line.trim().replace(LIST_MARK, '')).trim())
    .filter((line) => line !== '');
  if (command[1] === 'poll') {
    return { widget_type: 'poll', extra_data: { question: title, options: lines } };
  }
  const tasks = lines.map((line) => {
    const colon = line.indexOf(':');
    if (colon < 0) return { task: line.trim(), desc: '' };
    return { task: line.slice(0, colon).trim(), desc: line.slice(colon + 1).trim() };
  });
  return { widget_type: 'todo', extra_data: { task_list_title: title, tasks } };
}

const readPoll: Read<PollStart> = exactly({ question: aText, options: listOf(aText) });
const readTodo: Read<TodoStart> = exactly({
  task_list_title: aText,
  tasks: listOf(exactly({ task: aText, desc: aText })),
});
/** Bots give each choice a `type`, `multiple_choice`, without which the web app shows no form. */
const readChoice = exactly({ short_name: aText, long_name: aText, reply: aText }, { type: aText });
const readChoices = exactly({ type: aString, heading: aText, choices: listOf(readChoice) });

/**
 * The widget that a client gives a message by `widget_content`.
 * @throws ApiError
 */
export function givenWidget(text: string): WidgetContent {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw badRequest('Widgets: API programmer sent invalid JSON content');
  }
  try {
    return readWidget(given);
  } catch (error) {
    throw badRequest(`Widgets: ${(error as Error).message}`);
  }
}

/** @throws ApiError */
function readWidget(given: unknown): WidgetContent {
  const content = anObject('widget_content', given);
  for (const key of ['widget_type', 'extra_data']) {
    if (!Object.hasOwn(content, key)) throw badRequest(`${key} is not in widget_content`);
  }
  const extra = anObject('extra_data', content.extra_data);
  const type = aString('widget_type', content.widget_type);
  switch (type) {
    case 'poll':
      return { widget_type: type, extra_data: readPoll('extra_data', extra) };
    case 'todo':
      return { widget_type: type, extra_data: readTodo('extra_data', extra) };
    case 'zform': {
      if (!Object.hasOwn(extra, 'type')) throw badRequest('zform is missing type field');
      const form = aString('type', extra.type);
      if (form !== 'choices') throw badRequest(`unknown zform type: ${form.slice(0, 100)}`);
      return { widget_type: type, extra_data: readChoices('extra_data', extra) };
    }
    default:
      throw badRequest(`unknown widget type: ${type.slice(0, 100)}`);
  }
}
