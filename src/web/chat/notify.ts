import type { Message } from '../../client/index.js';
import { textOf } from './content.js';
import type { Model } from './model.js';
import { say } from './say.js';
import type { View } from './view.js';

/** Asks the browser for notices of direct messages and mentions. */
export async function allowNotices(): Promise<NotificationPermission> {
  return typeof Notification === 'undefined' ? 'denied' : Notification.requestPermission();
}

/** Shows a notice of a message for the reader, where the browser may and nobody looks at the page. */
export function notify(model: Model, message: Message, view: View): void {
  const { enable_desktop_notifications: isWanted, enable_stream_desktop_notifications: all } =
    model.settings;
  const isOfAll = all === true && view.kind === 'channel' && !model.isMuted(view);
  const isForMe =
    isOfAll ||
    (isWanted !== false && (view.kind === 'direct' || message.flags.includes('mentioned')));
  if (!isForMe || document.visibilityState === 'visible') return;
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return;
  const title = say('notice.title', {
    sender: message.sender_full_name,
    conversation: model.titleOf(view),
  });
  const notice = new Notification(title, {
    body: textOf(message.content).slice(0, 200),
    icon: '/static/icon.png',
    tag: String(message.id),
  });
  notice.onclick = () => {
    focus();
    model.go(view);
    notice.close();
  };
}
