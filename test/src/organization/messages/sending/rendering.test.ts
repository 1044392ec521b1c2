import t from 'tap';
import {
  directoryFor,
  renderFor,
} from '../../../../../src/organization/messages/sending/rendering.js';
import { markdown, SmallOrganization } from '../fixtures/small-organization.js';

function team(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  small.user(2, 'Bob');
  small.user(3, 'Bob');
  small.user(4, 'Zoe', 400, { is_active: false });
  small.channel(1, 'general');
  small.channel(2, 'secret', { invite_only: true });
  return small;
}

void t.test('names are found at the first look and at later ones alike', async (t) => {
  const small = team();
  const names = ['Bob', 'Ann', 'Zoe', 'bob', 'Bob'];
  const directory = directoryFor(small.org, small.org.users.get(1)!);
  t.same(
    names.map((name) => directory.userByName(name)?.user_id),
    [2, 1, undefined, undefined, 2],
  );
  const each = names.map((name) =>
    directoryFor(small.org, small.org.users.get(1)!).userByName(name),
  );
  t.same(
    each.map((user) => user?.user_id),
    [2, 1, undefined, undefined, 2],
  );
});

void t.test('a sender can name what they can see', async (t) => {
  const small = team();
  const { html, mentions } = renderFor(
    small.org,
    markdown,
    small.org.users.get(1)!,
    '#**general** #**secret** @**Bob|3**',
  );
  t.match(html, 'data-stream-id="1"');
  t.notMatch(html, 'data-stream-id="2"');
  t.same(mentions.users, [3]);
  small.load('user_group', { ...small.org.groups.system('role:nobody'), deactivated: true });
  const directory = directoryFor(small.org, small.org.users.get(1)!);
  t.equal(directory.groupByName('role:nobody'), undefined);
});
