import type { Model } from '../model.js';
import { Avatar } from '../parts/avatar.js';
import { Dialog } from '../parts/dialog.js';
import { dateText, timeIn } from '../times.js';
import { showNewConversation } from './new-conversation.js';
import { showSettings } from './settings.js';

const ROLES: Readonly<Record<number, string>> = {
  100: 'Owner',
  200: 'Administrator',
  300: 'Moderator',
  400: 'Member',
  600: 'Guest',
};
const PRESENCES = { active: 'Here now', idle: 'Here, but idle', offline: 'Away' } as const;

export function roleOf(role: number): string {
  return ROLES[role] ?? 'Member';
}

/** Who somebody is. */
export function showProfile(model: Model, userId: number): void {
  const user = model.users.get(userId);
  if (!user) return;
  model.surface.show(() => (
    <Dialog model={model} title={user.full_name}>
      <Profile model={model} userId={userId} />
    </Dialog>
  ));
}

function Profile({ model, userId }: { model: Model; userId: number }) {
  const user = model.users.get(userId)!;
  const isMe = userId === model.me.user_id;
  const status = model.statuses.of(userId);
  const { surface } = model;
  const facts: [string, string | null][] = [
    ['Status', status === '' ? null : status],
    ['Presence', user.is_bot ? null : PRESENCES[model.presences.of(userId)]],
    ['Role', user.is_bot ? 'Bot' : roleOf(user.role)],
    ['E-mail', user.delivery_email],
    ['Local time', user.timezone === '' ? null : timeIn(user.timezone)],
    ['Joined', dateText(user.date_joined)],
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
        {!isMe && (
          <button class="plain" onClick={() => showNewConversation(model, [userId])}>
            Message with others …
          </button>
        )}
        <button
          onClick={() => {
            if (isMe) return showSettings(model);
            surface.close();
            model.go({ kind: 'direct', userIds: [userId] });
          }}
        >
          {isMe ? 'Change' : 'Message'}
        </button>
      </p>
    </div>
  );
}
