import type { Model } from '../model.js';
import { ask } from '../parts/dialog.js';
import { say } from '../say.js';
import { isolated } from '../view.js';

/** Joins a channel that there is. */
export function join({ surface, client }: Model, name: string): void {
  surface.attempt(client.call('POST /users/me/subscriptions', { subscriptions: [{ name }] }), () =>
    say('channel.joined', { channel: isolated(name) }),
  );
}

/** Leaves a channel; asked where nobody comes back by themselves. */
export function leave(model: Model, channelId: number): void {
  const { name, invite_only } = model.channels.get(channelId)!;
  const channel = isolated(name);
  const run = (): void =>
    model.surface.attempt(
      model.client.call('DELETE /users/me/subscriptions', { subscriptions: [name] }),
      () => {
        if (model.view.kind === 'channel' && model.view.channelId === channelId) {
          model.go({ kind: 'home' });
        }
        return say('channel.left', { channel });
      },
    );
  if (!invite_only) return run();
  ask(model, {
    title: say('channel.leave-asked', { channel }),
    text: say('channel.leave-private'),
    action: say('common.leave'),
    run,
  });
}
