const BASH = `# keymgr completion bash; add to ~/.bashrc: source <(keymgr completion bash)
_keymgr() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  local offers
  offers="$("\${COMP_WORDS[0]}" completion offer -- "\${words[@]}" "$current" 2>/dev/null)"
  local IFS=$'\\n'
  COMPREPLY=($offers)
  if [[ \${#COMPREPLY[@]} -eq 0 && "$current" != -* ]]; then COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o nosort -F _keymgr keymgr
`

const ZSH = `#compdef keymgr
# keymgr completion zsh; write it to _keymgr in a folder of $fpath
_keymgr() {
  local -a offers
  offers=("\${(@f)$("\${words[1]}" completion offer -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${offers[1]}" ]]; then
    compadd -a offers
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _keymgr ]]; then
  _keymgr "$@"
else
  compdef _keymgr keymgr
fi
`

const FISH = `# keymgr completion fish; write it to ~/.config/fish/completions/keymgr.fish
function __keymgr_offers
  set -l typed (commandline -opc)
  set -l current (commandline -ct)
  set -l offers ($typed[1] completion offer -- $typed[2..-1] "$current" 2>/dev/null)
  if test (count $offers) -gt 0
    printf '%s\\n' $offers
  else
    __fish_complete_path "$current"
  end
end
complete -c keymgr -f -a '(__keymgr_offers)'
`

/** Completion scripts of the shells. Each one calls keymgr for words, options and values. */
export const SHELLS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH }
