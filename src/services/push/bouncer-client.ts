import { post, type JsonReply } from '../json-request.js';

/** A service that has the keys of the apps, and to which servers hand their notices. */
export interface BouncerSettings {
  readonly url: string;
  /** What the service knows the server by. */
  readonly id: string;
  readonly key: string;
}

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** The service refused: with a status, and the code of its error where it says more than the status. */
export class BouncerError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`The push bouncer answered ${status} ${code}`.trimEnd());
    this.name = 'BouncerError';
  }
}

/** Requests to a push bouncer. */
export class BouncerClient {
  constructor(private readonly settings: BouncerSettings) {}

  /** @throws BouncerError, or any error where there is no answer */
  postForm(what: string, fields: Readonly<Record<string, string>>): Promise<JsonReply['body']> {
    return this.request(what, FORM, new URLSearchParams(fields).toString());
  }

  /** @throws BouncerError, or any error where there is no answer */
  postJson(what: string, body: object): Promise<JsonReply['body']> {
    return this.request(what, JSON_TYPE, JSON.stringify(body));
  }

  private async request(
    what: string,
    headers: Readonly<Record<string, string>>,
    body: string,
  ): Promise<JsonReply['body']> {
    const { url, id, key } = this.settings;
    const authorization = `Basic ${Buffer.from(`${id}:${key}`).toString('base64')}`;
    const address = `${url.replace(/\/$/, '')}/api/v1/remotes/push/${what}`;
    const reply = await post(address, { ...headers, Authorization: authorization }, body);
    if (reply.status === 200) return reply.body;
    const { code } = reply.body;
    const named = typeof code === 'string' && code !== 'BAD_REQUEST' ? code : '';
    throw new BouncerError(reply.status, named);
  }
}
