import type { Delivery } from './deliveries.js';
import { answerTo, nameIn, type Deliveries } from './deliveries.js';
import type { Fate, Service, ServiceReply, ServiceRequest } from './service-host.js';

const NOT_TOLD = (): void => undefined;

/** A mail server. */
export class MailServer implements Service {
  readonly name = 'mail';

  constructor(
    private readonly deliveries: Deliveries,
    /** Whose an address is. */
    private readonly userOf: (address: string) => number | null,
  ) {}

  answer({ sender, body }: ServiceRequest, fate: Fate): ServiceReply {
    const mail = JSON.parse(body) as Record<'to' | 'messageId' | 'subject' | 'text', string>;
    const [, number = ''] = /^<mail-(\d+)-/.exec(mail.messageId) ?? [];
    const userId = this.userOf(mail.to);
    const delivery = { key: `mail ${number}`, userId, text: `${mail.subject}\n${mail.text}` };
    const received = this.deliveries.arrived(this.name, delivery, fate, sender);
    const status = { taken: 250, refused: 451, rejected: 550 }[fate];
    return { status, body: '', received };
  }
}

/** A push bouncer, as it is behind APNs and FCM for servers that have no keys of the apps. */
export class PushBouncer implements Service {
  readonly name = 'push';

  constructor(private readonly deliveries: Deliveries) {}

  answer({ sender, path, body }: ServiceRequest, fate: Fate): ServiceReply {
    const answer = { refused: 503, rejected: 400, taken: 200 };
    if (!path.endsWith('/notify')) {
      // A device is never refused for good: nothing would be pushed to it any more.
      const status = fate === 'refused' ? 503 : 200;
      return { status, body: '{}', received: NOT_TOLD };
    }
    const { user_id, gcm_payload } = JSON.parse(body) as {
      user_id: number;
      gcm_payload: { event: string; zulip_message_id?: number };
    };
    const { event, zulip_message_id: id } = gcm_payload;
    const delivery = { key: `${event} ${id} to ${user_id}`, userId: user_id, text: body };
    const received = this.deliveries.arrived(this.name, delivery, fate, sender);
    return { status: answer[fate], body: '{"code":"BAD_REQUEST"}', received };
  }
}

/** What is at the address of a bot: it answers each message. */
export class WebhookServer implements Service {
  readonly name = 'hook';

  constructor(private readonly deliveries: Deliveries) {}

  answer({ sender, body }: ServiceRequest, fate: Fate): ServiceReply {
    const { data, message } = JSON.parse(body) as { data: string; message: { id: number } };
    const delivery: Delivery = { key: `message ${message.id}`, userId: null, text: data };
    const received = this.deliveries.arrived(this.name, delivery, fate, sender);
    const status = { taken: 200, refused: 503, rejected: 404 }[fate];
    const content = answerTo(nameIn(data) ?? '');
    return { status, body: JSON.stringify({ content }), received };
  }
}
