import type { Addressing, Transport } from '../../exchange/jobs.js';
import { BUILT_IN, type ExchangeSample } from '../../exchange/sample.js';
import type { Account } from '../../seed/seed.js';
import { driveDeliveries, type Rate } from './drive.js';
import { FLOOR, OURS, type Result } from '../measuring/figures.js';
import { BenchOrganization } from '../organization.js';
import { messagePlan, peerPlan, plainSeats, settingPlan, strangers } from './publish.js';
import { Point, type ScenarioContext } from '../scenario.js';
import { dialectOf, peersOver, startFloor, startPeer } from '../targets.js';

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
      const seats = await organization.seats(clients, [type]);
      context.progress('parley: measuring');
      const audience = { ...this.audience, dialect: 'parley' as const, seats };
      this.point.add(OURS, await driveDeliveries(organization, [audience], publish, this.rate));
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
    const { context, accounts, clients } = this;
    context.progress('floor: measuring');
    const server = await startFloor({ sample: this.sample, replyBytes: REPLY_BYTES });
    try {
      const seats = plainSeats(clients, 'floor', accounts);
      const audience = { ...this.audience, dialect: 'parley' as const, seats };
      const publish =
        this.work.addressing === 'one' ? settingPlan(accounts) : messagePlan(1, accounts[0]!);
      this.point.add(FLOOR, await driveDeliveries(server, [audience], publish, this.rate));
    } finally {
      await server.stop();
    }
  }

  private async peer(name: ReturnType<typeof peersOver>[number]): Promise<void> {
    const { context, sample, clients } = this;
    const peer = await startPeer(name, { sample, replyBytes: REPLY_BYTES });
    if (!peer) return context.progress(`${name}: not installed, left out`);
    context.progress(`${name} ${peer.version}: measuring`);
    try {
      const seats = plainSeats(clients, 'peer', []);
      const dialect = dialectOf(name);
      const audience = { ...this.audience, dialect, seats };
      const publish = peerPlan(sample, this.work.addressing === 'one' ? clients : null, dialect);
      const outcome = await driveDeliveries(peer.server, [audience], publish, this.rate);
      this.point.add(name, outcome, peer.version);
    } finally {
      await peer.server.stop();
    }
  }

  private get audience() {
    const { transport, addressing } = this.work;
    return { transport, addressing };
  }
}
