import t from 'tap';
import {
  roleOver,
  startNodeRole,
  type NodeRoleEvent,
  type NodeRoleState,
} from '../../actors/node-role.js';

type Step = Exclude<NodeRoleEvent['type'], 'refused'>;

function setUp(...path: Step[]) {
  const log: string[] = [];
  const actor = startNodeRole({
    follow: () => log.push('follow'),
    lead: () => log.push('lead'),
    drop: () => log.push('drop'),
  });
  const idle = (): string => actor.getSnapshot().context.idle;
  const go = (...steps: Step[]): NodeRoleState => {
    for (const type of steps) actor.send({ type });
    return actor.getSnapshot().value;
  };
  const state = go(...path);
  return { actor, log, idle, go, state };
}

const WAYS: Readonly<Record<Exclude<NodeRoleState, 'ended'>, readonly Step[]>> = {
  waiting: [],
  following: ['followed'],
  promoting: ['followed', 'taken'],
  beginning: ['taken'],
  leading: ['taken', 'led'],
  draining: ['drain'],
};

void t.test('a node that starts alone leads, and nothing is served before', async (t) => {
  const { log, idle, go } = setUp();
  t.equal(idle(), 'starting');
  t.equal(go('taken'), 'beginning');
  t.equal(idle(), 'starting');
  t.strictSame(log, []);
  t.equal(go('led'), 'leading');
  t.strictSame(log, ['lead']);
});

void t.test('a follower serves on while it begins to lead', async (t) => {
  const { log, go } = setUp('followed');
  t.equal(go('taken'), 'promoting');
  t.equal(go('led'), 'leading');
  t.strictSame(log, ['follow', 'lead']);
});

void t.test('a follower that must load anew serves nothing meanwhile', async (t) => {
  const { log, idle, go } = setUp('followed', 'taken');
  t.equal(go('reload'), 'beginning');
  t.equal(idle(), 'unavailable');
  t.equal(go('led'), 'leading');
  t.strictSame(log, ['follow', 'drop', 'lead']);
});

for (const [state, way] of Object.entries(WAYS)) {
  void t.test(`what is lost is dropped once: ${state}`, async (t) => {
    const { log, idle, go, ...one } = setUp(...way);
    t.equal(one.state, state);
    const drops = (): number => log.filter((what) => what === 'drop').length;
    t.equal(go('lost'), state === 'draining' ? 'draining' : 'waiting');
    t.equal(drops(), state === 'waiting' ? 0 : 1);
    if (state !== 'draining') t.equal(idle(), 'unavailable');
  });

  void t.test(`a process that ends takes no role: ${state}`, async (t) => {
    const { actor, log, go } = setUp(...way);
    t.equal(go('drain'), 'draining');
    log.length = 0;
    t.equal(go('stand_by', 'followed', 'taken', 'reload', 'led', 'drain'), 'draining');
    t.strictSame(log, []);
    const over = roleOver(actor);
    t.equal(go('end'), 'ended');
    await over;
  });
}

void t.test('a node that waits says for what', async (t) => {
  const { actor, idle, go } = setUp('stand_by');
  t.equal(idle(), 'follower', 'another one leads');
  actor.send({ type: 'refused', unled: new Error('read-only') });
  go('stand_by');
  t.equal(idle(), 'unavailable', 'nobody can lead');
  actor.send({ type: 'refused', unled: null });
  go('stand_by');
  t.equal(idle(), 'follower');
  t.equal(go('taken'), 'beginning');
  t.equal(idle(), 'unavailable', 'it does not follow any more');
});

void t.test('who has the lease knows that somebody can lead', async (t) => {
  const { actor, go } = setUp('followed');
  const unled = new Error('read-only');
  actor.send({ type: 'refused', unled });
  t.equal(actor.getSnapshot().context.unled, unled);
  go('taken');
  t.equal(actor.getSnapshot().context.unled, null);
});
