import { characterOf } from '../content.js';

interface Status {
  readonly status_text?: string;
  readonly emoji_name?: string;
  readonly emoji_code?: string;
  readonly reaction_type?: string;
}

/** What people say of themselves for now. */
export class Statuses {
  private readonly byUser = new Map<number, Status>();

  start(section: Readonly<Record<string, unknown>>): void {
    this.byUser.clear();
    for (const [id, status] of Object.entries(section)) this.set(Number(id), status as Status);
  }

  /** Of an event, which has what changed. */
  set(userId: number, { status_text, emoji_name, emoji_code, reaction_type }: Status): void {
    const change = { status_text, emoji_name, emoji_code, reaction_type };
    const said = Object.entries(change).filter(([, value]) => value !== undefined);
    this.byUser.set(userId, { ...this.byUser.get(userId), ...Object.fromEntries(said) });
  }

  textOf(userId: number): string {
    return this.byUser.get(userId)?.status_text ?? '';
  }

  emojiOf(userId: number): string {
    const { emoji_code = '', emoji_name = '', reaction_type } = this.byUser.get(userId) ?? {};
    if (emoji_name === '') return '';
    return reaction_type === 'unicode_emoji' ? characterOf(emoji_code) : `:${emoji_name}:`;
  }

  /** Emoji and text. */
  of(userId: number): string {
    return `${this.emojiOf(userId)} ${this.textOf(userId)}`.trim();
  }
}
