import t from 'tap';
import { jira } from '../../../../src/services/hooks/jira.js';
import { json, zapier } from '../../../../src/services/hooks/plain.js';
import { stripe } from '../../../../src/services/hooks/stripe.js';
import { told } from './told.js';

void t.test('Jira: issues and comments', async (t) => {
  // After https://developer.atlassian.com/cloud/jira/platform/webhooks/
  const base = {
    user: { displayName: 'Bryan Rollins' },
    issue: {
      key: 'JRA-20002',
      self: 'https://jira.example.com/rest/api/2/issue/99291',
      fields: {
        summary: 'I feel the need for speed',
        priority: { name: 'Critical' },
        assignee: null,
      },
    },
  };
  const topic = 'JRA-20002: I feel the need for speed';
  const link = `[${topic}](https://jira.example.com/browse/JRA-20002)`;
  t.same(told(jira, { webhookEvent: 'jira:issue_created', ...base }), [
    topic,
    `Bryan Rollins created ${link}.\n* Priority: **Critical**`,
  ]);
  const items = [
    { field: 'summary', fromString: "What's going on?????", toString: 'A new summary.' },
    { field: 'issuetype', fromString: 'Improvement', toString: '' },
  ];
  t.same(told(jira, { webhookEvent: 'jira:issue_updated', ...base, changelog: { items } }), [
    topic,
    `Bryan Rollins updated ${link}:\n* summary is now **A new summary.** (was What's going on?????)` +
      '\n* issuetype was removed (Improvement)',
  ]);
  t.equal(told(jira, { webhookEvent: 'jira:issue_updated', ...base }), null, 'a comment alone');
  const comment = { author: { displayName: 'Joe' }, body: 'Just in time' };
  t.same(told(jira, { webhookEvent: 'comment_created', ...base, comment }), [
    topic,
    `Joe commented on ${link}:\n\n~~~ quote\nJust in time\n~~~`,
  ]);
});

void t.test('Jira: an issue whose key is half a character', async (t) => {
  const issue = { key: '\ud800', self: 'https://jira.example.com/rest/api/2/issue/1' };
  t.same(told(jira, { webhookEvent: 'jira:issue_created', issue }), [
    '\ufffd: ',
    'Somebody created [\ufffd:](https://jira.example.com/browse/%EF%BF%BD).',
  ]);
});

void t.test('Stripe: events of payments become messages with amount and customer', async (t) => {
  // After https://docs.stripe.com/api/events
  const event = (type: string, object: object, livemode = true) => ({
    type,
    livemode,
    data: { object },
  });
  t.same(
    told(
      stripe,
      event('charge.failed', {
        id: 'ch_1',
        amount: 1050,
        currency: 'usd',
        customer: 'cus_1',
        failure_message: 'Your card was declined.',
      }),
    ),
    ['cus_1', 'Charge `ch_1` **failed**: 10.50 USD.\n* Reason: Your card was declined.'],
  );
  t.same(told(stripe, event('customer.created', { id: 'cus_1', email: 'a@example.com' }, false)), [
    'customers',
    'Customer `cus_1` **created** (test).\n* Customer: a@example.com',
  ]);
  t.same(
    told(
      stripe,
      event('invoice.payment_failed', {
        id: 'in_1',
        amount_due: 1500,
        currency: 'jpy',
        customer: 'cus_1',
      }),
    ),
    ['cus_1', 'Invoice `in_1` **payment failed**: 1500 JPY.'],
  );
  t.match(
    told(
      stripe,
      event('charge.dispute.created', {
        id: 'dp_1',
        amount: 5,
        currency: 'eur',
        reason: 'fraudulent',
      }),
    ),
    ['disputes', /^Dispute `dp_1` \*\*created\*\*: 0\.05 EUR\.\n\* Reason: fraudulent$/],
  );
  const amount = (currency: string) => {
    const charge = { id: 'ch_1', amount: 5124, currency };
    return told(stripe, event('charge.succeeded', charge))![1].split(': ')[1];
  };
  t.same(['usd', 'krw', 'kwd', 'TND'].map(amount), [
    '51.24 USD.',
    '5124 KRW.',
    '5.124 KWD.',
    '5.124 TND.',
  ]);
  const session = {
    id: 'cs_1',
    customer_email: null,
    customer_details: { email: 'a@example.com' },
  };
  t.same(told(stripe, event('checkout.session.completed', session)), [
    'checkouts',
    'Checkout `cs_1` **completed**.\n* Customer: a@example.com',
  ]);
  t.equal(told(stripe, event('balance.available', {})), null);
});

void t.test('Zapier says topic and text itself', async (t) => {
  t.same(told(zapier, { topic: 'a', content: 'b' }), ['a', 'b']);
  t.same(told(zapier, { subject: 'a', content: 'b' }), ['a', 'b']);
  t.same(told(zapier, { content: 'b' }), ['Zapier', 'b']);
});

void t.test('JSON is shown as it is, in a fence that it cannot end', async (t) => {
  t.same(told(json, { a: [1] }), ['JSON', '```json\n{\n  "a": [\n    1\n  ]\n}\n```']);
  t.same(told(json, '```'), ['JSON', '````json\n"```"\n````']);
  const long = told(json, 'x'.repeat(20_000))![1];
  t.equal(long.length, '```json\n'.length + 8000 + '\n```'.length);
});
