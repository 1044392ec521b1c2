/* What each message is given; made of the English catalogs by scripts/languages.js. */

type NoValues = Record<never, never>;

/** By area and id, for messages that are given something. */
export interface Values {
  chat: NoValues;
  console: NoValues;
  mails: {
    'test.subject': { organization: string | number };
    'test.body': { organization: string | number; url: string | number };
    'hello': { name: string | number };
    'link.until': { time: string | number };
    'invitation.subject': { referrer: string | number; organization: string | number };
    'invitation.body': { referrer: string | number; organization: string | number; url: string | number };
    'sign-up.subject': { organization: string | number };
    'sign-up.body': { organization: string | number; url: string | number };
    'new-address.subject': { organization: string | number };
    'new-address.body': { url: string | number; old: string | number; new: string | number };
    'address-changed.subject': { organization: string | number };
    'address-changed.body': { url: string | number; new: string | number };
    'welcome.subject': { organization: string | number };
    'welcome.body': { organization: string | number; url: string | number };
    'new-login.subject': { organization: string | number };
    'new-login.body': { url: string | number; time: string | number };
    'deactivated.subject': { organization: string | number };
    'deactivated.body': { actor: string | number; url: string | number };
    'organization-deactivated.subject': { organization: string | number };
    'organization-deactivated.body': { actor: string | number; organization: string | number; url: string | number };
    'organization-deactivated.by-operator': { organization: string | number; url: string | number };
    'password.subject': { organization: string | number };
    'password.body': { url: string | number };
    'missed.count': { count: number };
    'missed.omitted': { count: number };
    'missed.more': { count: number };
    'missed.read-and-reply': { organization: string | number };
    'missed.reply': { days: number };
    'conversation.direct': { names: string | number };
    'conversation.more': { count: number };
    'digest.unread': { count: number };
    'digest.unread-more': { count: number };
    'digest.by': { unread: string | number; people: number };
    'digest.in-topics': { unread: string | number; topics: number };
    'digest.channel-count': { count: number };
    'digest.missed': { what: string | number };
    'digest.both': { messages: string | number; channels: string | number };
    'digest.more-channels': { count: number };
    'digest.read': { organization: string | number };
  };
  notices: NoValues;
  pages: {
    'login.app': { url: string | number };
    'login.known': { email: string | number };
    'service.log-in': { service: string | number };
    'service.join': { service: string | number };
    'service.logged-in-as': { email: string | number };
    'error.go-to': { organization: string | number };
    'error.too-often': { seconds: number };
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
    'refusal.domain': { named: string | number };
    'refusal.no-account': { named: string | number };
    'refusal.not-logged-in': { named: string | number };
    'refusal.no-address': { named: string | number };
    'refusal.unverified': { named: string | number };
    'refusal.answer': { named: string | number };
  };
  shared: NoValues;
}
