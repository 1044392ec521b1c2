import { badRequest } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import { html, type Html } from '../../services/text/html.js';
import type { BigBlueButton } from '../../services/calls/big-blue-button.js';
import { JOIN_PATH } from '../realm/video-calls.js';
import { alert, form, hidden, input, layout } from './layout.js';
import type { WebPage, WebPageRequest } from './page.js';
import { assertActive, isAboutForm, requiredField, type PageParts } from './parts.js';

/** Longer names are cut by the service. */
const MAX_NAME_LENGTH = 100;

/**
 * The page that a link of BigBlueButton leads to (endpoints-organization.md#video-calls). Browsers have no session
 * here, so it asks for a name; whoever has the link may join.
 */
export function joinCallPages({ runtime, bigBlueButton }: PageParts): WebPage[] {
  const serviceOf = (): BigBlueButton => {
    assertActive(runtime.org);
    if (!bigBlueButton) throw badRequest('BigBlueButton is not configured.');
    return bigBlueButton;
  };
  const linkOf = (request: WebPageRequest) => {
    const link = requiredField(request, 'bigbluebutton');
    const name = serviceOf().nameOf(link);
    if (name === null) throw badRequest('Invalid signature.');
    return { link, name };
  };
  return [
    {
      method: 'GET',
      path: JOIN_PATH,
      async call(request) {
        const { link, name } = linkOf(request);
        return { page: nameForm(runtime.org, name, link), data: { meeting_name: name } };
      },
    },
    {
      method: 'POST',
      path: JOIN_PATH,
      async call(request) {
        const { link, name } = linkOf(request);
        const fullName = requiredField(request, 'full_name').trim();
        if (fullName === '') throw badRequest('Please fill out all fields.');
        const url = await serviceOf()
          .join(link, fullName.slice(0, MAX_NAME_LENGTH))
          .catch(() => {
            throw badRequest('Error connecting to the BigBlueButton server.');
          });
        return { page: donePage(runtime.org, name, url!), data: { url } };
      },
      again: (request, error) => {
        const link = request.fields.get('bigbluebutton') ?? '';
        const name = bigBlueButton?.nameOf(link) ?? null;
        if (!isAboutForm(error) || name === null) return undefined;
        return nameForm(runtime.org, name, link, alert(error));
      },
    },
  ];
}

function nameForm(org: Organization, name: string, link: string, fault: Html | null = null): Html {
  const field = input({
    name: 'full_name',
    label: 'Your name',
    type: 'text',
    required: true,
    autocomplete: 'name',
    maxLength: MAX_NAME_LENGTH,
  });
  const fields = [hidden('bigbluebutton', link), field];
  return layout(org, name, html`${fault}${form(JOIN_PATH, fields, 'Go on')}`);
}

/** A link, because browsers follow no redirect of a form to another site from here (`form-action`). */
function donePage(org: Organization, name: string, url: string): Html {
  return layout(org, name, html`<p><a href="${url}">Join the call</a></p>`);
}
