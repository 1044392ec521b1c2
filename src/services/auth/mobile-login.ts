/** A pad as long as an API key, in hexadecimal. */
const PAD = /^[0-9a-f]{64}$/i;

/** Whether a text is a pad of a mobile app (`mobile_flow_otp`). */
export function isPad(text: string): boolean {
  return PAD.test(text);
}

/**
 * Where a browser leads to hand a login to the mobile app that opened it (endpoints-invitations.md#mobile-login). The
 * key is XORed with the app's pad, so another app that takes the address cannot use it.
 */
export function mobileLogin(
  realm: string,
  { email, user_id }: { readonly email: string; readonly user_id: number },
  key: string,
  pad: string,
): string {
  const padded = Buffer.from(pad, 'hex');
  const encrypted = Buffer.from(key, 'latin1').map((byte, i) => byte ^ padded[i]!);
  const query = new URLSearchParams({
    realm,
    email,
    user_id: String(user_id),
    otp_encrypted_api_key: Buffer.from(encrypted).toString('hex'),
  });
  return `zulip://login?${query.toString()}`;
}
