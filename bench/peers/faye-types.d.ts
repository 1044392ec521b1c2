/** The part of Faye the peer uses; the package has no types. */
declare module 'faye' {
  import type { Server } from 'node:http';

  interface NodeAdapter {
    attach(server: Server): void;
    getClient(): { publish(channel: string, data: unknown): unknown };
  }
  const faye: {
    readonly NodeAdapter: new (options: { mount: string; timeout: number }) => NodeAdapter;
  };
  export default faye;
}
