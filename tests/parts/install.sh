#!/usr/bin/env bash
# Installs what tests run on and pip cannot bring: PostgreSQL, Chromium, and fonts to show text with. Says nothing where
# all is there. Where it may not install (no apt, not root and no sudo without a password, PARTS=no) it says what is missing and
# goes on: the tests that need it are skipped, but fail where CI is set.
set -euo pipefail

missing=()
command -v initdb > /dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' > /dev/null || missing+=(postgresql)
command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null ||
    missing+=(chromium)
[ -n "$(find -L /usr/share/fonts /usr/local/share/fonts ~/.fonts -name '*.[ot]tf' -print -quit 2> /dev/null)" ] ||
    missing+=(fonts-dejavu-core fonts-liberation)
[ ${#missing[@]} -eq 0 ] && exit 0

go_on_without() {
    echo "tests go on without ${missing[*]} ($1); to have them: apt-get install ${missing[*]}"
    exit 0
}

as_root=()
[ "${PARTS:-}" != no ] || go_on_without "PARTS=no"
command -v apt-get > /dev/null || go_on_without "there is no apt-get here"
if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2> /dev/null || go_on_without "only root may install, or sudo without a password"
    as_root=(sudo -n)
fi

# Debian makes and starts a database of its own with the package: nobody here has asked for one.
no_cluster=/etc/postgresql-common/createcluster.d/none-for-tests.conf
if [[ " ${missing[*]} " == *" postgresql "* ]]; then
    "${as_root[@]}" mkdir -p "${no_cluster%/*}"
    echo "create_main_cluster = false" | "${as_root[@]}" tee "$no_cluster" > /dev/null
    trap '"${as_root[@]}" rm -f "$no_cluster"' EXIT
fi

echo "installing ${missing[*]} …"
log=$(mktemp)
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Acquire::Retries=2 "$@"; }
if ! (apt update && apt install --yes --no-install-recommends "${missing[@]}") < /dev/null > "$log" 2>&1; then
    tail -n 5 "$log"
    go_on_without "apt-get failed: see $log"
fi
rm -f "$log"
