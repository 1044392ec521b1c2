import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { ApiError } from '../../../errors/index.js';
import { FairLimiter } from '../../../turns/fair-limiter.js';
import {
  pagePreviewHtml,
  type PageSummary,
} from '../../../services/markdown/media/preview-html.js';
import type { PageAsker } from '../../state/hooks.js';
import type { Transaction } from '../../state/transaction.js';
import type { Runtime } from '../../state/runtime.js';
import { changeRendering } from './rendering.js';
import { NEVER, NOW } from '../../state/scheduled/next-due.js';

/** Messages that are worked on at once and that wait; beyond it those of whoever had most previews lately have none. */
const LIMITS = { concurrency: 4, maxWaiting: 500, maxWaitMs: 60_000 };

/** A message whose pages are asked. */
interface Job {
  readonly messageId: number;
  /** The text that links them: another one is another job. */
  readonly content: string;
  readonly pages: readonly string[];
}

/** Dependencies of {@link PagePreviews}. */
interface PagePreviewOptions {
  /** What a page says of itself; null for nothing. */
  readonly summaryOf: (address: string) => Promise<PageSummary | null>;
  readonly log: { warn(context: object, message: string): void };
}

/**
 * PagePreviews shows below messages what the web pages that they link say of themselves
 * (message-formatting.md#page-previews): after the message was sent, by a change of its HTML. What is not there when
 * this node ends or stops to lead is dropped; the links stay.
 */
export class PagePreviews implements PageAsker {
  /** By message; the newest text counts. */
  private readonly jobs = new Map<number, Job>();
  private isStopped = true;
  private readonly limiter = new FairLimiter(LIMITS, 'Too many pages are being asked');

  constructor(
    private readonly runtime: Pick<Runtime, 'org' | 'transact' | 'hooks'>,
    private readonly options: PagePreviewOptions,
  ) {}

  start(): void {
    this.isStopped = false;
    this.runtime.hooks.pagePreviews = this;
  }

  /** Changes nothing more. */
  stop(): void {
    this.isStopped = true;
    this.jobs.clear();
    if (this.runtime.hooks.pagePreviews === this) this.runtime.hooks.pagePreviews = null;
  }

  /** Pages that are asked are under way. */
  nextDue(): number {
    return this.jobs.size > 0 ? NOW : NEVER;
  }

  changed(
    tx: Pick<Transaction, 'onceDurable'>,
    { user_id, is_bot }: UserDocument,
    { id: messageId, content }: MessageDocument,
    pages: readonly string[],
  ): void {
    // Messages of bots have no previews, as existing clients expect.
    if (!is_bot) tx.onceDurable(() => this.ask({ messageId, content, pages }, user_id));
  }

  /** Asks the pages that a text links; without any, what a former text began ends. */
  private ask(job: Job, senderId: number): void {
    const { messageId } = job;
    this.jobs.delete(messageId);
    if (job.pages.length === 0 || this.isStopped) return;
    this.jobs.set(messageId, job);
    const claimant = { source: String(senderId), account: String(messageId) };
    this.limiter
      .run(claimant, () => this.show(job))
      .finally(() => {
        if (this.isWanted(job)) this.jobs.delete(messageId);
      })
      .catch((error: unknown) => {
        // Too many wait; or this term of leadership ends, of which others tell.
        if (error instanceof ApiError) return;
        this.options.log.warn({ err: error }, 'a message got no previews');
      });
  }

  private isWanted(job: Job): boolean {
    return this.jobs.get(job.messageId) === job;
  }

  private async show(job: Job): Promise<void> {
    if (!this.isWanted(job)) return;
    // All at once: one after another, five that do not answer would keep the place of other messages for 40 s.
    const previews = await Promise.all(
      job.pages.map(async (address) => {
        const summary = await this.options.summaryOf(address);
        return summary ? [pagePreviewHtml(address, summary)] : [];
      }),
    );
    const found = previews.flat();
    if (found.length === 0) return;
    const { org } = this.runtime;
    await changeRendering(this.runtime, job.messageId, ({ content, rendered_content }) => {
      // An edit that is not durable yet has not been told.
      const isWanted = this.isWanted(job) && org.realm.current.inline_url_embed_preview;
      if (!isWanted || content !== job.content) return null;
      return { rendered_content: `${rendered_content}\n${found.join('')}` };
    });
  }
}
