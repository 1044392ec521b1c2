import type { Deadlines } from '../../../actors/deadline-wheel.js';
import type { OutgoingHookDocument } from '../../../schemas/hooks/outgoing-hook-document.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { ApiError } from '../../errors/index.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { UnfitAnswerError } from '../../services/outside/bounded-body.js';
import { ClosedAddressError } from '../../services/outside/reachable-addresses.js';
import type { GuardedPost } from '../../services/outside/guarded-post.js';
import { recipientOf } from '../messages/editing/check-edit.js';
import { mention } from '../messages/message-markup.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import { sendMessage } from '../messages/sending/send-message.js';
import { compose } from '../messages/sending/outgoing-message.js';
import type { Organization } from '../state/organization.js';
import { OutboxWorker } from '../state/scheduled/outbox-worker.js';
import type { Transaction } from '../state/transaction.js';
import type { Transactor } from '../state/runtime.js';
import { noticesTo } from '../views/languages.js';
import { storedContent } from '../../services/text/stored-text.js';
import { givenWidget } from '../messages/widgets/widget-content.js';
import { hookAnswer, hookPost, type HookAnswer } from './hook-formats.js';

/** First pause after a failed attempt, milliseconds; each further one doubles it. */
const FIRST_PAUSE_MS = 5000;
/** Attempts per message, over ten minutes; a later answer would surprise the user who asked. */
const MAX_ATTEMPTS = 8;
/** Attempts at the same time, and of one bot: a slow address holds up nobody else's. */
const CONCURRENCY = 16;
const CONCURRENCY_PER_BOT = 4;

/** What came of an attempt: what the bot says, or why there is no answer. */
type Outcome =
  | ({ readonly kind: 'answered' } & HookAnswer)
  | { readonly kind: 'failed'; readonly reason: string; readonly isFinal: boolean };

const NOTHING_TO_SAY: Outcome = { kind: 'answered', text: null };

/** What came of it, and the message that it was about, if that is still there. */
interface Asked {
  readonly message: MessageDocument | undefined;
  readonly outcome: Outcome;
}

/** Dependencies of {@link OutgoingHookDelivery}. */
interface OutgoingHookOptions {
  readonly post: GuardedPost;
  readonly markdown: Markdown;
  /** Keys of its own. */
  readonly wheel: Deadlines;
  readonly log: { warn(context: object, message: string): void };
  /** Called for each attempt that failed. */
  readonly failed: (reason: string) => void;
}

/**
 * OutgoingHookDelivery tells outgoing webhook bots' addresses of the messages that call them, each once it is durable,
 * and says what they answer. The answer commits together with the end of its document: a crash loses no message, posts
 * no answer twice, and may ask again. What fails is tried again for ten minutes; then the bot's owner is told.
 */
export class OutgoingHookDelivery {
  private readonly worker: OutboxWorker<OutgoingHookDocument, Asked>;

  constructor(
    private readonly runtime: Transactor,
    private readonly options: OutgoingHookOptions,
  ) {
    const { outgoingHooks, counters } = runtime.org;
    this.worker = new OutboxWorker(runtime, {
      documents: outgoingHooks,
      newestId: () => counters.last('outgoing_hook'),
      wakeUp: 'outgoing-hook',
      wheel: options.wheel,
      log: options.log,
      failed: 'outgoing webhooks could not be asked',
      retryMs: FIRST_PAUSE_MS,
      concurrency: CONCURRENCY,
      mayBegin: ({ bot_id }, inProgress) => !isBusy(bot_id, inProgress),
      attempt: (hook) => this.attempt(hook),
      record: (hook, asked) => {
        if (!this.worker.isStopped) this.record(hook, asked);
      },
    });
  }

  /** Starts to deliver what is stored, and what is added from then on. */
  start(): void {
    this.worker.start();
  }

  /** Starts no further attempts; what comes of those in progress is left to the next leader. */
  stop(): void {
    this.worker.stop();
  }

  /** See {@link OutboxWorker.nextDue}. */
  nextDue(): number {
    return this.worker.nextDue();
  }

  private get org(): Organization {
    return this.runtime.org;
  }

  private async attempt(hook: OutgoingHookDocument): Promise<Asked> {
    const message = (await this.org.messages.fetch([hook.message_id])).get(hook.message_id);
    return { message, outcome: message ? await this.ask(hook, message) : NOTHING_TO_SAY };
  }

