import t from 'tap';
import { inviteeAddresses } from '../../../../src/organization/invitations/invitee-addresses.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';

void t.test('a quoted name may have commas', async (t) => {
  const cases: readonly (readonly [text: string, addresses: string[]])[] = [
    ['"Bar, Erin" <erin@x.org>', ['erin@x.org']],
    ['"Bar, Erin" <erin@x.org>, "Foo, Bob, Jr." <bob@x.org>', ['erin@x.org', 'bob@x.org']],
    ['"Bar, Erin"<erin@x.org>\n"Foo, Bob" <bob@x.org>', ['erin@x.org', 'bob@x.org']],
    ['"Bar, \\"E, F\\", G" <erin@x.org>,bob@x.org', ['erin@x.org', 'bob@x.org']],
    ['"Bar <a@x.org>, Erin" <erin@x.org>', ['erin@x.org']],
    ['Erin (Bar, E.) <erin@x.org>, bob@x.org (Foo, Bob)', ['erin@x.org', 'bob@x.org']],
    ['"Bär, Erin" <erin@x.org>', ['erin@x.org']],
    ["O'Neil <erin@x.org>, bob@x.org", ['erin@x.org', 'bob@x.org']],
    // What is not closed on its line is no quotation.
    ['Erin " Bar <erin@x.org>, bob@x.org', ['erin@x.org', 'bob@x.org']],
    ['Erin (Bar <erin@x.org>, bob@x.org', ['erin@x.org', 'bob@x.org']],
    ['"Erin <erin@x.org>\n"Bob <bob@x.org>', ['erin@x.org', 'bob@x.org']],
  ];
  for (const [text, addresses] of cases) {
    t.strictSame(inviteeAddresses(text), addresses, text);
    const world = new InviteWorld();
    t.strictSame(await world.invite(world.hamlet, text), {}, text);
    t.strictSame(
      [...world.org.invitations.values()].map(({ email }) => email),
      addresses,
      text,
    );
  }
  t.strictSame(inviteeAddresses('Bar, Erin <erin@x.org>'), ['Bar', 'erin@x.org'], 'without quotes');
  const hostile = `${'"\\'.repeat(250_000)}${'('.repeat(250_000)}, a@x.org`;
  await takesLess(t, 'what closes nowhere', 500, () =>
    processorTime(() => inviteeAddresses(hostile)),
  );
});

void t.test('of several addresses in one piece none is lost without a word', async (t) => {
  for (const text of [
    'ann@x.org; Bob <bob@x.org>',
    'Ann <ann@x.org>; Bob <bob@x.org>',
    'Ann <ann@x.org> Bob <bob@x.org>',
  ]) {
    t.strictSame(inviteeAddresses(text), [text], 'the whole, which is no address and is refused');
  }
  t.strictSame(inviteeAddresses('"Ann; ann@x.org" <ann@x.org>'), ['ann@x.org']);
});
