import { utf8Text, type NativeResponse } from '../native.js';

/** What happens to a stream. */
export interface StreamListener {
  /** The client has taken what was written. */
  drained(): void;
  /** The client disconnected. */
  gone(): void;
}

/** How the exchange ends with its stream. */
interface StreamEnd {
  readonly closing: () => boolean;
  readonly settle: () => void;
}

/**
 * ReplyStream is a reply that stays open until it is ended. What the network does not take at once the native
 * layer keeps, without a bound and without telling how much: write while the stream is not blocked.
 */
export class ReplyStream {
  private blocked = false;
  private over = false;
  private listener: StreamListener | undefined;

  /** @param probe bytes that clients ignore, sent to detect whether the client reads */
  constructor(
    private readonly response: NativeResponse,
    private readonly probe: string,
    private readonly ending: StreamEnd,
  ) {
    response.onWritable(() => {
      this.writable();
      return true;
    });
  }

  /** Whether what was written waits for the client. */
  get isBlocked(): boolean {
    return this.blocked;
  }

  listen(listener: StreamListener): void {
    this.listener = listener;
  }

  write(text: string | Uint8Array): void {
    if (this.over) return;
    const sent = utf8Text(text);
    this.response.cork(() => {
      if (!this.response.write(sent)) this.blocked = true;
    });
  }

  /** Writes the last text and completes the reply. */
  end(text = ''): void {
    if (this.over) return;
    this.over = true;
    this.response.cork(() => {
      if (text !== '') this.response.write(utf8Text(text));
      this.ending.settle();
      this.response.end(utf8Text(''), this.ending.closing());
    });
  }

  /** Disconnects a client that takes nothing. */
  close(): void {
    if (!this.over) this.response.close();
  }

  /** The client disconnected: the native response must not be touched any more. */
  gone(): void {
    if (this.over) return;
    this.over = true;
    this.listener?.gone();
  }

  /** The network takes something again, though perhaps less than what waits. */
  private writable(): void {
    if (this.over || !this.blocked) return;
    this.blocked = false;
    this.write(this.probe);
    if (!this.blocked) this.listener?.drained();
  }
}
