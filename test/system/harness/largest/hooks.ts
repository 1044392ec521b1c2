import type { LargestCall } from './call.js';
import type { Rows } from './world.js';

/** Bytes of a webhook that leave room for what is around the part that fills it. */
const FILLED = 1024 * 1024 - 500;

/** As many copies of a text as a webhook has room for. */
function fill(part: string): string {
  return part.repeat(FILLED / part.length);
}

/** Entries of a list that a webhook has room for, but no more lists, objects and members than it may have. */
function entries(entry: string, nodes: number): string {
  const count = Math.min(FILLED / (entry.length + 1), 49_000 / nodes);
  return Array.from({ length: count }, () => entry).join();
}

const TOO_MANY = 'The payload has too many lists, objects and members (limit: 50000).';

/** Webhooks that are costly to read: by the service that they say they come from, and what is costly. */
const HOOKS: Readonly<Record<string, readonly [service: string, body: string, refusal?: string]>> =
  {
    numbers: ['json', `[${fill('1,')}1]`],
    'many lists': ['json', `[${fill('[],')}1]`, TOO_MANY],
    'many names': ['json', `{${manyNames(100_000)}}`, TOO_MANY],
    'alerts without a word': [
      'alertmanager',
      `{"status":"firing","receiver":"a","alerts":[${entries('{}', 1)}]}`,
    ],
    'alerts that are none': [
      'alertmanager',
      `{"status":"firing","receiver":"a","alerts":[${fill('1,')}1]}`,
    ],
    'an alert of many values': [
      'grafana',
      `{"title":"a","alerts":[{"values":{${manyNames(9_000)}}}]}`,
    ],
    commits: [
      'gitlab',
      `{"ref":"a","user_name":"a","commits":[${entries('{"message":"[a] b","id":1}', 3)}]}`,
    ],
    changes: [
      'jira',
      '{"webhookEvent":"jira:issue_updated","issue":{"key":"A"},"changelog":{"items":[' +
        `${entries('{"toString":"**","fromString":"a"}', 3)}]}}`,
    ],
    'a long log': [
      'jenkins',
      `{"name":"a","build":{"phase":"COMPLETED","number":1,"status":"a","log":"${fill('a\\n')}"}}`,
    ],
    'lines of a table': [
      'beanstalk',
      `{"ref":"a","pusher_name":"a","repository":{"name":"a"},"commits":[${entries('{"message":"[a] b","id":1}', 3)}]}`,
    ],
    'open tags': [
      'freshdesk',
      '{"freshdesk_webhook":{"triggered_event":"{ticket_action:created}","ticket_id":1,"ticket_subject":"a",' +
        `"requester_name":"a","requester_email":"a","ticket_description":"${fill('<br ')}"}}`,
    ],
    'single backticks': ['slack_incoming', `{"text":"${fill('`a')}"}`],
    'pairs of backticks': ['slack_incoming', `{"text":"${fill('`` ')}"}`],
    'words in bold': ['slack_incoming', `{"text":"${fill(' *a*')}"}`],
    fields: [
      'slack_incoming',
      `{"blocks":[{"type":"section","fields":[${entries('{"text":"*a*"}', 2)}]}]}`,
    ],
    sections: [
      'slack_incoming',
      `{"attachments":[${Array.from({ length: 20 }, () => `{"blocks":[${sections(20)}]}`).join()}]}`,
    ],
  };

function manyNames(count: number): string {
  return Array.from({ length: count }, (_, i) => `"${i.toString(36)}":1`).join();
}

function sections(count: number): string {
  const fields = entries('{"text":"*a*"}', 2 * 20 * 20 * 2);
  const section = `{"type":"section","fields":[${fields}]}`;
  return Array.from({ length: count }, () => section).join();
}

const FORM = 'application/x-www-form-urlencoded';

/** Webhooks. */
export const HOOK_ROWS: Rows = {
  'probe-webhook': ({ hook }) => [
    { what: 'an address', as: hook.authorization, params: { integration: 'json' } },
  ],
  'receive-webhook': ({ hook }) => {
    const as = hook.authorization;
    const calls: LargestCall[] = Object.entries(HOOKS).map(
      ([what, [integration, text, refusal]]) => ({
        what,
        as,
        params: { integration },
        body: { type: 'application/json', bytes: Buffer.from(text) },
        ...headersOf(integration),
        ...(refusal === undefined ? {} : { refusal }),
      }),
    );
    calls.push({
      what: 'a form of many fields',
      as,
      params: { integration: 'json' },
      body: { type: FORM, bytes: Buffer.from(fill('a=1&')) },
      refusal: 'Too many form fields (limit: 1000)',
    });
    return calls;
  },
};

function headersOf(integration: string): Pick<LargestCall, 'headers'> {
  return integration === 'gitlab' ? { headers: { 'X-Gitlab-Event': 'Push Hook' } } : {};
}
