import type { Model } from '../model.js';
import { Avatar } from '../parts/avatar.js';
import { Dialog } from '../parts/dialog.js';
import { presenceText } from '../presences.js';
import { say } from '../say.js';
import { dateText, timeIn } from '../times.js';
import { showNewConversation } from './new-conversation.js';
import { showSettings } from './settings.js';

const ROLES = {
  100: 'role.owner',
  200: 'role.administrator',
  300: 'role.moderator',
  400: 'role.member',
  600: 'role.guest',
} as const;

export function roleOf(role: number): string {
  return say(ROLES[role as keyof typeof ROLES] ?? 'role.member');
}

/** Who somebody is. */
export function showProfile(model: Model, userId: number): void {
  if (!model.users.has(userId)) return;
  model.surface.show(() => (
    <Dialog model={model} title={model.users.get(userId)!.full_name}>
      <Profile model={model} userId={userId} />
    </Dialog>
  ));
}

/** The reader sees no messages of somebody any more, or does again. */
function ignore({ client, ignored, surface }: Model, muted_user_id: number): void {
  const isIgnored = ignored.has(muted_user_id);
  const call = `${isIgnored ? 'DELETE' : 'POST'} /users/me/muted_users/{muted_user_id}` as const;
  surface.attempt(client.call(call, { muted_user_id }), () =>
    say(isIgnored ? 'profile.unignored' : 'profile.ignored'),
  );
}

function Profile({ model, userId }: { model: Model; userId: number }) {
  const user = model.users.get(userId)!;
  const isMe = userId === model.me.user_id;
  const status = model.statuses.of(userId);
  const { surface } = model;
  const facts: [string, string | null][] = [
    [say('profile.status'), status === '' ? null : status],
    [say('profile.presence'), user.is_bot ? null : presenceText(model.presences.of(userId))],
    [say('profile.role'), user.is_bot ? say('role.bot') : roleOf(user.role)],
    [say('profile.email'), user.delivery_email],
    [say('profile.local-time'), user.timezone === '' ? null : timeIn(user.timezone)],
    [say('profile.joined'), dateText(user.date_joined)],
  ];
  return (
    <div class="profile">
      <Avatar userId={userId} url={user.avatar_url} size={96} />
      <dl>
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{value}</bdi>
                </dd>
              </div>
            ),
        )}
      </dl>
      <p class="choices">
        {!isMe && !user.is_bot && (
          <button class="plain" onClick={() => ignore(model, userId)}>
            {say(model.ignored.has(userId) ? 'profile.unignore' : 'profile.ignore')}
          </button>
        )}
        {!isMe && (
          <button class="plain" onClick={() => showNewConversation(model, [userId])}>
            {say('profile.message-others')}
          </button>
        )}
        <button
          onClick={() => {
            if (isMe) return showSettings(model);
            surface.close();
            model.go({ kind: 'direct', userIds: [userId] });
          }}
        >
          {say(isMe ? 'profile.edit' : 'profile.message')}
        </button>
      </p>
    </div>
  );
}
