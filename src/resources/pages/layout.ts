import type { ApiError } from '../../errors/index.js';
import type { Catalogs, Say } from '../../languages/catalogs.js';
import { directionOf, type Language } from '../../languages/languages.js';
import { fill } from '../../languages/say.js';
import { refusalsIn, texts } from '../../languages/texts.js';
import { realmImageUrl } from '../../organization/realm/realm-images.js';
import type { Organization } from '../../organization/state/organization.js';
import { languageOfOrganization, languageOfUser } from '../../organization/views/languages.js';
import { html, type Html } from '../../services/text/html.js';
import type { PageFiles } from '../../services/web-pages.js';

/** For whom a page is. */
export interface Reader {
  readonly org: Organization;
  readonly language: Language;
  readonly say: Say<'pages'>;
}

/** @param language null where nothing is known of it: that of the organization */
export function readerOf(org: Organization, language: Language | null): Reader {
  const spoken = language ?? languageOfOrganization(org);
  return { org, language: spoken, say: texts('pages', spoken) };
}

/** The reader of a page of which an account is known. */
export function userReader(org: Organization, userId: number): Reader {
  return readerOf(org, languageOfUser(org, userId));
}

/** A message in which some values stand out, such as an address. */
export function withStrong(
  { say }: Reader,
  id: keyof Catalogs['pages'],
  values: Readonly<Record<string, string>>,
): Html[] {
  const strong = Object.entries(values).map(([name, value]) => [
    name,
    html`<strong>${value}</strong>`,
  ]);
  return withParts(say, id, Object.fromEntries(strong) as Record<string, Html>);
}

/** A message with HTML in it. */
export function withParts(
  say: Say<'pages'>,
  id: keyof Catalogs['pages'],
  parts: Readonly<Record<string, Html>>,
): Html[] {
  return fill(say, id, parts).map((one) => (typeof one === 'string' ? html`${one}` : one));
}

/**
 * A whole page. Its content stands in `#visitor`, and is all there is without script.
 * @param script draws something else in `#app`; null for a page without
 * @param lead above what the script draws
 * @param token of the browser's session, with which the script calls; null for a visitor
 */
export function layout(
  { org, language }: Reader,
  title: string,
  content: Html,
  script: PageFiles | null = null,
  lead: Html | null = null,
  token: string | null = null,
): Html {
  const realm = org.realm.current;
  const { name } = realm;
  return html`<!doctype html>
    <html lang="${language}" dir="${directionOf(language)}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        ${token !== null && html`<meta name="parley-session" content="${token}" />`}
        ${script && html`<meta name="parley-refusals" content="${script.refusals}" />`}
        <link rel="stylesheet" href="/static/pages.css" />
        ${
          realm.icon_file === undefined
            ? html`<link rel="icon" href="/static/icon.svg" type="image/svg+xml" />`
            : html`<link rel="icon" href="${realmImageUrl(realm, 'icon')}" type="image/png" />`
        }
        ${
          script &&
          html`<link rel="stylesheet" href="${script.style}" />
            <script defer src="${script.messages}"></script>
            ${script.common !== null && html`<link rel="modulepreload" href="${script.common}" />`}
            <script type="module" src="${script.script}"></script>`
        }
      </head>
      <body ${script === null && html`class="page"`}>
        ${
          script === null
            ? html`${header(org)}
                <main>
                  <h1>${title}</h1>
                  ${lead}${content}
                </main>`
            : html`<div id="visitor">
                  ${header(org)}
                  <main>
                    <h1>${title}</h1>
                    ${lead}
                    <div id="login"></div>
                    ${content}
                  </main>
                </div>
                <div id="app"></div>`
        }
      </body>
    </html> `;
}

/** The organization's name beside its icon, which says nothing that the name does not. */
function header(org: Organization): Html {
  const realm = org.realm.current;
  return html`<header><img src="${realmImageUrl(realm, 'icon')}" alt="" /> ${realm.name}</header>`;
}

