import t from 'tap';
import { updateUser } from '../../../../schemas/users/user-administration.js';
import { sendMessage } from '../../../../schemas/messages/messages.js';
import { askedOf } from '../../../../src/http/request/asked.js';
import { JsonField } from '../../../../src/http/request/form.js';

void t.test('a parameter is given by its name, or another one, and not as null', async (t) => {
  const texts = new Map<string, string | JsonField>([
    ['role', 'nonsense'],
    ['full_name', 'null'],
    ['profile_data', new JsonField(null)],
    ['new_email', ''],
  ]);
  const asked = askedOf(updateUser, { user_id: 7 }, texts);
  t.same(asked.path, { user_id: 7 });
  const names = ['role', 'full_name', 'profile_data', 'new_email', 'absent'];
  t.same(names.filter(asked.gives), ['role', 'new_email']);
});

void t.test('an older name of a parameter gives it', async (t) => {
  const older = Object.entries(sendMessage.params).find(([, { aliases }]) => aliases.length > 0)!;
  const [name, { aliases }] = older;
  t.ok(askedOf(sendMessage, {}, new Map([[aliases[0]!, 'x']])).gives(name));
  t.notOk(askedOf(sendMessage, {}, new Map()).gives(name));
});
