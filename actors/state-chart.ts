import type { AnyStateMachine } from 'xstate';

/** The states of a machine with what leads from one to another, for a drawing. */
export interface StateChart {
  readonly machine: string;
  readonly initial_state: string;
  readonly states: {
    readonly state_name: string;
    readonly is_final: boolean;
    /** To the state itself where an event changes nothing but the context. */
    readonly transitions: { readonly event: string; readonly target: string }[];
  }[];
}

/** The chart of a flat machine, read from its own definition. */
export function stateChart({ name, logic }: { name: string; logic: AnyStateMachine }): StateChart {
  const { root } = logic;
  const states = Object.values(root.states).map((state) => {
    // Those of the machine itself hold in each state that is not its end.
    const ofAll = state.type === 'final' ? [] : root.transitions;
    const seen = new Map<string, { event: string; target: string }>();
    // What happens without an event, as soon as the state is entered.
    const atOnce = ['at once', state.always ?? []] as const;
    for (const [event, transitions] of [atOnce, ...state.transitions, ...ofAll]) {
      for (const { target } of transitions) {
        const to = target?.[0]?.key ?? state.key;
        seen.set(`${event} ${to}`, { event, target: to });
      }
    }
    return {
      state_name: state.key,
      is_final: state.type === 'final',
      transitions: [...seen.values()],
    };
  });
  const initial = root.initial.target[0]!.key;
  return { machine: name, initial_state: initial, states };
}

/** A chart as lines of text, with a mark before the state of an actor. */
export function chartLines({ states }: StateChart, current: string): string[] {
  const widest = Math.max(...states.map(({ state_name: name }) => name.length));
  return states.map(({ state_name: name, is_final, transitions }) => {
    const mark = name === current ? '>' : ' ';
    const leads = transitions.map(({ event, target }) => `${event} → ${target}`).join(', ');
    return `${mark} ${name.padEnd(widest)}  ${is_final ? 'the end' : leads}`;
  });
}

/** A chart as Mermaid draws it, one arrow for all events from one state to another. */
export function mermaidOf({ initial_state, states }: StateChart): string {
  const arrows = new Map<string, string[]>();
  for (const { state_name: from, transitions } of states) {
    for (const { event, target } of transitions) {
      const events = arrows.get(`${from} --> ${target}`) ?? [];
      arrows.set(`${from} --> ${target}`, [...events, event]);
    }
  }
  return [
    'stateDiagram-v2',
    `  [*] --> ${initial_state}`,
    ...[...arrows].map(([arrow, events]) => `  ${arrow}: ${events.join(', ')}`),
    ...states.filter(({ is_final }) => is_final).map((one) => `  ${one.state_name} --> [*]`),
  ].join('\n');
}
