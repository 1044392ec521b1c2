import { assign, createActor, setup, waitFor, type StateValueFrom } from 'xstate';

/**
 * What a process does for its organization: it follows until it gets the lease, leads until it loses it, and so on
 * until it ends. It is of a process, and has no stored form: another process starts as `waiting`.
 *
 *     waiting → following → promoting → leading; waiting → beginning → leading;
 *     promoting → beginning where what was followed is to be loaded anew;
 *     each of these → waiting when what it serves or needs is lost; → draining → ended (final)
 */

/** Not plain JSON, since nothing restores it. */
export type NodeRoleContext = {
  /** What requests hear while nothing is served (`waiting`, `beginning`). */
  readonly idle: 'starting' | 'follower' | 'unavailable';
  /** Why nobody can lead now; null where somebody does, or could. */
  readonly unled: Error | null;
};

/**
 * - `refused`: another node has the lease, or nobody can have it; `taken`: this node has it.
 * - `stand_by`: nothing can be followed yet; `followed`: what another node leads is loaded.
 * - `reload`: what was followed cannot be led with; `led`: the term is recorded.
 * - `lost`: the lease, what is followed, or the store.
 * - `drain`: the process ends; `end`: everything pending is durable.
 */
export type NodeRoleEvent =
  | { readonly type: 'refused'; readonly unled: Error | null }
  | { readonly type: 'taken' | 'stand_by' | 'followed' | 'reload' | 'led' | 'lost' }
  | { readonly type: 'drain' | 'end' };

/** Effects of the machine. One that throws ends the process. */
interface NodeRoleEffects {
  /** Serves what this node follows. */
  follow(): void;
  /** Serves as the leader, the operator's commands too. */
  lead(): void;
  /** Serves nothing more, and drops what was served or loaded. */
  drop(): void;
}

type NodeRoleMachine = ReturnType<typeof createNodeRoleMachine>['logic'];
export type NodeRoleState = StateValueFrom<NodeRoleMachine>;

/** What ends each role. */
const ends = {
  lost: { target: 'waiting', actions: ['loseAll', 'drop'] },
  drain: { target: 'draining' },
} as const;

/** Makes the machine around the given effects. */
export function createNodeRoleMachine(effects: NodeRoleEffects) {
  const logic = setup({
    types: {
      context: {} as NodeRoleContext,
      events: {} as NodeRoleEvent,
      tags: {} as 'follows' | 'begins',
    },
    actions: {
      noteUnled: assign(({ event }) => (event.type === 'refused' ? { unled: event.unled } : {})),
      standBy: assign({ idle: ({ context }) => (context.unled ? 'unavailable' : 'follower') }),
      loseAll: assign({ idle: 'unavailable' }),
      // A process that never served still starts.
      begin: assign(({ context: { idle } }) => ({
        idle: idle === 'starting' ? idle : 'unavailable',
        unled: null,
      })),
      follow: () => effects.follow(),
      lead: () => effects.lead(),
      drop: () => effects.drop(),
    },
  }).createMachine({
    id: 'node-role',
    context: { idle: 'starting', unled: null },
    initial: 'waiting',
    states: {
      waiting: {
        on: {
          ...ends,
          refused: { actions: 'noteUnled' },
          stand_by: { actions: 'standBy' },
          lost: { actions: 'loseAll' },
          followed: { target: 'following', actions: ['loseAll', 'follow'] },
          taken: { target: 'beginning', actions: 'begin' },
        },
      },
      following: {
        tags: 'follows',
        on: {
          ...ends,
          refused: { actions: 'noteUnled' },
          taken: { target: 'promoting', actions: 'begin' },
        },
      },
      promoting: {
        tags: ['follows', 'begins'],
        on: { ...ends, reload: { target: 'beginning', actions: 'drop' }, led: 'leading' },
      },
      beginning: { tags: 'begins', on: { ...ends, led: 'leading' } },
      leading: { entry: 'lead', on: ends },
      draining: { on: { lost: { actions: 'drop' }, end: 'ended' } },
      ended: { type: 'final' },
    },
  });
  return { name: 'node-role', logic };
}

/** Starts the actor of this process. */
export function startNodeRole(effects: NodeRoleEffects) {
  return createActor(createNodeRoleMachine(effects).logic).start();
}

/** Resolves once the actor has no role any more: it waits, or its process has ended. */
export async function roleOver(actor: ReturnType<typeof startNodeRole>): Promise<void> {
  await waitFor(actor, ({ value }) => value === 'waiting' || value === 'ended');
}
