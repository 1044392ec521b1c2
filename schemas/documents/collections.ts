import Type, { type TSchema } from 'typebox';
import { UserSettings } from '../user-settings.js';
import { AttachmentDocument } from './attachment.js';
import { BotDocument, BotStorageDocument } from './bot.js';
import { ChannelFolderDocument } from './channel-folder.js';
import { ChannelDocument } from './channel.js';
import { ConfirmationDocument } from './confirmation.js';
import { CustomEmojiDocument } from './custom-emoji.js';
import { GroupDocument } from './group.js';
import { HistoryDocument, HistoryRequestDocument } from './history.js';
import { IdempotencyKeyDocument } from './idempotency-key.js';
import {
  InvitationDocument,
  InvitationTallyDocument,
  MultiuseInvitationDocument,
} from './invitation.js';
import { KeySecretDocument } from './key-secret.js';
import { LinkifierDocument } from './linkifier.js';
import { ConversationDocument, MarkDocument, MessageDocument, ReadingDocument } from './message.js';
import { MessageArchiveDocument } from './message-archive.js';
import { MutedUserDocument } from './muted-user.js';
import { NavigationViewDocument } from './navigation-view.js';
import { OnboardingDocument } from './onboarding.js';
import { OutgoingMailDocument } from './outgoing-mail.js';
import { AlertWordsDocument, DraftDocument, SnippetDocument } from './personal.js';
import { PlaygroundDocument } from './playground.js';
import { PresenceDocument } from './presence.js';
import { UserActivityDocument } from './user-activity.js';
import { ProfileDocument, ProfileFieldDocument } from './profile-field.js';
import { DeviceDocument, PushTokenDocument } from './push.js';
import { QueueDocument } from './queue.js';
import { RealmDomainDocument } from './realm-domain.js';
import { RealmDocument } from './realm.js';
import { ReminderDocument, ScheduledMessageDocument } from './scheduled-message.js';
import { SchemaVersionsDocument } from './schema-versions.js';
import { SubscriptionDocument } from './subscription.js';
import { UserStatusDocument } from './user-status.js';
import { UserTopicDocument } from './user-topic.js';
import { UserDocument } from './user.js';

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
