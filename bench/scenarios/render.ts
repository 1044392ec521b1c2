import type { RequestPlan } from '../exchange/jobs.js';
import { saturate } from '../harness/load/drive.js';
import { OURS, type Result } from '../harness/measuring/figures.js';
import { BenchOrganization } from '../harness/organization.js';
import { textPlan } from '../harness/load/publish.js';
import { floorRequests, replyBytesOf } from '../harness/load/requests.js';
import { Point, type Scenario, type ScenarioContext } from '../harness/scenario.js';

/** Subscribers of the channel. */
const USERS = 1000;

/** The text that the floor gets, too. */
const FLOOR_TEXT = 'plain text';

/** Length of every text. */
const BYTES = 150;
const FILLER =
  'Some words of an ordinary message, which has a bit more to say than others do, and then it goes on, ' +
  'until there are one hundred and fifty bytes of it.';

/** A kind of text, and what its HTML shows when it was understood. */
interface Text {
  readonly markdown: string;
  readonly shows: readonly string[];
}

function filled(markdown: string): string {
  const rest = BYTES - Buffer.byteLength(markdown) - 2;
  return rest <= 0 ? markdown : `${markdown}\n\n${FILLER.slice(0, rest)}`;
}

/** Texts from one that needs no parser to one of many constructs. @param person is mentioned */
export function renderTexts(person: string): Readonly<Record<string, Text>> {
  const text = (markdown: string, ...shows: string[]): Text => ({
    markdown: filled(markdown),
    shows,
  });
  return {
    'plain text': text(FILLER, '<p>Some words'),
    code: text(
      '```python\ndef area(radius: float) -> float:\n    """Of a circle."""\n    return 3.14159 * radius ** 2\n```',
      'data-code-language="Python"',
      '<span class="k">def</span>',
    ),
    formulas: text('$$E = mc^2$$ and $$\\int_0^1 x^2\\,dx = \\frac{1}{3}$$', 'class="katex"'),
    mentions: text(`@**${person}** and @_**${person}**, please look`, 'class="user-mention"'),
    links: text(
      '[The docs](https://example.com/a?b=1) and https://example.org/x or https://example.net',
      'href="https://example.com/a?b=1"',
      'href="https://example.net"',
    ),
    table: text(
      '| a | b |\n|---|--:|\n| one | 1 |\n| two | **2** |\n| three | 3 |',
      '<table>',
      '<td',
    ),
    'rich Markdown': text(
      `@**${person}**, see **this** and \`code()\` in [the docs](https://example.com): :smile:\n` +
        '* one *item*\n* two https://parley.dev/x\n\n> quoted',
      'class="user-mention"',
      '<li>',
      '<blockquote>',
      'class="emoji',
    ),
  };
}

/** @throws Error when a text is not rendered as what it is */
export async function assertRendered(
  render: (markdown: string) => Promise<string>,
  texts: ReturnType<typeof renderTexts>,
): Promise<void> {
  for (const [name, { markdown, shows }] of Object.entries(texts)) {
    const html = await render(markdown);
    const missing = shows.filter((part) => !html.includes(part));
    if (missing.length > 0) throw new Error(`${name} shows no ${missing.join(', ')}: ${html}`);
  }
}

async function measureText(
  context: ScenarioContext,
  organization: BenchOrganization,
  name: string,
  text: string,
): Promise<Result> {
  const { size } = context;
  const { clients, seconds } = size;
  const point = new Point('render', `POST /messages, ${name}, ${clients} in flight`, size);
  const accounts = Array.from({ length: clients }, (_, index) => organization.account(index));
  const plan: RequestPlan = textPlan(organization.channelId, accounts, text);
  context.progress(`parley: ${name}`);
  const outcome = await saturate(organization, plan, clients, seconds);
  point.add(OURS, outcome);
  // The floor does not look at the text: once is enough.
  if (name !== FLOOR_TEXT) return point.result();
  // As many as ours made, so that both are equally busy.
  const rate = { perSecond: outcome.figures?.ops_per_second ?? 1000, seconds };
  const headers = await organization.replyHeaders();
  const replyBytes = replyBytesOf(outcome, 260);
  await floorRequests(context, point, { plan, connections: clients, rate, replyBytes, headers });
  return point.result();
}

export const render: Scenario = {
  name: 'render',
  work: 'durable messages of 150 bytes to a channel of 1,000: plain, code, formulas, mentions, links, a table',
  full: { clients: 256, seconds: 10 },
  quick: { clients: 256, seconds: 2 },
  async run(context): Promise<Result[]> {
    if (!context.wants(OURS)) return [];
    const { remote, store } = context;
    context.progress('parley: preparing');
    const organization = await BenchOrganization.open({ users: USERS, remote, store });
    try {
      const { api, owner } = organization;
      const me = await api.call('GET', '/users/me', owner.authorization);
      const texts = renderTexts(String(me.full_name));
      await assertRendered(async (content) => {
        const reply = await api.call('POST', '/messages/render', owner.authorization, { content });
        return String(reply.rendered);
      }, texts);
      const results: Result[] = [];
      for (const [name, { markdown }] of Object.entries(texts)) {
        results.push(await measureText(context, organization, name, markdown));
      }
      return results;
    } finally {
      await organization.close();
    }
  },
};
