import type { BotDocument, BotStorageDocument } from '../../../schemas/users/bots.js';
import type { SnippetDocument } from '../../../schemas/personal/saved-snippets.js';
import type { DigestRoundDocument } from '../../../schemas/notifications/digest-round-document.js';
import type { DraftDocument } from '../../../schemas/personal/drafts.js';
import type { OnboardingDocument } from '../../../schemas/personal/onboarding.js';
import type { RealmExportDocument } from '../../../schemas/realm/exports.js';
import type { PlaygroundDocument } from '../../../schemas/realm/playgrounds.js';
import type { NavigationViewDocument } from '../../../schemas/personal/navigation-views.js';
import type { KeySecretDocument } from '../../../schemas/store/key-secret-document.js';
import type { PushedMessagesDocument } from '../../../schemas/notifications/push-notice-document.js';
import type { DeviceDocument } from '../../../schemas/personal/push.js';
import { queueCollection } from '../../../schemas/queues/register.js';
import type { LeaderDocument } from '../../../schemas/store/leader-document.js';
import type {
  ReminderDocument,
  ScheduledMessageDocument,
} from '../../../schemas/scheduling/scheduled-messages.js';
import type { SessionDocument } from '../../../schemas/accounts/sessions.js';
import type { ServerDocument } from '../../../schemas/store/server-document.js';
import type { SchemaVersionsDocument } from '../../../schemas/store/schema-versions-document.js';
import type { TwoFactorDocument } from '../../../schemas/accounts/two-factor.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { UserStatusDocument } from '../../../schemas/personal/user-status.js';
import type { Document, EntryChange } from '../../store/port.js';
import {
  ChannelFolderCollection,
  ChannelCollection,
  SubscriptionCollection,
} from './collections/channels.js';
import { AuditCollection } from './collections/audit.js';
import { AttachmentCollection } from './collections/attachments.js';
import { ResumableUploadCollection } from './collections/resumable-uploads.js';
import { collectionsOf, type Loadable, Collection, UnitOfWork } from './collection.js';
import {
  LinkifierCollection,
  CustomEmojiCollection,
  RealmCollection,
  RealmDomainCollection,
  Counters,
  SettingsDefaultsCollection,
} from './collections/realm.js';
import {
  ConfirmationCollection,
  OutgoingMailCollection,
  ReceivedMailCollection,
  OutgoingHookCollection,
  MissedMessagesCollection,
  NotificationSweepCollection,
  NotificationWatchCollection,
  OutgoingPushCollection,
  PushTokenCollection,
} from './collections/outgoing.js';
import { ConversationCollection } from './collections/conversations.js';
import { byCollection } from './fold.js';
import {
  WaitingPeriodCollection,
  GroupCollection,
  type FullMembership,
} from './collections/groups.js';
import { HistoryRequestCollection, HistoryCollection } from './collections/histories.js';
import {
  InvitationCollection,
  InvitationTallyCollection,
  MultiuseInvitationCollection,
} from './collections/invitations.js';
import { MessageFlagCollection } from './message-index/message-flags.js';
import { MessageCollection } from './message-index/message-collection.js';
import { SetAside, type DamageReporter, type DocumentSource } from './damaged-documents.js';
import type { MessageSource } from './message-index/message-documents.js';
import { ReadStateCollection } from './message-index/read-state.js';
import {
  AlertWordCollection,
  MutedUserCollection,
  UserCollection,
  UserSettingsCollection,
} from './collections/users.js';
import { MessageWatchers } from '../../journal/queues/queue-filter.js';
import { BelongingCollection, PersonalCollection, type OwnedDocument } from './user-collections.js';
import { UserActivityCollection, PresenceCollection } from './collections/presences.js';
import { PresenceSessionCollection } from './collections/presence-sessions.js';
import { TopicDeletionCollection } from './collections/topic-deletions.js';
import { ProfileCollection, ProfileFieldCollection } from './collections/profile-fields.js';
import { ScheduledCollection } from './scheduled/scheduled-collection.js';
import { UserTopicCollection } from './collections/user-topics.js';
import { IdempotencyKeyCollection } from './collections/idempotency-keys.js';
import { accountOf, type Account } from '../../turns/fair-queue.js';
import type { Site } from './site.js';

