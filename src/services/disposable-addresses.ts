import mailchecker from 'mailchecker';

/** Whether an address is of a provider of throw-away mailboxes, or of a subdomain of one. */
export function isDisposableAddress(email: string): boolean {
  const domains = mailchecker.blacklist();
  let domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  for (;;) {
    if (domains.has(domain)) return true;
    const dot = domain.indexOf('.');
    if (dot === -1) return false;
    domain = domain.slice(dot + 1);
  }
}
