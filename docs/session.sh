# The examples of the pages begin with `. docs/session.sh`, in the checkout. It logs in to the service that `npm start`
# runs, and defines the calls below for a POSIX shell. It needs curl and Node. A token lives 300 seconds: source it again then.
#
#   KEYMGR_ADMIN_PASSWORD  the administrator's password, which the first npm start printed
#   KEYMGR_DATA_DIR        the data directory of the service (.keymgr)
#   KEYMGR_DOMAIN          the domain to log in to (the root domain)

# endpoints <expression>: a value of endpoints.json, such as cloud_a.accounts[0].id
endpoints() {
  node -e 'const of = (value, path) => new Function("value", `return value.${path}`)(value)
    const file = JSON.parse(require("fs").readFileSync(`${process.env.KEYMGR_DATA_DIR || ".keymgr"}/endpoints.json`, "utf8"))
    const found = of(file, process.argv[1])
    console.log(typeof found === "string" ? found : JSON.stringify(found))' "$1"
}

# field <expression>: a value of the JSON that it reads, such as id or resources[0].name. Without it, the whole goes to standard error.
field() {
  node -e 'const value = JSON.parse(require("fs").readFileSync(0, "utf8"))
    const found = new Function("value", `return value.${process.argv[1]}`)(value)
    if (found === undefined) {
      console.error(JSON.stringify(value))
      process.exit(1)
    }
    console.log(typeof found === "string" ? found : JSON.stringify(found))' "$1"
}

# call <method> <path below /v1/> [<body>]
call() {
  if [ $# -gt 2 ]; then
    curl -sS -X "$1" "$BASE/v1/$2" -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d "$3"
  else
    curl -sS -X "$1" "$BASE/v1/$2" -H "authorization: Bearer $TOKEN"
  fi
  echo
}
get() { call GET "$1"; }
post() { if [ $# -gt 1 ]; then call POST "$1" "$2"; else call POST "$1" '{}'; fi; }
patch() { call PATCH "$1" "$2"; }
put() { call PUT "$1" "$2"; }
delete() { call DELETE "$1"; }

if [ ! -f "${KEYMGR_DATA_DIR:-.keymgr}/endpoints.json" ]; then
  echo "No service runs on ${KEYMGR_DATA_DIR:-.keymgr}: start it with npm start." >&2
  return 1
fi
BASE=$(endpoints base_url)
TOKEN=$(curl -sS "$BASE/v1/auth/tokens" -H 'content-type: application/json' \
  -d "{\"name\":\"admin\",\"password\":\"$KEYMGR_ADMIN_PASSWORD\"${KEYMGR_DOMAIN:+,\"domain\":\"$KEYMGR_DOMAIN\"}}" | field jwt)
