import { createRequire } from 'node:module';
import type { Body, WireEvent } from './client.js';

/** The part of `zulip-js` that is used here; the package has no types of its own. */
export interface ZulipJs {
  readonly config: { readonly apiKey: string };
  callEndpoint(path: string, method: string, parameters?: Body): Promise<Body>;
  callOnEachEvent(callback: (event: WireEvent) => void, types?: string[]): Promise<never>;
  readonly messages: {
    send(parameters: Body): Promise<Body>;
    retrieve(parameters: Body): Promise<Body>;
    getById(parameters: Body): Promise<Body>;
    readonly flags: {
      readonly add: (parameters: Body) => Promise<Body>;
      readonly remove: (parameters: Body) => Promise<Body>;
    };
  };
  readonly queues: {
    register(parameters?: Body): Promise<Body>;
    deregister(parameters: Body): Promise<Body>;
  };
  readonly events: { retrieve(parameters: Body): Promise<Body> };
  readonly server: { settings(): Promise<Body> };
  readonly streams: {
    retrieve(parameters?: Body): Promise<Body>;
    readonly subscriptions: { retrieve(parameters?: Body): Promise<Body> };
  };
  readonly typing: { send(parameters: Body): Promise<Body> };
  readonly users: {
    retrieve(parameters?: Body): Promise<Body>;
    create(parameters: Body): Promise<Body>;
    readonly me: {
      getProfile(): Promise<Body>;
      readonly subscriptions: {
        readonly add: (parameters: Body) => Promise<Body>;
        readonly remove: (parameters: Body) => Promise<Body>;
      };
    };
  };
}

interface Credentials {
  readonly realm: string;
  readonly username: string;
  readonly password: string;
}

/** The published package, unmodified: logs in by password. */
export const zulipJs = createRequire(import.meta.url)('zulip-js') as (
  credentials: Credentials,
) => Promise<ZulipJs>;
