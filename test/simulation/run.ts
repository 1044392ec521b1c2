import { SimClient } from './clients/client.js';
import { Explorer } from './clients/explorer.js';
import { Uploader } from './clients/uploader.js';
import { Mover } from './clients/mover.js';
import { Outcasts } from './clients/outcast.js';
import { Planner } from './clients/planner.js';
import { drawnForm, Reader } from './clients/reader.js';
import { Writer } from './clients/writer.js';
import { LossCheck } from './checks/loss-check.js';
import { RoleChanges } from './checks/role-changes.js';
import { RestCheck } from './checks/rest-check.js';
import { BoundsCheck } from './checks/bounds-check.js';
import { FilesCheck } from './checks/files-check.js';
import { EmbeddedContents } from './checks/embedded-contents.js';
import { newestIn, redisContents, takeChange } from './checks/redis-contents.js';
import { StoreCheck } from './checks/store-check.js';
import { Disturber } from './disturber.js';
import type { NumberedTransaction, Pages } from './lmdb/pages.js';
import { Disk } from './node/disk.js';
import { Host } from './node/host.js';
import { OWNER, SimNode } from './node/node.js';
import type { SimProcess } from './node/process.js';
import type { CompiledProgram } from './node/program.js';
import { Services } from './services/services.js';
import { FOLDER, isExpiring, settingsOf, SHARED } from './node-settings.js';
import type { Plan } from './plan.js';
import { ReplicatedStore } from './redis/replicated-store.js';
import { RedisServer } from './redis/server.js';
import { isUnexpected, stackOf } from './world/errors.js';
import { Network } from './world/network.js';
import { Random } from './world/random.js';
import { Scheduler } from './world/scheduler.js';
import type { Trace } from './world/trace.js';
import { START, World } from './world/world.js';

/** The organization serves again so long after the last fault ended, milliseconds: six leases, and loading. */
export const SERVED_AGAIN_MS = 60_000;
/** Nodes that start on an empty store have accounts and queues within this time, milliseconds. */
const STARTED_MS = 60_000;

/** Same lines of a node within a second. */
const MOST_LINES = 40;
/** What one run came to. */
export interface Outcome {
  readonly faults: readonly string[];
  /** Why nothing more could be told of it; null where it came to its end. */
  readonly undecided: string | null;
  readonly counts: ReadonlyMap<string, number>;
  readonly virtualMs: number;
  /** What it took of a processor, whoever else used the machine. */
  readonly cpuMs: number;
  readonly steps: number;
  readonly digest: string;
  /** Faults that were made to happen. */
  readonly mishaps: number;
}

/** One run: an organization of some nodes is made, used and disturbed in rounds, and looked at after each. */
export async function simulate(
  program: CompiledProgram,
  plan: Plan,
  trace: Trace,
): Promise<Outcome> {
  const { user, system } = process.cpuUsage();
  const run = new Run(program, plan, trace);
  const outcome = await run.all();
  const used = process.cpuUsage();
  return { ...outcome, cpuMs: (used.user + used.system - user - system) / 1000 };
}

class Run {
  private readonly random: Random;
  private readonly scheduler = new Scheduler();
  private readonly world: World;
  private readonly storeCheck: StoreCheck;
  private readonly lossCheck: LossCheck;
  private readonly readers: Reader[] = [];
  private readonly writers: Writer[] = [];
  private readonly explorers: Explorer[] = [];
  private readonly movers: Mover[] = [];
  private readonly planners: Planner[] = [];
  private readonly shared: Reader[] = [];
  private readonly outcasts: Outcasts[] = [];
  private services: Services | null = null;
  private readonly uploaders: Uploader[] = [];
  private filesCheck: FilesCheck | null = null;
  private working: SimProcess | null = null;
  /** The host whose command changes the store. */
  private writing = '';
  private readonly disturber: Disturber;