/** Page of an error without a form to show again. @param language what the browser asks for */
export function errorPage(org: Organization, error: ApiError, language: Language | null): Html {
  const reader = readerOf(org, language);
  const { say } = reader;
  if (error.code === 'REALM_DEACTIVATED') {
    const text = say('error.deactivated-text');
    return layout(reader, say('error.deactivated'), html`<p role="alert">${text}</p>`);
  }
  const isMissing = error.status === 404;
  const title = say(isMissing ? 'error.not-found' : 'error.failed');
  // The message of an address that is none says no more than the title.
  const isBare = isMissing && error.message.toLowerCase() === 'not found';
  const text = isBare ? say('error.nothing-here') : sayingOf(error, reader);
  return layout(
    reader,
    title,
    html`<p role="alert">${text}</p>
      <p><a href="/">${say('error.go-to', { organization: org.realm.current.name })}</a></p>`,
  );
}

/** One labelled input. */
interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  readonly value?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
  readonly hint?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** A label and its input; a hint describes it. */
export function input(field: Field): Html {
  const { name, label, type, hint } = field;
  const described = hint === undefined ? null : html` aria-describedby="${name}-hint"`;
  return html`<p>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="${type}"
      value="${field.value ?? ''}"
      ${attribute('autocomplete', field.autocomplete)}${attribute('minlength', field.minLength)}${attribute('maxlength', field.maxLength)}${field.required === true && html` required`}${described}
    />
    ${hint !== undefined && html`<small id="${name}-hint">${hint}</small>`}
  </p> `;
}

/** An optional attribute. */
function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : html` ${name}="${value}"`;
}

/** The field for the visitor's address. */
export function emailInput({ say }: Reader, value: string | undefined, hint?: string): Html {
  return input({
    name: 'email',
    label: say('field.email'),
    type: 'email',
    value,
    required: true,
    autocomplete: 'email',
    hint,
  });
}

/** A form that posts to a root path. */
export function form(action: string, fields: readonly Html[], submit: string): Html {
  return html`<form method="post" action="${action}" accept-charset="utf-8">
    ${fields}
    <p><button type="submit">${submit}</button></p>
  </form> `;
}

/** A hidden field. */
export function hidden(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}" /> `;
}

/** The error of a form that is shown again. */
export function alert(reader: Reader, error: ApiError | undefined): Html | null {
  return error ? html`<p role="alert">${sayingOf(error, reader)}</p> ` : null;
}

function sayingOf({ code, message, fields }: ApiError, { language }: Reader): string {
  return refusalsIn(language)({ code, msg: message, fields });
}

/**
 * The style of all pages; served as a file, so that no page needs inline style. What concerns pages without script
 * alone is in `.page`. Mails have the same colours.
 */
export const PAGES_CSS = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 0 auto; max-width: 32rem; padding: 2rem 1rem }
header { font-weight: 600; opacity: 0.75 }
#visitor header, .page header { align-items: center; display: flex; gap: 0.5rem; opacity: 1 }
#visitor header img, .page header img { border-radius: 0.25rem; height: 2rem; width: 2rem }
label { display: block; font-weight: 600 }
input, select, button { box-sizing: border-box; font: inherit; padding: 0.5rem; width: 100% }
small { display: block; opacity: 0.75 }
.services { list-style: none; padding: 0 }
.services a { border: 1px solid; border-radius: 0.25rem; display: block; margin: 0.5rem 0; padding: 0.5rem; text-align: center }
[role="alert"] { border-inline-start: 0.25rem solid light-dark(#b3261e, #ff9d94); padding: 0.5rem 0.75rem }
.page {
  --accent: light-dark(#2f6b4f, #7cc5a2);
  --on-accent: light-dark(#ffffff, #10231a);
  background: light-dark(#ffffff, #1b1f1d);
  color: light-dark(#1e2622, #e6ebe8);
}
.page header { color: light-dark(#56635c, #a3afa8) }
.page a { color: var(--accent) }
.page :is(input, select) { background: light-dark(#ffffff, #262b28); border: 1px solid light-dark(#7d8a83, #6d7a73); border-radius: 0.375rem; color: inherit }
.page :is(button, .button) { background: var(--accent); border: 0; border-radius: 0.375rem; color: var(--on-accent); cursor: pointer; font-weight: 600 }
.page .button { display: inline-block; padding: 0.5rem 1rem; text-decoration: none }
`;

/** A link that looks like the thing to do next. */
export function buttonLink(href: string, label: string): Html {
  return html`<p><a class="button" href="${href}">${label}</a></p> `;
}

/** Leads on to where one begins. */
export function goOn(reader: Reader): Html {
  const organization = reader.org.realm.current.name;
  return html`<p><a href="/">${reader.say('error.go-to', { organization })}</a></p>`;
}
