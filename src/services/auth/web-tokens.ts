import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  createLocalJWKSet,
  errors,
  jwtVerify,
  type JSONWebKeySet,
  type JWTVerifyOptions,
} from 'jose';
import Type, { type Static } from 'typebox';
import { wallTime } from '../../platform/time.js';
import { readSettingsFile } from '../settings-file.js';

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

/** Shortest shared secret in bytes: the size of the hash (RFC 7518 section 3.2). */
const MIN_SECRET_BYTES: Readonly<Record<string, number>> = { HS256: 32, HS384: 48, HS512: 64 };
/** Shortest RSA key (RFC 7518 sections 3.3 and 3.5). */
const MIN_RSA_BITS = 2048;
/** Members of a JSON Web Key that only its owner may know (RFC 7518 sections 6.2.2, 6.3.2 and 6.4). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const;
/** Kind of key, as Node names it, and curve of the algorithms that go with keys. */
const KEY_KINDS: readonly (readonly [algorithms: RegExp, type: string, curve?: string])[] = [
  [/^[RP]S/, 'rsa'],
  [/^ES256$/, 'ec', 'prime256v1'],
  [/^ES384$/, 'ec', 'secp384r1'],
  [/^ES512$/, 'ec', 'secp521r1'],
  [/^EdDSA$/, 'ed25519'],
];

/** Seconds by which clocks may differ. */
const CLOCK_TOLERANCE = 30;

/** Longest token, characters: with a certificate chain and hundreds of groups one has some thousand. */
const MAX_TOKEN_LENGTH = 16 * 1024;

/**
 * Longest time until a token's end, seconds, unless the file says otherwise: programs have a token made for the login,
 * and one that is stolen should be worth nothing on the next day.
 */
const MAX_LIFETIME = 86_400;

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
    /** Seconds from now within which a token must end (`exp`); null: it may end later, or never. */
    max_lifetime: Type.Optional(Type.Union([Type.Integer({ minimum: 1 }), Type.Null()])),
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
  private constructor(
    private readonly verify: Verify,
    private readonly maxLifetime: number | null,
  ) {}

  /** @throws Error when the file cannot be used */
  static async load(path: string): Promise<WebTokens> {
    const settings = await readSettingsFile(path, TokenSettings);
    return WebTokens.of(settings, path);
  }

  /** @throws Error when settings contradict each other; `where` begins its message */
  static of(settings: TokenSettings, where: string): WebTokens {
    const { secret, keys, algorithms, max_lifetime: maxLifetime = MAX_LIFETIME } = settings;
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
      requiredClaims: maxLifetime === null ? [] : ['exp'],
    };
    if (secret === undefined) {
      keys!.forEach((key, i) => requireSoundKey(key, algorithms, `${where}: keys[${i}]`));
      const set = createLocalJWKSet({ keys } as JSONWebKeySet);
      const verify: Verify = async (token) => (await jwtVerify(token, set, options)).payload;
      return new WebTokens(verify, maxLifetime);
    }
    const key = Buffer.from(secret);
    for (const name of algorithms) {
      const least = MIN_SECRET_BYTES[name]!;
      if (key.length >= least) continue;
      throw new Error(`${where}: secret has fewer than ${least} bytes, which ${name} needs`);
    }
    const verify: Verify = async (token) => (await jwtVerify(token, key, options)).payload;
    return new WebTokens(verify, maxLifetime);
  }

  /**
   * The address a valid token speaks for (specification-endpoints.md#fetch-api-key-jwt: the claim `email`).
   * @throws TokenError
   */
  async emailOf(token: string): Promise<string> {
    if (token.length > MAX_TOKEN_LENGTH) throw new TokenError('bad');
    const { email, exp } = await this.verify(token).catch((error: unknown) => {
      if (error instanceof errors.JOSEError || error instanceof TypeError) {
        throw new TokenError('bad');
      }
      throw error;
    });
    const { maxLifetime } = this;
    const latest = wallTime() / 1000 + (maxLifetime ?? Infinity) + CLOCK_TOLERANCE;
    if (maxLifetime !== null && Number(exp) > latest) throw new TokenError('bad');
    if (typeof email !== 'string' || email.trim() === '') throw new TokenError('no-email');
    return email.trim();
  }
}

/** @throws Error for a key that is private, too weak, or of no use with the algorithms; tells no value */
function requireSoundKey(
  jwk: Readonly<Record<string, unknown>>,
  algorithms: readonly string[],
  where: string,
): void {
  const secret = PRIVATE_MEMBERS.find((member) => member in jwk);
  if (secret !== undefined) {
    throw new Error(
      `${where} is a private key ("${secret}"): give the public one, make another pair`,
    );
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKeyOf(jwk, where);
  if (type === 'rsa' && details!.modulusLength! < MIN_RSA_BITS) {
    throw new Error(`${where} has ${details!.modulusLength} bits, fewer than ${MIN_RSA_BITS}`);
  }
  if (type === 'rsa' && details!.publicExponent! < 3n) {
    throw new Error(`${where} has a public exponent that signs nothing`);
  }
  const fits = KEY_KINDS.some(
    ([names, kind, curve]) =>
      kind === type &&
      (curve === undefined || curve === details?.namedCurve) &&
      algorithms.some((name) => names.test(name) && (jwk.alg === undefined || jwk.alg === name)),
  );
  if (!fits) throw new Error(`${where} goes with none of the algorithms`);
}

function publicKeyOf(jwk: Readonly<Record<string, unknown>>, where: string): KeyObject {
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
  } catch {
    throw new Error(`${where} is not a public key`);
  }
}
