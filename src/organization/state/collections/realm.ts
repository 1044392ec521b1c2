import {
  DEFAULT_USER_SETTINGS,
  type UserSettings,
} from '../../../../schemas/users/user-settings.js';
import type { DefaultableSetting } from '../../../../schemas/realm/realm.js';
import type { RealmDomainDocument } from '../../../../schemas/realm/realm-domains.js';
import { serviceUnavailable } from '../../../errors/index.js';
import { Collection, type Recorder, release } from '../collection.js';
import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji.js';
import type { LinkifierDocument } from '../../../../schemas/realm/linkifiers.js';
import { LinkifierFault } from '../../../services/linkifiers/fault.js';
import { Linkifier } from '../../../services/linkifiers/linkifier.js';
import { domainOf } from '../../../services/text/mail-address.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';

/** The single document about the organization itself. */
export class RealmCollection extends Collection<'realm', RealmDocument> {
  constructor(recorder: Recorder) {
    super('realm', recorder, () => 'realm');
  }

  /** Whether nobody may use the organization; one that is being made is none yet. */
  get isDeactivated(): boolean {
    return this.get('realm')?.deactivated === true;
  }

  /** @throws Error before the organization was created */
  get current(): RealmDocument {
    const realm = this.get('realm');
    // As before a first start has made it durable.
    if (!realm) throw serviceUnavailable('The organization does not exist yet');
    return realm;
  }
}

/** The sequences of numbers. A number is never assigned twice, even after its document is deleted. */
export type CounterName =
  | 'user'
  | 'stream'
  | 'channel_folder'
  | 'recipient'
  | 'message'
  | 'message_archive'
  | 'user_group'
  | 'presence_update'
  | 'custom_profile_field'
  | 'realm_domain'
  | 'invitation'
  | 'multiuse_invitation'
  | 'mail'
  /** Of stores from before messages and scheduled messages shared one sequence; only read. */
  | 'scheduled_message'
  | 'reminder'
  | 'navigation_view'
  | 'push_token'
  | 'push'
  | 'device'
  | 'linkifier'
  | 'custom_emoji'
  | 'attachment'
  | 'playground'
  | 'draft'
  | 'session'
  | 'saved_snippet'
  | 'submessage'
  | 'outgoing_hook'
  | 'realm_export';

interface CounterDocument {
  readonly name: CounterName;
  readonly last: number;
}

/** Sequences of ids, starting at 1. */
export class Counters extends Collection<CounterName, CounterDocument> {
  constructor(recorder: Recorder) {
    super('counter', recorder, (counter) => counter.name);
  }

  /** The newest assigned number, or 0. */
  last(name: CounterName): number {
    return this.get(name)?.last ?? 0;
  }

  /** Assigns the next number, in the open transaction. */
  next(name: CounterName): number {
    const last = this.last(name) + 1;
    this.insert({ name, last });
    return last;
  }

  /**
   * Assigns the next id of the sequence that messages and scheduled messages share, so that a scheduled
   * message never has the id of a message (specification-resources.md#scheduled-message). Stores of earlier
   * versions numbered scheduled messages separately: their last number is a lower bound.
   */
  nextMessageId(): number {
    const last = Math.max(this.last('message'), this.last('scheduled_message')) + 1;
    this.insert({ name: 'message', last });
    return last;
  }

  /** Skips the numbers up to `last`. */
  skip(name: CounterName, last: number): void {
    if (last > this.last(name)) this.insert({ name, last });
  }
}

const DEFAULTS_ID = 'defaults';

/** The organization's defaults for new accounts, where they differ from the server's. */
export type SettingsDefaultsDocument = Readonly<Partial<Pick<UserSettings, DefaultableSetting>>>;

/**
 * The single document of the default settings of new accounts
 * (endpoints-organization.md#change-organization).
 */
export class SettingsDefaultsCollection extends Collection<
  typeof DEFAULTS_ID,
  SettingsDefaultsDocument
> {
  constructor(recorder: Recorder) {
    super('realm_user_settings_defaults', recorder, () => DEFAULTS_ID);
  }

  /** All settings of a new account, including personal ones. */
  get effective(): Readonly<UserSettings> {
    return { ...DEFAULT_USER_SETTINGS, ...this.get(DEFAULTS_ID) };
  }

  /** Changes some of the defaults. */
  change(values: SettingsDefaultsDocument): void {
    this.insert({ ...this.get(DEFAULTS_ID), ...values });
  }
}

/** A domain as clients see it, without its number. */
type RealmDomainView = Omit<RealmDomainDocument, 'id'>;

