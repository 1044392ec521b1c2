import type { Addressing, RequestPlan, Transport } from '../../exchange/jobs.js';
import { BUILT_IN, type ExchangeSample } from '../../exchange/sample.js';
import type { Account } from '../../seed/seed.js';
import { driveDeliveries, type Audience, type Rate } from './drive.js';
import { FLOOR, OURS, rounded, type Outcome, type Result } from '../measuring/figures.js';
import { BenchOrganization } from '../organization.js';
import { messagePlan, peerPlan, plainSeats, settingPlan, strangers } from './publish.js';
import { Point, type ScenarioContext } from '../scenario.js';
import type { ServerProcess } from '../processes/server-process.js';
import { dialectOf, peersOver, startFloor, startPeer, type PeerName } from '../targets.js';

/** A scenario whose operation is the delivery of an event to a client. */
export interface DeliveryWork {
  readonly scenario: string;
  readonly transport: Transport;
  /** `all`: a message to a channel; `one`: a changed setting of one account. */
  readonly addressing: Addressing;
  readonly deliveriesPerSecond: number;
}

/** Length of `{"result":"success","msg":"","id":1234}`. */
const REPLY_BYTES = 40;

/** What one more receiver costs is measured between all of them and so many times fewer. */
const FEWER = 5;

/** Adds to an outcome what each event costs, however many receive it, and what each receiver adds. */
export function withSlope(full: Outcome, clients: number, small: Outcome, fewer: number): Outcome {
  const [all, some] = [full.figures?.cpu_us_per_op, small.figures?.cpu_us_per_op];
  if (!full.figures || !all || !some) return full;
  const marginal = (all * clients - some * fewer) / (clients - fewer);
  const event = (some - marginal) * fewer;
  const slope = { marginal_us: rounded(marginal), event_us: rounded(event) };
  return { ...full, figures: { ...full.figures, ...slope } };
}

/** Runs the work on our server, the floor and the peers, at the same rate. */
export async function runDeliveries(
  context: ScenarioContext,
  work: DeliveryWork,
): Promise<Result[]> {
  // Without seeded accounts every queue is of one account, which gets all its settings' events.
  const isShared = context.remote !== null || context.store !== null;
  if (work.addressing === 'one' && isShared && context.wants(OURS)) return [];
  return [await new DeliveryRun(context, work).run()];
}

class DeliveryRun {
  private readonly point: Point;
  private readonly clients: number;
  private readonly rate: Rate;
  private accounts: readonly Account[];
  private sample: ExchangeSample;

  constructor(
    private readonly context: ScenarioContext,
    private readonly work: DeliveryWork,
  ) {
    const { clients, seconds } = context.size;
    const perEvent = work.addressing === 'all' ? clients : 1;
    this.clients = clients;
    this.rate = { perSecond: work.deliveriesPerSecond / perEvent, seconds };
    this.point = new Point(work.scenario, `${clients} clients`, context.size);
    this.accounts = strangers(clients);
    this.sample = work.addressing === 'all' ? BUILT_IN.message : BUILT_IN.personal;
  }

  async run(): Promise<Result> {
    const { context, work } = this;
    if (context.wants(OURS)) await this.ours();
    if (context.wants(FLOOR)) await this.floor();
    for (const peer of peersOver(work.transport)) {
      if (context.wants(peer)) await this.peer(peer);
    }
    return this.point.result();
  }

  /** Measures a target, and where each event goes to all, what one more receiver costs it. */
  private async both(drive: (clients: number, rate: Rate) => Promise<Outcome>): Promise<Outcome> {
    const { clients, rate } = this;
    const few = Math.max(1, Math.round(clients / FEWER));
    if (this.work.addressing === 'one' || few === clients) return drive(clients, rate);
    const small = { ...rate, seconds: rate.seconds / 2 };
    const some = await drive(few, small);
    return withSlope(await drive(clients, rate), clients, some, few);
  }

  private async ours(): Promise<void> {
    const { context, work, clients } = this;
    const { remote, store } = context;
    const personal = work.addressing === 'one';
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({ users: clients, remote, store });
    try {
      const type = personal ? 'user_settings' : 'message';
      const sender = organization.owner;
      this.accounts = Array.from({ length: clients }, (_, index) => organization.account(index));
      const publish = personal
        ? settingPlan(this.accounts)
        : messagePlan(organization.channelId, sender);
      await this.capture(organization, type);
      const outcome = await this.both(async (clients, rate) => {
        const seats = await organization.seats(clients, [type]);
        context.progress(`parley: measuring ${clients}`);
        const audience = { ...this.audience, dialect: 'parley' as const, seats };
        try {
          return await driveDeliveries(organization, [audience], publish, rate);
        } finally {
          await organization.leaveSeats(seats);
        }
      });
      this.point.add(OURS, outcome);
    } finally {
      await organization.close();
    }
  }

  /** Lets one event happen and keeps it for the floor and the peers. */
  private async capture(organization: BenchOrganization, type: string): Promise<void> {
    const { owner, api } = organization;
    const seat = await organization.seat(owner, [type]);
    const { method, path, body } = (
      type === 'message' ? messagePlan(organization.channelId, owner) : settingPlan([owner])
    ) as { method: 'POST' | 'PATCH'; path: string; body: string };
    const form = new URLSearchParams(body.replace('{mark}', '000000').replace('{value}', '5'));
    await api.call(method, path.slice('/api/v1'.length), owner.authorization, {
      ...Object.fromEntries(form),
    });
    this.sample = await organization.capture(seat);
  }

  private async floor(): Promise<void> {
    const { context, accounts } = this;
    context.progress('floor: measuring');
    const publish =
      this.work.addressing === 'one' ? settingPlan(accounts) : messagePlan(1, accounts[0]!);
    const outcome = await this.both(async (clients, rate) => {
      const server = await startFloor({ sample: this.sample, replyBytes: REPLY_BYTES });
      const seats = plainSeats(clients, 'floor', accounts);
      return this.at(server, { dialect: 'parley', seats }, publish, rate);
    });
    this.point.add(FLOOR, outcome);
  }

  private async peer(name: PeerName): Promise<void> {
    const { context, sample, work } = this;
    const options = { sample, replyBytes: REPLY_BYTES };
    const first = await startPeer(name, options);
    if (!first) return context.progress(`${name}: not installed, left out`);
    context.progress(`${name} ${first.version}: measuring`);
    const dialect = dialectOf(name);
    let started: ServerProcess | null = first.server;
    const outcome = await this.both(async (clients, rate) => {
      // What it keeps of the events before would come again.
      const server = started ?? (await startPeer(name, options))!.server;
      started = null;
      const seats = plainSeats(clients, 'peer', []);
      const publish = peerPlan(sample, work.addressing === 'one' ? clients : null, dialect);
      return this.at(server, { dialect, seats }, publish, rate);
    });
    this.point.add(name, outcome, first.version);
  }

  /** Measures deliveries of a server, and stops it. */
  private async at(
    server: ServerProcess,
    audience: Pick<Audience, 'dialect' | 'seats'>,
    publish: RequestPlan,
    rate: Rate,
  ): Promise<Outcome> {
    try {
      return await driveDeliveries(server, [{ ...this.audience, ...audience }], publish, rate);
    } finally {
      await server.stop();
    }
  }

  private get audience() {
    const { transport, addressing } = this.work;
    return { transport, addressing };
  }
}
