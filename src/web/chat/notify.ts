import type { Message } from '../../client/index.js';
import { textOf } from './content.js';
import type { Model } from './model.js';
import { authorOf } from './reading/names.js';
import { say } from './say.js';
import type { View } from './view.js';

/** Asks the browser for notices of direct messages and mentions. */
export async function allowNotices(): Promise<NotificationPermission> {
  return typeof Notification === 'undefined' ? 'denied' : Notification.requestPermission();
}

/** Shows a notice of a message, where the browser may and nobody looks at the page. The server says of which. */
export function notify(model: Model, message: Message, view: View): void {
  if (document.visibilityState === 'visible') return;
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const title = say('notice.title', {
    sender: authorOf(model, message).full_name,
    conversation: model.titleOf(view),
  });
  const isHidden =
    view.kind === 'direct' && model.settings.pm_content_in_desktop_notifications === false;
  const notice = new Notification(title, {
    body: isHidden ? '' : textOf(message.content).slice(0, 200),
    icon: '/static/icon.png',
    tag: String(message.id),
  });
  notice.onclick = () => {
    focus();
    model.go(view);
    notice.close();
  };
}
