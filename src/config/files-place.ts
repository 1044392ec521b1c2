/** Where uploaded files are kept, as the operator says it: `--files`, and the credentials of a store of files. */
import type { S3KeySource, S3Place } from '../services/s3/place.js';
import { ConfigError, type Given } from './values.js';

/** A folder, or a bucket. */
export type FilesPlace = { readonly kind: 'folder'; readonly path: string } | S3Place;

type Environment = Readonly<Record<string, string | undefined>>;

/** Parameters of the URL of a bucket. */
const PARAMETERS: ReadonlySet<string> = new Set(['endpoint', 'region', 'prefix', 'style']);
/** Names of buckets, by Amazon's rules. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Segments that need no encoding and cannot be mistaken for steps up. */
const PREFIX = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
const MAX_PREFIX_LENGTH = 200;
/** The region of stores that have none, such as MinIO, and Amazon's first one. */
const USUAL_REGION = 'us-east-1';

/** The place of uploaded files; null: beside the data. @throws ConfigError that repeats nothing of a bucket's URL */
export function filesFrom({ value, source }: Given, environment: Environment): FilesPlace | null {
  if (value === '') return null;
  if (/^s3:/i.test(value)) return bucketFrom({ value, source }, environment);
  const path = value.replace(/^folder:/, '');
  // One letter is a drive of Windows.
  if (path !== '' && (path !== value || !/^[a-z][a-z0-9+.-]+:/i.test(value))) {
    return { kind: 'folder', path };
  }
  throw new ConfigError(`${source}: not a place for files such as s3://BUCKET or folder:/PATH`);
}

/** A place as `--files` takes it. */
export function filesText(place: FilesPlace): string {
  if (place.kind === 'folder') return `folder:${place.path}`;
  const { bucket, endpoint, region, prefix, style } = place;
  const parameters = new URLSearchParams({ endpoint, region, style });
  if (prefix !== '') parameters.set('prefix', prefix);
  return `s3://${bucket}?${parameters.toString()}`;
}

function bucketFrom({ value, source }: Given, environment: Environment): S3Place {
  const fail = (what: string): never => {
    throw new ConfigError(`${source}: ${what}`);
  };
  const url = URL.canParse(value) ? new URL(value) : fail('not a URL such as s3://BUCKET');
  const names = [...url.searchParams.keys()];
  const unknown = names.some((name) => !PARAMETERS.has(name));
  if (url.username !== '' || url.password !== '' || unknown) {
    fail(
      'the URL of a bucket takes endpoint, region, prefix and style; credentials come from AWS_ACCESS_KEY_ID and ' +
        'AWS_SECRET_ACCESS_KEY, or from --files-credentials-file',
    );
  }
  if (new Set(names).size < names.length) fail('a parameter stands twice');
  if (url.port !== '' || !/^\/?$/.test(url.pathname) || url.hash !== '') {
    fail('after the bucket come parameters alone: s3://BUCKET?endpoint=…&prefix=…');
  }
  const bucket = url.hostname;
  if (!BUCKET.test(bucket)) fail('not the name of a bucket');
  const given = url.searchParams.get('endpoint');
  const region = regionFrom(url, environment, given !== null);
  if (region === null || !/^[a-z0-9-]{1,64}$/i.test(region)) {
    return fail('say the region: s3://BUCKET?region=…');
  }
  const prefix = (url.searchParams.get('prefix') ?? '').replace(/\/$/, '');
  if (prefix !== '' && (!PREFIX.test(prefix) || prefix.length > MAX_PREFIX_LENGTH)) {
    fail('a prefix has letters, digits and ._- in parts between slashes');
  }
  const style = url.searchParams.get('style') ?? usualStyle(bucket, given !== null);
  if (style !== 'path' && style !== 'virtual') return fail('style is path or virtual');
  const endpoint =
    given === null ? `https://s3.${region}.amazonaws.com` : (originOf(given) ?? badEndpoint(fail));
  return { kind: 's3', bucket, endpoint, region, prefix, style };
}

function badEndpoint(fail: (what: string) => never): never {
  return fail('the endpoint is no base URL such as https://minio.example.org:9000');
}

function regionFrom(url: URL, environment: Environment, hasEndpoint: boolean): string | null {
  const { AWS_REGION, AWS_DEFAULT_REGION } = environment;
  const region = url.searchParams.get('region') || AWS_REGION || AWS_DEFAULT_REGION;
  return region || (hasEndpoint ? USUAL_REGION : null);
}

/** As Amazon asks for, except where a dot in the name would not match its certificate; other stores know paths. */
function usualStyle(bucket: string, hasEndpoint: boolean): S3Place['style'] {
  return hasEndpoint || bucket.includes('.') ? 'path' : 'virtual';
}

/** The base URL, or null for an invalid one. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.pathname !== '/') return null;
  return url.search + url.hash + url.username + url.password === '' ? url.origin : null;
}

/**
 * Where the credentials of a bucket come from; null where files are in a folder.
 * @param file as an option names it; empty for none
 * @throws ConfigError where there are none
 */
export function filesKeysFrom(
  place: FilesPlace | null,
  file: Given,
  environment: Environment,
): S3KeySource | null {
  if (place?.kind !== 's3') {
    if (file.value === '') return null;
    throw new ConfigError(`${file.source}: files in a folder have no credentials`);
  }
  if (file.value !== '') return { file: file.value };
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) {
    throw new ConfigError(
      `${file.source}: a bucket needs credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, ` +
        'or this file',
    );
  }
  return {
    keyId: AWS_ACCESS_KEY_ID,
    secret: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { token: AWS_SESSION_TOKEN } : {}),
  };
}
