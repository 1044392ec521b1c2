import { ApiError } from '../errors.js';
import { EncodedReply } from '../resources/kernel/encoded-reply.js';
import type { Reply } from '../resources/kernel/route.js';
import type { Exchange } from './exchange.js';
import { replyJsonBytes, replyJsonText } from './json-reply.js';
import { encodeInStretches, isLargeReply } from './reply-text.js';

const SUCCESS = '{"result":"success","msg":""';

/** The body of a success (errors.md#envelope): one line of JSON, ending with a newline. */
export function successText(reply: Reply, ignored: readonly string[]): string {
  const fields = JSON.stringify(reply);
  const data = fields === '{}' ? '' : `,${fields.slice(1, -1)}`;
  return `${SUCCESS}${data}${unsupported(ignored)}}\n`;
}

function unsupported(ignored: readonly string[]): string {
  return ignored.length === 0 ? '' : `,"ignored_parameters_unsupported":${JSON.stringify(ignored)}`;
}

/**
 * Answers 200 with the envelope around `reply`.
 * @returns what fails when a reply does that is encoded in stretches, or sent in pieces
 */
export function replySuccess(
  exchange: Exchange,
  reply: Reply,
  ignored: readonly string[],
): Promise<void> | undefined {
  if (exchange.settled) return undefined;
  if (reply instanceof EncodedReply) {
    const { fields, pieces } = reply;
    return encodeInStretches(fields).then((first) =>
      replyPieces(exchange, [...first, ...pieces], ignored),
    );
  }
  if (isLargeReply(reply)) {
    return encodeInStretches(reply).then((pieces) => replyPieces(exchange, pieces, ignored));
  }
  return replyJsonText(exchange, successText(reply, ignored));
}

function replyPieces(
  exchange: Exchange,
  pieces: readonly Buffer[],
  ignored: readonly string[],
): Promise<void> | undefined {
  const end = `${unsupported(ignored)}}\n`;
  return replyJsonBytes(exchange, [Buffer.from(SUCCESS), ...pieces, Buffer.from(end)]);
}

/** A challenge that no browser knows: of `Basic` it would ask people for a name and password. */
const BROWSER_CHALLENGE = { 'WWW-Authenticate': 'xBasic realm="zulip"' };

/** Answers with a catalogued refusal. */
export function replyError(exchange: Exchange, error: ApiError): void {
  const challenges = error.headers['WWW-Authenticate'] !== undefined;
  const headers =
    challenges && exchange.isFromBrowser
      ? { ...error.headers, ...BROWSER_CHALLENGE }
      : error.headers;
  exchange.reply(error.status, headers, JSON.stringify(error.body()) + '\n');
}
