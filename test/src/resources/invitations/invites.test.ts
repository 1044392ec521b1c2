import t from 'tap';
import { Value } from 'typebox/value';
import * as descriptors from '../../../../schemas/invitations/invites.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { linkKeyHash } from '../../../../src/services/auth/link-keys.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';
import {
  MODERN,
  START_MS,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const open = (world: InviteWorld) => [...world.org.invitations.values()];

const refused = (message: string, code = 'BAD_REQUEST') => ({ status: 400, code, message });

// [c:invitee-emails]
void t.test('invitee_emails: commas and newlines separate, names are taken off', async (t) => {
  const world = new InviteWorld();
  const text = ' a@x.org, Bob B. <b@x.org>\n\n,, "C, D" <c@x.org>\r\nA@X.ORG';
  t.strictSame(await world.invite(world.hamlet, text), {});
  t.strictSame(
    open(world).map((one) => one.email),
    ['a@x.org', 'b@x.org', 'c@x.org'],
  );
});

// [c:invite-without-address]
void t.test('an invitation without an address is refused, and changes nothing', async (t) => {
  const world = new InviteWorld();
  const since = world.position;
  for (const none of ['', '  ', ',\n ,']) {
    await t.rejects(
      world.invite(world.hamlet, none),
      refused('You must specify at least one email address.'),
    );
  }
  t.equal(world.position, since);
});

// [c:invite-stored]
void t.test('an invitation is stored, mailed and announced together', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin, owner, guest } = world;
  const since = world.position;
  await world.invite(hamlet, 'zoe@x.org', { stream_ids: [1] });
  const [entry] = world.since(since);
  t.equal(world.since(since).length, 1);
  t.strictSame(entry!.writes.map((write) => write.key.collection).sort(), [
    'audit_record',
    'counter',
    'counter',
    'invitation',
    'invitation_tally',
    'outgoing_mail',
  ]);
  const [invitation] = open(world);
  const key = world.mailedKey('zoe@x.org');
  t.match(key, /^[A-Za-z0-9]{32}$/);
  t.strictSame(invitation, {
    id: 1,
    email: 'zoe@x.org',
    invited_as: ROLE.member,
    expires_at: START_MS + 14_400 * MINUTE_MS,
    stream_ids: [1],
    group_ids: [],
    include_realm_default_subscriptions: false,
    welcome_message_custom_text: null,
    notify_referrer_on_join: true,
    nonce: invitation!.nonce,
    key_hash: linkKeyHash(key),
    referrer_id: hamlet.user_id,
    invited: START_SECONDS,
  });
  t.notOk(JSON.stringify(entry).includes(key), 'the key itself is stored nowhere');
  const types = { ...MODERN, event_types: ['invites_changed'] };
  for (const user of [hamlet, admin, owner]) {
    const events = world.received(user, since, types);
    t.strictSame(events, [{ type: 'invites_changed' }], user.full_name);
    t.ok(Value.Check(descriptors.invitesChanged, events[0]));
  }
  t.strictSame(world.received(guest, since, types), []);
});

// [c:invite-expiry]
void t.test('invite_expires_in_minutes: null never expires, omitted is the default', async (t) => {
  const world = new InviteWorld();
  const { hamlet } = world;
  const expiry = async (given: Body) => {
    await world.invite(hamlet, 'zoe@x.org', given);
    return open(world).at(-1)!.expires_at;
  };
  t.equal(await expiry({}), START_MS + 10 * DAY_MS);
  t.equal(await expiry({ invite_expires_in_minutes: null }), null);
  t.equal(await expiry({ invite_expires_in_minutes: 30 }), START_MS + 30 * MINUTE_MS);
  for (const bad of [0, -5, 10 ** 12]) {
    const given = { invite_expires_in_minutes: bad };
    await t.rejects(world.invite(hamlet, 'zoe@x.org', given), refused('Invalid expires_in'));
  }
});

