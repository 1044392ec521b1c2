/** Hosts that can be cut off from one another: network namespaces of this machine, where it may make them. */
import { execFileSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import type { Test } from 'tap';
import { freePort } from '../../../../bench/harness/processes/free-port.js';

/** One host: a namespace of its own, or a share of this machine. */
export interface Host {
  readonly name: string;
  /** Its address for the other hosts, which a cut closes. */
  readonly address: string;
  /** Its address for the test, which is always open. */
  readonly front: string;
  /** What a command begins with that is to run there. */
  readonly within: readonly string[];
  /** A port that is free there. */
  port(usual: number): Promise<number>;
}

/** Hosts is a network of hosts. */
export interface Hosts {
  readonly all: readonly Host[];
  /** Whether hosts can be cut off. */
  readonly canCut: boolean;
  /** From now on these hear each other only, and the others do not hear them; nobody is told. */
  cutOff(hosts: readonly Host[]): void;
  /** All hear each other again: what was sent meanwhile is sent again by those who sent it. */
  heal(): void;
}

/** Makes hosts with these names, which end with the test: namespaces where this user may make them, else this machine. */
export function makeHosts(t: Test, names: readonly string[]): Hosts {
  return canMakeNetworks() ? namespaces(t, names) : thisMachine(names);
}

function thisMachine(names: readonly string[]): Hosts {
  const address = '127.0.0.1';
  const never = (): never => {
    throw new Error('Hosts of one network cannot be cut off');
  };
  return {
    all: names.map((name) => ({ name, address, front: address, within: [], port: freePort })),
    canCut: false,
    cutOff: never,
    heal: never,
  };
}

function canMakeNetworks(): boolean {
  const name = `parley-${process.pid}-try`;
  try {
    script([`ip netns add ${name}`, `ip -n ${name} link add name near type bridge`]);
    script([`ip -n ${name} link add name near1 type veth peer name near2`]);
    return true;
  } catch {
    return false;
  } finally {
    try {
      script([`ip netns del ${name}`]);
    } catch {
      // It was never made.
    }
  }
}

function script(lines: readonly string[]): void {
  execFileSync('sh', ['-ec', lines.join('\n')], { stdio: 'pipe' });
}

/** Ranges of 256 addresses, of which each process begins at one of its own: several may make networks at once. */
const RANGES = { first: 100, count: 100 * 256 };

/** The first three numbers of a range of addresses of which this machine has none. */
function freeRange(): string {
  const taken = Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => address.replace(/\.\d+$/, '')),
  );
  for (let n = process.pid * 7 + made; ; n++) {
    const at = n % RANGES.count;
    const range = `10.${RANGES.first + (at >> 8)}.${at & 255}`;
    if (!taken.includes(range)) return range;
  }
}

/** Networks of this process. */
let made = 0;

/**
 * Each host is a namespace with two cables: `back` to a bridge in the namespace of the switch, which has a second bridge
 * for those that are cut off, and `front` to this process.
 */
function namespaces(t: Test, names: readonly string[]): Hosts {
  const network = made++;
  const prefix = `parley-${process.pid}-${network}`;
  const [hub, short] = [`${prefix}-switch`, `p${process.pid.toString(36)}${network}`];
  const range = freeRange();
  const all = names.map((name, i) => ({
    name,
    address: `10.77.0.${i + 1}`,
    // Of 4 addresses to a cable, 64 cables to a network.
    front: `${range}.${4 * i + 2}`,
    within: ['ip', 'netns', 'exec', `${prefix}-${name}`],
    port: (usual: number) => Promise.resolve(usual),
  }));
  t.teardown(() => {
    for (const name of [...names, 'switch']) script([`ip netns del ${prefix}-${name} || true`]);
  });
  script([
    `ip netns add ${hub}`,
    ...['near', 'away'].map(
      (bridge) =>
        `ip -n ${hub} link add name ${bridge} type bridge; ip -n ${hub} link set ${bridge} up`,
    ),
    ...all.flatMap(({ address, front, within }, i) => {
      const own = within.at(-1)!;
      const here = front.replace(/\d+$/, String(4 * i + 1));
      return [
        `ip netns add ${own}`,
        `ip -n ${own} link set lo up`,
        `ip -n ${own} link add name back type veth peer name port${i} netns ${hub}`,
        `ip -n ${own} addr add ${address}/24 dev back`,
        `ip -n ${own} link set back up`,
        `ip -n ${hub} link set port${i} master near up`,
        `ip link add name ${short}x${i} type veth peer name front netns ${own}`,
        `ip addr add ${here}/30 dev ${short}x${i}`,
        `ip link set ${short}x${i} up`,
        `ip -n ${own} addr add ${front}/30 dev front`,
        `ip -n ${own} link set front up`,
      ];
    }),
  ]);
  const plug = (hosts: readonly Host[], bridge: string): void => {
    const indexes = hosts.map((host) => names.indexOf(host.name));
    script(indexes.map((i) => `ip -n ${hub} link set port${i} master ${bridge}`));
  };
  return {
    all,
    canCut: true,
    cutOff: (hosts) => plug(hosts, 'away'),
    heal: () => plug(all, 'near'),
  };
}
