import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTVerifyOptions,
} from 'jose';
import Type, { type Static } from 'typebox';
import { readSettingsFile } from './settings-file.js';

/** Signature algorithms an operator may allow; never `none`. */
const ALGORITHMS = [
  'HS256',
  'HS384',
  'HS512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
] as const;

/** Shortest shared secret in bytes (RFC 7518 section 3.2 asks for the size of the hash). */
const MIN_SECRET_BYTES = 32;

/** Seconds by which clocks may differ. */
const CLOCK_TOLERANCE = 30;

/** What the file named by `PARLEY_JWT` says. */
const TokenSettings = Type.Object(
  {
    algorithms: Type.Array(Type.Enum([...ALGORITHMS]), { minItems: 1 }),
    /** Shared secret of the HS algorithms, as text. */
    secret: Type.Optional(Type.String()),
    /** Public keys as a JSON Web Key Set (RFC 7517). */
    keys: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1 })),
    /** A token must name one of these; absent: the audience is not looked at. */
    audience: Type.Optional(
      Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })]),
    ),
    issuer: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

type TokenSettings = Static<typeof TokenSettings>;

/** Why a token was refused: it proves nothing, or it proves something about nobody. */
export type TokenFault = 'bad' | 'no-email';

/** A token that is not accepted. */
export class TokenError extends Error {
  constructor(readonly fault: TokenFault) {
    super(`The token was refused: ${fault}`);
    this.name = 'TokenError';
  }
}

type Verify = (token: string) => Promise<Record<string, unknown>>;

/** Checks JSON Web Tokens (RFC 7519) against configured keys and algorithms. */
export class WebTokens {
  private constructor(private readonly verify: Verify) {}

  /** @throws Error when the file cannot be used */
  static async load(path: string): Promise<WebTokens> {
    const settings = await readSettingsFile(path, TokenSettings);
    return WebTokens.of(settings, path);
  }

  /** @throws Error when settings contradict each other; `where` begins its message */
  static of(settings: TokenSettings, where: string): WebTokens {
    const { secret, keys, algorithms } = settings;
    if ((secret === undefined) === (keys === undefined)) {
      throw new Error(`${where}: give either secret or keys`);
    }
    const shared = algorithms.filter((name) => name.startsWith('HS'));
    // A public key taken for a shared secret would let anybody sign.
    if (shared.length !== (secret === undefined ? 0 : algorithms.length)) {
      throw new Error(`${where}: HS algorithms go with secret, all others with keys`);
    }
    const options: JWTVerifyOptions = {
      algorithms,
      audience: settings.audience,
      issuer: settings.issuer,
      clockTolerance: CLOCK_TOLERANCE,
    };
    if (secret === undefined) {
      const set = createLocalJWKSet({ keys } as unknown as JSONWebKeySet);
      return new WebTokens(async (token) => (await jwtVerify(token, set, options)).payload);
    }
    const key = Buffer.from(secret);
    if (key.length < MIN_SECRET_BYTES) {
      throw new Error(`${where}: secret has fewer than ${MIN_SECRET_BYTES} bytes`);
    }
    return new WebTokens(async (token) => (await jwtVerify(token, key, options)).payload);
  }

  /**
   * The address a valid token speaks for (seed, endpoint 12: the claim `email`).
   * @throws TokenError
   */
  async emailOf(token: string): Promise<string> {
    const { email } = await this.verify(token).catch((error: unknown) => {
      if (error instanceof errors.JOSEError || error instanceof TypeError) {
        throw new TokenError('bad');
      }
      throw error;
    });
    if (typeof email !== 'string' || email.trim() === '') throw new TokenError('no-email');
    return email.trim();
  }
}
