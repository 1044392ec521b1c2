import t from 'tap';
import { DEFAULT_EXTERNAL_ACCOUNTS } from '../../../../src/organization/users/profile-fields.js';
import { userView } from '../../../../src/organization/views/user-view.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

const CHOICES = { a: { text: 'Meat', order: '1' }, b: { text: 'Fish', order: '2' } };
const DEFAULTS = { hint: '', field_data: '', required: false, editable_by_user: true };

class FieldWorld extends World {
  async field(params: Body): Promise<number> {
    return (await this.do('create-custom-profile-field', params, this.admin)).id as number;
  }

  async fields(): Promise<unknown> {
    return (await this.do('get-custom-profile-fields', {}, this.guest)).custom_fields;
  }

  fill(data: unknown, caller = this.hamlet) {
    return this.do('update-own-profile-data', { data }, caller);
  }

  profile(userId = this.hamlet.user_id): unknown {
    const options = { clientGravatar: false, withProfile: true };
    return userView(this.org, this.guest, this.user(userId), options).profile_data;
  }
}

void t.test(
  'fields are added, changed, ordered and deleted; everybody gets the list',
  async (t) => {
    const world = new FieldWorld();
    const { admin, guest } = world;
    const told = (since: number) =>
      world.received(guest, since, { ...MODERN, event_types: ['custom_profile_fields'] });
    let since = world.position;
    t.equal(await world.field({ field_type: 1, name: ' Phone ', hint: 'abroad' }), 1);
    const phone = { ...DEFAULTS, id: 1, type: 1, order: 1, name: 'Phone', hint: 'abroad' };
    t.strictSame(told(since), [{ type: 'custom_profile_fields', fields: [phone] }]);
    const id = await world.field({
      field_type: 3,
      name: 'Meal',
      field_data: CHOICES,
      display_in_profile_summary: true,
      use_for_user_matching: true,
      required: true,
      editable_by_user: false,
    });
    const meal = {
      ...DEFAULTS,
      id,
      type: 3,
      order: 2,
      name: 'Meal',
      field_data: JSON.stringify(CHOICES),
      required: true,
      editable_by_user: false,
      display_in_profile_summary: true,
      use_for_user_matching: true,
    };
    t.strictSame(await world.fields(), [phone, meal]);
    since = world.position;
    const change = { field_id: 1, name: 'Mobile', display_in_profile_summary: true };
    await world.do('update-custom-profile-field', change, admin);
    const mobile = { ...phone, name: 'Mobile', display_in_profile_summary: true };
    t.strictSame(told(since), [{ type: 'custom_profile_fields', fields: [mobile, meal] }]);
    since = world.position;
    await world.do('update-custom-profile-field', change, admin);
    t.strictSame(told(since), [], 'the same again says nothing');
    await world.do('reorder-custom-profile-fields', { order: [id, 1] }, admin);
    const ordered = [
      { ...meal, order: 1 },
      { ...mobile, order: 2 },
    ];
    t.strictSame(told(since), [{ type: 'custom_profile_fields', fields: ordered }]);
    since = world.position;
    await world.do('delete-custom-profile-field', { field_id: id }, admin);
    t.strictSame(told(since), [{ type: 'custom_profile_fields', fields: [ordered[1]] }]);
    t.strictSame([...world.reloaded().profileFields.values()].length, 1);
  },
);