// [c:invite-as]
void t.test("invite_as: only roles equal to or more restricted than the caller's", async (t) => {
  const world = new InviteWorld();
  const moderator = world.addWithRole('moderator@example.com', ROLE.moderator);
  const callers = { 100: world.owner, 200: world.admin, 300: moderator, 400: world.hamlet };
  for (const [rank, caller] of Object.entries(callers)) {
    for (const invite_as of [100, 200, 300, 400, 600]) {
      const inviting = world.invite(caller, `r${rank}${invite_as}@x.org`, { invite_as });
      if (invite_as >= Number(rank)) {
        await inviting;
        t.equal(open(world).at(-1)!.invited_as, invite_as);
        continue;
      }
      const who = invite_as === 100 ? 'owner' : 'administrator';
      const wording = refused(`Must be an organization ${who}`, 'UNAUTHORIZED_PRINCIPAL');
      await t.rejects(inviting, wording, `${invite_as} by ${rank}`);
    }
  }
});

// [c:invite-permission]
void t.test(
  'a caller without the permission to invite is refused; bots never have it',
  async (t) => {
    const world = new InviteWorld();
    world.setRealm({ can_invite_users_group: world.system('role:administrators') });
    await t.rejects(world.invite(world.hamlet, 'a@x.org'), refused('Insufficient permission'));
    t.strictSame(await world.invite(world.admin, 'a@x.org'), {});
    const { sendInvites, createInviteLink, getInvites, revokeInvite } = descriptors;
    for (const { access } of [sendInvites, createInviteLink, getInvites, revokeInvite]) {
      t.equal(access, 'human-member');
    }
  },
);

// [c:invite-invalid-channel]
void t.test('invalid channel ID in invitation: no invitations sent', async (t) => {
  const world = new InviteWorld();
  const { stream_id: secret } = world.channel('secret', { invite_only: true });
  const { stream_id: archived } = world.channel('archived', { is_archived: true });
  const since = world.position;
  for (const id of [999, secret, archived]) {
    const wording = refused(`Invalid channel ID ${id}. No invites were sent.`);
    await t.rejects(world.invite(world.hamlet, 'a@x.org', { stream_ids: [1, id] }), wording);
    await t.rejects(world.do('create-invite-link', { stream_ids: [999] }, world.admin), {
      message: 'Invalid channel ID 999. No invites were sent.',
    });
  }
  t.equal(world.position, since);
});

const NOT_OTHERS = refused('You do not have permission to subscribe other users to channels.');

// [c:invite-channels-permission]
void t.test(
  'stream_ids must be empty if the caller lacks permission to subscribe others',
  async (t) => {
    const world = new InviteWorld();
    const { hamlet, org } = world;
    const administrators = org.groups.system('role:administrators').id;
    world.setRealm({
      can_add_subscribers_group: administrators,
      create_multiuse_invite_group: org.groups.system('role:members').id,
    });
    const since = world.position;
    await t.rejects(world.invite(hamlet, 'a@x.org', { stream_ids: [1] }), NOT_OTHERS);
    await t.rejects(world.do('create-invite-link', { stream_ids: [1] }, hamlet), NOT_OTHERS);
    t.equal(world.position, since);
    // An empty list is valid, and so are the defaults on top of it.
    const defaults = { include_realm_default_subscriptions: true };
    t.strictSame(await world.invite(hamlet, 'a@x.org', defaults), {});
    t.ok(open(world).at(-1)!.include_realm_default_subscriptions);
    t.strictSame(await world.invite(world.admin, 'b@x.org', { stream_ids: [1] }), {});
  },
);

// [c:invite-default-channels]
void t.test('default channels the caller cannot add subscribers to are not rejected', async (t) => {
  const world = new InviteWorld();
  const { hamlet, org } = world;
  world.setRealm({ can_add_subscribers_group: org.groups.system('role:administrators').id });
  const { stream_id: own } = world.channel('own', {
    can_add_subscribers_group: { direct_members: [hamlet.user_id], direct_subgroups: [] },
  });
  const { stream_id: other } = world.channel('other');
  await t.rejects(world.invite(hamlet, 'a@x.org', { stream_ids: [own, other] }), NOT_OTHERS);
  t.strictSame(await world.invite(hamlet, 'a@x.org', { stream_ids: [own, 1, own] }), {});
  t.strictSame(open(world).at(-1)!.stream_ids, [own, 1], 'each once');
});

