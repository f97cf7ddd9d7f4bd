/** The time between two questions whether an export is ready, and their number. */
const PAUSE_SECONDS = 10
const TRIES = 60

/**
 * The commands by which a program fetches the records of a time. The credential is in two variables, never in the text.
 * @param origin of the service
 * @param from first moment, RFC 3339
 * @param to first moment that is not fetched any more
 */
export const exportCommand = (origin: string, from: string, to: string): string => `BASE='${origin}/platform'
field() { sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p"; }
TOKEN=$(curl -sS "$BASE/auth/oauth/v1/token" -d grant_type=client_credentials \\
  -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" | field access_token)
JOB=$(curl -sS "$BASE/api/v1/audit-log-exports" -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' -d '${JSON.stringify({ from, to })}' | field jobId)
for TRY in $(seq ${TRIES}); do
  URL=$(curl -sS "$BASE/api/v1/audit-log-exports/$JOB" -H "authorization: Bearer $TOKEN" | field url)
  [ -n "$URL" ] && break
  sleep ${PAUSE_SECONDS}
done
curl -sSL "$URL" -o audit.zip`
