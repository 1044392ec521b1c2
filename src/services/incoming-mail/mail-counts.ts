/** What becomes of mails: taken, or why not. */
const OUTCOMES = [
  'accepted',
  // It came again.
  'repeated',
  // The sender's mail server retries.
  'deferred',
  'refused_address',
  'refused_rights',
  'refused_automatic',
  'refused_circle',
  'refused_empty',
  'refused_unreadable',
  'refused_size',
] as const;

/** The outcome of a mail to one address. */
export type MailOutcome = (typeof OUTCOMES)[number];

/** MailCounts counts the outcomes of mails since the process began, one per address, for metrics. */
export class MailCounts {
  private readonly counts = new Map<MailOutcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));

  add(outcome: MailOutcome, addresses = 1): void {
    this.counts.set(outcome, this.counts.get(outcome)! + addresses);
  }

  all(): Iterable<readonly [MailOutcome, number]> {
    return this.counts;
  }
}
