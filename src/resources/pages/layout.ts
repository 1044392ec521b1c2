import type { ApiError } from '../../errors.js';
import type { Organization } from '../../organization/state/organization.js';
import { html, type Html } from '../../services/text/html.js';
import type { PageFiles } from '../../services/web-pages.js';

/**
 * A whole page. Its content stands in `#visitor`, and is all there is without script.
 * @param script draws something else in `#app`; null for a page without
 */
export function layout(
  org: Organization,
  title: string,
  content: Html,
  script: PageFiles | null = null,
): Html {
  const { name } = org.realm.current;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · ${name}</title>
        <link rel="stylesheet" href="/static/pages.css" />
        <link rel="icon" href="/static/icon.svg" type="image/svg+xml" />
        ${
          script &&
          html`<link rel="stylesheet" href="${script.style}" />
            <script type="module" src="${script.script}"></script>`
        }
      </head>
      <body>
        ${
          script === null
            ? html`<header>${name}</header>
                <main>
                  <h1>${title}</h1>
                  ${content}
                </main>`
            : html`<div id="visitor">
                  <header>${name}</header>
                  <main>
                    <h1>${title}</h1>
                    <div id="login"></div>
                    ${content}
                  </main>
                </div>
                <div id="app"></div>`
        }
      </body>
    </html> `;
}

/** Page of an error without a form to show again. */
export function errorPage(org: Organization, error: ApiError): Html {
  if (error.code === 'REALM_DEACTIVATED') {
    const text = 'Nobody can log in. Nothing was deleted: ask whoever runs the server.';
    return layout(org, error.message, html`<p role="alert">${text}</p>`);
  }
  const title = error.status === 404 ? 'Not found' : 'That did not work';
  return layout(org, title, html`<p role="alert">${error.message}</p>`);
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
export function emailInput(value: string | undefined, hint?: string): Html {
  return input({
    name: 'email',
    label: 'Your e-mail address',
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
export function alert(error: ApiError | undefined): Html | null {
  return error ? html`<p role="alert">${error.message}</p> ` : null;
}

/** The style of all pages; served as a file, so that no page needs inline style. */
export const PAGES_CSS = `:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5 }
body { margin: 0 auto; max-width: 32rem; padding: 2rem 1rem }
header { font-weight: 600; opacity: 0.75 }
label { display: block; font-weight: 600 }
input, select, button { box-sizing: border-box; font: inherit; padding: 0.5rem; width: 100% }
small { display: block; opacity: 0.75 }
.services { list-style: none; padding: 0 }
.services a { border: 1px solid; border-radius: 0.25rem; display: block; margin: 0.5rem 0; padding: 0.5rem; text-align: center }
[role="alert"] { border-left: 0.25rem solid #b3261e; padding: 0.5rem 0.75rem }
`;
