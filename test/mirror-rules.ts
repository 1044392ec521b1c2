import { existsSync } from 'node:fs';

/*
 * Whoever changes a source finds its test: `src/a/b.ts` has `test/src/a/b.test.ts`, or a file of rules has the test of
 * the same name that its area keeps beside the handlers (`src/organization/realm/linkifiers.ts`,
 * `test/src/resources/realm/linkifiers.test.ts`), or its place is stated here. `mirror.test.ts` keeps the sources to it; `scripts/watch.js` runs what it finds.
 */

/** A shorter file is tested with what uses it. */
export const SHORT_LINES = 60;

/**
 * Tests of files that are tested through others, by file or by what the paths of several begin with; the longest
 * beginning counts.
 */
export const STATED: Readonly<Record<string, string>> = {
  'actors/deadline-slots': 'actors/deadline-wheel',
  'actors/snapshot': 'actors/host',
  'src/app/': 'system/faults/leadership',
  'src/app/admin/': 'system/operation/admin',
  'src/app/admin/request-line': 'system/operation/admin-socket',
  'src/app/backup/': 'system/operation/backup',
  'src/app/backup/bucket-files': 'system/operation/files-in-bucket',
  'src/app/data-folder/first-start': 'system/operation/boot',
  'src/app/history/history': 'system/faults/history',
  'src/app/data-folder/own-folder': 'system/operation/process-state',
  'src/app/data-folder/places': 'system/operation/process-state',
  'src/app/export/': 'src/app/export/zulip-export',
  'src/app/import/': 'src/app/import/import-zulip',
  'src/app/import/mattermost/': 'src/app/import/import-mattermost',
  'src/app/import/slack/': 'src/app/import/import-slack',
  'src/app/import/tar': 'src/app/import/json-rows',
  'src/app/data-folder/key-secret': 'system/operation/key-secret',
  'src/client/': 'system/web/typed-client',
  'src/cli/admin-specs': 'src/cli/command-line',
  'src/cli/': 'src/cli/command-line',
  'src/config/': 'src/config/config',
  'src/organization/mail/layout': 'src/organization/mail/texts',
  'src/platform/': 'src/platform/platform',
  'src/platform/durable-files': 'src/power-cut',
  'src/errors/': 'system/api/errors',
  'src/http/': 'src/http/server',
  'src/http/events/frame-pusher': 'src/turns/connection-turns',
  'src/http/files/contract-pages': 'src/http/files/public-files',
  'src/http/files/file-routes': 'system/api/uploads',
  'src/http/files/tus-': 'system/api/resumable-uploads',
  'src/http/files/public-file': 'src/http/files/conditional',
  'src/http/files/web-app-page': 'system/web/web-app',
  'src/http/files/web-app-values': 'system/web/web-app',
  'src/http/forwarding/': 'src/http/forwarding/internal-listener',
  'src/http/tls/': 'src/http/tls/https',
  'src/http/request/': 'src/http/request/decoder',
  'src/http/request/request-head': 'src/http/request/body',
  'src/journal/entry-': 'src/journal/entry',
  'src/journal/queues/delivery': 'src/journal/queues/fan-out',
  'src/journal/queues/queue-filter': 'src/journal/queues/fan-out',
  'src/journal/queues/queue-index': 'src/journal/queues/fan-out',
  'src/journal/renderers/': 'src/journal/renderers/message',
  'src/journal/renderers/presence': 'src/organization/presence/presence',
  'src/languages/values/': 'src/languages/catalogs',
  'src/cli/program': 'system/operation/boot',
  'src/organization/access/group-members': 'src/resources/groups/user-group-members',
  'src/organization/access/permissions': 'src/organization/messages/editing/edit-properties',
  'src/organization/accounts/': 'src/resources/pages/address-and-password',
  'src/organization/accounts/account-checks': 'src/organization/accounts/accounts',
  'src/organization/channels/channel-': 'src/organization/channels/channel-change',
  'src/organization/channels/channel-unread': 'src/organization/channels/unsubscribing',
  'src/organization/channels/subscription-change': 'src/resources/channels/subscription-properties',
  'src/organization/channels/subscription-events': 'src/organization/channels/subscribing',
  'src/organization/groups/group-changes': 'src/resources/groups/user-groups',
  'src/organization/groups/group-membership': 'src/resources/groups/user-group-members',
  'src/organization/invitations/inv': 'src/resources/invitations/invites',
  'src/organization/invitations/': 'src/resources/pages/sign-up',
  'src/organization/mail/confirmations': 'src/resources/pages/address-and-password',
  'src/organization/messages/attachment-links': 'src/resources/uploads/uploads',
  'src/organization/messages/deletion/': 'src/organization/messages/deletion/remove-messages',
  'src/organization/messages/editing/': 'src/resources/messages/message-editing',
  'src/organization/messages/editing/history-view': 'src/resources/messages/message-history',
  'src/organization/messages/editing/move-': 'src/resources/messages/message-moving',
  'src/organization/messages/message-access': 'src/organization/messages/reading/read-page',
  'src/organization/messages/reading/': 'src/organization/messages/reading/narrow',
  'src/organization/messages/reading/message-view': 'src/resources/messages/messages',
  'src/organization/messages/widgets/': 'src/resources/messages/submessages',
  'src/organization/messages/previews/rendering':
    'src/organization/messages/previews/page-previews',
  'src/organization/messages/retention/': 'src/organization/messages/retention/message-retention',
  'src/organization/messages/sending/': 'src/organization/messages/sending/send-message',
  'src/organization/notifications/': 'src/organization/notifications/message-notifications',
  'src/organization/notifications/digest-': 'src/organization/notifications/digests',
  'src/organization/notifications/push-': 'src/organization/notifications/push-delivery',
  'src/organization/personal/outgoing-pushes': 'src/organization/notifications/push-delivery',
  'src/organization/presence/': 'src/organization/presence/presence',
  'src/organization/presence/activity-tracker': 'src/organization/state/collections/presences',
  'src/organization/realm/bootstrap': 'src/organization/accounts/accounts',
  'src/organization/realm/realm-': 'src/resources/realm/realm',
  'src/organization/scheduling/': 'src/organization/scheduling/scheduler',
  'src/organization/scheduling/scheduled-recipient': 'src/resources/scheduling/scheduled-messages',
  'src/resources/snapshot-fragments/': 'src/resources/queues/register/text-sections',
  'src/organization/state/': 'src/organization/state/transaction',
  'src/organization/state/collections/': 'src/organization/state/migrations',
  'src/organization/state/history': 'system/faults/history',
  'src/organization/state/snapshot-moment': 'src/organization/messages/reading/unread',
  'src/organization/messages/reading/prepared-reading': 'src/organization/messages/reading/unread',
  'src/organization/state/message-index/':
    'src/organization/state/message-index/message-collection',
  'src/organization/state/message-index/ascending-ids':
    'src/organization/state/message-index/posting-lists',
  'src/organization/state/message-index/moving-messages':
    'src/organization/state/message-index/relocation',
  'src/organization/state/message-index/moved-messages':
    'src/organization/state/message-index/relocation',
  'src/organization/uploads/attachments': 'src/resources/uploads/uploads',
  'src/organization/users/erasure': 'system/operation/erasure',
  'src/app/admin/user-e': 'system/operation/erasure',
  'src/organization/uploads/store-upload': 'src/resources/uploads/uploads',
  'src/organization/uploads/upload-pieces': 'src/organization/uploads/resumable-uploads',
  'src/organization/uploads/media': 'src/organization/messages/previews/thumbnailer',
  'src/organization/users/permission-places': 'src/organization/users/membership-snapshot',
  'src/organization/users/role-change': 'src/resources/users/user-administration',
  'src/organization/users/settings-change': 'src/resources/users/settings',
  'src/organization/users/vouched-login': 'system/api/single-sign-on',
  'src/organization/views/access-change': 'src/organization/access/user-access',
  'src/organization/views/channel-activity': 'src/organization/views/channel-view',
  'src/organization/views/group-events': 'src/organization/groups/full-members',
  'src/organization/views/visible-users': 'src/organization/access/user-access',
  'src/organization/views/unknown-user': 'src/organization/access/user-access',
  'src/organization/views/user-events': 'src/resources/users/settings',
  'src/organization/views/presence-view': 'src/resources/presence/presence',
  'src/organization/views/subscription-view': 'src/organization/channels/subscribing',
  'src/organization/views/user-view': 'src/organization/users/user-profile-object',
  'src/services/web-app/': 'src/services/web-app/web-app',
  'src/resources/accounts/session-cookies': 'src/resources/accounts/sessions',
  'src/resources/accounts/password-change': 'src/resources/users/settings',
  'src/resources/kernel/': 'src/resources/kernel/bind',
  'src/resources/kernel/limiters': 'src/resources/accounts/fetch-api-key',
  'src/resources/messages/message-': 'src/resources/messages/message-history',
  'src/resources/messages/messages-': 'src/resources/messages/messages',
  'src/resources/pages/': 'src/resources/pages/sign-up',
  'src/resources/pages/password-reset': 'src/resources/pages/address-and-password',
  'src/resources/pages/login-state': 'system/api/single-sign-on',
  'src/resources/pages/desktop-login': 'system/api/desktop-login',
  'src/resources/pages/single-sign-on': 'system/api/single-sign-on',
  'src/resources/administration/': 'system/web/console-deeds',
  'src/resources/queues/console': 'system/web/console',
  'src/resources/queues/journal-tail': 'system/web/console',
  'src/resources/queues/queue-table': 'system/web/console',
  'src/app/nodes/node-look': 'system/web/console',
  'src/resources/queues/register/prepared-channels': 'src/resources/queues/register/text-sections',
  'src/resources/queues/register/realm-section': 'src/resources/queues/register/sections',
  'src/resources/queues/register/register': 'src/resources/queues/register/snapshot-turns',
  'src/resources/realm/server-settings': 'src/resources/accounts/fetch-api-key',
  'src/resources/pages/join-call': 'src/resources/realm/video-calls',
  'src/organization/realm/export': 'src/resources/realm/exports',
  'src/http/files/export-routes': 'src/resources/realm/exports',
  'src/services/blob-store': 'src/services/folder-blob-store',
  'src/services/file-checksum': 'system/operation/altered-files',
  'src/services/calls/': 'src/resources/realm/video-calls',
  'src/organization/incoming-mail/': 'src/organization/incoming-mail/incoming-mail',
  'src/organization/mail/mail-addresses': 'src/organization/incoming-mail/incoming-mail',
  'src/services/incoming-mail/': 'src/services/incoming-mail/read-mail',
  'src/services/auth/one-time-codes': 'src/resources/accounts/two-factor',
  'src/services/auth/openid-claims': 'src/services/auth/openid-settings',
  'src/services/markdown/code/': 'src/services/markdown/code/code-blocks',
  'src/services/search/rendered-text': 'src/services/search/terms',
  'src/services/text/mail-text': 'src/organization/notifications/message-notifications',
  'src/services/push/': 'src/services/push/push-services',
  'src/organization/hooks/hook-formats': 'system/api/outgoing-webhooks',
  'src/resources/hooks/': 'system/api/webhooks',
  'src/services/hooks/': 'src/services/hooks/incidents',
  'src/services/hooks/senders/': 'src/services/hooks/senders',
  'src/services/hooks/sender': 'src/services/hooks/template',
  'src/services/hooks/jira': 'src/services/hooks/work',
  'src/services/hooks/slack-rich-text': 'src/services/hooks/slack-incoming',
  'src/services/hooks/stripe': 'src/services/hooks/work',
  'src/services/hooks/wording': 'src/services/hooks/github',
  'src/services/linkifiers/pattern': 'src/services/linkifiers/linkifier',
  'src/services/markdown/addresses': 'src/services/markdown/links',
  'src/services/markdown/element-token': 'src/services/markdown/markdown',
  'src/services/markdown/fence-lines': 'src/services/markdown/fences',
  'src/services/markdown/linkifier-links': 'src/services/linkifiers/linkifier',
  'src/services/markdown/media/inline-images': 'src/services/markdown/media/media-in-text',
  'src/services/markdown/media/preview-html': 'src/services/markdown/media/previews',
  'src/services/markdown/media/upload-html': 'src/services/markdown/media/previews',
  'src/services/markdown/render-environment': 'src/services/markdown/mentions',
  'src/services/markdown/time-limit': 'src/services/markdown/formulas/math',
  'src/services/outside/page-facts': 'src/services/outside/page-summaries',
  'src/services/pictures/': 'src/services/pictures/pictures',
  'src/services/s3/': 'src/services/s3/s3-blob-store',
  'src/services/search-index/': 'src/services/search-index/search-index',
  'src/services/text/emoji-': 'src/services/text/emoji',
  'src/services/web-pages': 'system/web/pages',
  'src/store/': 'src/store/memory',
  'src/store/embedded/': 'src/store/embedded',
  'src/store/embedded/pages/page': 'src/store/embedded-damage',
  'src/store/embedded/writer': 'src/store/embedded-writer',
  'src/store/redis/': 'src/store/redis',
  'src/store/transfer/': 'src/store/transfer/transfer',
  'src/store/transfer/command': 'system/operation/transfer',
  'src/store/transfer/import-command': 'system/operation/transfer',
  'src/web/': 'system/web/pages',
};

/** The test at the mirrored path, or that of the same name beside the handlers of the area. */
export function mirrored(source: string): string | undefined {
  const stem = source.replace(/\.ts$/, '.test.ts');
  const beside = stem.replace('src/organization/', 'src/resources/');
  return [`test/${stem}`, `test/${beside}`].find((file) => existsSync(file));
}

/** The beginning of its path by which the test of a source is stated. */
export function statement(source: string): string | undefined {
  return Object.keys(STATED)
    .filter((beginning) => source.startsWith(beginning))
    .sort((a, b) => b.length - a.length)[0];
}

/** The test of a file that somebody changed, as a path in `test`: itself, the one that mirrors it, or the stated one. */
export function testOf(file: string): string | null {
  if (file.endsWith('.test.ts')) return file.replace(/^test\//, '');
  const beginning = statement(file);
  const stated = beginning === undefined ? undefined : `test/${STATED[beginning]}.test.ts`;
  const test = mirrored(file.replace(/^test\//, '')) ?? stated;
  return test?.replace(/^test\//, '') ?? null;
}
