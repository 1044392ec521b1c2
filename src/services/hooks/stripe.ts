import type { HookMessage, Integration } from './integration.js';
import type { Payload } from './payload.js';
import { timedBodyHmac } from './signatures.js';
import { bold, code, inline, spaced } from './wording.js';

/** What the first words of a kind of event are about; the longest that fits counts. */
const SUBJECTS: readonly (readonly [prefix: string, noun: string])[] = [
  ['charge.dispute.', 'Dispute'],
  ['charge.', 'Charge'],
  ['checkout.session.', 'Checkout'],
  ['customer.subscription.', 'Subscription'],
  ['customer.', 'Customer'],
  ['invoice.', 'Invoice'],
  ['payment_intent.', 'Payment'],
  ['payout.', 'Payout'],
  ['refund.', 'Refund'],
];

const EVENTS = [
  'charge.succeeded',
  'charge.failed',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
  'checkout.session.completed',
  'customer.created',
  'customer.deleted',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.trial_will_end',
  'invoice.created',
  'invoice.finalized',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_succeeded',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payout.paid',
  'payout.failed',
  'refund.created',
  'refund.failed',
] as const;

export const stripe: Integration = {
  name: 'stripe',
  displayName: 'Stripe',
  docs: 'https://docs.stripe.com/api/events',
  events: EVENTS,
  signature: timedBodyHmac('stripe-signature'),
  eventOf: ({ payload }) => payload.get('type').text(),
  message: (event, payload) =>
    (EVENTS as readonly string[]).includes(event) ? told(event, payload) : null,
};

function told(event: string, payload: Payload): HookMessage {
  const [prefix, noun] = SUBJECTS.find(([start]) => event.startsWith(start))!;
  const object = payload.get('data', 'object');
  const id = object.get('id').text();
  const customer = object.get('customer').textOr('');
  const person = object
    .get('email')
    .textOr(
      object.get('customer_email').textOr(object.get('customer_details', 'email').textOr('')),
    );
  const reason = object
    .get('failure_message')
    .textOr(object.get('last_payment_error', 'message').textOr(object.get('reason').textOr('')));
  const test = payload.get('livemode').isThere ? '' : ' (test)';
  return {
    topic: customer === '' ? `${noun.toLowerCase()}s` : customer,
    content:
      `${noun} ${code(id)} ${bold(spaced(event.slice(prefix.length)))}${amountOf(object)}${test}.` +
      (person === '' ? '' : `\n* Customer: ${inline(person)}`) +
      (reason === '' ? '' : `\n* Reason: ${inline(reason)}`),
  };
}

/** Currencies whose amounts have no decimals, and three (https://docs.stripe.com/currencies). */
const WHOLE = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|ugx|vnd|vuv|xaf|xof|xpf)$/;
const THOUSANDTHS = /^(bhd|jod|kwd|omr|tnd)$/;

function amountOf(object: Payload): string {
  const currency = object.get('currency').textOr('').toLowerCase();
  const field = ['amount', 'amount_due', 'amount_total'].find((name) => object.get(name).isThere);
  if (currency === '' || field === undefined) return '';
  const amount = object.get(field).number;
  const decimals = WHOLE.test(currency) ? 0 : THOUSANDTHS.test(currency) ? 3 : 2;
  const shown = (amount / 10 ** decimals).toFixed(decimals);
  return `: ${shown} ${inline(currency.toUpperCase())}`;
}
