/** Mails to several organizations: the host name of an address says whose it is. */
import { AWAY } from '../host/mail/incoming-listener.js';
import type { MailEnvelope, MailReply, MailSink } from '../services/incoming-mail/mail-protocol.js';
import { domainOf } from '../services/text/mail-address.js';

/** MailRoutes hands each mail to the organizations of its recipients, and keeps none of them waiting for another's refusal. */
export class MailRoutes implements MailSink {
  /** @param sinkAt of the organization of a host name, brought into memory; undefined while it takes none */
  constructor(private readonly sinkAt: (host: string) => Promise<MailSink | undefined>) {}

  async check(address: string): Promise<MailReply> {
    const sink = await this.sinkAt(domainOf(address));
    return sink ? sink.check(address) : AWAY;
  }

  async receive({ from, to }: MailEnvelope, raw: Buffer): Promise<readonly MailReply[]> {
    const replies: MailReply[] = to.map(() => AWAY);
    const hosts = [...new Set(to.map(domainOf))];
    for (const host of hosts) {
      const sink = await this.sinkAt(host);
      if (!sink) continue;
      const places = [...to.keys()].filter((i) => domainOf(to[i]!) === host);
      const own = { from, to: places.map((i) => to[i]!) };
      // The bytes are given away, with each.
      const bytes = hosts.length === 1 ? raw : Buffer.from(raw);
      const said = await sink.receive(own, bytes).catch(() => own.to.map(() => AWAY));
      places.forEach((place, i) => (replies[place] = said[i]!));
    }
    return replies;
  }
}
