# Completion of heddlectl for fish: heddlectl itself says what could come next.

function __heddlectl_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct | string unescape)
    for found in (command $words[1] complete -- $words[2..-1] "$last" 2>/dev/null)
        if test "$found" = :file
            __fish_complete_path "$last"
        else
            echo $found
        end
    end
end

complete -c heddlectl -f -a '(__heddlectl_complete)'
