import { directText } from '../checks/visibility.js';
import type { SimClient } from '../clients/client.js';
import type { Deliveries } from './deliveries.js';

/** Fewer than 100 messages may wait for a bot: one comes every half a second, or less often. Milliseconds. */
const LEAST_PAUSE_MS = 1000;

export interface Addressee {
  readonly userId: number;
  readonly name: string;
  /** A user who is away gets mails and pushes; a bot's address is called. */
  readonly kind: 'away' | 'bot';
}

/** Writes to users who are away, and to a bot with an address: of each message something must leave the server. */
export class Correspondent {
  private number = 0;

  constructor(
    readonly client: SimClient,
    private readonly ordinal: number,
    private readonly addressees: readonly Addressee[],
    private readonly deliveries: Deliveries,
  ) {}

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.client;
    const most = 2 * Math.max(LEAST_PAUSE_MS, world.habits.pauseMs);
    while (!world.isResting && !world.isOver) {
      await this.write();
      await world.scheduler.pause(world.random.between(0, most));
    }
  }

  private async write(): Promise<void> {
    const { client } = this;
    const { world, userId: from } = client;
    const { userId, name: fullName, kind } = world.random.pick(this.addressees);
    const name = `outgoing-${this.ordinal}-${++this.number}`;
    const isDirect = world.random.chance(0.5);
    const parameters = isDirect
      ? { type: 'direct', to: [userId], content: directText(from, userId, name) }
      : {
          ...{ type: 'channel', to: 'general', topic: 'calls' },
          content: `@**${fullName}|${userId}** ${name}`,
        };
    this.deliveries.expect({ name, isDirect, by: kind === 'bot' ? ['hook'] : ['mail', 'push'] });
    // Whether it is there is what the journal says.
    const reply = await client.call('POST', '/messages', parameters);
    if (reply === null || reply.status === 200 || reply.status === 503) return;
    world.fault(`${client.host}: ${name}: ${reply.status} ${JSON.stringify(reply.body)}`);
  }
}
