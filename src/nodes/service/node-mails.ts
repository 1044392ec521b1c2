import type { IncomingMail } from '../../organization/incoming-mail/incoming-mail.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { OtherNodesNow } from '../../resources/queues/other-nodes.js';
import type {
  MailEnvelope,
  MailReply,
  MailSink,
} from '../../services/incoming-mail/mail-protocol.js';

const NO_MAIL: MailReply = { code: 550, text: 'This server accepts no mail' };

/** Accepts mails on any node: a follower checks addresses itself and passes the mails to the leader. */
export class NodeMails implements MailSink {
  /** @param incoming null where no address accepts mail */
  constructor(
    private readonly incoming: IncomingMail | null,
    private readonly others: OtherNodesNow,
    private readonly runtime: Pick<Runtime, 'told'>,
  ) {}

  async check(address: string): Promise<MailReply> {
    const { incoming } = this;
    if (!incoming) return NO_MAIL;
    const reply = await this.runtime.told(() => incoming.check(address));
    const others = this.others();
    if (reply.code < 300 || !others || !incoming.isOurs(address)) return reply;
    // The channel or message of the address may be newer than the state of this node.
    await others.catchUp();
    return incoming.check(address);
  }

  receive(envelope: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]> {
    return this.others()?.receiveMail(envelope, raw) ?? this.receiveHere(envelope, raw);
  }

  /** As `receive`, on the node that leads. */
  async receiveHere(envelope: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]> {
    return this.incoming?.receive(envelope, raw) ?? envelope.to.map(() => NO_MAIL);
  }
}