void t.test('fields are refused in the words of the contract', async (t) => {
  const world = new FieldWorld();
  const { admin } = world;
  await world.field({ field_type: 1, name: 'One', display_in_profile_summary: true });
  // A paragraph may be in the summary (level 476).
  await world.field({ field_type: 2, name: 'Two', display_in_profile_summary: true });
  const since = world.position;
  const account = (field_data: unknown) => ({ field_type: 7, name: 'Site', field_data });
  const refusals: [Body, string][] = [
    [{ field_type: 1, name: '  ' }, 'Label cannot be blank.'],
    [{ field_type: 1, name: 'One' }, 'A field with that label already exists.'],
    [{ field_type: 3, name: 'Meal' }, 'Field must have at least one choice.'],
    [{ field_type: 3, name: 'Meal', field_data: {} }, 'Field must have at least one choice.'],
    [{ field_type: 3, name: 'Meal', field_data: [] }, 'field_data is not a dict'],
    [
      { field_type: 3, name: 'Meal', field_data: { a: { text: 7 } } },
      'field_data["a"]["text"] is not a string',
    ],
    [
      { field_type: 3, name: 'Meal', field_data: { a: { text: 'soup\u202e', order: '1' } } },
      'Invalid character in field_data["a"]["text"], at position 5!',
    ],
    [
      { field_type: 3, name: 'Meal', field_data: { ...CHOICES, c: CHOICES.a } },
      'Field must not have duplicate choices.',
    ],
    [
      { field_type: 1, name: 'Three', display_in_profile_summary: true },
      'Only 2 custom profile fields can be displayed in the profile summary.',
    ],
    [
      { field_type: 6, name: 'Three', display_in_profile_summary: true },
      'Field type not supported for display in profile summary.',
    ],
    [account(undefined), 'subtype key is missing from field_data'],
    [account({ subtype: 'myspace' }), 'Invalid external account type'],
    [account({ subtype: 'constructor' }), 'Invalid external account type'],
    [account({ subtype: 'custom' }), 'Custom external account must define URL pattern'],
    [account({ subtype: 'custom', url_pattern: 'https://x/' }), 'url_pattern is not a URL'],
    [
      account({ subtype: 'custom', url_pattern: 'https://x/\u202e%(username)s' }),
      'url_pattern is not a URL',
    ],
  ];
  for (const [params, message] of refusals) {
    await t.rejects(world.field(params), refused(message));
  }
  for (const operation of ['update-custom-profile-field', 'delete-custom-profile-field']) {
    await t.rejects(
      world.do(operation, { field_id: 99 }, admin),
      refused('Field id 99 not found.'),
    );
  }
  for (const order of [[1], [1, 1], [1, 2, 3], []]) {
    await t.rejects(
      world.do('reorder-custom-profile-fields', { order }, admin),
      refused('Invalid order mapping.'),
    );
  }
  t.equal(world.position, since);
});

void t.test(
  'an external account names a site the snapshot describes, or describes its own',
  async (t) => {
    const world = new FieldWorld();
    const github = { field_type: 7, field_data: { subtype: 'github' } };
    const field = async (params: Body) => {
      const id = await world.field({ name: '', ...params });
      return world.org.profileFields.get(id);
    };
    t.match(await field(github), {
      name: 'GitHub username',
      hint: '',
      field_data: '{"subtype":"github"}',
    });
    t.match(await field({ ...github, name: 'Code', hint: 'Where yours is' }), {
      name: 'Code',
      hint: 'Where yours is',
    });
    const url_pattern = 'https://code.example.org/%(username)s';
    t.match(
      await field({ field_type: 7, name: 'Own', field_data: { subtype: 'custom', url_pattern } }),
      {
        field_data: JSON.stringify({ subtype: 'custom', url_pattern }),
      },
    );
    const accounts = Object.entries(DEFAULT_EXTERNAL_ACCOUNTS);
    for (const [subtype, { name, text, url_pattern: pattern }] of accounts) {
      t.match(`${subtype} ${name} ${text}`, /^[a-z]+ .+ .+$/);
      t.match(pattern, /^https:\/\/[a-z.]+\/%\(username\)s$/);
    }
  },
);

// [c:profile-field-values]
void t.test('people fill in fields; each that changes is told', async (t) => {
  const world = new FieldWorld();
  const { hamlet, guest } = world;
  const phone = await world.field({ field_type: 1, name: 'Phone' });
  const birthday = await world.field({ field_type: 4, name: 'Birthday' });
  const since = world.position;
  await world.fill([
    { id: phone, value: '**+45**' },
    { id: birthday, value: '1601-01-31' },
  ]);
  const update = (custom_profile_field: Body) => ({
    type: 'realm_user',
    op: 'update',
    person: { user_id: hamlet.user_id, custom_profile_field },
  });
  const rendered_value = '<p><strong>+45</strong></p>';
  t.strictSame(world.received(guest, since), [
    update({ id: phone, value: '**+45**', rendered_value }),
    update({ id: birthday, value: '1601-01-31' }),
  ]);
  t.strictSame(world.profile(), {
    [phone]: { value: '**+45**', rendered_value },
    [birthday]: { value: '1601-01-31' },
  });
  const later = world.position;
  await world.fill([
    { id: phone, value: '**+45**' },
    { id: birthday, value: '' },
  ]);
  t.strictSame(world.received(guest, later), [update({ id: birthday, value: null })]);
  const last = world.position;
  const data = [phone, birthday];
  await world.do('remove-own-profile-data', { data }, hamlet);
  t.strictSame(world.received(guest, last), [update({ id: phone, value: null })]);
  t.strictSame(world.profile(), {});
});

