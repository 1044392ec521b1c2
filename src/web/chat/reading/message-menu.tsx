import type { Message } from '../../../client/index.js';
import { textOf } from '../content.js';
import { open } from '../later/open.js';
import type { Model } from '../model.js';
import { ask, Dialog } from '../parts/dialog.js';
import type { Item } from '../parts/menu.js';
import { say } from '../say.js';
import { conversationOf } from '../view.js';
import { linkTo } from '../writing/quote.js';

/** What is done more seldom to a message than what has a button. */
export function messageItems(model: Model, message: Message, onEdit: () => void): Item[] {
  const { me, isAdmin } = model;
  const isMine = message.sender_id === me.user_id;
  const view = conversationOf(message, me.user_id);
  const { surface } = model;
  return [
    ...(isMine ? [{ icon: 'edit', label: say('common.edit'), onClick: onEdit } as const] : []),
    { icon: 'link', label: say('message.copy-link'), onClick: () => copyLink(model, message) },
    {
      icon: 'unread',
      label: say('message.mark-unread'),
      onClick: () =>
        surface.attempt(model.reading.markUnread(view, message.id), () =>
          say('message.marked-unread'),
        ),
    },
    {
      icon: 'clock',
      label: say('message.remind'),
      onClick: () => open('showRemind', model, message),
    },
    {
      icon: 'eye',
      label: say('message.readers'),
      onClick: () => open('showReaders', model, message),
    },
    ...(isChanged(message)
      ? [
          {
            icon: 'info',
            label: say('message.history'),
            onClick: () => open('showHistory', model, message),
          } as const,
        ]
      : []),
    ...(message.type === 'stream'
      ? [
          {
            icon: 'move',
            label: say('message.move'),
            onClick: () => open('showMove', model, message),
          } as const,
        ]
      : []),
    ...(isMine || isAdmin
      ? [
          {
            icon: 'trash',
            label: say('common.delete'),
            onClick: () => remove(model, message),
          } as const,
        ]
      : []),
  ];
}

/** Whether there is more than one version of it. */
function isChanged({ last_edit_timestamp, last_moved_timestamp }: Message): boolean {
  return last_edit_timestamp !== undefined || last_moved_timestamp !== undefined;
}

function copyLink(model: Model, message: Message): void {
  const link = linkTo(model, message);
  const { surface } = model;
  const show = (): void =>
    surface.show(() => (
      <Dialog model={model} title={say('message.link')}>
        <input
          class="wide-field"
          aria-label={say('message.link')}
          value={link}
          readOnly
          ref={(input) => input?.select()}
        />
      </Dialog>
    ));
  // Pages without TLS have no clipboard.
  if (!isSecureContext) return show();
  navigator.clipboard.writeText(link).then(() => surface.say(say('message.link-copied')), show);
}

function remove(model: Model, { id, content }: Message): void {
  ask(model, {
    title: say('message.delete-asked'),
    text: textOf(content).slice(0, 200),
    action: say('common.delete'),
    run: () => {
      const row = document.getElementById(`message-${id}`);
      const rows = [...document.querySelectorAll<HTMLElement>('.message')];
      const next = rows[rows.indexOf(row!) + 1] ?? rows[rows.indexOf(row!) - 1];
      const gone = model.client.call('DELETE /messages/{message_id}', { message_id: id });
      model.surface.attempt(gone, () => {
        next?.focus();
        return say('message.deleted');
      });
    },
  });
}