  private async ask(hook: OutgoingHookDocument, message: MessageDocument): Promise<Outcome> {
    const { org } = this;
    const bot = org.users.get(hook.bot_id);
    const service = org.bots.get(hook.bot_id)?.service;
    if (!bot?.is_active || !service || org.realm.isDeactivated) return NOTHING_TO_SAY;
    const sent = hookPost(org, bot, service, hook, message);
    if (!sent) return failed('Slack’s format knows no direct messages', true);
    try {
      const reply = await this.options.post(service.base_url, sent.mediaType, sent.body);
      if (reply.status >= 500 || reply.status === 429)
        return failed(`status ${reply.status}`, false);
      if (reply.status < 200 || reply.status >= 300) return failed(`status ${reply.status}`, true);
      return { kind: 'answered', ...hookAnswer(service.interface, reply.text) };
    } catch (error) {
      const isFinal = error instanceof ClosedAddressError || error instanceof UnfitAnswerError;
      return failed((error as Error).message, isFinal);
    }
  }

  private record(hook: OutgoingHookDocument, { message, outcome }: Asked): void {
    if (outcome.kind === 'answered') {
      this.finish(hook, (tx) => this.postAnswer(tx, hook, message, outcome));
      return;
    }
    const attempts = hook.attempts + 1;
    const { reason, isFinal } = outcome;
    this.options.log.warn({ bot: hook.bot_id, attempts, reason }, 'an outgoing webhook failed');
    this.options.failed(reason);
    if (isFinal || attempts >= MAX_ATTEMPTS) {
      this.finish(hook, (tx) => this.notifyOwner(tx, hook, reason));
      return;
    }
    const pause = FIRST_PAUSE_MS * 2 ** (attempts - 1);
    this.runtime.transact(({ org, now }) =>
      org.outgoingHooks.update(hook.id, { attempts, next_attempt_at: now + pause }),
    );
  }

  /**
   * Posts a message of the bot and deletes the document, in one transaction. What the bot may not post goes to its
   * owner.
   */
  private finish(hook: OutgoingHookDocument, work: (tx: Transaction) => void): void {
    const once = (tx: Transaction, act: () => void): void => {
      // Its bot or message went meanwhile.
      if (!tx.org.outgoingHooks.has(hook.id)) return;
      tx.org.outgoingHooks.delete(hook.id);
      act();
    };
    try {
      this.runtime.transact((tx) => once(tx, () => work(tx)));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      this.runtime.transact((tx) => once(tx, () => this.notifyOwner(tx, hook, error.message)));
    }
  }

  private postAnswer(
    tx: Transaction,
    { bot_id }: OutgoingHookDocument,
    message: MessageDocument | undefined,
    { text, widget }: HookAnswer,
  ): void {
    const { org } = tx;
    const bot = org.users.get(bot_id);
    if (text === null || !message || !bot?.is_active || !org.messages.has(message.id)) return;
    if (org.realm.isDeactivated) return;
    const current = org.messages.resident(message.id) ?? message;
    const unrendered = {
      sender: bot,
      recipient: recipientOf(org, current),
      content: storedContent(text),
      ...(widget === undefined ? {} : { widget: givenWidget(widget) }),
      clientName: 'OutgoingWebhookResponse',
      readBySender: false,
    };
    sendMessage(tx, compose(org, this.options.markdown, unrendered));
  }

  private notifyOwner(
    tx: Transaction,
    { bot_id, message_id }: OutgoingHookDocument,
    reason: string,
  ): void {
    const { org } = tx;
    const bot = org.users.get(bot_id);
    const owner = bot && bot.bot_owner_id !== null ? org.users.get(bot.bot_owner_id) : undefined;
    if (!bot || !owner?.is_active || org.realm.isDeactivated) return;
    const why = reason.replace(/[`\s]+/g, ' ').slice(0, 200);
    const content = noticesTo(org, owner.user_id)('hook.failed', {
      url: `${org.site.url}/#narrow/near/${message_id}`,
      bot: mention(bot),
      reason: `\`${why}\``,
    });
    sendNotice(tx, this.options.markdown, { users: [owner] }, content);
  }
}

function isBusy(botId: number, inProgress: Iterable<OutgoingHookDocument>): boolean {
  let running = 0;
  for (const { bot_id } of inProgress) if (bot_id === botId) running++;
  return running >= CONCURRENCY_PER_BOT;
}

function failed(reason: string, isFinal: boolean): Outcome {
  return { kind: 'failed', reason, isFinal };
}
