const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether a text is base64 with its padding; the empty text is. */
export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

/**
 * Whether a text is base64 as lenient decoders read it, who skip what is not of the alphabet (RFC 2045
 * section 6.8): such readers have always decided which push tokens are good.
 */
export function isLooseBase64(text: string): boolean {
  return BASE64.test(text.replace(/[^A-Za-z0-9+/=]/g, ''));
}
