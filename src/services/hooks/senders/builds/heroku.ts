import { sender } from '../../sender.js';
import { bodyHmacBase64 } from '../../signatures.js';

/** App webhooks, and the form that deploy hooks sent before them. */
export const heroku = sender({
  name: 'heroku',
  displayName: 'Heroku',
  docs: 'https://devcenter.heroku.com/articles/app-webhooks',
  event: '<<{resource}>><<{head:=deploy}>>',
  signature: bodyHmacBase64('heroku-webhook-hmac-sha256'),
  topic: '{data.app.name|data.name|app}',
  events: {
    deploy: '{user} deployed [{app} {release}](url), with {head:code}:<<{git_log:block}>>',
    release: [
      {
        when: 'data.status=succeeded|failed',
        text: 'Release {data.version} of {data.app.name:bold}: {data.status:bold}<<. {data.description}>>',
      },
    ],
    build: [
      {
        when: 'data.status=succeeded|failed',
        text: 'Build of {data.app.name:bold}: {data.status:bold}<<, by {data.user.email}>>.',
      },
    ],
    app: [
      {
        when: 'action=create|destroy',
        text: '{actor.email} {action:@action} the app {data.name:bold}.',
      },
    ],
    collaborator: '{actor.email} {action:@action} {data.user.email} as collaborator.',
    domain: '{actor.email} {action:@action} the domain {data.hostname:code}.',
    addon: '{actor.email} {action:@action} the add-on {data.name:bold}.',
  },
  quiet: ['addon-attachment', 'dyno', 'formation', 'sni-endpoint', 'slug'],
  words: { action: { create: 'added', destroy: 'removed', update: 'changed' } },
});