/** How a follower folds an entry. */
interface FoldOptions {
  /**
   * Memory may be newer than the entry, in part: documents were read while others were written. Changes of
   * documents that are not there are skipped; once everything that was written meanwhile has been folded,
   * memory is what the journal says.
   */
  readonly tolerant?: boolean;
  /** Takes the changes of collections that the organization does not have in memory, such as queues. */
  readonly apart?: (change: EntryChange) => void;
}

const DAY_MS = 86_400_000;

/** Organization is the organization in memory: the fold of the journal as typed collections. */
export class Organization {
  readonly unit = new UnitOfWork();
  readonly realm = new RealmCollection(this.unit);
  readonly server = new Collection<'server', ServerDocument>('server', this.unit, () => 'server');
  /** Versions of the stored documents. */
  readonly schemaVersions = new Collection<'schema_versions', SchemaVersionsDocument>(
    'schema_versions',
    this.unit,
    () => 'schema_versions',
  );
  /** Fingerprint of the secret that API keys are derived from. */
  readonly keySecret = new Collection<'key_secret', KeySecretDocument>(
    'key_secret',
    this.unit,
    () => 'key_secret',
  );
  /** The node that leads. */
  readonly leader = new Collection<'leader', LeaderDocument>('leader', this.unit, () => 'leader');
  readonly history = new HistoryCollection(this.unit);
  readonly historyRequest = new HistoryRequestCollection(this.unit);
  readonly counters = new Counters(this.unit);
  readonly users = new UserCollection(this.unit);
  /** Second factors of logins by password, by user. */
  readonly twoFactors = new Collection<number, TwoFactorDocument>(
    'two_factor',
    this.unit,
    (factor) => factor.user_id,
  );
  /** Logins of browsers. */
  readonly sessions = new BelongingCollection<SessionDocument>('session', this.unit);
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
  readonly presenceSessions = new PresenceSessionCollection(this.unit);
  readonly topicDeletions = new TopicDeletionCollection(this.unit);
  readonly activities = new UserActivityCollection(this.unit);
  readonly readState = new ReadStateCollection(this.unit);
  readonly messageFlags = new MessageFlagCollection(this.unit);
  readonly domains = new RealmDomainCollection(this.unit);
  readonly invitations = new InvitationCollection(this.unit);
  readonly multiuseInvitations = new MultiuseInvitationCollection(this.unit);
  readonly invitationTally = new InvitationTallyCollection(this.unit);
  readonly confirmations = new ConfirmationCollection(this.unit);
  readonly mails = new OutgoingMailCollection(this.unit);
  readonly receivedMails = new ReceivedMailCollection(this.unit);
  readonly outgoingHooks = new OutgoingHookCollection(this.unit);
  readonly missedMessages = new MissedMessagesCollection(this.unit);
  readonly notificationWatches = new NotificationWatchCollection(this.unit);
  readonly notificationSweeps = new NotificationSweepCollection(this.unit);
  /** The newest round of digests. */
  readonly digestRound = new Collection<'digest_round', DigestRoundDocument>(
    'digest_round',
    this.unit,
    () => 'digest_round',
  );
  readonly outgoingPushes = new OutgoingPushCollection(this.unit);
  /** What devices show, by user. */
  readonly pushedMessages = new Collection<number, PushedMessagesDocument>(
    'pushed_messages',
    this.unit,
    (document) => document.user_id,
  );
  readonly navigationViews = new BelongingCollection<NavigationViewDocument>(
    'navigation_view',
    this.unit,
  );
  readonly linkifiers = new LinkifierCollection(this.unit);
  readonly playgrounds = new Collection<number, PlaygroundDocument>(
    'playground',
    this.unit,
    (playground) => playground.id,
  );
  readonly realmExports = new Collection<number, RealmExportDocument>(
    'realm_export',
    this.unit,
    (one) => one.id,
  );
  readonly attachments = new AttachmentCollection(this.unit);
  readonly resumableUploads = new ResumableUploadCollection(this.unit);
  readonly customEmoji = new CustomEmojiCollection(this.unit);
  readonly drafts = new BelongingCollection<DraftDocument>('draft', this.unit);
  readonly savedSnippets = new BelongingCollection<SnippetDocument>('saved_snippet', this.unit);
  readonly alertWords = new AlertWordCollection(this.unit);
  readonly pushTokens = new PushTokenCollection(this.unit);
  readonly devices = new BelongingCollection<DeviceDocument>('device', this.unit);
  readonly userTopics = new UserTopicCollection(this.unit);
  readonly mutedUsers = new MutedUserCollection(this.unit);
  readonly onboarding = new Collection<number, OnboardingDocument>(
    'onboarding',
    this.unit,
    (document) => document.user_id,
  );
  /** Users for whose queues messages say more. */
  readonly watchers = new MessageWatchers();
  /** Keys by which repeated requests to send a message are recognised. */
  readonly idempotencyKeys = new IdempotencyKeyCollection(this.unit);
  /** Who changed which setting. */
  readonly audit = new AuditCollection(this.unit);
  /** Damaged documents that the organization is served without. */
  readonly setAside: SetAside;
  readonly messages: MessageCollection;
  readonly scheduledMessages: ScheduledCollection<ScheduledMessageDocument>;
  readonly reminders: ScheduledCollection<ReminderDocument>;
  /** By name; what the fields above are. */
  private readonly collections: ReadonlyMap<string, Loadable>;

