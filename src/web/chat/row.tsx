import type { ComponentChildren } from 'preact';
import { pure } from '../shared/components.js';
import type { Model } from './model.js';
import { Avatar } from './parts/avatar.js';
import { Icon, type IconName } from './parts/icon.js';
import { presenceText, type Presence } from './presences.js';
import { say } from './say.js';
import { numberText } from './times.js';
import { addressOf, type View } from './view.js';

interface RowProps {
  readonly model: Model;
  readonly view: View;
  readonly name: string;
  readonly icon?: IconName;
  readonly color?: string;
  readonly isMuted?: boolean;
  readonly isFollowed?: boolean;
  readonly count?: number;
  readonly userId?: number;
  readonly status?: string;
  readonly presence?: Presence;
  readonly children?: ComponentChildren;
}

/** A conversation in the list of all. */
export function Row({
  model,
  view,
  count = model.unread.count(view),
  userId,
  children,
  ...rest
}: RowProps) {
  const address = addressOf(view);
  const isCurrent = address === addressOf(model.view);
  const hasDraft = model.drafts.of(view).trim() !== '' && !isCurrent;
  const picture = userId === undefined ? undefined : model.users.get(userId)?.avatar_url;
  return (
    <li>
      <Link {...{ address, isCurrent, hasDraft, count, userId, picture }} {...rest} />
      {children}
    </li>
  );
}

interface LinkProps extends Omit<RowProps, 'model' | 'view' | 'children'> {
  readonly address: string;
  readonly isCurrent: boolean;
  readonly hasDraft: boolean;
  readonly count: number;
  readonly picture: string | null | undefined;
}

const Link = pure<LinkProps>((row) => (
  <a
    href={row.address}
    aria-current={row.isCurrent ? 'page' : undefined}
    class={row.isMuted ? 'muted' : undefined}
  >
    {row.icon && <Icon name={row.icon} color={row.isCurrent ? undefined : row.color} />}
    {row.userId !== undefined && (
      <span class="face">
        <Avatar userId={row.userId} url={row.picture} size={20} />
        {row.presence && (
          <span
            class={`presence ${row.presence}`}
            role="img"
            aria-label={presenceText(row.presence)}
          />
        )}
      </span>
    )}
    <span class="name" dir={row.icon === 'people' ? undefined : 'auto'}>
      {row.name}
    </span>
    {row.status}
    {row.isFollowed && (
      <>
        <Icon name="bell" />
        <span class="hidden"> {say('row.followed')}</span>
      </>
    )}
    {row.hasDraft && (
      <>
        <Icon name="edit" />
        <span class="hidden"> {say('row.draft')}</span>
      </>
    )}
    {row.count > 0 && (
      <span class="count">
        <span aria-hidden="true">{numberText(row.count)}</span>
        <span class="hidden"> {say('row.unread', { count: row.count })}</span>
      </span>
    )}
  </a>
));
