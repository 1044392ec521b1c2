/** What messages are given: made of the English catalog by scripts/languages.js. */
export type Values = {
  'login.app': { url: string | number };
  'login.known': { email: string | number };
  'service.log-in': { service: string | number };
  'service.join': { service: string | number };
  'service.logged-in-as': { email: string | number };
  'error.go-to': { organization: string | number };
  'field.password-hint': { length: number };
  'join.title': { organization: string | number };
  'mailbox.registration': { email: string | number };
  'mailbox.password': { email: string | number };
  'sign-up.address': { email: string | number };
  'sign-up.log-in-as': { email: string | number };
  'sign-up.app': { url: string | number };
  'app.zulip': { app: string | number };
  'app.terminal': { app: string | number };
  'reset.log-in': { email: string | number };
  'address.now': { email: string | number };
  'unsubscribe.missed_messages.what': { email: string | number };
  'unsubscribe.digest.what': { email: string | number };
};
