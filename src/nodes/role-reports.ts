import type { Config } from '../config/config.js';
import type { AppOptions, NodeState } from '../host/app-options.js';
import { NODE_ID, shortId } from '../host/node-id.js';
import { StoreAwayLog } from '../host/monitoring/store-away-log.js';
import { UnreadableWitnessError } from './history/witness.js';
import type { NodeParts } from './node-parts.js';

/** Dependencies of {@link RoleReports}. */
export interface RoleReportsOptions extends Pick<AppOptions, 'log' | 'announce'> {
  readonly config: Config;
  /** Where this process listens, for operators. */
  readonly local: () => string;
}

/** RoleReports tells the operator, in the log and on the terminal, what a node does and what it waits for. */
export class RoleReports {
  /** Last line about waiting, so that it is not repeated. */
  private lastStatus = '';
  private readonly storeAway: StoreAwayLog;
  private readonly filesAway: StoreAwayLog;
  private readonly renewal: StoreAwayLog;

  constructor(private readonly options: RoleReportsOptions) {
    this.storeAway = new StoreAwayLog(options.log, 'waiting for the store');
    this.filesAway = new StoreAwayLog(options.log, 'waiting for files of this process');
    this.renewal = new StoreAwayLog(options.log, 'the lease cannot be taken or renewed');
  }

  /** Another process serves, and this one cannot follow it yet. */
  standsBy(): void {
    if (!this.isNew('follower')) return;
    const { log, local, config } = this.options;
    const store = withoutPassword(config.store);
    this.areThere();
    log.info({ store }, 'another process is serving; this one follows');
    this.tell(`Parley stands by on ${local()}: another process is serving ${store}`, 'stands by');
  }

  /** The store is away, or lacks what a start needs; or files of this process cannot be read. */
  waits(error: unknown): void {
    const reason = error instanceof Error ? error.message : '';
    if (!this.isNew(`unavailable${reason}`)) return;
    const isOfFiles = error instanceof UnreadableWitnessError;
    (isOfFiles ? this.filesAway : this.storeAway).away(error);
    const what = isOfFiles ? 'a file of its own' : 'its store';
    this.tell(`Parley waits on ${this.options.local()} for ${what}: ${reason}`, 'waits');
  }

  /** @param unled why nobody can lead */
  follows(parts: NodeParts, unled: Error | null): void {
    this.serves(parts, 'following');
    const does = unled
      ? `it serves reads, and nobody can write. ${unled.message}`
      : 'it serves reads, polls and sockets, and sends writes to the leader';
    this.tell(`Parley follows on ${this.options.local()}: ${does}`, 'follows');
  }

  /** @param password of the owner of a new organization */
  leads(parts: NodeParts, password: string | null): void {
    this.serves(parts, 'ready');
    const { announce, local, config } = this.options;
    this.tell(`Parley is listening on ${local()}`, 'leads');
    if (!password) return;
    const { organization, ownerEmail: email } = config;
    const given = config.ownerPassword !== null;
    const text = [
      `Organization "${organization}" was created. Its owner:`,
      `  e-mail:   ${email}`,
      `  password: ${given ? 'as configured' : `${password}  (shown only this once)`}`,
    ].join('\n');
    announce(text, { organization, owner: { email, password: given ? null : password } });
  }

  /** The lease could not be renewed. */
  notRenewed(error: unknown): void {
    this.renewal.away(error);
  }

  /** The lease was renewed, or matters no more. */
  renewed(): void {
    this.renewal.over();
  }

  private serves({ url, store }: NodeParts, what: string): void {
    this.areThere();
    this.lastStatus = '';
    this.options.log.info({ url, store: store.description, node: shortId(NODE_ID) }, what);
  }

  /** Neither the store nor files are waited for. */
  private areThere(): void {
    this.storeAway.over();
    this.filesAway.over();
  }

  /** @param text with where this process listens */
  private tell(text: string, state: NodeState): void {
    const { announce, local } = this.options;
    announce(text, { state, url: local() }, state);
  }

  private isNew(status: string): boolean {
    if (this.lastStatus === status) return false;
    this.lastStatus = status;
    return true;
  }
}

/** A store's URL, for readers of the log. */
function withoutPassword(url: string): string {
  return url.replace(/(:\/\/[^/?#:@]*):[^/?#]*@/, '$1:***@');
}
