import type { Caller } from '../resources/kernel/route.js';
import type { UploadedFile, UploadRequest } from '../resources/kernel/uploaded-file.js';
import { clientName } from './client-name.js';
import type { Exchange } from './exchange.js';

/**
 * A decoded request as routes receive it. The client name and the address are worked out when
 * asked for, because together they cost as much as the rest of a poll: they are accessors of the
 * class, so a spread copy would lose them. Read the address while the request is being answered.
 */
export class RequestContext implements UploadRequest {
  constructor(
    private readonly exchange: Exchange,
    /** The `client` parameter. */
    private readonly client: string | undefined,
    readonly caller: Caller | null,
    readonly params: Readonly<Record<string, unknown>>,
    readonly files: readonly UploadedFile[],
    /** For `ignored_parameters_unsupported` of a success reply (see `successText`). */
    readonly ignored: readonly string[],
  ) {}

  get clientName(): string {
    return clientName(this.exchange.userAgent, this.client);
  }

  get remoteAddress(): string {
    return this.exchange.remoteAddress;
  }
}
