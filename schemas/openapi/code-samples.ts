import type { Method } from '../endpoint.js';
import type { Json } from './json-schema.js';

/** A request to be shown as code. */
export interface SampleRequest {
  readonly method: Method;
  /** Base URL of the server. */
  readonly server: string;
  /** Path with the values of its placeholders. */
  readonly path: string;
  /** The other parameters, each as the value it stands for. */
  readonly fields: readonly SampleField[];
  /** Name of the file that goes along. */
  readonly file?: string;
  readonly needsLogin: boolean;
  /** What another service would send. */
  readonly body?: unknown;
}

interface SampleField {
  readonly name: string;
  readonly value: unknown;
  /** Sent as JSON also where it is a text. */
  readonly asJson: boolean;
}

/** Where the API begins. */
const BASE = '/api/v1/';

/**
 * The request for a shell, for Python with the package `zulip`, and for JavaScript in a browser or in Node.
 * `EMAIL` and `API_KEY` stand for those of whoever runs it.
 */
export function codeSamples(request: SampleRequest): Json[] {
  if (request.body !== undefined) return hookSamples(request);
  return [
    { lang: 'Shell', label: 'curl', source: curl(request) },
    { lang: 'Python', label: 'Python', source: python(request) },
    { lang: 'JavaScript', label: 'JavaScript', source: javascript(request) },
  ];
}

/** What another service does, for trying it. */
function hookSamples({ server, path, body }: SampleRequest): Json[] {
  const url = server + path;
  const text = JSON.stringify(body);
  const shell = `curl -sS ${shellWord(url)} \\\n    -u EMAIL:API_KEY \\\n    -H 'Content-Type: application/json' \\\n    -d ${shellWord(text)}`;
  const python =
    `import requests\n\nreply = requests.post(\n    ${pythonValue(url)},\n    auth=("EMAIL", "API_KEY"),\n` +
    `    json=${pythonValue(body)},\n)\nprint(reply.status_code, reply.headers["Content-Type"])\n`;
  const script =
    `const response = await fetch(${quoted(url)}, {\n  method: 'POST',\n` +
    "  headers: {\n    Authorization: `Basic ${btoa('EMAIL:API_KEY')}`,\n    'Content-Type': 'application/json',\n  },\n" +
    `  body: JSON.stringify(${text}),\n});\nconsole.log(await response.json());\n`;
  return [
    { lang: 'Shell', label: 'curl', source: shell },
    { lang: 'Python', label: 'Python', source: python },
    { lang: 'JavaScript', label: 'JavaScript', source: script },
  ];
}

/** Its replies are JSON; others are files. */
function isOfApi({ path }: SampleRequest): boolean {
  return path.startsWith(BASE);
}

/** Parameters go in the query, not in a body. */
function hasQuery({ method }: SampleRequest): boolean {
  return method === 'GET' || method === 'DELETE';
}

function curl(request: SampleRequest): string {
  const { method, server, path, fields, file, needsLogin } = request;
  const flags = needsLogin ? ['-u EMAIL:API_KEY'] : [];
  // What is no part of the API is a file, perhaps at another address.
  if (!isOfApi(request)) flags.push('-fL -o saved-file');
  if (file !== undefined) flags.push(`-F file=@${file}`);
  // A form's own flag would read a file where a value begins with an @.
  const flag = file === undefined ? '--data-urlencode' : '--form-string';
  for (const field of fields) {
    const { value, asJson } = field;
    const text = typeof value === 'string' && !asJson ? value : JSON.stringify(value);
    flags.push(`${flag} ${shellWord(`${field.name}=${text}`)}`);
  }
  const options = [
    ...(method === 'GET' || (method === 'POST' && (fields.length > 0 || file))
      ? []
      : [`-X ${method}`]),
    ...(hasQuery(request) && fields.length > 0 ? ['-G'] : []),
  ];
  const first = ['curl -sS', ...options, shellWord(`${server}${path}`)].join(' ');
  return [first, ...flags].join(' \\\n    ');
}

/** One word of a shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

const CLIENT = (server: string): string =>
  `import zulip\n\nclient = zulip.Client(email="EMAIL", api_key="API_KEY", site=${pythonValue(server)})\n`;

function python(request: SampleRequest): string {
  const { method, server, path, fields, file } = request;
  if (!isOfApi(request)) {
    // The package calls nothing but the API.
    return `import requests\n\nreply = requests.get(${pythonValue(server + path)}, auth=("EMAIL", "API_KEY"))\nprint(reply.status_code, reply.headers["Content-Type"])\n`;
  }
  const lines = fields.map(
    (field) => `        ${JSON.stringify(field.name)}: ${pythonField(field)},\n`,
  );
  const parts = [
    `    url=${pythonValue(path.slice(BASE.length))},\n`,
    `    method="${method}",\n`,
    lines.length > 0 ? `    request={\n${lines.join('')}    },\n` : '',
    file === undefined ? '' : `    files=[open("${file}", "rb")],\n`,
  ];
  return `${CLIENT(server)}reply = client.call_endpoint(\n${parts.join('')})\nprint(reply)\n`;
}

/** The package sends texts as they are and all else as JSON. */
function pythonField({ value, asJson }: SampleField): string {
  return pythonValue(typeof value === 'string' && asJson ? JSON.stringify(value) : value);
}

function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${pythonValue(one)}`,
  );
  return `{${entries.join(', ')}}`;
}

/** A picture of one pixel. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function javascript(request: SampleRequest): string {
  const { method, server, path, fields, file, needsLogin } = request;
  const before: string[] = [];
  const options = [method === 'GET' ? '' : `  method: '${method}',\n`];
  if (needsLogin) options.push("  headers: { Authorization: `Basic ${btoa('EMAIL:API_KEY')}` },\n");
  let address = quoted(server + path);
  const list = fields.map((field) => `  ${scriptName(field.name)}: ${scriptField(field)},\n`);
  if (file !== undefined) {
    before.push(`const file = ${scriptFile(file)};`, 'const body = new FormData();');
    before.push(`body.append('file', file, '${file}');`);
    for (const field of fields) {
      before.push(`body.append(${quoted(field.name)}, ${scriptField(field)});`);
    }
    options.push('  body,\n');
  } else if (list.length > 0) {
    const name = hasQuery(request) ? 'query' : 'body';
    before.push(`const ${name} = new URLSearchParams({\n${list.join('')}});`);
    if (name === 'body') options.push('  body,\n');
    else address = `\`${server}${path}?\${query}\``;
  }
  const settings = options.join('');
  const call = `fetch(${address}${settings === '' ? '' : `, {\n${settings}}`})`;
  const shown = isOfApi(request)
    ? 'await response.json()'
    : "response.status, response.headers.get('Content-Type')";
  return [...before, `const response = await ${call};`, `console.log(${shown});`, ''].join('\n');
}

function scriptFile(name: string): string {
  return name.endsWith('.png')
    ? `await (await fetch('${PIXEL}')).blob()`
    : "new Blob(['I am thy father’s spirit'])";
}

function scriptName(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : quoted(name);
}

function scriptField({ value, asJson }: SampleField): string {
  if (typeof value === 'string' && !asJson) return quoted(value);
  const json = JSON.stringify(value);
  const isPlain = typeof value === 'number' || typeof value === 'boolean';
  return isPlain ? json : `JSON.stringify(${json})`;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
