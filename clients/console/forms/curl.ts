import type { Call } from '../calls.ts'
import { ShellVariable } from './shell-variable.ts'

/** A text in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/**
 * A body as JSON in single quotes. Variables are put outside the quotes; a random mark finds them in the JSON, so that
 * no text of a body can imitate one.
 */
function quotedJson(body: unknown): string {
  const mark = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-')
  const json = JSON.stringify(body, function (this: Record<string, unknown>, name: string, value: unknown): unknown {
    const own = this[name]
    return own instanceof ShellVariable ? `${mark}${own.name}` : value
  })
  return quoted(json).replaceAll(new RegExp(`"${mark}([A-Z0-9_]+)"`, 'g'), `"'"$$$1"'"`)
}

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
    ...Object.entries(call.init.headers ?? {}).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ]
  if (call.init.body !== undefined)
    lines.push(`-H 'content-type: application/json'`, `-d ${quotedJson(call.init.body)}`)
  return lines.join(' \\\n  ')
}
