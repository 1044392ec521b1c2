/** The script that completes commands and flags in a shell. */
import type { Command as CommandNode } from 'commander';
import { commandTree } from './command-line.js';
import type { Shell } from './spec.js';

/** A script to be sourced; that of zsh goes through its layer for the completions of bash. */
export function completionScript(shell: Shell): string {
  if (shell === 'fish') return fishScript();
  const cases = rowsOf(commandTree(), []).map(
    ([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`,
  );
  return [
    ...(shell === 'zsh' ? ['autoload -U +X bashcompinit && bashcompinit'] : []),
    '_parley() {',
    "  local path='' word words=''",
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    case "$word" in -*) ;; *) case " $(_parley_words "$path") " in *" $word "*) path="${path:+$path }$word" ;; esac ;; esac',
    '  done',
    '  words=$(_parley_words "$path")',
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    // A value, or an argument, is a file if anything.
    '  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))',
    '}',
    '_parley_words() {',
    "  local words=''",
    '  case "$1" in',
    ...cases,
    '  esac',
    '  printf %s "$words"',
    '}',
    'complete -F _parley parley',
    '',
  ].join('\n');
}

function fishScript(): string {
  const cases = rowsOf(commandTree(), []).map(
    ([path, words]) => `    case '${path}'\n      printf '%s\\n' ${words.join(' ')}`,
  );
  return [
    'function __parley_words',
    '  switch $argv[1]',
    ...cases,
    '  end',
    'end',
    'function __parley_complete',
    "  set -l path ''",
    '  for word in (commandline -opc)[2..-1]',
    "    if not string match -q -- '-*' $word; and contains -- $word (__parley_words $path)",
    '      set path (string trim "$path $word")',
    '    end',
    '  end',
    '  __parley_words $path',
    'end',
    "complete -c parley -a '(__parley_complete)'",
    '',
  ].join('\n');
}

/** For each command, by its path, what may come next: further commands, and flags. */
function rowsOf(node: CommandNode, path: readonly string[]): [string, string[]][] {
  const words = [
    ...node.commands.map((one) => one.name()),
    ...(path.length === 0 ? ['help'] : []),
    ...node.options.map((option) => option.long!),
    '--help',
  ];
  const inner = node.commands.flatMap((one) => rowsOf(one, [...path, one.name()]));
  return [[path.join(' '), words], ...inner];
}
