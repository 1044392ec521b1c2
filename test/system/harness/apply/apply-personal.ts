import type { Body, Snapshot, WireEvent } from '../client.js';

type Rows = Body[];

/** What a client knows of linkifiers and of the person's own navigation and devices, from events. */
export class PersonalState {
  private views: Rows;
  private readonly devices: Record<string, Body>;
  private linkifiers: unknown;
  private alertWords: unknown;
  private drafts: Rows;
  private snippets: Rows;

  constructor(snapshot: Snapshot) {
    this.views = structuredClone((snapshot.navigation_views ?? []) as Rows);
    this.linkifiers = snapshot.realm_linkifiers;
    this.alertWords = snapshot.alert_words;
    this.drafts = structuredClone((snapshot.drafts ?? []) as Rows);
    this.snippets = structuredClone((snapshot.saved_snippets ?? []) as Rows);
    this.devices = structuredClone((snapshot.devices ?? {}) as Record<string, Body>);
  }

  /** @throws Error for an event about what it does not know */
  apply(event: WireEvent): void {
    if (event.type === 'navigation_view') this.applyView(event);
    else if (event.type === 'realm_linkifiers') this.linkifiers = event.realm_linkifiers;
    else if (event.type === 'alert_words') this.alertWords = event.alert_words;
    else if (event.type === 'drafts') this.applyDrafts(event);
    else if (event.type === 'saved_snippets') this.applySnippets(event);
    else if (event.type === 'device') this.applyDevice(event);
  }

  /** The fields of a snapshot this keeps. */
  fields(): Body {
    return {
      navigation_views: this.views,
      devices: this.devices,
      realm_linkifiers: this.linkifiers,
      alert_words: this.alertWords,
      drafts: this.drafts.sort(newestFirst),
      saved_snippets: this.snippets,
    };
  }

  private applyDrafts({ op, drafts, draft, draft_id }: WireEvent): void {
    if (op === 'add') this.drafts.push(...(drafts as Rows));
    else if (op === 'update') this.drafts = replaced(this.drafts, draft as Body);
    else this.drafts = this.drafts.filter((one) => one.id !== draft_id);
  }

  private applySnippets({ op, saved_snippet, saved_snippet_id }: WireEvent): void {
    if (op === 'add') this.snippets.push(saved_snippet as Body);
    else if (op === 'update') this.snippets = replaced(this.snippets, saved_snippet as Body);
    else this.snippets = this.snippets.filter((one) => one.id !== saved_snippet_id);
  }

  private applyView({ op, fragment, data, navigation_view }: WireEvent): void {
    if (op === 'add') {
      this.views.push(navigation_view as Body);
      return;
    }
    const view = this.views.find((one) => one.fragment === fragment);
    if (!view) throw new Error(`navigation_view ${String(op)} of ${String(fragment)}`);
    if (op === 'remove') this.views = this.views.filter((one) => one !== view);
    else Object.assign(view, data);
  }

  private applyDevice({ id: _id, type: _type, op, device_id, ...changes }: WireEvent): void {
    const key = String(device_id);
    if (op === 'add') {
      this.devices[key] = {
        push_key_id: null,
        push_token_id: null,
        pending_push_token_id: null,
        push_token_last_updated_timestamp: null,
        push_registration_error_code: null,
      };
      return;
    }
    const device = this.devices[key];
    if (!device) throw new Error(`device ${String(op)} of ${key}`);
    if (op === 'remove') delete this.devices[key];
    else Object.assign(device, changes);
  }
}

/** @throws Error when there is none of this id */
function replaced(rows: Rows, row: Body): Rows {
  if (!rows.some((one) => one.id === row.id)) throw new Error(`update of ${String(row.id)}`);
  return rows.map((one) => (one.id === row.id ? row : one));
}

function newestFirst(a: Body, b: Body): number {
  return Number(b.timestamp) - Number(a.timestamp) || Number(b.id) - Number(a.id);
}
