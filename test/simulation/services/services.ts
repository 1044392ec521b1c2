import type { StoreCheck } from '../checks/store-check.js';
import { SimClient } from '../clients/client.js';
import type { Random } from '../world/random.js';
import type { World } from '../world/world.js';
import { Correspondent, type Addressee } from './correspondent.js';
import { Deliveries } from './deliveries.js';
import { MailServer, PushBouncer, WebhookServer } from './outside.js';
import { ServiceHost } from './service-host.js';

const CORRESPONDENTS = 2;
const AWAY = 2;
/** After so many seconds a mail tells what somebody has missed. */
const BATCHING_S = 3;

/** What is outside the server: a mail server, a push bouncer and a webhook, and who writes to whom they serve. */
export class Services {
  readonly deliveries: Deliveries;
  readonly correspondents: Correspondent[] = [];
  private readonly users = new Map<string, number>();

  constructor(
    private readonly world: World,
    storeCheck: StoreCheck,
    random: Random,
  ) {
    this.deliveries = new Deliveries(world, storeCheck);
    const { deliveries, users } = this;
    const all = [
      new MailServer(deliveries, (address) => users.get(address) ?? userOf(world, address)),
      new PushBouncer(deliveries),
      new WebhookServer(deliveries),
    ];
    world.services = all.map((one) => new ServiceHost(world.network, random.fork(one.name), one));
  }

  /** Makes the accounts, and the bot. */
  async begin(owner: SimClient): Promise<void> {
    const away: Addressee[] = [];
    for (let i = 0; i < AWAY; i++) away.push(await this.goesAway(owner, `Away ${i}`));
    let bot: Addressee | null = null;
    for (let i = 0; i < CORRESPONDENTS; i++) {
      const client = await this.joined(owner, `Correspondent ${i}`, `s${i}`);
      bot ??= await this.botOf(client);
      const { deliveries } = this;
      this.correspondents.push(new Correspondent(client, i, [...away, bot], deliveries));
    }
  }

  private async joined(owner: SimClient, name: string, host: string): Promise<SimClient> {
    const email = `${name.replace(' ', '').toLowerCase()}@example.com`;
    const password = `willow-${name}-47`;
    await owner.mustCall('POST', '/users', { email, password, full_name: name });
    const client = new SimClient(this.world, host, email);
    await client.logIn(password);
    this.users.set(email, client.userId);
    return client;
  }

  /** Somebody with a device, who never looks at what comes. */
  private async goesAway(owner: SimClient, name: string): Promise<Addressee> {
    const client = await this.joined(owner, name, 's');
    const { userId } = client;
    await client.mustCall('PATCH', '/settings', {
      email_notifications_batching_period_seconds: BATCHING_S,
    });
    await client.mustCall('POST', '/users/me/android_gcm_reg_id', { token: `device-${userId}` });
    return { userId, name, kind: 'away' };
  }

  private async botOf(owner: SimClient): Promise<Addressee> {
    const name = 'Called';
    const { user_id } = await owner.mustCall('POST', '/bots', {
      ...{ full_name: name, short_name: 'called', bot_type: 3, interface_type: 1 },
      payload_url: 'http://hook.example/',
    });
    return { userId: Number(user_id), name, kind: 'bot' };
  }
}

function userOf({ clients }: World, address: string): number | null {
  return clients.find(({ email }) => email === address)?.userId ?? null;
}
