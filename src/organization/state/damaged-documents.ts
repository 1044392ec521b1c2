/** Documents of the store that are not what was written: what needs them fails, and nothing else. */
import { lruOfEntries } from '../../platform/lru.js';
import {
  DamagedError,
  type Document,
  type DocumentKey,
  type EntryChange,
} from '../../store/port.js';

/** Reads documents from the store, in the order of the keys; undefined where there is none. */
export type DocumentSource = (
  keys: readonly DocumentKey[],
) => Promise<readonly (Document | undefined)[]>;

/** A document, or what is wrong with it; undefined where there is none. */
export type ReadDocument = Document | DamagedError | undefined;

/** Is told of a damaged document. */
export type DamageReporter = (error: DamagedError) => void;

/** Names remembered; with more damaged documents than this some are reported again. */
const REMEMBERED = 10_000;

/** Reports each damaged document once, however often it is asked for. */
export function reportOnce(report: DamageReporter): DamageReporter {
  const known = lruOfEntries<string, true>(REMEMBERED);
  return (error) => {
    if (known.get(error.subject)) return;
    known.set(error.subject, true);
    report(error);
  };
}

/**
 * Reads documents, the damaged ones apart: a store refuses a read of many because of one.
 * @throws what the source throws about anything else
 */
export async function readApart(
  source: DocumentSource,
  keys: readonly DocumentKey[],
): Promise<ReadDocument[]> {
  const found: ReadDocument[] = [];
  let rest = keys;
  while (rest.length > 0) {
    try {
      found.push(...(await source(rest)));
      return found;
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      const at = rest.findIndex(({ collection, id }) => error.subject === `${collection}:${id}`);
      if (at < 0) throw error;
      found.push(...(await readApart(source, rest.slice(0, at))), error);
      rest = rest.slice(at + 1);
    }
  }
  return found;
}

/**
 * What is lost with a damaged document, by its collection: of those that are made anew, or that one client or one user
 * misses and nobody else. Such a document keeps no start away. It stays in the store for whoever wants to see it, until
 * something takes its place.
 */
const LOSSES: Readonly<Record<string, string>> = {
  alert_words: 'the user has no alert words',
  audit_record: 'the log of who changed what lacks it',
  bot_storage: 'what the bot kept is missing',
  confirmation: 'the mailed link does not work',
  device: 'the device gets no pushes, until it registers again',
  digest_round: 'the digests of its day may come again',
  draft: 'the draft is missing',
  idempotency_key: 'a message that is sent again may come twice',
  invitation: 'the invitation does not work',
  invitation_tally: 'invitations of its day are counted anew',
  linkifier: 'what it matches is no link',
  mark: 'a message is neither starred nor collapsed for the user',
  missed_messages: 'mails about these missed messages do not come',
  multiuse_invitation: 'the invitation link does not work',
  muted_user: 'the user sees somebody again whom they ignored',
  navigation_view: 'the view of the user is as at first',
  notification_sweep: 'some receivers of its message are not notified',
  notification_watch: 'some receivers of its message are not notified',
  onboarding: 'the user sees hints for beginners again',
  outgoing_hook: 'the bot is not told of the message',
  outgoing_mail: 'the mail is not sent',
  outgoing_push: 'the push is not sent',
  playground: 'code of its language is opened elsewhere',
  presence: 'nobody sees when the user was there, until the next report',
  presence_session: 'the client counts as gone, until its next report',
  profile: 'what the user said in the profile is missing',
  push_token: 'the device gets no pushes, until it registers again',
  pushed_messages: 'notices stay on the devices of the user',
  queue: 'its client registers again',
  reading: 'messages of a conversation are unread for the user',
  realm_export: 'the export is missing from the list',
  received_mail: 'the mail is taken again, where it comes again',
  reminder: 'it is not sent',
  resumable_upload: 'the upload begins anew',
  saved_snippet: 'the snippet is missing',
  scheduled_message: 'it is not sent',
  session: 'the browser logs in again',
  topic_deletion: 'the rest of the topic stays, until it is deleted again',
  user_activity: 'the last day on which the user was active is not known',
  user_status: 'the user has no status',
  user_topic: 'the user neither follows nor mutes the topic',
};

/** What is lost with a damaged document of a collection; undefined where it cannot be done without. */
export function lossOf(collection: string): string | undefined {
  return LOSSES[collection];
}

/** A line of the log about a damaged document. */
export function damageLine(
  { subject, problem }: DamagedError,
  store: string,
): [fields: object, text: string] {
  const fields = { document: subject, problem, store };
  const lost = lossOf(subject.slice(0, subject.indexOf(':')));
  if (lost === undefined) return [fields, 'a stored document is damaged: what needs it fails'];
  return [{ ...fields, lost }, 'a stored document is damaged, and set aside'];
}

/** The keys of damaged documents that an organization is served without. */
export class SetAside {
  private readonly keys = new Set<string>();

  constructor(private readonly report: DamageReporter) {}

  /** How many there are. */
  get size(): number {
    return this.keys.size;
  }

  /** @param error about the document */
  add(error: DamagedError): void {
    this.keys.add(error.subject);
    this.report(error);
  }

  /** The changes of an entry without those of parts of these documents: who wrote them has the rest. */
  without(changes: readonly EntryChange[]): readonly EntryChange[] {
    if (this.keys.size === 0) return changes;
    return changes.filter(({ op, key: { collection, id } }) => {
      const key = `${collection}:${id}`;
      if (op === 'merge') return !this.keys.has(key);
      this.keys.delete(key);
      return true;
    });
  }
}