  constructor(
    program: CompiledProgram,
    private readonly plan: Plan,
    trace: Trace,
  ) {
    const { scheduler } = this;
    this.random = new Random(`simulation ${plan.seed}`);
    const network = new Network(scheduler, this.random.fork('network'));
    const { together = 0 } = plan;
    const packets = new Random(`packets ${plan.seed}`);
    if (together > 0) network.together = () => packets.chance(together);
    const hasJson = plan.documents === 'json';
    const ofStore = this.random.fork('store');
    const replicated =
      plan.replicas && new ReplicatedStore(network, ofStore, hasJson, plan.replicas);
    const store = replicated?.master ?? new RedisServer(network, ofStore, hasJson);
    const random = this.random.fork('clients');
    const world = new World(scheduler, network, store, random, plan.habits, trace, replicated);
    this.world = world;
    this.disturber = new Disturber(world, plan, this.random);
    world.longestMs = plan.longestMs;
    world.lagMs = plan.lagMs;
    const fault = (what: string): void => world.fault(what);
    const isEmbedded = plan.store === 'embedded';
    const embedded = new EmbeddedContents();
    const contents = redisContents(() => world.store.db);
    this.storeCheck = new StoreCheck(isEmbedded ? embedded : contents, fault);
    store.onChange = (change, host) => {
      this.writing = host;
      takeChange(this.storeCheck, change);
      replicated?.counted();
    };
    this.lossCheck = new LossCheck(world, this.storeCheck, () => this.writing);
    this.storeCheck.registered = (queue, origin) => world.origins.set(queue, origin);
    this.storeCheck.anew = (seq) => this.lossCheck.began(seq);
    if (plan.services)
      this.services = new Services(world, this.storeCheck, this.random.fork('services'));
    const lose = (): void => {
      for (const one of [...this.writers, ...this.uploaders]) one.lose();
    };
    store.onFailOver = () => this.lossCheck.failedOver(lose);
    if (replicated) this.look(replicated, lose);
    const roles = new RoleChanges((what) => world.counted(what));
    const events = (name: string) => ({
      changed: (from: string, to: string) => {
        roles.changed(name, from, to);
        world.changedAt = scheduler.now;
      },
      told: (line: string, error?: unknown) => {
        this.logged(name, line);
        if (isUnexpected(error)) world.trace.note(stackOf(error));
      },
      fatal: (error: unknown) =>
        world.fault(`${name}: the process ended by itself: ${stackOf(error)}`),
      uncaught: (error: unknown) => world.fault(`${name}: nothing caught ${stackOf(error)}`),
      reached: (what: string) => world.counted(`reached: ${what}`),
      exceeded: (what: string) => world.fault(`${name}: ${what}`),
      works: (process: SimProcess) => (this.working = process),
      durable: (_path: string, transaction: NumberedTransaction, pages: Pages) =>
        embedded.take(this.storeCheck, pages, transaction, fault),
      takenBack: (_path: string, count: number) =>
        world.fault(`${name}: opened the database, which took ${count} transactions back`),
    });
    const settings = settingsOf(plan);
    const share = new Disk(() => START + scheduler.now);
    // Of its own source, so that all else is as where it tells them.
    const figures = new Random(`figures ${plan.seed}`);
    const tells = (): boolean => plan.untold !== true || world.isSettling || figures.chance(0.5);
    const hostOf = (name: string, rate: number): Host =>
      new Host(name, scheduler, START, rate, tells);
    // Processes of one folder are of one machine.
    const shared = isEmbedded ? hostOf('machine', plan.nodes[0]!.rate) : null;
    world.nodes = plan.nodes.map(({ name, rate }) => {
      const random = this.random.fork(name);
      const { lookMs } = plan;
      const machine = { name, scheduler, network, random, start: START, lookMs, replicated };
      const host = shared ?? hostOf(name, rate);
      if (!isEmbedded) host.disk.mount(SHARED, share);
      return new SimNode({ ...machine, host }, program, events(name), settings);
    });
  }

  /** What the master has counts, whichever server that is: what one goes on with that cannot know is gone. */
  private look(replicated: ReplicatedStore, lose: () => void): void {
    const { storeCheck, lossCheck } = this;
    storeCheck.isDurableAtOnce = false;
    replicated.events = {
      newest: newestIn,
      kept: (position) => storeCheck.kept(position),
      promoted: () => lossCheck.failedOver(lose),
    };
  }

