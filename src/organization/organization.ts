import type { BotDocument, BotStorageDocument } from '../../schemas/documents/bot.js';
import type { DraftDocument, SnippetDocument } from '../../schemas/documents/personal.js';
import type { OnboardingDocument } from '../../schemas/documents/onboarding.js';
import type { PlaygroundDocument } from '../../schemas/documents/playground.js';
import type { NavigationViewDocument } from '../../schemas/documents/navigation-view.js';
import type { KeySecretDocument } from '../../schemas/documents/key-secret.js';
import type { DeviceDocument } from '../../schemas/documents/push.js';
import type { RealmDocument } from '../../schemas/documents/realm.js';
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../schemas/documents/scheduled-message.js';
import type { SchemaVersionsDocument } from '../../schemas/documents/schema-versions.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import type { UserStatusDocument } from '../../schemas/documents/user-status.js';
import type { Document } from '../store/port.js';
import { ChannelFolderCollection } from './channel-folders.js';
import { ChannelCollection } from './channels.js';
import { AttachmentCollection } from './attachments.js';
import { Collection } from './collection.js';
import { CustomEmojiCollection } from './custom-emoji.js';
import { ConfirmationCollection } from './confirmations.js';
import { ConversationCollection } from './conversations.js';
import { Counters } from './counters.js';
import { GroupCollection, type FullMembership } from './groups.js';
import { HistoryCollection, HistoryRequestCollection } from './history.js';
import {
  InvitationCollection,
  InvitationTallyCollection,
  MultiuseInvitationCollection,
} from './invitations/collections.js';
import { OutgoingMailCollection } from './mail/outbox.js';
import { MarkCollection } from './messages/marks.js';
import { MessageCollection, type MessageSource } from './messages/message-collection.js';
import { ReadingCollection } from './messages/readings.js';
import { AlertWordCollection } from './alert-words.js';
import { LinkifierCollection } from './linkifiers.js';
import { MutedUserCollection } from './muted-users.js';
import { OwnedCollection } from './owned-collection.js';
import { PersonalCollection } from './personal-collection.js';
import { PushTokenCollection } from './push-tokens.js';
import { PresenceCollection } from './presences.js';
import { RealmDomainCollection } from './realm-domains.js';
import { ProfileCollection, ProfileFieldCollection } from './profile-fields.js';
import { ScheduledCollection, type DocumentSource } from './scheduling/scheduled-collection.js';
import { SettingsDefaultsCollection } from './settings-defaults.js';
import { SubscriptionCollection } from './subscriptions.js';
import { UserTopicCollection } from './topics/user-topic-collection.js';
import { IdempotencyKeyCollection } from './sending/idempotency-keys.js';
import { UnitOfWork } from './transaction.js';
import { UserActivityCollection } from './user-activity.js';
import { UserCollection, UserSettingsCollection } from './users.js';
import { WaitingPeriodCollection } from './waiting-period.js';

/** Where this organization is served; configuration, not state. */
export interface Site {
  /** Public base URL without path or trailing slash; known once the server listens. */
  url: string;
  /** Domain of placeholder and bot addresses. */
  readonly botDomain: string;
  /** Start time of this process, UNIX seconds (`server_generation`). */
  readonly generation: number;
  /** Ways to log in, beside passwords, that this server was set up for. */
  readonly logins?: readonly ExtraLogin[];
  /** Mebibytes of all uploaded files where the organization has no quota of its own; none if absent. */
  readonly uploadQuotaMib?: number | null;
}

/** A way to log in that needs settings of its own: a directory, or signed tokens. */
export type ExtraLogin = 'LDAP' | 'JWT';

/** The single document about the organization itself. */
class RealmCollection extends Collection<'realm', RealmDocument> {
  /** @throws Error before the organization was created */
  get current(): RealmDocument {
    const realm = this.get('realm');
    if (!realm) throw new Error('The organization does not exist yet');
    return realm;
  }
}

/** The software that last served the organization; a change is announced by a `restart` event. */
export interface ServerDocument {
  readonly zulip_version: string;
  readonly zulip_feature_level: number;
  readonly software_version: string;
}

/** Anything that takes documents at start-up. */
interface Loadable {
  readonly name: string;
  load(document: object): void;
}

const DAY_MS = 86_400_000;

