import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { DocumentKey } from '../../../store/port.js';
import { messageKey, type PinnedMessages } from './message-documents.js';
import type { MovedGroup } from './moved-messages.js';
import type { MovingPart, Places, Relocation } from './relocation.js';
import type { Written } from './uncommitted-documents.js';

/** What all writes of one move share; set by the transaction that moves the messages. */
interface Target {
  relocation: Relocation;
  /** Position of the transaction. */
  seq: number;
}

/** A state that messages share: a move changes the same fields of all of them. */
interface SharedState {
  fields: Partial<MessageDocument> | undefined;
}

/** Tells the states of messages apart: any move changes messages with the same key alike. */
export type StateKeyOf = (message: MessageDocument) => string;

/** Longest key that is remembered for later messages: those that were edited share a state with none. */
const MAX_REMEMBERED_KEY = 2000;

/**
 * The write of a message that moved together with many others. Its document is made on first use: tens of
 * thousands of them are created in one turn of the event loop.
 */
export class RelocatedMessage implements Written<MessageDocument> {
  readonly op = 'merge';
  private changed: Partial<MessageDocument> | undefined = undefined;
  private made: MessageDocument | undefined = undefined;
  private name: DocumentKey | undefined = undefined;

  constructor(
    private readonly previous: MessageDocument,
    private readonly target: Target,
    private readonly state: SharedState | null,
  ) {}

  get seq(): number {
    return this.target.seq;
  }

  get key(): DocumentKey {
    return (this.name ??= messageKey(this.previous.id));
  }

  get fields(): Partial<MessageDocument> {
    const { state } = this;
    return (this.changed ??= state === null ? this.make() : (state.fields ??= this.make()));
  }

  get document(): MessageDocument {
    return (this.made ??= { ...this.previous, ...this.fields });
  }

  private make(): Partial<MessageDocument> {
    return this.target.relocation.fieldsOf(this.previous);
  }
}

/** A part that grows. */
interface GrowingPart extends MovingPart {
  readonly ids: number[];
  readonly rows: number[];
}

const UNSET: Relocation = { place: {}, routeOf: null, fieldsOf: () => ({}) };

/**
 * MovingMessages are messages that are about to move together, with all that the move needs to know of each. They are
 * gathered in stretches before the transaction, which then does as little as possible for each of them.
 */
export class MovingMessages {
  readonly documents: MessageDocument[] = [];
  /** Ascending. */
  readonly ids: number[] = [];
  readonly parts: GrowingPart[] = [];
  /** Their writes, in order. */
  readonly writes = new Map<number, RelocatedMessage>();
  private readonly target: Target = { relocation: UNSET, seq: 0 };
  private readonly byGroup = new Map<MovedGroup | undefined, Map<number, GrowingPart>>();
  private readonly states = new Map<string, SharedState>();
  private stateKey: string | null = null;
  private state: SharedState | null = null;
  private readonly shifts: number;
  private readonly changes: number;
  private part: GrowingPart | undefined = undefined;
  private group: MovedGroup | undefined = undefined;

  /**
   * @param leavesChannel whether they move to another channel: then messages on different routes are told apart
   * @param pinned has them, and keeps them current
   * @param stateKeyOf finds which of them the move changes alike; without it, that is found when they move
   */
  constructor(
    private readonly places: Places,
    readonly leavesChannel: boolean,
    private readonly pinned: PinnedMessages | null = null,
    private readonly stateKeyOf: StateKeyOf | null = null,
  ) {
    this.shifts = places.columns.shifts;
    this.changes = pinned?.changes ?? 0;
  }

  /** Adds a message, as it is now. Ids ascend. @throws Error where there is no such message */
  add(message: MessageDocument): void {
    const { id } = message;
    const { columns, moved } = this.places;
    const row = columns.find(id);
    if (row < 0) throw new Error(`message:${id} does not exist`);
    const from = columns.topicAt(row);
    const group = this.leavesChannel ? moved.of(id) : undefined;
    let { part } = this;
    // Nearly all move like the one before.
    if (part?.from !== from || this.group !== group) part = this.partOf(message, from, group);
    part.ids.push(id);
    part.rows.push(row);
    this.ids.push(id);
    this.documents.push(message);
    this.writes.set(id, new RelocatedMessage(message, this.target, this.stateOf(message)));
  }

  /** Whether these messages, and what was gathered of them, are still as they were. */
  areCurrent(): boolean {
    return this.pinned?.changes === this.changes && this.places.columns.shifts === this.shifts;
  }

  /** Whether these are the first ones of the given ids. */
  areFirstOf(ids: readonly number[]): boolean {
    const own = this.ids;
    if (own.length > ids.length) return false;
    for (let i = 0; i < own.length; i++) if (own[i] !== ids[i]) return false;
    return true;
  }

  /** The transaction at this position moves them. */
  move(relocation: Relocation, seq: number): void {
    this.target.relocation = relocation;
    this.target.seq = seq;
  }

  private stateOf(message: MessageDocument): SharedState | null {
    if (this.stateKeyOf === null) return null;
    const key = this.stateKeyOf(message);
    // Nearly all are like the one before, and to compare two texts takes less than to find one among others.
    if (key === this.stateKey) return this.state;
    const isRemembered = key.length <= MAX_REMEMBERED_KEY;
    this.stateKey = key;
    this.state = (isRemembered && this.states.get(key)) || { fields: undefined };
    if (isRemembered) this.states.set(key, this.state);
    return this.state;
  }

  private partOf(
    message: MessageDocument,
    from: number,
    group: MovedGroup | undefined,
  ): GrowingPart {
    let byTopic = this.byGroup.get(group);
    if (!byTopic) this.byGroup.set(group, (byTopic = new Map<number, GrowingPart>()));
    let part = byTopic.get(from);
    if (!part) {
      part = { from, sample: message, ids: [], rows: [] };
      byTopic.set(from, part);
      this.parts.push(part);
    }
    this.group = group;
    return (this.part = part);
  }
}
