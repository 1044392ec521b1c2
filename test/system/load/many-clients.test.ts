import { readdirSync } from 'node:fs';
import t from 'tap';
import { CrowdPart } from '../harness/crowd/crowd.js';
import { startOrganization } from '../harness/organization.js';
import { scaled } from '../harness/scale.js';

const POLLS = scaled(1000, 10_000);
const SOCKETS = scaled(500, 5000);
/** Members of one process at most: it may have so many descriptors. */
const PART = 2500;
/** Members of one account: it may have 300 queues. */
const PER_ACCOUNT = 250;
const KIB = 1024;

void t.test(`${POLLS} held polls and ${SOCKETS} sockets get one broadcast`, async (t) => {
  const { server, owner, hamlet, iago } = await startOrganization(t);
  const accounts = [owner, hamlet, iago];
  for (let i = 3; i < (POLLS + SOCKETS) / PER_ACCOUNT; i++) {
    accounts.push(await owner.createUser(`member${i}`));
  }
  const authorizations = accounts.map((account) => account.authorization);
  const emptyBytes = server.residentBytes;
  const sizes = [
    ...Array.from({ length: Math.ceil(POLLS / PART) }, (_, i) => ({
      kind: 'poll' as const,
      count: Math.min(PART, POLLS - i * PART),
    })),
    ...Array.from({ length: Math.ceil(SOCKETS / PART) }, (_, i) => ({
      kind: 'socket' as const,
      count: Math.min(PART, SOCKETS - i * PART),
    })),
  ];
  const parts: CrowdPart[] = [];
  for (const [i, { kind, count }] of sizes.entries()) {
    const part = CrowdPart.start(t, {
      port: server.port,
      authorizations,
      kind,
      count,
      sources: [`127.0.0.${2 + i}`],
    });
    await part.waiting;
    parts.push(part);
  }
  const open = readdirSync(`/proc/${server.pid}/fd`).length;
  t.ok(open >= POLLS + SOCKETS, `${open} descriptors of the server are open`);
  const heldBytes = server.residentBytes;

  const began = Date.now();
  await owner.say('the broadcast');
  const answered = Date.now() - began;
  const times = (await Promise.all(parts.map((part) => part.delivered))).flat();
  const delays = times.map((time) => time - began).sort((a, b) => a - b);
  const last = delays.at(-1)!;
  const median = delays[Math.floor(delays.length / 2)]!;
  t.equal(times.length, POLLS + SOCKETS, 'everybody got it');
  const perQueue = (heldBytes - emptyBytes) / KIB / (POLLS + SOCKETS);
  t.comment(`sent in ${answered} ms; median delivery ${median} ms, last ${last} ms`);
  t.comment(
    `server: ${(emptyBytes / KIB / KIB).toFixed(0)} MiB empty, ` +
      `${(heldBytes / KIB / KIB).toFixed(0)} MiB with all waiting: ` +
      `${perQueue.toFixed(1)} KiB per queue and connection`,
  );
});