void t.test(
  'a private channel whose content an administrator may not read is no channel for them',
  async (t) => {
    const world = new InviteWorld();
    const { stream_id: secret } = world.channel('secret', { invite_only: true });
    const wording = refused(`Invalid channel ID ${secret}. No invites were sent.`);
    for (const stream_ids of [[secret], [1, secret]]) {
      await t.rejects(world.invite(world.admin, 'a@x.org', { stream_ids }), wording);
      await t.rejects(world.do('create-invite-link', { stream_ids }, world.admin), wording);
    }
    t.strictSame(open(world), []);
  },
);

// [c:invite-groups]
void t.test('group_ids: the caller needs permission to add users to them', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin, org } = world;
  const own = { direct_members: [hamlet.user_id], direct_subgroups: [] };
  const addable = world.group('addable', { can_add_members_group: own });
  const managed = world.group('managed', { can_manage_group: own });
  const foreign = world.group('foreign');
  const gone = world.group('gone', { can_manage_group: own, deactivated: true });
  const ids = (...group_ids: number[]) => world.invite(hamlet, 'a@x.org', { group_ids });
  await t.rejects(ids(foreign), refused('Insufficient permission'));
  await t.rejects(ids(addable, org.groups.system('role:moderators').id), {
    message: 'Insufficient permission',
  });
  await t.rejects(ids(999), refused('Invalid user group'));
  await t.rejects(ids(gone), refused('User group is deactivated.'));
  t.equal(open(world).length, 0);
  t.strictSame(await ids(addable, managed, addable), {});
  t.strictSame(open(world).at(-1)!.group_ids, [addable, managed]);
  // Whoever manages all groups manages this one.
  t.strictSame(await world.invite(world.owner, 'b@x.org', { group_ids: [foreign] }), {});
  await t.rejects(world.invite(admin, 'c@x.org', { group_ids: [foreign] }), {
    message: 'Insufficient permission',
  });
});

// [c:invite-welcome-text]
void t.test('welcome_message_custom_text: only admins may use it', async (t) => {
  const world = new InviteWorld();
  const given = async (user = world.admin, text?: string | null) => {
    await world.invite(user, 'a@x.org', { welcome_message_custom_text: text });
    return open(world).at(-1)!.welcome_message_custom_text;
  };
  t.equal(await given(world.admin, 'Hello!'), 'Hello!');
  t.equal(await given(world.admin, ''), '');
  t.equal(await given(world.admin, null), null);
  t.equal(await given(world.admin), null);
  t.equal(await given(world.hamlet, 'Hello!'), null);
});

// [c:invite-some-known]
void t.test('some addresses have accounts; the others still receive invitations', async (t) => {
  const world = new InviteWorld();
  const { hamlet } = world;
  world.alter(world.addUser('gone@example.com').user_id, { is_active: false });
  const since = world.position;
  await t.rejects(world.invite(hamlet, 'ADMIN@example.com, gone@example.com, new@x.org'), {
    status: 400,
    code: 'INVITATION_FAILED',
    message:
      "Some of those addresses already have accounts, so we didn't send them an invitation. " +
      'We did send invitations to everyone else!',
    fields: {
      errors: [
        ['ADMIN@example.com', 'Already has an account.', false],
        ['gone@example.com', 'Account has been deactivated.', true],
      ],
      sent_invitations: true,
      daily_limit_reached: false,
      license_limit_reached: false,
    },
  });
  t.strictSame(
    open(world).map((one) => one.email),
    ['new@x.org'],
  );
  t.equal(world.events(since).length, 1, 'and that is announced');
});

const FLAGS = { sent_invitations: false, daily_limit_reached: false, license_limit_reached: false };

// [c:invite-all-known]
void t.test('all addresses have accounts: nobody is invited', async (t) => {
  const world = new InviteWorld();
  const since = world.position;
  await t.rejects(world.invite(world.hamlet, 'admin@example.com'), {
    code: 'INVITATION_FAILED',
    message: "We weren't able to invite anyone.",
    fields: { errors: [['admin@example.com', 'Already has an account.', false]], ...FLAGS },
  });
  t.equal(world.position, since);
});

