import Type, { type TSchema } from 'typebox';
import { UserSettings } from './users/user-settings.js';
import { AttachmentDocument } from './uploads/attachment-document.js';
import { BotDocument, BotStorageDocument } from './users/bot-document.js';
import { ChannelFolderDocument } from './channels/channel-folder-document.js';
import { ChannelDocument } from './channels/channel-document.js';
import { ConfirmationDocument } from './accounts/confirmation-document.js';
import { CustomEmojiDocument } from './realm/custom-emoji-document.js';
import { GroupDocument } from './groups/group-document.js';
import { HistoryDocument, HistoryRequestDocument } from './store/history-document.js';
import { IdempotencyKeyDocument } from './messages/idempotency-key-document.js';
import {
  InvitationDocument,
  InvitationTallyDocument,
  MultiuseInvitationDocument,
} from './invitations/invitation-document.js';
import { KeySecretDocument } from './store/key-secret-document.js';
import { LinkifierDocument } from './realm/linkifier-document.js';
import {
  ConversationDocument,
  MarkDocument,
  MessageDocument,
  ReadingDocument,
} from './messages/message-document.js';
import { MessageArchiveDocument } from './messages/message-archive-document.js';
import { MutedUserDocument } from './personal/muted-user-document.js';
import { NavigationViewDocument } from './personal/navigation-view-document.js';
import { OnboardingDocument } from './personal/onboarding-document.js';
import { OutgoingMailDocument } from './mail/outgoing-mail-document.js';
import { AlertWordsDocument } from './personal/alert-words-document.js';
import { SnippetDocument } from './personal/saved-snippet-document.js';
import { DraftDocument } from './personal/draft-document.js';
import { PlaygroundDocument } from './realm/playground-document.js';
import { PresenceDocument } from './presence/presence-document.js';
import { UserActivityDocument } from './users/user-activity-document.js';
import { ProfileDocument, ProfileFieldDocument } from './users/profile-field-document.js';
import { DeviceDocument, PushTokenDocument } from './personal/push-document.js';
import { QueueDocument } from './queues/queue-document.js';
import { RealmDomainDocument } from './realm/realm-domain-document.js';
import { RealmDocument } from './realm/realm-document.js';
import {
  ReminderDocument,
  ScheduledMessageDocument,
} from './scheduling/scheduled-message-document.js';
import { SchemaVersionsDocument } from './store/schema-versions-document.js';
import { SubscriptionDocument } from './channels/subscription-document.js';
import { UserStatusDocument } from './personal/user-status-document.js';
import { UserTopicDocument } from './topics/user-topic-document.js';
import { UserDocument } from './users/user-document.js';

/** Stored settings that differ from the defaults. */
const SomeSettings = Type.Partial(UserSettings);

/**
 * What a document of each collection is. Loading checks every document against it, so a field that comes
 * later is optional, or comes with a migration that gives it to the documents there are
 * (`src/organization/migrations`).
 */
export const COLLECTIONS: Readonly<Record<string, TSchema>> = {
  alert_words: AlertWordsDocument,
  attachment: AttachmentDocument,
  bot: BotDocument,
  bot_storage: BotStorageDocument,
  channel: ChannelDocument,
  channel_folder: ChannelFolderDocument,
  confirmation: ConfirmationDocument,
  conversation: ConversationDocument,
  counter: Type.Object({ name: Type.String(), last: Type.Integer() }),
  custom_emoji: CustomEmojiDocument,
  custom_profile_field: ProfileFieldDocument,
  device: DeviceDocument,
  draft: DraftDocument,
  history: HistoryDocument,
  history_request: HistoryRequestDocument,
  idempotency_key: IdempotencyKeyDocument,
  invitation: InvitationDocument,
  invitation_tally: InvitationTallyDocument,
  key_secret: KeySecretDocument,
  linkifier: LinkifierDocument,
  mark: MarkDocument,
  message: MessageDocument,
  message_archive: MessageArchiveDocument,
  multiuse_invitation: MultiuseInvitationDocument,
  muted_user: MutedUserDocument,
  navigation_view: NavigationViewDocument,
  onboarding: OnboardingDocument,
  outgoing_mail: OutgoingMailDocument,
  playground: PlaygroundDocument,
  presence: PresenceDocument,
  profile: ProfileDocument,
  push_token: PushTokenDocument,
  queue: QueueDocument,
  reading: ReadingDocument,
  realm: RealmDocument,
  realm_domain: RealmDomainDocument,
  realm_user_settings_defaults: SomeSettings,
  reminder: ReminderDocument,
  saved_snippet: SnippetDocument,
  scheduled_message: ScheduledMessageDocument,
  schema_versions: SchemaVersionsDocument,
  server: Type.Object({
    zulip_version: Type.String(),
    zulip_feature_level: Type.Integer(),
    software_version: Type.String(),
  }),
  subscription: SubscriptionDocument,
  user: UserDocument,
  user_activity: UserActivityDocument,
  user_group: GroupDocument,
  user_settings: Type.Intersect([
    SomeSettings,
    Type.Object({ user_id: Type.Integer(), edited: Type.Array(Type.String()) }),
  ]),
  user_status: UserStatusDocument,
  user_topic: UserTopicDocument,
  waiting_period: Type.Object({ counted_until: Type.Integer() }),
};
