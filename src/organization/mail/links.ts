/** What a link is for; each has a root path of its own (endpoints-invitations.md#sign-up). */
export type LinkKind = 'do_confirm' | 'join' | 'confirm_new_email' | 'password_reset';

/**
 * The address of a link.
 * @param base public base URL without a trailing slash
 * @param uid whose password is to be reset
 */
export function linkUrl(base: string, kind: LinkKind, key: string, uid?: number): string {
  switch (kind) {
    case 'do_confirm':
      return `${base}/accounts/do_confirm/${key}`;
    case 'join':
      return `${base}/join/${key}/`;
    case 'confirm_new_email':
      return `${base}/accounts/confirm_new_email/${key}`;
    case 'password_reset':
      return `${base}/accounts/password/reset/${uid}/${key}/`;
  }
}
