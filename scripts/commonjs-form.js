/*
 * The form of CommonJS for what the bundler emitted as ES modules. Node 20 keeps byte code between starts for
 * scripts only (`src/platform/compile-cache.ts`), and the bundler divides only ES modules into chunks. `import()` does not work in a script
 * that runs from byte code, so what the bundle leaves out must be CommonJS, or a module of Node.
 *
 * The bundler's own conversion reaches what another chunk exports by a getter at each use, which costs requests
 * 5 to 14 %. Here each import is one constant. So nothing exported may be assigned again later, which is
 * checked; and chunks must not import each other in a circle, which the bundler never emits: a chunk is needed by
 * all the programs that need a chunk importing it, and by one more.
 */
import { parse } from 'acorn';

/** What `import.meta` says, of a script. */
const OF_SCRIPT = {
  dirname: '__dirname',
  filename: '__filename',
  url: "require('node:url').pathToFileURL(__filename).href",
};

/**
 * @param {string} source an ES module, as the bundler emits it: `import` and `export` without defaults of
 *   expressions, `export from` or `export *`
 * @returns {string} the same as a CommonJS module; each line keeps its number, for the source map
 * @throws Error naming what has no such form here
 */
export function commonJsForm(source) {
  const program = parse(source, {
    ecmaVersion: 'latest',
    sourceType: 'module',
    allowHashBang: true,
  });
  const edits = [];
  const required = [];
  let exported = [];
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') {
      // Imports come first wherever they stand.
      required.push(requiring(node));
      edits.push([node.start, node.end, '']);
    } else if (node.type === 'ExportNamedDeclaration' && !node.source && !node.declaration) {
      exported = [
        ...exported,
        ...node.specifiers.map(({ local, exported }) => [local.name, exported.name]),
      ];
      edits.push([node.start, node.end, '']);
    } else if (node.type.startsWith('Export')) {
      throw new Error(`No form for: ${source.slice(node.start, node.start + 100)}`);
    }
  }
  const names = new Set(exported.map(([local]) => local));
  visit(program, (node) => {
    const assigned = assignedName(node);
    if (names.has(assigned)) throw new Error(`${assigned} is exported and assigned again`);
    if (node.type === 'MetaProperty' && node.meta.name === 'import') {
      throw new Error('import.meta by itself has no form here');
    }
    if (node.type === 'MemberExpression' && node.object.type === 'MetaProperty') {
      const form = OF_SCRIPT[node.property.name];
      if (form === undefined) throw new Error(`import.meta.${node.property.name} has no form here`);
      edits.push([node.start, node.end, form]);
      return false;
    }
    if (node.type === 'ImportExpression') {
      const specifier = source.slice(node.source.start, node.source.end);
      const module = isChunk(node.source)
        ? `require(${specifier})`
        : `((m) => ({ ...m, default: m }))(require(${specifier}))`;
      edits.push([node.start, node.end, `Promise.resolve().then(() => ${module})`]);
    }
    return true;
  });
  const start = source.startsWith('#!') ? source.indexOf('\n') + 1 : 0;
  edits.unshift([start, start, `"use strict"; ${required.join(' ')} `]);
  const text = edited(source, edits);
  const all = exported.map(([local, name]) => (local === name ? name : `${name}: ${local}`));
  const end = text.indexOf('//# sourceMappingURL=');
  const exports = `module.exports = { ${all.join(', ')} };\n`;
  return end < 0 ? text + exports : `${text.slice(0, end)}${exports}${text.slice(end)}`;
}

/** `const { a, b: c } = require("./chunk.js");` */
function requiring({ specifiers, source }) {
  const module = `require(${source.raw})`;
  const whole = specifiers.find(({ type }) => type !== 'ImportSpecifier');
  const named = specifiers
    .filter(({ type }) => type === 'ImportSpecifier')
    .map(({ imported, local }) =>
      imported.name === local.name ? local.name : `${imported.name}: ${local.name}`,
    );
  const parts = [
    ...(whole ? [`const ${whole.local.name} = ${module};`] : []),
    ...(named.length > 0 ? [`const { ${named.join(', ')} } = ${module};`] : []),
  ];
  return parts.length > 0 ? parts.join(' ') : `${module};`;
}

function isChunk(source) {
  return source.type === 'Literal' && String(source.value).startsWith('./');
}

function assignedName(node) {
  if (node.type === 'AssignmentExpression') return node.left.name;
  if (node.type === 'UpdateExpression') return node.argument.name;
  return undefined;
}

/** @param see says whether to go on into a node */
function visit(node, see) {
  if (!see(node)) return;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, see);
    }
  }
}

/** Replaces ranges of a text that do not overlap; each keeps its number of lines. */
function edited(source, edits) {
  let text = '';
  let at = 0;
  for (const [start, end, replacement] of edits.sort(([a], [b]) => a - b)) {
    const lines = source.slice(start, end).split('\n').length - replacement.split('\n').length;
    text += source.slice(at, start) + replacement + '\n'.repeat(Math.max(0, lines));
    at = end;
  }
  return text + source.slice(at);
}