export function realmDomainView({
  domain,
  allow_subdomains,
}: RealmDomainDocument): RealmDomainView {
  return { domain, allow_subdomains };
}

/** Domains from which people may register while `emails_restricted_to_domains` is on. */
export class RealmDomainCollection extends Collection<number, RealmDomainDocument> {
  private readonly idByDomain = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('realm_domain', recorder, (domain) => domain.id);
  }

  /** The domain with this name, compared without case. */
  byDomain(domain: string): RealmDomainDocument | undefined {
    const id = this.idByDomain.get(domain.toLowerCase());
    return id === undefined ? undefined : this.get(id);
  }

  /** All domains as clients see them, in the order of their addition. */
  list(): RealmDomainView[] {
    return [...this.values()].sort((a, b) => a.id - b.id).map(realmDomainView);
  }

  /** Whether an address is of an allowed domain. */
  allows(email: string): boolean {
    const own = domainOf(email);
    if (this.idByDomain.has(own)) return true;
    for (let dot = own.indexOf('.'); dot !== -1; dot = own.indexOf('.', dot + 1)) {
      if (this.byDomain(own.slice(dot + 1))?.allow_subdomains) return true;
    }
    return false;
  }

  protected override reindex(previous?: RealmDomainDocument, next?: RealmDomainDocument): void {
    if (previous && previous.domain !== next?.domain) {
      release(this.idByDomain, previous.domain, previous.id);
    }
    if (next) this.idByDomain.set(next.domain, next.id);
  }
}

/** All custom emoji; at most one of each name is active. */
export class CustomEmojiCollection extends Collection<number, CustomEmojiDocument> {
  private readonly idByName = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('custom_emoji', recorder, (emoji) => emoji.id);
  }

  /** The active emoji with this name. */
  active(name: string): CustomEmojiDocument | undefined {
    const id = this.idByName.get(name);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: CustomEmojiDocument, next?: CustomEmojiDocument): void {
    if (previous && !previous.deactivated) release(this.idByName, previous.name, previous.id);
    if (next && !next.deactivated) this.idByName.set(next.name, next.id);
  }
}

function readOrNull(linkifier: LinkifierDocument): Linkifier | null {
  try {
    return Linkifier.read(linkifier);
  } catch (error) {
    if (error instanceof LinkifierFault) return null;
    throw error;
  }
}

/** Whether a change keeps pattern and template: a new position in the order does. */
function hasSameForm(previous: LinkifierDocument, next: LinkifierDocument | undefined): boolean {
  return previous.pattern === next?.pattern && previous.url_template === next.url_template;
}

/** The organization's linkifiers and their compiled forms. */
export class LinkifierCollection extends Collection<number, LinkifierDocument> {
  private readonly idByPattern = new Map<string, number>();
  /** Compiled forms by id, made on first use after a change. */
  private readonly readyById = new Map<number, Linkifier | null>();
  /** All compiled forms in order. */
  private ready: readonly Linkifier[] | null = null;

  constructor(recorder: Recorder) {
    super('linkifier', recorder, (linkifier) => linkifier.id);
  }

  /** The linkifier with exactly this pattern. */
  byPattern(pattern: string): LinkifierDocument | undefined {
    const id = this.idByPattern.get(pattern);
    return id === undefined ? undefined : this.get(id);
  }

  /** All linkifiers in their order. */
  ordered(): LinkifierDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order || a.id - b.id);
  }

  /** The compiled linkifiers, in order. */
  get compiled(): readonly Linkifier[] {
    this.ready ??= this.ordered().flatMap((one) => this.readyForm(one) ?? []);
    return this.ready;
  }

  /** Compiles all linkifiers, one per round of the event loop: a hundred patterns take a while. */
  async prepare(rest: () => Promise<unknown>): Promise<void> {
    for (const one of this.ordered()) {
      this.readyForm(one);
      await rest();
    }
  }

  /**
   * The compiled form; null where rules introduced after its creation forbid the linkifier, which then
   * makes no links.
   */
  private readyForm(linkifier: LinkifierDocument): Linkifier | null {
    let form = this.readyById.get(linkifier.id);
    if (form === undefined) {
      form = readOrNull(linkifier);
      this.readyById.set(linkifier.id, form);
    }
    return form;
  }

  protected override reindex(previous?: LinkifierDocument, next?: LinkifierDocument): void {
    this.ready = null;
    if (previous && !hasSameForm(previous, next)) this.readyById.delete(previous.id);
    if (previous && previous.pattern !== next?.pattern) {
      release(this.idByPattern, previous.pattern, previous.id);
    }
    if (next) this.idByPattern.set(next.pattern, next.id);
  }
}
