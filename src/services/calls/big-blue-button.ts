import { createHash } from 'node:crypto';
import { fetch } from '../../platform/network.js';
import { timeoutSignal } from '../../platform/timers.js';
import { SealedState } from '../auth/sealed-state.js';
import { newToken } from '../auth/random-token.js';
import { boundedText } from '../json-request.js';
import type { BigBlueButtonSettings } from './call-settings.js';

/** Longest wait for an answer: somebody waits for the call. Milliseconds. */
const TIMEOUT_MS = 10_000;
/** Answers have a few kilobytes; a longer one is invalid. */
const MAX_REPLY = 64 * 1024;

/** What the link of a call says. */
interface Call {
  readonly meeting: string;
  readonly name: string;
  /** No cameras. */
  readonly voice: boolean;
}

/**
 * BigBlueButton makes calls on a server of that name (its API of version 2.4 and later). A call is a link that nobody
 * else can make, and no meeting until somebody joins; whoever has the link may join.
 */
export class BigBlueButton {
  private readonly links: SealedState;
  private readonly base: string;

  /** @param secret of the server; links of all nodes are the same */
  constructor(
    private readonly settings: BigBlueButtonSettings,
    secret: Buffer,
  ) {
    this.links = new SealedState(secret, 'call');
    this.base = settings.url.endsWith('/') ? settings.url : `${settings.url}/`;
  }

  /** The contents of the link of a new call. */
  newCall(name: string, voice: boolean): string {
    const call: Call = { meeting: newToken(), name, voice };
    // Links stay in messages for years; the meeting is created again when somebody follows one.
    return this.links.seal(call, Number.MAX_SAFE_INTEGER);
  }

  /** The name of a call from its link; null for an invalid link. */
  nameOf(link: string): string | null {
    return this.callOf(link)?.name ?? null;
  }

  /**
   * Creates the meeting unless it exists.
   * @returns the address to join; null for an invalid link
   * @throws Error where the server refuses or does not answer
   */
  async join(link: string, fullName: string): Promise<string | null> {
    const call = this.callOf(link);
    if (!call) return null;
    const answer = await this.create(call);
    const createTime = /<createTime>(\d{1,20})<\/createTime>/.exec(answer)?.[1];
    if (!/<returncode>SUCCESS<\/returncode>/.test(answer) || createTime === undefined) {
      const reason = /<messageKey>([A-Za-z]{1,60})<\/messageKey>/.exec(answer)?.[1];
      throw new Error(`refused: ${reason ?? 'for an unknown reason'}`);
    }
    return this.signed('join', {
      meetingID: call.meeting,
      // Moderators may share and switch cameras on, as all may here, but for a call without cameras.
      role: call.voice ? 'VIEWER' : 'MODERATOR',
      fullName,
      createTime,
    });
  }

  private async create({ meeting, name, voice }: Call): Promise<string> {
    const url = this.signed('create', {
      meetingID: meeting,
      name,
      lockSettingsDisableCam: String(voice),
    });
    const signal = timeoutSignal(TIMEOUT_MS);
    const response = await fetch(url, { redirect: 'error', signal });
    return boundedText(response, MAX_REPLY);
  }

  private callOf(link: string): Call | null {
    return this.links.open(link, 0) as Call | null;
  }

  /** The address of a call of the API, with the checksum that proves that its caller knows the secret. */
  private signed(operation: string, parameters: Readonly<Record<string, string>>): string {
    const query = Object.entries(parameters)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join('&');
    const checksum = createHash('sha256')
      .update(`${operation}${query}${this.settings.secret}`)
      .digest('hex');
    return `${this.base}api/${operation}?${query}&checksum=${checksum}`;
  }
}
