import t from 'tap';
import { START_SECONDS } from '../../../fixtures/living-organization.js';
import { personalWorld, refused } from '../../../fixtures/personal-world.js';

// [c:snippets-events]
void t.test(
  'saved snippets that are created, changed and deleted are emitted to their owner',
  async (t) => {
    const world = personalWorld();
    const create = (title: string, content: string) =>
      world.do('create-saved-snippet', { title, content });
    t.strictSame(await create(' hello ', ' world '), { saved_snippet_id: 1 });
    const snippet = { id: 1, title: 'hello', content: 'world', date_created: START_SECONDS };
    t.strictSame(world.newEvents(), [
      { type: 'saved_snippets', op: 'add', saved_snippet: snippet },
    ]);
    await world.do('edit-saved-snippet', { saved_snippet_id: 1 });
    t.strictSame(world.newEvents(), [], 'nothing given');
    await world.do('edit-saved-snippet', { saved_snippet_id: 1, title: 'bye' });
    const changed = { ...snippet, title: 'bye' };
    t.strictSame(world.newEvents(), [
      { type: 'saved_snippets', op: 'update', saved_snippet: changed },
    ]);
    await create('second', 'text');
    t.match(await world.do('get-saved-snippets'), { saved_snippets: [changed, { id: 2 }] });
    await t.rejects(create(' ', 'x'), refused('title cannot be blank'));
    await t.rejects(create('x', ''), refused('content cannot be blank'));
    await t.rejects(create('x', 'a\0'), refused('Content must not contain null bytes'));
    const absent = refused('Saved snippet does not exist.', 404);
    await t.rejects(
      world.do('delete-saved-snippet', { saved_snippet_id: 1 }, world.ophelia),
      absent,
    );
    await t.rejects(world.do('edit-saved-snippet', { saved_snippet_id: 9, title: 'x' }), absent);
    world.newEvents();
    await world.do('delete-saved-snippet', { saved_snippet_id: 1 });
    t.strictSame(world.newEvents(), [
      { type: 'saved_snippets', op: 'remove', saved_snippet_id: 1 },
    ]);
    t.equal(world.reloaded().savedSnippets.size, 1);
  },
);
