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
