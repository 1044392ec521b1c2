/** The domain of an e-mail address, in the form in which domains are compared. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
