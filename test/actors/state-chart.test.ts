import t from 'tap';
import { createMachine } from 'xstate';
import { createEventQueueMachine } from '../../actors/event-queue.js';
import { stateChart } from '../../actors/state-chart.js';

void t.test('the chart of a machine is what the machine says', (t) => {
  const logic = createMachine({
    initial: 'red',
    states: {
      red: { on: { go: { target: 'green' }, look: {} } },
      green: { on: { stop: [{ guard: () => true, target: 'red' }, { target: 'dark' }] } },
      dark: { type: 'final' },
    },
  });
  t.strictSame(stateChart({ name: 'light', logic }), {
    machine: 'light',
    initial_state: 'red',
    states: [
      {
        state_name: 'red',
        is_final: false,
        transitions: [
          { event: 'go', target: 'green' },
          { event: 'look', target: 'red' },
        ],
      },
      {
        state_name: 'green',
        is_final: false,
        transitions: [
          { event: 'stop', target: 'red' },
          { event: 'stop', target: 'dark' },
        ],
      },
      { state_name: 'dark', is_final: true, transitions: [] },
    ],
  });
  t.end();
});

void t.test('the chart of event queues has all their ends', (t) => {
  const { initial_state, states } = stateChart(createEventQueueMachine({} as never));
  t.equal(initial_state, 'live');
  t.same(
    states.filter(({ is_final }) => is_final).map(({ state_name }) => state_name),
    ['expired', 'deleted', 'revoked', 'overflowed'],
  );
  t.end();
});