  constructor(
    readonly site: Site,
    messages: MessageSource,
    /** Milliseconds since 1970. */
    readonly now: () => number,
    /** Source of scheduled items that are not in memory. */
    documents: DocumentSource = async (keys) => keys.map(() => undefined),
    /** Is told of documents that could not be read when they were asked for. */
    damaged: DamageReporter = () => undefined,
  ) {
    this.setAside = new SetAside(damaged);
    const source = { documents, damaged };
    this.messages = new MessageCollection(this.unit, messages, damaged);
    this.scheduledMessages = new ScheduledCollection('scheduled_message', this.unit, source);
    this.reminders = new ScheduledCollection('reminder', this.unit, source);
    this.collections = collectionsOf(this);
  }

  /** On whose account work for a user waits at this process. */
  accountOf(userId: number): Account {
    return accountOf(this.site.number ?? 0, userId);
  }

  /** What users keep to themselves. */
  get belongings(): readonly BelongingCollection<OwnedDocument>[] {
    return this.loadable.filter((one) => one instanceof BelongingCollection);
  }

  /** Collections to load at start-up: the fields above in their order, in which each finds what it refers to. */
  get loadable(): readonly Loadable[] {
    return [...this.collections.values()];
  }

  /** Loads a stored document. @throws Error for an unknown collection */
  load(collection: string, document: Document): void {
    const target = this.collections.get(collection);
    if (!target) throw new Error(`Unknown collection ${collection}`);
    target.load(document);
  }

  /**
   * Applies the changes of a durable entry that another node committed. Afterwards every collection and index
   * is as it is there.
   * @param seq position of the entry
   * @throws FoldError for a change of a document that is not in memory, unless `tolerant`
   */
  fold(changes: readonly EntryChange[], seq: number, options: FoldOptions = {}): void {
    const { tolerant = false, apart } = options;
    for (const [name, own] of byCollection(this.setAside.without(changes))) {
      const target = this.collections.get(name);
      if (target) target.fold(own, { seq, tolerant });
      else if (apart) own.forEach(apart);
      if (name === queueCollection.collection) this.watchers.fold(own);
    }
  }

  /**
   * Whether the user is a full member (conventions.md#callers): moderators and above always, members after the waiting
   * period, guests never.
   */
  readonly isFullMember: FullMembership = (user: UserDocument) => {
    if (user.role !== 400) return user.role < 400;
    const days = this.realm.current.waiting_period_threshold;
    if (days === 0) return true;
    return user.date_joined + days * DAY_MS <= (this.waitingPeriod.countedUntil ?? this.now());
  };
}
