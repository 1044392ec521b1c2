import type { ApiError } from '../../errors.js';

/**
 * The reply of a handler whose fields are JSON text already, in parts that large replies share; sent at
 * the client's pace.
 */
export class EncodedReply {
  /**
   * @param pieces the fields, each after a comma
   * @param fields further fields before them; encoded later, so they must not change
   */
  constructor(
    readonly pieces: readonly Buffer[],
    readonly fields: Readonly<Record<string, unknown>> = {},
    /** Those of the pieces that other replies have too: they are compressed once. */
    readonly shared: ReadonlySet<Buffer> = new Set(),
  ) {}
}

/**
 * The reply of a handler that carried out a part of a request and refuses the rest: unlike a thrown error
 * it does not undo that part. The client gets the error once the part is durable.
 */
export class CommittedRefusal {
  constructor(readonly error: ApiError) {}
}
