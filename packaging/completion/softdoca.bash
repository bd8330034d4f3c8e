# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 SoftDOCA contributors
#
# What bash offers behind "softdoca". Installed as share/bash-completion/completions/softdoca.

_softdoca() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} index
    local command=${COMP_WORDS[1]}
    local IFS=$' \t\n'
    COMPREPLY=()

    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "doctor env ls pair run topology --help --version" -- "$current"))
        return
    fi
    if [ "$command" = run ]; then # behind "--" stands a command with arguments of its own
        for ((index = 2; index < COMP_CWORD; index++)); do
            [ "${COMP_WORDS[index]}" = -- ] || continue
            if declare -F _command_offset >/dev/null; then
                _command_offset $((index + 1))
            elif [ "$index" -eq $((COMP_CWORD - 1)) ]; then
                COMPREPLY=($(compgen -c -- "$current"))
            else
                COMPREPLY=($(compgen -f -- "$current"))
            fi
            return
        done
    fi
    case $command,$previous in
        run,--role | run,-r | pair,--dpu-role | pair,--host-role)
            COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" complete nodes 2>/dev/null)" -- "$current"))
            ;;
        pair,--first | pair,--last-word) COMPREPLY=($(compgen -W "dpu host" -- "$current")) ;;
        pair,--dpu | pair,--host) COMPREPLY=($(compgen -c -- "$current")) ;;
        pair,--until-file) COMPREPLY=($(compgen -f -- "$current")) ;;
        pair,--wait | pair,--timeout | pair,--grace) ;;
        pair,*)
            COMPREPLY=($(compgen -W "--dpu --host --dpu-role --host-role --first --until-file --wait
                --timeout --grace --last-word --verbose --help" -- "$current"))
            ;;
        run,*) COMPREPLY=($(compgen -W "--role -- --help" -- "$current")) ;;
        env,*) COMPREPLY=($(compgen -W "host dpu --help" -- "$current")) ;;
        ls,*) COMPREPLY=($(compgen -W "--json --help" -- "$current")) ;;
        topology,topology) COMPREPLY=($(compgen -W "check show --help" -- "$current")) ;;
        topology,*) COMPREPLY=($(compgen -f -- "$current") $(compgen -W "--toml --help" -- "$current")) ;;
        doctor,*)
            COMPREPLY=($(compgen -c -- "$current") $(compgen -f -- "$current"))
            ;;
    esac
}

complete -o filenames -F _softdoca softdoca
