import { badRequest, type ApiError } from '../../errors/index.js';
import { createConfirmation } from '../../organization/mail/confirmations.js';
import { checkMaySignUp, multiuseOf } from '../../organization/invitations/join.js';
import { queueMail } from '../../organization/mail/delivery.js';
import type { Organization } from '../../organization/state/organization.js';
import { html, type Html } from '../../services/text/html.js';
import {
  alert,
  emailInput,
  form,
  goOn,
  layout,
  readerOf,
  withStrong,
  type Reader,
} from './layout.js';
import type { WebPage, WebPageRequest, Redirected, Shown } from './page.js';
import {
  assertActive,
  isAboutForm,
  redirectIfTaken,
  requiredField,
  type PageParts,
} from './parts.js';
import { serviceLinks } from './single-sign-on.js';

/** Sign-up behind a reusable link, and in organizations that anybody may join (endpoints-invitations.md#sign-up). */
export function joinPages(parts: PageParts): WebPage[] {
  const links = ['/join/{key}/', '/join/{key}'];
  const open = ['/register/', '/register'];
  return [
    ...links.flatMap((path) => pair(parts, path, ({ values }) => admitByLink(values.key!))),
    ...open.flatMap((path) => pair(parts, path, () => admitAnybody)),
  ];
}

/** Id of the reusable link that admits a visitor, null for none. @throws ApiError when they may not sign up */
type Admit = (org: Organization) => number | null;

function admitByLink(key: string): Admit {
  return (org) => multiuseOf(org, key, org.now()).id;
}

const admitAnybody: Admit = (org) => {
  if (!org.realm.current.invite_required) return null;
  throw badRequest('An invitation is needed to join this organization.', 403);
};

function pair(
  parts: PageParts,
  path: string,
  admitFor: (request: WebPageRequest) => Admit,
): WebPage[] {
  const { runtime } = parts;
  return [
    {
      method: 'GET',
      path,
      async call(request) {
        const { org } = runtime;
        assertActive(org);
        admitFor(request)(org);
        return {
          page: addressForm(readerOf(org, request.language), request, undefined),
          data: { realm_name: org.realm.current.name },
        };
      },
    },
    {
      method: 'POST',
      path,
      call: (request) => confirmAddress(parts, request, admitFor(request)),
      again: (request, error) =>
        isAboutForm(error)
          ? addressForm(readerOf(runtime.org, request.language), request, error)
          : undefined,
    },
  ];
}

/** Mails a link that confirms an address; its key works like an invitation's. */
async function confirmAddress(
  { runtime, keys, limiter }: PageParts,
  request: WebPageRequest,
  admit: Admit,
): Promise<Shown | Redirected> {
  const { org } = runtime;
  assertActive(org);
  const multiuse_id = admit(org);
  const email = requiredField(request, 'email').trim();
  checkMaySignUp(org, email);
  const isMailed = !needsNoMail(org, multiuse_id);
  if (isMailed) limiter.mailFrom(request.remoteAddress);
  else limiter.joinFrom(request.remoteAddress);
  const elsewhere = redirectIfTaken(org, email);
  if (elsewhere) return elsewhere;
  const link = keys.create();
  if (!isMailed) {
    const confirmation = { kind: 'sign_up', email, multiuse_id, is_unverified: true } as const;
    await runtime.transact((tx) => createConfirmation(tx, link, confirmation));
    const location = `/accounts/do_confirm/${keys.key(link.nonce)}`;
    const page = sentPage(readerOf(org, request.language), email);
    return { page, data: { email, confirmation_path: location }, leadsTo: location };
  }
  await runtime.transact((tx) => {
    createConfirmation(tx, link, { kind: 'sign_up', email, multiuse_id });
    queueMail(tx, email, { kind: 'sign_up', nonce: link.nonce });
  });
  return { page: sentPage(readerOf(org, request.language), email), data: { email } };
}

/**
 * Whether the link alone admits: there is no mail server that could show whose an address is
 * (endpoints-invitations.md#without-mail). Where anybody may join, an address of an allowed domain is the only proof.
 */
function needsNoMail(org: Organization, multiuseId: number | null): boolean {
  if (org.site.mails) return false;
  return multiuseId !== null || !org.realm.current.emails_restricted_to_domains;
}

function addressForm(
  reader: Reader,
  { values, fields }: WebPageRequest,
  error: ApiError | undefined,
): Html {
  const { org, say } = reader;
  const { key } = values;
  const action = key === undefined ? '/register/' : `/join/${encodeURIComponent(key)}/`;
  const isMailed = !needsNoMail(org, key === undefined ? null : 0);
  const hint = say(isMailed ? 'join.link-sent' : 'join.nothing-sent');
  const email = emailInput(reader, fields.get('email'), hint);
  const services = serviceLinks(
    reader,
    'join',
    key === undefined ? {} : { multiuse_object_key: key },
  );
  return layout(
    reader,
    say('join.title', { organization: org.realm.current.name }),
    html`${alert(reader, error)}${form(action, [email], say('join.continue'))}${services}`,
  );
}

function sentPage(reader: Reader, email: string): Html {
  const text = withStrong(reader, 'mailbox.registration', { email });
  return layout(
    reader,
    reader.say('mailbox.title'),
    html`<p>${text}</p>
      ${goOn(reader)}`,
  );
}
