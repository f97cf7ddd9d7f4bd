import type { Call } from '../calls.ts'

/** A text in single quotes of a shell. A secret becomes a variable outside of the quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`).replace(/"\$([A-Z0-9_]+)"/g, `"'"$$$1"'"`)}'`

/** The path and the query of a call, below `/api`. */
export function addressOf({ path, init }: Call): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(init.path?.[name] ?? '')))
  const query = new URLSearchParams(
    Object.entries(init.query ?? {}).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => [name, String(each)] as [string, string]),
    ),
  ).toString()
  return query === '' ? filled : `${filled}?${query}`
}

/** A call for a shell. The token is `$TOKEN`, never the real one. @param origin of the service */
export function curlOf(call: Call, origin: string): string {
  const method = call.method.toUpperCase()
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${origin}/api${addressOf(call)}`)}`,
    `-H "authorization: Bearer $TOKEN"`,
  ]
  if (call.init.body !== undefined)
    lines.push(`-H 'content-type: application/json'`, `-d ${quoted(JSON.stringify(call.init.body))}`)
  return lines.join(' \\\n  ')
}
