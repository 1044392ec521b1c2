/**
 * Display names of programming languages by the names people write after a fence. Clients show
 * them and offer playgrounds by them.
 */
const LANGUAGES: Readonly<Record<string, string>> = {
  Bash: 'bash sh zsh shell ksh',
  C: 'c h',
  'C#': 'csharp c# cs',
  'C++': 'cpp c++ cc cxx hpp',
  CSS: 'css',
  Clojure: 'clojure clj',
  Dart: 'dart',
  Diff: 'diff udiff patch',
  Docker: 'docker dockerfile',
  Elixir: 'elixir ex exs',
  Erlang: 'erlang',
  Go: 'go golang',
  GraphQL: 'graphql',
  HTML: 'html',
  Haskell: 'haskell hs',
  INI: 'ini cfg',
  JSON: 'json',
  Java: 'java',
  JavaScript: 'javascript js mjs cjs',
  Julia: 'julia jl',
  Kotlin: 'kotlin kt',
  Lua: 'lua',
  Makefile: 'make makefile mf',
  Markdown: 'markdown md',
  'Nginx configuration file': 'nginx',
  OCaml: 'ocaml',
  PHP: 'php',
  Perl: 'perl pl',
  PowerShell: 'powershell pwsh ps1',
  'Protocol Buffer': 'protobuf proto',
  Python: 'python py python3 py3',
  R: 'r rlang',
  Ruby: 'ruby rb',
  Rust: 'rust rs',
  SCSS: 'scss',
  SQL: 'sql',
  Scala: 'scala',
  Swift: 'swift',
  TOML: 'toml',
  TeX: 'tex latex math',
  'Text only': 'text txt plain',
  TypeScript: 'typescript ts',
  XML: 'xml svg',
  YAML: 'yaml yml',
};

const NAME_BY_ALIAS: ReadonlyMap<string, string> = new Map(
  Object.entries(LANGUAGES).flatMap(([name, aliases]) =>
    aliases.split(' ').map((alias): [string, string] => [alias, name]),
  ),
);

/** The display name of a language; a name nobody knows is its own display name. */
export function codeLanguageName(alias: string): string {
  return NAME_BY_ALIAS.get(alias.toLowerCase()) ?? alias;
}
