import { Calls, formOf, type ClientOptions } from './calls.js';
import { EventFeed, type FeedOptions } from './feed.js';

/** An account's connection to a server. */
export class Client extends Calls {
  /** Logs in by password. @throws ParleyError where the server refuses it */
  static async login(
    url: string,
    username: string,
    password: string,
    options: ClientOptions & { readonly twoFactorCode?: string } = {},
  ): Promise<Client> {
    const two_factor_code = options.twoFactorCode;
    const nobody = new Client(url, { email: '', apiKey: '' }, options);
    const reply = await nobody.call('POST /fetch_api_key', {
      username,
      password,
      two_factor_code,
    });
    return new Client(url, { email: reply.email, apiKey: reply.api_key }, options);
  }

  /**
   * Logs the browser in that shows a page of the server: its cookie opens the account, and no script reads that.
   * @throws ParleyError where the server refuses
   */
  static async logInBrowser(
    url: string,
    username: string,
    password: string,
    options: ClientOptions & { readonly twoFactorCode?: string } = {},
  ): Promise<Client> {
    const visitor = new this(url, { csrfToken: '' }, options);
    const params = { username, password, two_factor_code: options.twoFactorCode };
    const response = await visitor.request('/json/sessions', {
      method: 'POST',
      body: new URLSearchParams(formOf(params)),
    });
    const { csrf_token: csrfToken } = await visitor.read<{ csrf_token: string }>(response);
    return new this(url, { csrfToken }, options);
  }

  /** Ends the login of the browser. */
  async logOutBrowser(): Promise<void> {
    await this.read(await this.request('/json/logout', { method: 'POST' }));
  }

  /** The events of a queue, as they come; see {@link EventFeed}. */
  events(options: FeedOptions = {}): EventFeed {
    return new EventFeed(this, options);
  }
}
