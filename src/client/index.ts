export { Client } from './client.js';
export {
  formOf,
  ParleyError,
  type ClientOptions,
  type BrowserSession,
  type Credentials,
  type OperationName,
  type Params,
  type Reply,
  type SocketClass,
  type SocketLike,
} from './calls.js';
export { EventFeed, type FeedItem, type FeedOptions, type FeedState } from './feed.js';
export { QueueGone, Superseded, type Cursor, type Transport } from './transports.js';
export type * from './types.js';
