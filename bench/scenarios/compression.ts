import { setTimeout as pause } from 'node:timers/promises';
import type { Seat } from '../exchange/jobs.js';
import { FORMS, openReader, type EventReader, type Form } from '../harness/load/event-readers.js';
import { OURS, rounded, type Outcome, type Result } from '../harness/measuring/figures.js';
import { quietResidentBytes } from '../harness/measuring/memory.js';
import { BenchOrganization } from '../harness/organization.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';
import { textOf } from '../seed/vocabulary.js';

const ACCOUNTS = 50;
/** Messages of which nothing is measured: of each form, and before the first one. */
const WARM_UP = 20;
const FIRST_WARM_UP = 200;
/** Messages at a time, each time, and how long until the next. */
const RATES = [
  { at: 1, pauseMs: 40, name: 'one at a time' },
  { at: 8, pauseMs: 320, name: 'eight at a time' },
] as const;
/** Until all have come. */
const LATE_MS = 20_000;
/** The number of a message, in the text that was sent and nowhere else of its event. */
const NUMBER = /"content":"(?:<p>)?m(\d+) /g;

/** Readers of one form, each of which gets every message once. */
class Readers {
  readonly seats: Seat[] = [];
  private readonly readers: EventReader[] = [];
  /** What each has got of the messages after those that all have. */
  private readonly got: Set<number>[] = [];

  constructor(
    private readonly form: Form,
    private readonly organization: BenchOrganization,
    /** The newest message that all have. */
    private newest: number,
  ) {}

  /** Opens more of them, to whom goes what is sent from now on. */
  async open(count: number): Promise<void> {
    const seats = await this.organization.seats(count, ['message']);
    this.seats.push(...seats);
    for (const seat of seats) {
      const got = new Set<number>();
      this.got.push(got);
      const onText = (text: string): void => {
        for (const [, number] of text.matchAll(NUMBER)) {
          if (Number(number) <= this.newest || got.has(Number(number))) {
            throw new Error(`${this.form}: message ${number} came twice`);
          }
          got.add(Number(number));
        }
      };
      this.readers.push(await openReader(this.form, this.organization.address, seat, onText));
    }
  }

  /** Resolves when all have a message. @throws Error where it does not come */
  async have(number: number): Promise<void> {
    const end = performance.now() + LATE_MS;
    while (this.got.some(({ size }) => size < number - this.newest)) {
      if (performance.now() > end) throw new Error(`${this.form}: a message is missing`);
      await pause(1);
    }
    for (const got of this.got) got.clear();
    this.newest = number;
  }

  get bytes(): number {
    return this.readers.reduce((sum, reader) => sum + reader.bytes(), 0);
  }

  get count(): number {
    return this.readers.length;
  }

  close(): void {
    for (const reader of this.readers) reader.close();
  }
}

/** Sends numbered messages of some words. */
class Sender {
  next = 1;

  constructor(private readonly organization: BenchOrganization) {}

  async send(count: number): Promise<void> {
    const { api, owner, channelId } = this.organization;
    const messages = Array.from({ length: count }, () => {
      const number = this.next++;
      const content = `m${number} ${textOf(number)}`;
      const message = { type: 'stream', to: channelId, topic: 'load', content };
      return () => api.call('POST', '/messages', owner.authorization, message);
    });
    await Promise.all(messages.map((message) => message()));
  }
}

async function outcomes(
  context: ScenarioContext,
  organization: BenchOrganization,
  sender: Sender,
  form: Form,
): Promise<(readonly [string, Outcome])[]> {
  const { clients, seconds } = context.size;
  const readers = new Readers(form, organization, sender.next - 1);
  try {
    const fifth = Math.ceil(clients / 5);
    await readers.open(fifth);
    await sender.send(1);
    await readers.have(sender.next - 1);
    const before = await quietResidentBytes(organization);
    await readers.open(clients - fifth);
    await sender.send(WARM_UP);
    await readers.have(sender.next - 1);
    const memory = ((await quietResidentBytes(organization)) - before) / (clients - fifth);
    const found: (readonly [string, Outcome])[] = [];
    for (const { at, pauseMs, name } of RATES) {
      const times = Math.ceil((seconds * 1000) / pauseMs);
      const [bytes, cpuMs] = [readers.bytes, organization.usage()!.cpuMs];
      for (let i = 0; i < times; i++) {
        await Promise.all([sender.send(at), pause(pauseMs)]);
        await readers.have(sender.next - 1);
      }
      const deliveries = times * at * readers.count;
      const figures = {
        cpu_us_per_op: rounded(((organization.usage()!.cpuMs - cpuMs) * 1000) / deliveries),
        bytes_per_op: Math.round((readers.bytes - bytes) / deliveries),
        bytes_per_client: Math.max(0, Math.round(memory)),
      };
      found.push([name, { refused: null, latency: [], figures }]);
    }
    return found;
  } finally {
    readers.close();
    await organization.leaveSeats(readers.seats);
  }
}

export const compression: Scenario = {
  name: 'compression',
  work: 'events to N sockets, streams and polls, compressed and not: bytes, CPU and memory',
  full: { clients: 1000, seconds: 10 },
  quick: { clients: 200, seconds: 1 },
  async run(context): Promise<Result[]> {
    if (!context.wants(OURS) || context.remote) return [];
    const { size, store } = context;
    const organization = await BenchOrganization.open({ users: ACCOUNTS, remote: null, store });
    const results: Result[] = [];
    try {
      const sender = new Sender(organization);
      await sender.send(FIRST_WARM_UP);
      context.progress('parley: warming up');
      await outcomes(context, organization, sender, FORMS[0]);
      for (const form of FORMS) {
        context.progress(`parley: ${form}`);
        for (const [name, outcome] of await outcomes(context, organization, sender, form)) {
          const point = new Point('compression', `${form}, ${name}`, size);
          point.add(OURS, outcome);
          results.push(point.result());
        }
      }
    } finally {
      await organization.close();
    }
    return results;
  },
};
