import { Agent, request } from 'node:http';
import type { EndpointDescriptor } from '../../../../schemas/endpoint.js';
import { form, FORM, type Parameters } from '../client.js';

/** One request of the largest size that an endpoint admits. */
export interface LargestCall {
  /** Those of the path included. */
  readonly params?: Parameters;
  /** Whose request it is, as an `Authorization` header; the owner's unless said. */
  readonly as?: string;
  /** Instead of a form: a body of any type. */
  readonly body?: { readonly type: string; readonly bytes: Buffer };
  readonly headers?: Readonly<Record<string, string>>;
  /** The status of the answer where it is a refusal. */
  readonly status?: number;
  /** What the answer says where it is a refusal that a bound makes; its status is 400 unless said. */
  readonly refusal?: string;
  /** Any refusal will do: nothing here offers it. */
  readonly isRefused?: true;
  /** What the request is, where an endpoint has several. */
  readonly what?: string;
}

/** What came back; its text is kept only where it is short. */
export interface LargestReply {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

/** One connection each: the server ends those that were idle for long, as they are on a busy machine. */
const agent = new Agent({ keepAlive: false });
const KEPT = 100_000;

function pathOf(endpoint: EndpointDescriptor, params: Record<string, unknown>): string {
  const filled = endpoint.path.replace(/\{([^}+]*)\+?\}/g, (_, name: string) => {
    const value = encodeURIComponent(String(params[name])).replaceAll('%2F', '/');
    delete params[name];
    return value;
  });
  return endpoint.atRoot ? filled : `/api/v1${filled}`;
}

/** Sends a request and reads its answer, without looking into it. */
export function send(
  url: string,
  endpoint: EndpointDescriptor,
  { params = {}, body, as, headers: more }: LargestCall,
): Promise<LargestReply> {
  const rest: Record<string, unknown> = { ...params };
  const path = pathOf(endpoint, rest);
  const text = form(rest);
  const inQuery = endpoint.method === 'GET' && text.length > 0 && text.length < 60_000;
  const bytes = body?.bytes ?? Buffer.from(inQuery ? '' : text);
  const headers: Record<string, string | number> = { ...more, 'Content-Length': bytes.length };
  if (as !== undefined) headers.Authorization = as;
  if (bytes.length > 0) headers['Content-Type'] = body?.type ?? FORM['Content-Type'];
  return new Promise((resolve, reject) => {
    const target = `${url}${path}${inQuery ? `?${text}` : ''}`;
    const sent = request(target, { method: endpoint.method, agent, headers }, (response) => {
      let size = 0;
      let kept = '';
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (kept.length < KEPT) kept += chunk.toString();
      });
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, bytes: size, text: kept.slice(0, KEPT) }),
      );
    });
    sent.on('error', reject);
    sent.end(bytes);
  });
}
