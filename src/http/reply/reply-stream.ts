import type { NativeResponse } from '../native.js';
import type { ReplyHeaders } from './exchange-parts.js';
import type { StreamEncoder } from './stream-encoder.js';

/** A reply that stays open. */
export interface StreamReply {
  readonly mediaType: string;
  readonly headers: ReplyHeaders;
  /** Harmless bytes of the media type, see {@link ReplyStream}. */
  readonly probe: string;
  /** As the headers say. */
  readonly encoder: StreamEncoder;
}

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
    private readonly encoder: StreamEncoder,
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

  /** @param text bytes never change: other streams may have the same */
  write(text: string | Uint8Array): void {
    if (this.over) return;
    const sent = this.encoder.next(text);
    this.response.cork(() => {
      if (!this.response.write(sent)) this.blocked = true;
    });
  }

  /** Writes the last text and completes the reply. */
  end(text = ''): void {
    if (this.over) return;
    this.over = true;
    this.response.cork(() => {
      if (text !== '') this.response.write(this.encoder.next(text));
      this.ending.settle();
      this.response.end(this.encoder.end(), this.ending.closing());
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
