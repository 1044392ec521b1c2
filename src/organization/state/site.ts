/** The configuration of the organization's server; not part of its state. */
export interface Site {
  /** Public base URL without path or trailing slash; known once the server listens. */
  url: string;
  /** Number of the organization at this process, from 0; absent: 0. */
  readonly number?: number;
  /** Domain of placeholder and bot addresses. */
  readonly botDomain: string;
  /** Start time of this process, UNIX seconds (`server_generation`). */
  readonly generation: number;
  /** Whether mails reach people; absent: no. */
  readonly mails?: boolean;
  /** Whether pushes are sent; absent: no. */
  readonly pushes?: boolean;
  /** Whether encrypted ones are; absent: no. */
  readonly encryptedPushes?: boolean;
  /** Login methods besides passwords that the server is configured for. */
  readonly logins?: readonly ExtraLogin[];
  /** Services for single sign-on, in the order of their buttons; absent: none. */
  readonly loginServices?: readonly LoginService[];
  /** Services for video calls that the server is configured for; absent: none. */
  readonly videoCalls?: {
    /** Jitsi server of organizations that name none. */
    readonly jitsiUrl: string | null;
    readonly providers: readonly ('BigBlueButton' | 'Zoom')[];
  };
  /** The path at which this server proxies a picture of another server; absent: it does not. */
  readonly outsidePicture?: (address: string) => string;
  /** Whether messages show previews of linked web pages; absent: no. */
  readonly previewsPages?: boolean;
  /** Upload quota of organizations without one of their own, MiB; absent: none. */
  readonly uploadQuotaMib?: number | null;
  /** Most active people; absent or null: any number. */
  readonly memberQuota?: number | null;
  /** Most messages; absent or null: any number. */
  readonly messageQuota?: number | null;
  /** Whether guests who do not see a user do not learn their presence either; absent: they do not. */
  readonly limitsPresence?: boolean;
  /** Pattern of the addresses that accept mail, with `%s` in place of the token; absent or null: none do. */
  readonly mailPattern?: string | null;
}

/** A login method that needs configuration: a directory, signed tokens, or another service. */
export type ExtraLogin = 'LDAP' | 'JWT' | 'OpenID Connect';

/** A service for single sign-on, as buttons show it. */
export interface LoginService {
  /** Part of its addresses. */
  readonly name: string;
  readonly display_name: string;
  readonly display_icon: string | null;
}