  async all(): Promise<Omit<Outcome, 'cpuMs'>> {
    const { world, scheduler } = this;
    const rejected = (error: unknown): void => {
      if (this.working) this.working.failed(error);
      else world.fault(`nothing caught ${stackOf(error)}`);
    };
    // Of listeners that are never removed, for example.
    const warned = ({ name, message }: Error): void => world.fault(`${name}: ${message}`);
    process.on('warning', warned);
    process.on('unhandledRejection', rejected);
    // A library throws errors of the program from a timer of the machine.
    process.on('uncaughtException', rejected);
    try {
      let isDone = false;
      const story = this.story().then(
        () => (isDone = true),
        (error: unknown) => {
          world.fault(stackOf(error));
        },
      );
      await scheduler.run(Infinity, () => isDone || world.isOver);
      if (isDone) await story;
    } finally {
      for (const node of world.nodes) node.kill(0);
      process.off('warning', warned);
      process.off('unhandledRejection', rejected);
      process.off('uncaughtException', rejected);
    }
    if (world.undecided !== null) {
      world.counted('runs that ended undecided');
      world.tell('end', world.undecided);
    }
    for (const [what, value] of world.maxima) world.tell('most', `${what}: ${value}`);
    world.tell('end', `${scheduler.steps} steps, ${this.storeCheck.commits} commits`);
    return {
      faults: world.faults,
      undecided: world.undecided,
      counts: world.counts,
      virtualMs: scheduler.now,
      steps: scheduler.steps,
      digest: world.trace.digest(),
      mishaps: this.disturber.mishaps,
    };
  }

  /** A node that says the same again and again does the same again and again. */
  private logged(name: string, line: string): void {
    const { world, scheduler } = this;
    world.tell(name, line);
    // Each request of a client may have a line, and each attempt to deliver.
    if (/request|(mail|push|webhook) (was not )?(sent|failed)/.test(line)) return;
    const second = Math.floor(scheduler.now / 1000);
    const key = `${name} ${line}`;
    const { count = 0, at = second } = this.lines.get(key) ?? {};
    const same = at === second ? count + 1 : 1;
    this.lines.set(key, { count: same, at: second });
    if (same > MOST_LINES) world.fault(`${name} says ${same} times in a second: ${line}`);
  }

  private readonly lines = new Map<string, { count: number; at: number }>();

  private async story(): Promise<void> {
    const { world, plan } = this;
    for (const node of world.nodes) node.start();
    new BoundsCheck(world).start();
    const firstId = await this.within(STARTED_MS, 'the start', this.people());
    const look = new RestCheck(
      ...([world, this.storeCheck, this.writers, this.readers, firstId, this.shared] as const),
    );
    for (let round = 1; round <= plan.rounds && !world.isOver; round++) {
      world.tell('round', String(round));
      world.isResting = false;
      world.rounds = round;
      const { readers, writers, explorers, movers, uploaders, planners, outcasts } = this;
      const correspondents = this.services?.correspondents ?? [];
      const workers = [
        ...readers,
        ...writers,
        ...explorers,
        ...movers,
        ...uploaders,
        ...planners,
        ...outcasts,
      ];
      const all = [...workers, ...correspondents].map((one) => one.run());
      await this.disturber.disturb(plan.roundMs);
      world.isResting = true;
      const restedAt = this.scheduler.now;
      for (const node of world.nodes) node.start();
      const looked = Promise.all(all)
        .then(() => this.lossCheck.settled(restedAt))
        .then(() => look.check(`round ${round}`))
        .then(() => this.lookAtFiles(`round ${round}`));
      await this.within(SERVED_AGAIN_MS, `round ${round}: to serve again`, looked);
      for (const one of [...planners, ...outcasts]) await one.check(`round ${round}`);
      for (const explorer of explorers) await explorer.askAgain(`round ${round}`);
      await this.services?.deliveries.settledAll(`round ${round}`);
      if (!world.isOver) await look.checkLoad(`round ${round}`);
      const took = this.scheduler.now - restedAt;
      world.tell('round', `${round} was looked at after ${Math.round(took)} ms`);
    }
  }

