import { tus, type ResumableUploadDocument } from '../../../schemas/uploads/resumable-uploads.js';
import {
  methodNotAllowed,
  unsupportedMediaType,
  uploadOffsetDiffers,
  uploadTooLong,
} from '../../errors/index.js';
import { connectionTurns } from '../../turns/connection-turns.js';
import { attachmentUrl } from '../../organization/uploads/attachments.js';
import type { NewUpload } from '../../organization/uploads/resumable-uploads.js';
import { PIECE_BYTES } from '../../organization/uploads/upload-pieces.js';
import type { Identify } from '../auth/authentication.js';
import type { RequestContext } from '../pipeline.js';
import type { Exchange } from '../reply/exchange.js';
import type { BodyStream } from '../request/body-stream.js';
import { API_BASE, type HttpServer, type SpecialRoute } from '../server.js';
import {
  BYTES_TYPE,
  bytesIn,
  checkVersion,
  headHeaders,
  newUploadOf,
  PLAIN_HEADERS,
  stateHeaders,
  TUS_OPTIONS,
  tusRefusal,
} from './tus-protocol.js';

/**
 * What a request counts in the turns of connections beside its bytes: its checks, and a commit with each piece, take as long as
 * to copy so many.
 */
const REQUEST_BYTES = 64 * 1024;

/** Uploads in pieces, on whichever node the client has reached. Each method returns when its effect is durable. */
export interface Uploads {
  /** @throws ApiError */
  create(userId: number, upload: NewUpload): Promise<ResumableUploadDocument>;
  /** @throws ApiError 410, 503 */
  state(userId: number, id: string): Promise<ResumableUploadDocument>;
  /** @param bytes at most a piece @throws ApiError */
  write(
    userId: number,
    id: string,
    offset: number,
    bytes: Buffer,
  ): Promise<ResumableUploadDocument>;
  /** @throws ApiError */
  end(userId: number, id: string): Promise<void>;
}

interface TusRouteParts {
  readonly uploads: Uploads;
  /** Public address of the server. */
  readonly url: string;
  /** Other credentials than HTTP Basic; absent: none. */
  readonly identify?: Identify;
  readonly server: Pick<HttpServer, 'fail'>;
}

/** What a client asks for. */
interface Asked {
  readonly exchange: Exchange;
  readonly body: BodyStream | null;
  readonly userId: number;
  /** Of the upload; empty where there is none yet. */
  readonly id: string;
}

type Answer = (asked: Asked) => Promise<void>;

/** The tus protocol 1.0.0 (endpoints-files.md#resumable-uploads). */
export function tusRoutes({ uploads, url, identify, server }: TusRouteParts): SpecialRoute[] {
  const create: Answer = async ({ exchange, body, userId }) => {
    const asked = newUploadOf(exchange);
    if (exchange.contentLength > asked.size) throw uploadTooLong();
    let upload = await uploads.create(userId, asked);
    if (exchange.contentType === BYTES_TYPE) upload = await receive(uploads, body, upload);
    else await body?.discard();
    const location = `${baseOf(exchange, url)}${API_BASE}/tus/${upload.id}`;
    const headers = { ...stateHeaders(upload), Location: location };
    if (upload.is_finished) exchange.reply(201, headers, fileText(upload));
    else exchange.replyRaw(201, 'text/plain', { ...headers, ...PLAIN_HEADERS }, '');
  };
  const state: Answer = async ({ exchange, body, userId, id }) => {
    await body?.discard();
    const headers = { ...headHeaders(await uploads.state(userId, id)), ...PLAIN_HEADERS };
    exchange.replyRaw(200, 'text/plain', headers, '');
  };
  const write: Answer = async ({ exchange, body, userId, id }) => {
    if (exchange.hasBody && exchange.contentType !== BYTES_TYPE)
      throw unsupportedMediaType(exchange.contentType);
    const offset = bytesIn(exchange, 'Upload-Offset');
    const before = await uploads.state(userId, id);
    if (before.offset !== offset) throw uploadOffsetDiffers();
    if (offset + exchange.contentLength > before.size) throw uploadTooLong();
    const upload = await receive(uploads, body, before);
    if (upload.is_finished) exchange.reply(200, stateHeaders(upload), fileText(upload));
    else exchange.replyEmpty({ ...stateHeaders(upload), ...PLAIN_HEADERS });
  };
  const end: Answer = async ({ exchange, body, userId, id }) => {
    await uploads.end(userId, id);
    await body?.discard();
    exchange.replyEmpty(PLAIN_HEADERS);
  };
  const override: Answer = async (asked) => {
    const method = asked.exchange.header('x-http-method-override');
    if (method !== 'PATCH' && method !== 'DELETE') throw methodNotAllowed(OVERRIDDEN);
    await (method === 'PATCH' ? write : end)(asked);
  };
  const answers = { create, state, write, end, override };
  return (Object.keys(answers) as (keyof typeof answers)[]).map((name) => ({
    endpoint: tus[name],
    ...(identify ? { identify } : {}),
    streamsBody: true,
    takesSession: true,
    options: TUS_OPTIONS,
    respond: (exchange, request) => {
      answer(answers[name], exchange, request).catch((error: unknown) =>
        server.fail(exchange, error),
      );
    },
  }));
}

const OVERRIDDEN = ['HEAD', 'PATCH', 'DELETE'];

/** @throws the refusal, when the client has sent what it is about */
async function answer(
  work: Answer,
  exchange: Exchange,
  { caller, params, body }: RequestContext,
): Promise<void> {
  try {
    checkVersion(exchange);
    await connectionTurns.turn(REQUEST_BYTES, exchange.account);
    const { upload_id: id = '' } = params as { upload_id?: string };
    await work({ exchange, body, userId: caller!.user.user_id, id });
  } catch (error) {
    await body?.discard();
    throw tusRefusal(error);
  }
}

/** Stores the body piece by piece; also what came of one whose client has gone. @throws ApiError */
async function receive(
  uploads: Uploads,
  body: BodyStream | null,
  begun: ResumableUploadDocument,
): Promise<ResumableUploadDocument> {
  let upload = begun;
  while (body && !body.isAtEnd) {
    const { id, user_id, offset } = upload;
    const bytes = await body.read(PIECE_BYTES - (offset % PIECE_BYTES));
    if (bytes.length > 0) upload = await uploads.write(user_id, id, offset, bytes);
  }
  return upload;
}

/**
 * Where the client reaches the server: a page that was opened under another name than the public one may not call
 * there.
 */
function baseOf({ browser }: Exchange, url: string): string {
  if (browser === null || browser.host === '') return url;
  const { origin, host } = browser;
  return origin === `https://${host}` || origin === `http://${host}` ? origin : url;
}

/** What the client needs to link the file. */
function fileText(upload: ResumableUploadDocument): string {
  return `${JSON.stringify({ url: attachmentUrl(upload), filename: upload.name })}\n`;
}
