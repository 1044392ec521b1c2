import type { PeopleState } from '../../../fixtures/people-client.js';
import type { Body, Snapshot, WireEvent } from '../client.js';

type Rows = readonly Body[];

const STATUS_KEYS = ['away', 'status_text', 'emoji_name', 'emoji_code', 'reaction_type'];

/**
 * What a client knows of bots, statuses, custom profile fields and its own role, kept current from
 * events as existing clients do.
 */
export class UsersState {
  private readonly bots: Map<unknown, Body>;
  private readonly statuses: Record<string, Body>;
  private fields_: Rows;
  private readonly own: Body = {};

  constructor(
    private readonly userId: number,
    snapshot: Snapshot,
  ) {
    const rows = (name: string): Rows => structuredClone((snapshot[name] as Rows) ?? []);
    this.bots = new Map(rows('realm_bots').map((bot) => [bot.user_id, bot]));
    this.statuses = structuredClone((snapshot.user_status ?? {}) as Record<string, Body>);
    this.fields_ = rows('custom_profile_fields');
  }

  /** Call after the people were changed. @throws Error for an event about what it does not know */
  apply(event: WireEvent, people: PeopleState): void {
    if (event.type === 'realm_bot') this.applyBot(event);
    else if (event.type === 'user_status') this.applyStatus(event);
    else if (event.type === 'custom_profile_fields') this.applyFields(event, people);
    else if (event.type === 'realm_user') this.applyPerson(event.person as Body, event.op);
  }

  /** The fields of a snapshot this keeps. */
  fields(): Body {
    const bots = [...this.bots.values()];
    return {
      ...this.own,
      realm_bots: bots.sort((a, b) => Number(a.user_id) - Number(b.user_id)),
      user_status: this.statuses,
      custom_profile_fields: this.fields_,
    };
  }

  private applyBot(event: WireEvent): void {
    const bot = event.bot as Body;
    const known = this.bots.get(bot.user_id);
    if ((event.op === 'add') === (known !== undefined)) {
      throw new Error(`realm_bot ${String(event.op)} of bot ${String(bot.user_id)}`);
    }
    if (event.op === 'delete') this.bots.delete(bot.user_id);
    else this.bots.set(bot.user_id, { ...known, ...bot });
  }

  private applyStatus(event: WireEvent): void {
    const id = String(event.user_id);
    const status: Body = { ...this.statuses[id] };
    for (const key of STATUS_KEYS) {
      if (!(key in event)) continue;
      if (event[key] === '' || event[key] === false) delete status[key];
      else status[key] = event[key];
    }
    if (Object.keys(status).length === 0) delete this.statuses[id];
    else this.statuses[id] = status;
  }

  private applyFields(event: WireEvent, people: PeopleState): void {
    this.fields_ = event.fields as Rows;
    const known = new Set(this.fields_.map((field) => String(field.id)));
    for (const user of Object.values(people.users)) {
      const data = user.profile_data as Body | undefined;
      if (!data) continue;
      user.profile_data = Object.fromEntries(Object.entries(data).filter(([id]) => known.has(id)));
    }
  }

  private applyPerson(person: Body, op: unknown): void {
    if (person.is_active === false || op === 'remove') delete this.statuses[String(person.user_id)];
    if (person.user_id !== this.userId || person.role === undefined) return;
    const role = Number(person.role);
    this.own.is_owner = role === 100;
    this.own.is_admin = role <= 200;
    this.own.is_moderator = role <= 300;
    this.own.is_guest = role === 600;
  }
}