/** The organization in memory: the fold of the journal as typed collections. */
export class Organization {
  readonly unit = new UnitOfWork();
  readonly realm = new RealmCollection('realm', this.unit, () => 'realm');
  readonly server = new Collection<'server', ServerDocument>('server', this.unit, () => 'server');
  /** Which versions its documents have. */
  readonly schemaVersions = new Collection<'schema_versions', SchemaVersionsDocument>(
    'schema_versions',
    this.unit,
    () => 'schema_versions',
  );
  /** Which secret its API keys come from. */
  readonly keySecret = new Collection<'key_secret', KeySecretDocument>(
    'key_secret',
    this.unit,
    () => 'key_secret',
  );
  readonly history = new HistoryCollection(this.unit);
  readonly historyRequest = new HistoryRequestCollection(this.unit);
  readonly counters = new Counters(this.unit);
  readonly users = new UserCollection(this.unit);
  readonly settings = new UserSettingsCollection(this.unit);
  readonly settingsDefaults = new SettingsDefaultsCollection(this.unit);
  readonly bots = new Collection<number, BotDocument>('bot', this.unit, (bot) => bot.user_id);
  readonly botStorage = new Collection<number, BotStorageDocument>(
    'bot_storage',
    this.unit,
    (storage) => storage.user_id,
  );
  readonly profileFields = new ProfileFieldCollection(this.unit);
  readonly profiles = new ProfileCollection(this.unit, this.profileFields);
  readonly statuses = new PersonalCollection<UserStatusDocument>('user_status', this.unit);
  readonly groups = new GroupCollection(this.unit);
  readonly waitingPeriod = new WaitingPeriodCollection(this.unit);
  readonly channelFolders = new ChannelFolderCollection(this.unit);
  readonly channels = new ChannelCollection(this.unit);
  readonly subscriptions = new SubscriptionCollection(this.unit);
  readonly conversations = new ConversationCollection(this.unit);
  readonly presences = new PresenceCollection(this.unit);
  readonly activities = new UserActivityCollection(this.unit);
  readonly readings = new ReadingCollection(this.unit);
  readonly marks = new MarkCollection(this.unit);
  readonly domains = new RealmDomainCollection(this.unit);
  readonly invitations = new InvitationCollection(this.unit);
  readonly multiuseInvitations = new MultiuseInvitationCollection(this.unit);
  readonly invitationTally = new InvitationTallyCollection(this.unit);
  readonly confirmations = new ConfirmationCollection(this.unit);
  readonly mails = new OutgoingMailCollection(this.unit);
  readonly navigationViews = new OwnedCollection<NavigationViewDocument>(
    'navigation_view',
    this.unit,
  );
  readonly linkifiers = new LinkifierCollection(this.unit);
  readonly playgrounds = new Collection<number, PlaygroundDocument>(
    'playground',
    this.unit,
    (playground) => playground.id,
  );
  readonly attachments = new AttachmentCollection(this.unit);
  readonly customEmoji = new CustomEmojiCollection(this.unit);
  readonly drafts = new OwnedCollection<DraftDocument>('draft', this.unit);
  readonly snippets = new OwnedCollection<SnippetDocument>('saved_snippet', this.unit);
  readonly alertWords = new AlertWordCollection(this.unit);
  readonly pushTokens = new PushTokenCollection(this.unit);
  readonly devices = new OwnedCollection<DeviceDocument>('device', this.unit);
  readonly userTopics = new UserTopicCollection(this.unit);
  readonly mutedUsers = new MutedUserCollection(this.unit);
  readonly onboarding = new Collection<number, OnboardingDocument>(
    'onboarding',
    this.unit,
    (document) => document.user_id,
  );
  /** Users with queues that ask for messages of followed topics only; some may have ended since. */
  readonly followWatchers = new Set<number>();
  /** Messages that clients may send again without making a second one. */
  readonly idempotencyKeys = new IdempotencyKeyCollection(this.unit);
  readonly messages: MessageCollection;
  readonly scheduledMessages: ScheduledCollection<ScheduledMessageDocument>;
  readonly reminders: ScheduledCollection<ReminderDocument>;

  constructor(
    readonly site: Site,
    source: MessageSource,
    /** Milliseconds since 1970. */
    readonly now: () => number,
    /** Where scheduled things are read that are not in memory. */
    documents: DocumentSource = async (keys) => keys.map(() => undefined),
  ) {
    this.messages = new MessageCollection(this.unit, source);
    this.scheduledMessages = new ScheduledCollection('scheduled_message', this.unit, documents);
    this.reminders = new ScheduledCollection('reminder', this.unit, documents);
  }

  /** The collections to load at start-up, in an order in which each finds what it refers to. */
  get loadable(): readonly Loadable[] {
    return [
      this.realm,
      this.server,
      this.schemaVersions,
      this.keySecret,
      this.history,
      this.historyRequest,
      this.counters,
      this.users,
      this.settings,
      this.settingsDefaults,
      this.bots,
      this.botStorage,
      this.profileFields,
      this.profiles,
      this.statuses,
      this.groups,
      this.waitingPeriod,
      this.channelFolders,
      this.channels,
      this.subscriptions,
      this.conversations,
      this.presences,
      this.activities,
      this.readings,
      this.marks,
      this.domains,
      this.invitations,
      this.multiuseInvitations,
      this.invitationTally,
      this.confirmations,
      this.mails,
      this.navigationViews,
      this.linkifiers,
      this.playgrounds,
      this.attachments,
      this.customEmoji,
      this.drafts,
      this.snippets,
      this.alertWords,
      this.pushTokens,
      this.devices,
      this.userTopics,
      this.mutedUsers,
      this.onboarding,
      this.idempotencyKeys,
      this.messages,
      this.scheduledMessages,
      this.reminders,
    ];
  }

  /** Puts a stored document where it belongs. @throws Error for a collection nobody knows */
  load(collection: string, document: Document): void {
    const target = this.loadable.find((one) => one.name === collection);
    if (!target) throw new Error(`Unknown collection ${collection}`);
    target.load(document);
  }

  /** Whether an account is past the waiting period; moderators and above always are. */
  readonly isFullMember: FullMembership = (user: UserDocument) => {
    if (user.role !== 400) return user.role < 400;
    const days = this.realm.current.waiting_period_threshold;
    if (days === 0) return true;
    return user.date_joined + days * DAY_MS <= (this.waitingPeriod.countedUntil ?? this.now());
  };
}
