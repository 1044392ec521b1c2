import { badRequest } from '../../errors/index.js';
import { html, type Html } from '../../services/text/html.js';
import type { BigBlueButton } from '../../services/calls/big-blue-button.js';
import { JOIN_PATH } from '../realm/video-calls.js';
import { alert, form, hidden, input, layout, readerOf, type Reader } from './layout.js';
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
  const readerFor = ({ language }: WebPageRequest): Reader => readerOf(runtime.org, language);
  return [
    {
      method: 'GET',
      path: JOIN_PATH,
      async call(request) {
        const { link, name } = linkOf(request);
        return { page: nameForm(readerFor(request), name, link), data: { meeting_name: name } };
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
        return { page: donePage(readerFor(request), name, url!), data: { url } };
      },
      again: (request, error) => {
        const link = request.fields.get('bigbluebutton') ?? '';
        const name = bigBlueButton?.nameOf(link) ?? null;
        if (!isAboutForm(error) || name === null) return undefined;
        const reader = readerFor(request);
        return nameForm(reader, name, link, alert(reader, error));
      },
    },
  ];
}

function nameForm(reader: Reader, name: string, link: string, fault: Html | null = null): Html {
  const { say } = reader;
  const field = input({
    name: 'full_name',
    label: say('field.name'),
    type: 'text',
    required: true,
    autocomplete: 'name',
    maxLength: MAX_NAME_LENGTH,
  });
  const fields = [hidden('bigbluebutton', link), field];
  return layout(reader, name, html`${fault}${form(JOIN_PATH, fields, say('call.go-on'))}`);
}

/** A link, because browsers follow no redirect of a form to another site from here (`form-action`). */
function donePage(reader: Reader, name: string, url: string): Html {
  return layout(reader, name, html`<p><a href="${url}">${reader.say('call.join')}</a></p>`);
}
