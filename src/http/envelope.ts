import { ApiError } from '../errors.js';
import type { Reply } from '../resources/route.js';
import type { Exchange } from './exchange.js';

const SUCCESS = '{"result":"success","msg":""';

/** The body of a success (errors.md section 1): one line of JSON, ending with a newline. */
export function successText(reply: Reply, ignored: readonly string[]): string {
  const fields = JSON.stringify(reply);
  const data = fields === '{}' ? '' : `,${fields.slice(1, -1)}`;
  const unsupported =
    ignored.length === 0 ? '' : `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
  return `${SUCCESS}${data}${unsupported}}\n`;
}

/** Answers 200 with the envelope around `reply`. */
export function replySuccess(exchange: Exchange, reply: Reply, ignored: readonly string[]): void {
  if (!exchange.settled) exchange.replyText200(successText(reply, ignored));
}

/** Answers with a catalogued refusal. */
export function replyError(exchange: Exchange, error: ApiError): void {
  exchange.reply(error.status, error.headers, JSON.stringify(error.body()) + '\n');
}
