import { exchange, type ApiClient, type Body, type Reply } from './client.js';

export const JSON_TYPE = { 'Content-Type': 'application/json' };

/** A bot of somebody that takes webhooks, as its services see it. */
export class Hook {
  private constructor(
    readonly id: number,
    private readonly owner: ApiClient,
    private readonly key: string,
  ) {}

  static async create(owner: ApiClient, name: string, more: Body = {}): Promise<Hook> {
    const bot = { full_name: name, short_name: name.toLowerCase(), bot_type: 2, ...more };
    const { user_id, api_key } = await owner.ok('POST', '/bots', bot);
    return new Hook(Number(user_id), owner, String(api_key));
  }

  /** What a service sees that tries the address. */
  async probe(method: string, integration: string): Promise<number> {
    return (await this.ask(integration, '&stream=general', { method })).status;
  }

  /** As it came, which may be no JSON. */
  ask(integration: string, query: string, options: RequestInit = {}): Promise<Response> {
    const path = `/api/v1/external/${integration}?api_key=${this.key}${query}`;
    return fetch(this.owner.url + path, options);
  }

  call(
    integration: string,
    query: Readonly<Record<string, string>>,
    body: unknown,
    headers: Readonly<Record<string, string>> = JSON_TYPE,
  ): Promise<Reply> {
    const search = new URLSearchParams({ api_key: this.key, ...query });
    const path = `/api/v1/external/${integration}?${String(search)}`;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return exchange(this.owner.url, 'POST', path, { headers, body: text });
  }

  /** Topics and texts that the bot sent, oldest first, as its owner sees them. */
  async messages(): Promise<Body[]> {
    const page = { anchor: 'newest', num_before: 100, num_after: 0, apply_markdown: false };
    const { messages } = await this.owner.ok('GET', '/messages', page);
    return (messages as Body[]).filter(({ sender_id }) => sender_id === this.id);
  }
}
