#!/usr/bin/env bash
# Writes the man pages of tandem, its commands and the mock server from their help texts:
#   write_pages.sh VERSION DATE FOLDER TANDEM [MOCK_SERVER]
set -euo pipefail
readonly version=$1 date=$2 folder=$3 tandem=$4 mock=${5-}

# write_page NAME SUMMARY HELP_FLAG COMMAND [HELP2MAN_OPTION]...
write_page() {
  local name=$1 summary=$2 help=$3 command=$4
  # help2man uses the program name without the command as the title, and a date that mandoc cannot
  # parse.
  help2man --no-info --locale=C.UTF-8 --version-string="tandem $version" --name="$summary" \
    --help-option="$help" "${@:5}" "$command" |
    sed "s/^\.TH [^ ]* \"1\" \"[^\"]*\"/.TH ${name^^} \"1\" \"$date\"/" >"$folder/$name.1"
}

rm -rf "$folder"
mkdir -p "$folder"
see_also=()
while read -r name summary; do
  write_page "tandem-$name" "$summary" --help=all "$tandem $name"
  see_also+=("tandem-$name(1)")
done < <("$tandem" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) */\1 /p')
printf '[see also]\n%s\n' "$(printf '%s, ' "${see_also[@]}" | sed 's/, $//')" >"$folder/see_also"
write_page tandem "the LLM stage of a voice bot, in front of llama-server" --help "$tandem" --include="$folder/see_also"
rm "$folder/see_also"
[[ -z $mock ]] || write_page tandem-mock-server "behave like llama-server, for tests of bots" --help "$mock"
