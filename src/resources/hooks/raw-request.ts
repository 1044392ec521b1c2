import { malformedPayload } from '../../errors.js';
import { filesOf } from '../kernel/uploaded-file.js';

/** A request whose body no layer has looked into. */
export interface RawRequest {
  readonly body: Buffer;
  /** Media type with its attributes, as sent. */
  readonly mediaType: string;
  /** A header by its lower-case name; empty where absent. */
  readonly header: (name: string) => string;
}

/** The body and headers of a request to an endpoint with `rawBody`. @throws ApiError without a body */
export function rawRequestOf(request: object): RawRequest {
  const [file] = filesOf(request);
  if (!file) throw malformedPayload();
  const { header = () => '' } = request as Partial<RawRequest>;
  return { body: file.data, mediaType: file.mediaType, header };
}
