import type { RealmDocument } from '../../schemas/documents/realm.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import type { Document } from '../store/port.js';
import { ChannelCollection } from './channels.js';
import { Collection } from './collection.js';
import { ConversationCollection } from './conversations.js';
import { Counters } from './counters.js';
import { GroupCollection, type FullMembership } from './groups.js';
import { MarkCollection } from './messages/marks.js';
import { MessageCollection, type MessageSource } from './messages/message-collection.js';
import { ReadingCollection } from './messages/readings.js';
import { PresenceCollection } from './presences.js';
import { SubscriptionCollection } from './subscriptions.js';
import { UnitOfWork } from './transaction.js';
import { UserCollection, UserSettingsCollection } from './users.js';

/** Where this organization is served; configuration, not state. */
export interface Site {
  /** Public base URL without path or trailing slash; known once the server listens. */
  url: string;
  /** Domain of placeholder and bot addresses. */
  readonly botDomain: string;
  /** Start time of this process, UNIX seconds (`server_generation`). */
  readonly generation: number;
}

/** The single document about the organization itself. */
export class RealmCollection extends Collection<'realm', RealmDocument> {
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
  readonly counters = new Counters(this.unit);
  readonly users = new UserCollection(this.unit);
  readonly settings = new UserSettingsCollection(this.unit);
  readonly groups = new GroupCollection(this.unit);
  readonly channels = new ChannelCollection(this.unit);
  readonly subscriptions = new SubscriptionCollection(this.unit);
  readonly conversations = new ConversationCollection(this.unit);
  readonly presences = new PresenceCollection(this.unit);
  readonly readings = new ReadingCollection(this.unit);
  readonly marks = new MarkCollection(this.unit);
  readonly messages: MessageCollection;

  constructor(
    readonly site: Site,
    source: MessageSource,
    /** Milliseconds since 1970. */
    readonly now: () => number,
  ) {
    this.messages = new MessageCollection(this.unit, source);
  }

  /** The collections to load at start-up, in an order in which each finds what it refers to. */
  get loadable(): readonly Loadable[] {
    return [
      this.realm,
      this.server,
      this.counters,
      this.users,
      this.settings,
      this.groups,
      this.channels,
      this.subscriptions,
      this.conversations,
      this.presences,
      this.readings,
      this.marks,
      this.messages,
    ];
  }

  /** Puts a stored document where it belongs. @throws Error for a collection nobody knows */
  load(collection: string, document: Document): void {
    const target = this.loadable.find((one) => one.name === collection);
    if (!target) throw new Error(`Unknown collection ${collection}`);
    target.load(document);
  }

  /** Whether an account is past the waiting period; moderators and above always are. */
  readonly isFullMember: FullMembership = (user: UserDocument) =>
    user.role < 400 ||
    (user.role === 400 &&
      user.date_joined + this.realm.current.waiting_period_threshold * DAY_MS <= this.now());
}
