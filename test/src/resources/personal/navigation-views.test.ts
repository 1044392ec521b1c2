import t from 'tap';
import { navigationViewHandlers } from '../../../../src/resources/personal/navigation-views.js';
import { LivingOrganization, type Body } from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  override readonly handlers = navigationViewHandlers();
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly ophelia = this.addUser('ophelia@example.com');

  list = async (caller = this.hamlet) =>
    (await this.do('get-navigation-views', {}, caller)).navigation_views;
  add = (params: Body, caller = this.hamlet) => this.do('add-navigation-view', params, caller);
  change = (params: Body, caller = this.hamlet) =>
    this.do('update-navigation-view', params, caller);
  remove = (fragment: string, caller = this.hamlet) =>
    this.do('remove-navigation-view', { fragment }, caller);

  /** What the user was told since the last time. */
  events(user = this.hamlet): Body[] {
    return this.received(user, this.mark);
  }
}

const refused = (message: string, status = 400) => ({ status, code: 'BAD_REQUEST', message });
const MINE = { fragment: 'narrow/is/dm', is_pinned: true, name: 'Direct' };
const INBOX = { fragment: 'inbox', is_pinned: false, name: null };

// [c:navigation-view-created]
void t.test('fragment, is_pinned and name make a view; its owner is told', async (t) => {
  const world = new World();
  t.strictSame(await world.add(MINE), {});
  t.strictSame(await world.add({ fragment: 'inbox', is_pinned: false }), {});
  t.strictSame(await world.list(), [MINE, INBOX]);
  t.strictSame(world.events(), [
    { type: 'navigation_view', op: 'add', navigation_view: MINE },
    { type: 'navigation_view', op: 'add', navigation_view: INBOX },
  ]);
  t.strictSame(world.events(world.ophelia), [], 'and nobody else');
  t.strictSame(await world.list(world.ophelia), []);
  t.strictSame(await world.add(MINE, world.ophelia), {}, 'each has their own');
  t.equal(world.reloaded().navigationViews.countOf(world.hamlet.user_id), 2);
});

// [c:navigation-view-names]
void t.test('name is omitted for built-in views and needed for all others', async (t) => {
  const world = new World();
  for (const fragment of [
    'inbox',
    'recent',
    'feed',
    'drafts',
    'narrow/has/reaction/sender/me',
    'narrow/is/mentioned',
    'narrow/is/starred',
  ]) {
    await t.rejects(
      world.add({ fragment, is_pinned: true, name: 'Mine' }),
      refused('Built-in views cannot have a custom name.'),
    );
    t.strictSame(await world.add({ fragment, is_pinned: true, name: null }), {});
  }
  for (const name of [undefined, null, '', '  ']) {
    await t.rejects(
      world.add({ fragment: 'narrow/is/dm', is_pinned: true, name }),
      refused('Custom views must have a valid name.'),
    );
  }
});

// [c:fragment-named]
void t.test('a fragment that no path can name is refused', async (t) => {
  const world = new World();
  for (const fragment of ['.', '..', ' .. ', './x', 'x/.', 'narrow/../x', '../x', 'x/..']) {
    await t.rejects(world.add({ ...MINE, fragment }), refused('Invalid fragment'), fragment);
    const { pathname } = new URL(
      `http://x/navigation_views/${encodeURIComponent(fragment.trim())}`,
    );
    if (!fragment.includes('/')) t.not(pathname.split('/').at(-1), fragment, 'as clients send it');
  }
  for (const fragment of ['...', '.x', 'x.', 'a/.b/..c', '/', '%2e']) {
    await world.add({ ...MINE, fragment });
    const path = new URL(`http://x/navigation_views/${encodeURIComponent(fragment)}`).pathname;
    t.equal(decodeURIComponent(path.slice('/navigation_views/'.length)), fragment);
    await world.remove(fragment);
  }
  t.strictSame(await world.list(), []);
});

// [c:navigation-view-refusals]
void t.test('blank fragment; fragment or name taken; too many', async (t) => {
  const world = new World();
  await t.rejects(world.add({ ...MINE, fragment: '' }), refused('fragment cannot be blank'));
  await t.rejects(world.add({ ...MINE, fragment: '  ' }), refused('fragment cannot be blank'));
  await world.add(MINE);
  const exists = refused('Navigation view already exists.');
  await t.rejects(world.add({ ...MINE, name: 'Other' }), exists);
  await t.rejects(world.add({ ...MINE, fragment: 'narrow/is/alerted' }), exists);
  for (let i = 1; i < 200; i++) await world.add({ ...MINE, fragment: `f${i}`, name: `n${i}` });
  await t.rejects(
    world.add({ ...MINE, fragment: 'f200', name: 'n200' }),
    refused('You can have at most 200 navigation views.'),
  );
  t.equal(((await world.list()) as Body[]).length, 200);
});

// [c:navigation-view-changed]
void t.test('a changed view emits the fields that changed, an equal one nothing', async (t) => {
  const world = new World();
  await world.add(MINE);
  await world.add({ fragment: 'inbox', is_pinned: false });
  await world.add({ fragment: 'narrow/is/alerted', is_pinned: true, name: 'Alerts' });
  world.mark = world.position;
  const { fragment } = MINE;
  await world.change({ fragment, is_pinned: false, name: 'DMs' });
  await world.change({ fragment, is_pinned: false, name: 'DMs' });
  await world.change({ fragment });
  await world.change({ fragment: 'inbox', is_pinned: true });
  t.strictSame(world.events(), [
    {
      type: 'navigation_view',
      op: 'update',
      fragment,
      data: { is_pinned: false, name: 'DMs' },
    },
    { type: 'navigation_view', op: 'update', fragment: 'inbox', data: { is_pinned: true } },
  ]);
  await t.rejects(
    world.change({ fragment: 'inbox', name: 'Mine' }),
    refused('Built-in views cannot have a custom name.'),
  );
  await t.rejects(
    world.change({ fragment, name: ' ' }),
    refused('Custom views must have a valid name.'),
  );
  await t.rejects(
    world.change({ fragment, name: 'Alerts' }),
    refused('Navigation view already exists.'),
  );
  const absent = refused('Navigation view does not exist.', 404);
  await t.rejects(world.change({ fragment: 'x', is_pinned: true }), absent);
  await t.rejects(world.change({ fragment, is_pinned: true }, world.ophelia), absent);
});

// [c:navigation-view-removed]
void t.test('a navigation view is removed by its owner alone', async (t) => {
  const world = new World();
  await world.add(MINE);
  world.mark = world.position;
  const absent = refused('Navigation view does not exist.', 404);
  await t.rejects(world.remove(MINE.fragment, world.ophelia), absent);
  t.strictSame(await world.remove(MINE.fragment), {});
  t.strictSame(world.events(), [
    { type: 'navigation_view', op: 'remove', fragment: MINE.fragment },
  ]);
  t.strictSame(await world.list(), []);
  await t.rejects(world.remove(MINE.fragment), absent);
  t.equal(world.reloaded().navigationViews.size, 0);
});