void t.test('values are checked by the kind of their field', async (t) => {
  const world = new FieldWorld();
  const { hamlet, iago, guest } = world;
  const bot = await world.bot(hamlet, 'Echo');
  const names = ['', 'Short', 'Long', 'Meal', 'Day', 'Site', 'Friends', 'Account', 'Pronouns'];
  for (let field_type = 1; field_type <= 8; field_type++) {
    const more =
      field_type === 3
        ? { field_data: CHOICES }
        : field_type === 7
          ? { field_data: { subtype: 'custom', url_pattern: 'https://x.example/%(username)s' } }
          : {};
    await world.field({ field_type, name: names[field_type], ...more });
  }
  world.alter(guest.user_id, { is_active: false });
  const refusals: [number, unknown, string][] = [
    [1, 7, 'Short is not a string'],
    [1, 'x'.repeat(51), 'Short is too long (limit: 50 characters)'],
    [1, 'a\0b', 'Short must not contain null bytes'],
    [2, 'x'.repeat(501), 'Long is too long (limit: 500 characters)'],
    [3, 'c', "'c' is not a valid choice for 'Meal'."],
    [3, 'toString', "'toString' is not a valid choice for 'Meal'."],
    [4, '2026-02-30', 'Day is not a date'],
    [4, 'today', 'Day is not a date'],
    [5, 'nonsense', 'Site is not a URL'],
    [5, 'javascript:alert(1)', 'Site is not a URL'],
    [6, 'iago', 'Friends is not a list'],
    [6, [999], 'Invalid user ID: 999'],
    [6, ['x'], 'Invalid user ID: x'],
    [6, [bot.user_id], `User with ID ${bot.user_id} is a bot`],
    [6, [guest.user_id], `User with ID ${guest.user_id} is deactivated`],
    [7, {}, 'Account is not a string'],
    [9, 'x', 'Field id 9 not found.'],
  ];
  const since = world.position;
  for (const [id, value, message] of refusals) {
    await t.rejects(world.fill([{ id, value }]), refused(message));
  }
  t.equal(world.position, since);
  const good: [number, unknown, string][] = [
    [1, 'é'.repeat(50), 'é'.repeat(50)],
    [3, 'b', 'b'],
    [4, '2024-02-29', '2024-02-29'],
    [5, 'https://example.com/x', 'https://example.com/x'],
    [6, [iago.user_id, hamlet.user_id, iago.user_id], `[${iago.user_id},${hamlet.user_id}]`],
    [7, 'hamlet', 'hamlet'],
    [8, 'he/him', 'he/him'],
  ];
  for (const [id, value, stored] of good) {
    await world.fill([{ id, value }]);
    t.equal(world.org.profiles.of(hamlet.user_id, id)?.value, stored);
  }
});

void t.test('what people may not change, administrators may', async (t) => {
  const world = new FieldWorld();
  const { admin, hamlet } = world;
  const id = await world.field({ field_type: 1, name: 'Room', editable_by_user: false });
  const locked = refused(
    'You are not allowed to change this field. Contact an administrator to update it.',
  );
  await t.rejects(world.fill([{ id, value: '7' }]), locked);
  await t.rejects(world.do('remove-own-profile-data', { data: [id] }, hamlet), locked);
  await world.fill([{ id, value: '1' }], admin);
  const profile_data = [{ id, value: '7' }];
  await world.do('update-user', { user_id: hamlet.user_id, profile_data }, admin);
  t.match(world.profile(), { [id]: { value: '7' } });
});

// [c:profile-field-choices]
void t.test('choices that are taken away are cleared; a deleted field is not shown', async (t) => {
  const world = new FieldWorld();
  const { admin, hamlet, guest } = world;
  const id = await world.field({ field_type: 3, name: 'Meal', field_data: CHOICES });
  await world.fill([{ id, value: 'b' }]);
  await world.fill([{ id, value: 'a' }], world.iago);
  const since = world.position;
  const field_data = { a: CHOICES.a };
  await world.do('update-custom-profile-field', { field_id: id, field_data }, admin);
  t.match(world.received(guest, since), [
    { type: 'custom_profile_fields' },
    { person: { user_id: hamlet.user_id, custom_profile_field: { id, value: null } } },
  ]);
  t.strictSame(world.profile(), {});
  t.strictSame(world.profile(world.iago.user_id), { [id]: { value: 'a' } });
  await world.do('delete-custom-profile-field', { field_id: id }, admin);
  t.strictSame(world.profile(world.iago.user_id), {});
});