  /** Work that must come to its end: a fault tells where it does not. */
  private async within<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
    const late = this.scheduler.in(ms, () => this.world.fault(`${what} took more than ${ms} ms`));
    const result = await work;
    late.cancel();
    return result;
  }

  /** The owner, and everybody else. @returns id of the first message that all readers are told of */
  private async people(): Promise<number> {
    const { world, plan } = this;
    const owner = new SimClient(world, 'c0', OWNER.email);
    await owner.logIn(OWNER.password);
    // Clocks are set by more than any of these limits.
    const unlimited = { message_content_edit_limit_seconds: 'unlimited' };
    await owner.mustCall('PATCH', '/realm', {
      ...unlimited,
      message_content_delete_limit_seconds: 'unlimited',
    });
    const accounts = [{ email: OWNER.email, password: OWNER.password }];
    for (let i = 1; i < plan.users; i++) {
      const account = { email: `user${i}@example.com`, password: `willow-anchor-${i}-47` };
      await owner.mustCall('POST', '/users', { ...account, full_name: `User ${i}` });
      accounts.push(account);
    }
    const client = async (i: number, host = i + 1): Promise<SimClient> => {
      const { email, password } = accounts[i % accounts.length]!;
      const one = new SimClient(world, `c${host}`, email);
      await one.logIn(password);
      return one;
    };
    let hosts = 0;
    const forms = this.random.fork('forms');
    for (let i = 0; i < plan.writers; i++) {
      const writer = new Writer(await client(hosts++), `w${i + 1}`);
      await writer.begin();
      this.writers.push(writer);
    }
    for (let i = 0; i < plan.readers; i++)
      this.readers.push(await Reader.open(await client(hosts++), drawnForm(forms)));
    for (let i = 0; i < plan.explorers; i++) {
      const account = { email: `explorer${i}@example.com`, password: `willow-explorer-${i}-47` };
      const { user_id } = await owner.mustCall('POST', '/users', {
        ...account,
        full_name: `Explorer ${i}`,
      });
      // An administrator, so that most is allowed.
      await owner.mustCall('PATCH', `/users/${String(user_id)}`, { role: 200 });
      const one = new SimClient(world, `c${++hosts}`, account.email);
      await one.logIn(account.password);
      this.explorers.push(new Explorer(one));
      // Another program of the same account.
      this.shared.push(await Reader.open(one, drawnForm(forms), true));
    }
    if (plan.moves) {
      const mover = new Mover(await client(hosts++));
      await mover.begin();
      this.movers.push(mover);
    }
    if (plan.planners) {
      const planner = new Planner(await client(0, ++hosts));
      await planner.begin();
      this.planners.push(planner);
    }
    if (plan.outcasts) {
      const one = new SimClient(world, `c${++hosts}`, OWNER.email);
      await one.logIn(OWNER.password);
      this.outcasts.push(new Outcasts(one));
    }
    await this.services?.begin(owner);
    if (plan.files) {
      const uploader = new Uploader(await client(hosts++), isExpiring(plan));
      this.uploaders.push(uploader);
      const { disk } = world.nodes[0]!;
      const path = plan.store === 'redis' ? `${SHARED}/files` : `${FOLDER}/files`;
      this.filesCheck = new FilesCheck(world, uploader, disk, path);
    }
    world.clients = [...this.writers, ...this.readers].map((one) => one.client);
    const correspondents = this.services?.correspondents ?? [];
    const own = Array.from({ length: hosts + 1 }, (_, i) => `c${i}`);
    world.clientHosts = [...own, ...correspondents.map(({ client: { host } }) => host)];
    const first = await this.writers[0]!.sayInTheEnd();
    await Promise.all(this.readers.map((reader) => reader.catchUp(Promise.resolve(first))));
    return first;
  }

  private async lookAtFiles(when: string): Promise<void> {
    const { world } = this;
    for (const uploader of this.uploaders) {
      if (!world.isOver) await uploader.check(when);
    }
    if (!world.isOver) this.filesCheck?.check(when);
  }
}
