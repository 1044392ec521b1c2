import type { Message } from '../../../client/index.js';
import { textOf } from '../content.js';
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
