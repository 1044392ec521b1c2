/**
 * The answer of a handler whose fields are JSON text already, in pieces that large answers share; sent
 * as fast as the client takes it.
 */
export class EncodedReply {
  /**
   * @param pieces the fields, each with a comma before it
   * @param fields others that stand before them; encoded later, so nothing in them may change any more
   */
  constructor(
    readonly pieces: readonly Buffer[],
    readonly fields: Readonly<Record<string, unknown>> = {},
  ) {}
}
