import { ParleyError, type Client, type Draft } from '../../../client/index.js';
import { addressOf, viewAt, type View } from '../view.js';

/** How long one pauses before what they wrote is kept on the server. Milliseconds. */
const SAVE_MS = 1000;
/** Pause before it is tried again. Milliseconds. */
const AGAIN_MS = 3000;

interface Entry {
  text: string;
  /** What the server has. */
  saved: string;
  id?: number;
  timer?: ReturnType<typeof setTimeout>;
  isSaving?: boolean;
}

type DraftEvent =
  | { readonly op: 'add'; readonly drafts: readonly Draft[] }
  | { readonly op: 'update'; readonly draft: Draft }
  | { readonly op: 'remove'; readonly draft_id: number };

/** What is being written, by conversation; the server keeps it for other devices and other days. */
export class Drafts {
  private readonly entries = new Map<string, Entry>();
  private readonly listeners = new Map<string, (text: string) => void>();
  private me = 0;
  isKept = true;

  constructor(
    private readonly client: Client,
    private readonly changed: () => void,
  ) {
    // The page may be gone before the pause is over.
    document.addEventListener('visibilitychange', () => {
      for (const [address, entry] of this.entries) if (entry.timer) void this.save(address, entry);
    });
  }

  of(view: View): string {
    return this.entries.get(addressOf(view))?.text ?? '';
  }

  /** Addresses and texts, the last written first. */
  all(): { address: string; text: string }[] {
    return [...this.entries]
      .map(([address, { text }]) => ({ address, text }))
      .filter(({ text }) => text.trim() !== '')
      .reverse();
  }

  set(view: View, text: string): void {
    const address = addressOf(view);
    const entry = this.entries.get(address) ?? { text: '', saved: '' };
    if (entry.text === text) return;
    const isTurn = (entry.text.trim() === '') !== (text.trim() === '');
    entry.text = text;
    this.entries.set(address, entry);
    this.plan(address, entry, SAVE_MS);
    if (isTurn) this.changed();
  }

  /** A conversation got another name. */
  move(from: View, to: View): void {
    const text = this.of(from);
    if (text === '') return;
    this.set(to, text);
    this.set(from, '');
  }

  /** Puts a text before what is being written. */
  insert(view: View, text: string): void {
    this.set(view, text + this.of(view));
    this.listeners.get(addressOf(view))?.(this.of(view));
  }

  /** Calls back where a text changes otherwise than by who writes it here. @returns stops that */
  listen(view: View, listener: (text: string) => void): () => void {
    const address = addressOf(view);
    this.listeners.set(address, listener);
    return () => void (this.listeners.get(address) === listener && this.listeners.delete(address));
  }

  /** What the server has. What was written here and it has not, stays. */
  start(drafts: readonly Draft[], me: number): void {
    this.me = me;
    for (const [address, entry] of this.entries) {
      delete entry.id;
      if (entry.text === entry.saved) this.entries.delete(address);
      entry.saved = '';
    }
    for (const draft of drafts) this.heard(draft);
  }

  apply(event: DraftEvent): void {
    if (event.op === 'add') for (const draft of event.drafts) this.heard(draft);
    else if (event.op === 'update') this.heard(event.draft);
    else {
      for (const [address, entry] of this.entries) {
        if (entry.id !== event.draft_id) continue;
        delete entry.id;
        if (entry.text === entry.saved) this.tell(address, entry, '');
        entry.saved = '';
      }
    }
  }

  /** Keeps what is being written at once. @returns whether the server has all of it */
  async keep(): Promise<boolean> {
    const entries = [...this.entries];
    if (!this.isKept) return entries.every(([, { text }]) => text === '');
    await Promise.all(entries.map(([address, entry]) => this.save(address, entry)));
    return entries.every(([, { text, saved }]) => text === saved);
  }

  private heard(draft: Draft): void {
    const address = addressOfDraft(draft, this.me);
    if (address === null) return;
    const entry = this.entries.get(address) ?? { text: '', saved: '' };
    this.entries.set(address, entry);
    if (entry.id !== undefined && entry.id !== draft.id) {
      // It was sent twice, since the first answer was lost.
      const isDoubled = draft.content === entry.saved;
      if (isDoubled) void this.client.call('DELETE /drafts/{draft_id}', { draft_id: draft.id });
      return;
    }
    const isOwn = entry.text !== entry.saved;
    entry.id = draft.id;
    entry.saved = draft.content;
    if (!isOwn && entry.text !== draft.content) this.tell(address, entry, draft.content);
  }

  private tell(address: string, entry: Entry, text: string): void {
    entry.text = text;
    this.listeners.get(address)?.(text);
    this.changed();
  }

  private plan(address: string, entry: Entry, ms: number): void {
    clearTimeout(entry.timer);
    if (this.isKept) entry.timer = setTimeout(() => void this.save(address, entry), ms);
  }

  private async save(address: string, entry: Entry): Promise<void> {
    clearTimeout(entry.timer);
    delete entry.timer;
    const { text, id: draft_id } = entry;
    if (entry.isSaving === true || text === entry.saved) return;
    entry.isSaving = true;
    try {
      if (text.trim() === '') {
        if (draft_id !== undefined)
          await this.client.call('DELETE /drafts/{draft_id}', { draft_id });
        delete entry.id;
      } else {
        const draft = { ...draftAt(address), content: text };
        if (draft_id === undefined) {
          const { ids } = await this.client.call('POST /drafts', { drafts: [draft] });
          entry.id = ids[0];
        } else await this.client.call('PATCH /drafts/{draft_id}', { draft_id, draft });
      }
      entry.saved = text;
    } catch (error) {
      const isGone = error instanceof ParleyError && error.status === 404;
      if (isGone) {
        delete entry.id;
        entry.saved = '';
      } else if (error instanceof ParleyError && error.status < 500 && error.status !== 429) return;
      this.plan(address, entry, AGAIN_MS);
    } finally {
      entry.isSaving = false;
    }
    if (entry.text !== entry.saved && !entry.timer) this.plan(address, entry, SAVE_MS);
  }
}

/** A text for no topic yet stands in the channel; the API has no other word for it than the empty topic. */
function draftAt(address: string): Pick<Draft, 'type' | 'to' | 'topic'> {
  const view = viewAt(address);
  if (view.kind === 'direct') return { type: 'private', to: [...view.userIds], topic: '' };
  if (view.kind === 'channel') {
    return { type: 'stream', to: [view.channelId], topic: view.topic ?? '' };
  }
  throw new Error(`Nothing is written at ${address}`);
}

function addressOfDraft({ type, to, topic }: Draft, me: number): string | null {
  const [first] = to;
  if (first === undefined) return null;
  if (type === 'stream') return addressOf({ kind: 'channel', channelId: first, topic });
  const others = to.filter((id) => id !== me).sort((a, b) => a - b);
  return addressOf({ kind: 'direct', userIds: others.length === 0 ? [me] : others });
}
