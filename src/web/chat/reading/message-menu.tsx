import type { Message } from '../../../client/index.js';
import { textOf } from '../content.js';
import type { Model } from '../model.js';
import { ask, Dialog } from '../parts/dialog.js';
import type { Item } from '../parts/menu.js';
import { conversationOf } from '../view.js';
import { linkTo } from '../writing/quote.js';

/** What is done more seldom to a message than what has a button. */
export function messageItems(model: Model, message: Message, onEdit: () => void): Item[] {
  const { me, isAdmin } = model;
  const isMine = message.sender_id === me.user_id;
  const view = conversationOf(message, me.user_id);
  const { surface } = model;
  return [
    ...(isMine ? [{ icon: 'edit', label: 'Edit', onClick: onEdit } as const] : []),
    { icon: 'link', label: 'Copy link', onClick: () => copyLink(model, message) },
    {
      icon: 'unread',
      label: 'Mark as unread from here',
      onClick: () =>
        surface.attempt(
          model.reading.markUnread(view, message.id),
          () => 'Unread from here until you leave.',
        ),
    },
    ...(isMine || isAdmin
      ? [{ icon: 'trash', label: 'Delete', onClick: () => remove(model, message) } as const]
      : []),
  ];
}

function copyLink(model: Model, message: Message): void {
  const link = linkTo(model, message);
  const { surface } = model;
  const show = (): void =>
    surface.show(() => (
      <Dialog model={model} title="Link to the message">
        <input
          class="wide-field"
          aria-label="Link"
          value={link}
          readOnly
          ref={(input) => input?.select()}
        />
      </Dialog>
    ));
  // Pages without TLS have no clipboard.
  if (!isSecureContext) return show();
  navigator.clipboard.writeText(link).then(() => surface.say('The link is copied.'), show);
}

function remove(model: Model, { id, content }: Message): void {
  ask(model, {
    title: 'Delete this message?',
    text: textOf(content).slice(0, 200),
    action: 'Delete',
    run: () => {
      const row = document.getElementById(`message-${id}`);
      const rows = [...document.querySelectorAll<HTMLElement>('.message')];
      const next = rows[rows.indexOf(row!) + 1] ?? rows[rows.indexOf(row!) - 1];
      const gone = model.client.call('DELETE /messages/{message_id}', { message_id: id });
      model.surface.attempt(gone, () => {
        next?.focus();
        return 'The message is deleted.';
      });
    },
  });
}
