import t from 'tap';
import {
  givenWidget,
  widgetOf,
} from '../../../../../src/organization/messages/widgets/widget-content.js';

const poll = (question: string, ...options: string[]) => ({
  widget_type: 'poll',
  extra_data: { question, options },
});
const todo = (task_list_title: string, ...tasks: [string, string][]) => ({
  widget_type: 'todo',
  extra_data: { task_list_title, tasks: tasks.map(([task, desc]) => ({ task, desc })) },
});

void t.test('texts that make a poll', async (t) => {
  for (const [text, widget] of [
    ['/poll', poll('')],
    ['/poll Lunch?', poll('Lunch?')],
    ['/poll   Lunch?  \nSoup\n\n Salad ', poll('Lunch?', 'Soup', 'Salad')],
    ['/poll\nSoup', poll('', 'Soup')],
    ['/poll Lunch?\n- Soup\n* Salad\n  -Bread', poll('Lunch?', 'Soup', 'Salad', 'Bread')],
    ['/poll Lunch?\r\nSoup\r\nSalad', poll('Lunch?', 'Soup', 'Salad')],
    ['/poll Lunch?\n-\n*', poll('Lunch?')],
    ['/poll Twice?\nyes\nyes', poll('Twice?', 'yes', 'yes')],
    ['/poll \u202eLunch?\n\u2066Soup\u200b\n\u200b', poll('Lunch?', 'Soup')],
  ] as const) {
    t.same(widgetOf(text), widget, text);
  }
});

void t.test('texts that make a to-do list', async (t) => {
  for (const [text, widget] of [
    ['/todo', todo('')],
    [
      '/todo Party\nCake: with candles\n- Music',
      todo('Party', ['Cake', 'with candles'], ['Music', '']),
    ],
    ['/todo\nCall: at 9:30', todo('', ['Call', 'at 9:30'])],
  ] as const) {
    t.same(widgetOf(text), widget, text);
  }
});

void t.test('a text that only resembles a command makes no widget', async (t) => {
  for (const text of [
    'poll',
    ' /poll',
    '/polls x',
    '/Poll x',
    '/me /poll',
    'a\n/poll x',
    '/todo:',
    '',
  ]) {
    t.equal(widgetOf(text), undefined, text);
  }
});

const CHOICES = {
  type: 'choices',
  heading: 'Which?',
  choices: [{ short_name: 'A', long_name: 'The first', reply: 'answer A' }],
};

void t.test('a widget that a client gives a message', async (t) => {
  const choices = [{ type: 'multiple_choice', ...CHOICES.choices[0] }];
  for (const widget of [
    poll('Lunch?', 'Soup'),
    todo('Party', ['Cake', '']),
    { widget_type: 'zform', extra_data: CHOICES },
    { widget_type: 'zform', extra_data: { ...CHOICES, choices } },
  ]) {
    t.same(givenWidget(JSON.stringify(widget)), widget, widget.widget_type);
  }
});

void t.test('what is no widget, and how it is refused', async (t) => {
  const long = 'x'.repeat(1001);
  for (const [given, refusal] of [
    [[], 'widget_content is not a dict'],
    [{ extra_data: {} }, 'widget_type is not in widget_content'],
    [{ widget_type: 'poll' }, 'extra_data is not in widget_content'],
    [{ widget_type: 'poll', extra_data: 'x' }, 'extra_data is not a dict'],
    [{ widget_type: 7, extra_data: {} }, 'widget_type is not a string'],
    [{ widget_type: 'tictactoe', extra_data: {} }, 'unknown widget type: tictactoe'],
    [{ widget_type: 'poll', extra_data: {} }, 'question key is missing from extra_data'],
    [poll(long), 'extra_data["question"] is too long (limit: 1000 characters)'],
    [
      { widget_type: 'poll', extra_data: { question: '', options: [7] } },
      'extra_data["options"][0] is not a string',
    ],
    [
      { widget_type: 'todo', extra_data: { task_list_title: '', tasks: 'x' } },
      'extra_data["tasks"] is not a list',
    ],
    [{ widget_type: 'zform', extra_data: {} }, 'zform is missing type field'],
    [{ widget_type: 'zform', extra_data: { type: 'x' } }, 'unknown zform type: x'],
    [{ widget_type: 'zform', extra_data: { ...CHOICES, more: 1 } }, 'Unexpected arguments: more'],
    [
      { widget_type: 'zform', extra_data: { ...CHOICES, choices: [{ type: 7 }] } },
      'short_name key is missing from extra_data["choices"][0]',
    ],
    [
      {
        widget_type: 'zform',
        extra_data: { ...CHOICES, choices: [{ ...CHOICES.choices[0], type: 7 }] },
      },
      'extra_data["choices"][0]["type"] is not a string',
    ],
  ] as const) {
    t.throws(() => givenWidget(JSON.stringify(given)), { message: `Widgets: ${refusal}` });
  }
  t.throws(() => givenWidget('{'), {
    message: 'Widgets: API programmer sent invalid JSON content',
  });
});
