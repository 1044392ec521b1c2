/** A bucket of a store with the S3 protocol. */
export interface S3Place {
  readonly kind: 's3';
  readonly bucket: string;
  /** Base URL of the store. */
  readonly endpoint: string;
  readonly region: string;
  /** What all keys begin with, without a slash at its end; may be empty. */
  readonly prefix: string;
  /** Whether the bucket stands in the path of URLs (`path`) or before the host's name (`virtual`). */
  readonly style: 'path' | 'virtual';
}

/** What requests to a store of files are signed with. */
export interface S3Keys {
  readonly keyId: string;
  readonly secret: string;
  /** Of temporary credentials. */
  readonly token?: string;
}

/** Where the keys come from: the environment, or a file that may change while the server runs. */
export type S3KeySource = S3Keys | { readonly file: string };
