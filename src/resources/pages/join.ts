import { badRequest, type ApiError } from '../../errors/index.js';
import { createConfirmation } from '../../organization/mail/confirmations.js';
import { checkMaySignUp, multiuseOf } from '../../organization/invitations/join.js';
import { queueMail } from '../../organization/mail/delivery.js';
import type { Organization } from '../../organization/state/organization.js';
import { html, type Html } from '../../services/text/html.js';
import { alert, emailInput, form, layout } from './layout.js';
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
          page: addressForm(org, request, undefined),
          data: { realm_name: org.realm.current.name },
        };
      },
    },
    {
      method: 'POST',
      path,
      call: (request) => confirmAddress(parts, request, admitFor(request)),
      again: (request, error) =>
        isAboutForm(error) ? addressForm(runtime.org, request, error) : undefined,
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
  limiter.mailFrom(request.remoteAddress);
  const elsewhere = redirectIfTaken(org, email);
  if (elsewhere) return elsewhere;
  const link = keys.create();
  if (needsNoMail(org, multiuse_id)) {
    const confirmation = { kind: 'sign_up', email, multiuse_id, is_unverified: true } as const;
    await runtime.transact((tx) => createConfirmation(tx, link, confirmation));
    const location = `/accounts/do_confirm/${keys.key(link.nonce)}`;
    return { location, refusal: badRequest(`Open ${location}`) };
  }
  await runtime.transact((tx) => {
    createConfirmation(tx, link, { kind: 'sign_up', email, multiuse_id });
    queueMail(tx, email, { kind: 'sign_up', nonce: link.nonce });
  });
  return { page: sentPage(org, email), data: { email } };
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
  org: Organization,
  { values, fields }: WebPageRequest,
  error: ApiError | undefined,
): Html {
  const { key } = values;
  const action = key === undefined ? '/register/' : `/join/${encodeURIComponent(key)}/`;
  const hint = needsNoMail(org, key === undefined ? null : 0)
    ? 'You will log in with it. Nothing is sent there.'
    : 'A link to complete the registration will be sent there.';
  const email = emailInput(fields.get('email'), hint);
  const services = serviceLinks(org, 'Join', key === undefined ? {} : { multiuse_object_key: key });
  return layout(
    org,
    `Join ${org.realm.current.name}`,
    html`${alert(error)}${form(action, [email], 'Continue')}${services}`,
  );
}

function sentPage(org: Organization, email: string): Html {
  return layout(
    org,
    'Look into your mailbox',
    html`<p>
      A link to complete the registration is on its way to <strong>${email}</strong>. It works for
      one day.
    </p>`,
  );
}