void t.test('addresses that do not validate: no invitations are sent', async (t) => {
  const world = new InviteWorld();
  const since = world.position;
  await t.rejects(world.invite(world.hamlet, 'good@x.org, nonsense, admin@example.com'), {
    code: 'INVITATION_FAILED',
    message: "Some emails did not validate, so we didn't send any invitations.",
    fields: {
      errors: [
        ['nonsense', 'Invalid address.', false],
        ['admin@example.com', 'Already has an account.', false],
      ],
      ...FLAGS,
    },
  });
  await t.rejects(world.invite(world.hamlet, 'x@mailinator.com, user7@chat.example.com'), {
    code: 'INVITATION_FAILED',
    fields: {
      errors: [
        ['x@mailinator.com', 'Please use your real email address.', false],
        ['user7@chat.example.com', 'Invalid address.', false],
      ],
    },
  });
  t.equal(world.position, since);
  world.setRealm({ disallow_disposable_email_addresses: false });
  t.strictSame(await world.invite(world.hamlet, 'x@mailinator.com'), {});
});

void t.test(
  'restricted to domains: outside addresses and those with a plus are refused',
  async (t) => {
    const world = new InviteWorld();
    world.setRealm({ emails_restricted_to_domains: true });
    world.transact((tx) =>
      tx.org.domains.insert({ id: 1, domain: 'acme.org', allow_subdomains: true }),
    );
    world.transact((tx) =>
      tx.org.domains.insert({ id: 2, domain: 'acme.com', allow_subdomains: false }),
    );
    const emails = 'a@acme.org, b@x.acme.org, c+d@acme.org, e@x.acme.com, f@notacme.org';
    await t.rejects(world.invite(world.hamlet, emails), {
      code: 'INVITATION_FAILED',
      fields: {
        errors: [
          ['c+d@acme.org', 'Email addresses containing + are not allowed.', false],
          ['e@x.acme.com', 'Outside your domain.', false],
          ['f@notacme.org', 'Outside your domain.', false],
        ],
        ...FLAGS,
      },
    });
    t.strictSame(await world.invite(world.hamlet, 'a@ACME.org, b@x.acme.org, c@acme.com'), {});
  },
);

// [c:invite-daily-limit]
void t.test('invitations beyond the daily limit are refused until the next day', async (t) => {
  const world = new InviteWorld();
  const list = (count: number, tag: string) =>
    Array.from({ length: count }, (_, i) => `${tag}${i}@x.org`).join();
  await world.invite(world.hamlet, list(15, 'a'));
  const since = world.position;
  await t.rejects(world.invite(world.admin, list(6, 'b')), {
    code: 'INVITATION_FAILED',
    fields: { errors: [], ...FLAGS, daily_limit_reached: true },
  });
  t.equal(world.position, since);
  t.strictSame(await world.invite(world.admin, list(5, 'b')), {});
  await t.rejects(world.do('resend-invite', { invite_id: 1 }, world.hamlet), {
    code: 'INVITATION_FAILED',
    fields: { daily_limit_reached: true },
  });
  world.clock.advance(DAY_MS);
  t.strictSame(await world.invite(world.admin, list(20, 'c')), {});
});

void t.test('where anybody may join, new accounts do not invite', async (t) => {
  const world = new InviteWorld();
  world.setRealm({ invite_required: false });
  await t.rejects(world.invite(world.hamlet, 'a@x.org'), {
    code: 'INVITATION_FAILED',
    message:
      'Your account is too new to send invites for this organization. ' +
      'Ask an organization admin, or a more experienced user.',
    fields: { errors: [], ...FLAGS },
  });
  t.strictSame(await world.invite(world.admin, 'a@x.org'), {});
  world.clock.advance(3 * DAY_MS);
  t.strictSame(await world.invite(world.hamlet, 'b@x.org'), {});
  world.setRealm({ waiting_period_threshold: 7 });
  await t.rejects(world.invite(world.hamlet, 'c@x.org'), { code: 'INVITATION_FAILED' });
});
