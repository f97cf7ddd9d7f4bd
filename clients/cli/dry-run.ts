import { isAtRoot } from '../sdk/address.ts'
import type { Keymgr } from '../sdk/client.ts'
import { at } from './arguments/body.ts'
import type { OptionRow, PreviewRow } from './command.ts'
import { methodOf, type Call } from './operate.ts'
import { show, type Wish } from './output/show.ts'

type Fields = Readonly<Record<string, unknown>>

const HIDDEN = '***'

/** A body with its secrets hidden. */
function withoutSecrets(body: unknown, options: readonly OptionRow[]): unknown {
  if (typeof body !== 'object' || body === null) return body
  const copy = structuredClone(body) as Record<string, unknown>
  for (const { secret, path } of options) {
    const inside = at(copy, path.slice(0, -1)) as Record<string, unknown> | undefined
    const name = path.at(-1) ?? ''
    if (secret && inside?.[name] !== undefined && inside[name] !== null) inside[name] = HIDDEN
  }
  return copy
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

function addressOf({ row, path, query }: Call): string {
  const filled = row.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value]) parameters.append(name, String(each))
  const text = parameters.toString()
  return `${isAtRoot(row.path) ? '${KEYMGR_URL%/api}' : '$KEYMGR_URL'}${filled}${text === '' ? '' : `?${text}`}`
}

/** The call as a line for a shell in which KEYMGR_URL and KEYMGR_TOKEN are set. */
export function curlOf(call: Call): string {
  const { row, headers, body } = call
  const shown = withoutSecrets(body, row.options)
  return [
    `curl -X ${row.method} "${addressOf(call)}"`,
    '-H "authorization: Bearer $KEYMGR_TOKEN"',
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      .map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : body instanceof Uint8Array
        ? ['--data-binary @body']
        : ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(shown))}`]),
  ].join(' \\\n  ')
}

const tell = (sentence: string): boolean => process.stderr.write(`${sentence}\n`)

/** The fields of a body that another call accepts too. */
const onlyFields = (body: unknown, fields: readonly string[]): Fields =>
  Object.fromEntries(Object.entries((body ?? {}) as Fields).filter(([name]) => fields.includes(name)))

/** The parts of the call that a preview makes. */
function requestOf({ path, query, body }: Call, { field, parameter, fields = [] }: PreviewRow) {
  if (parameter !== undefined) return { path, query: { ...query, [parameter]: true }, body }
  return { path, body: field === undefined ? onlyFields(body, fields) : { ...(body as Fields), [field]: true } }
}

/**
 * Changes nothing: calls the service's preview of the operation if it has one, otherwise shows the call that would be
 * made. It prints which of the two it did.
 */
export async function tryOut(keymgr: Keymgr, call: Call, wish: Wish): Promise<number> {
  const { preview } = call.row
  if (preview === undefined) {
    tell('Dry run: nothing was changed. The service has no preview of this; the call would be:')
    await show(`${curlOf(call)}\n`, wish)
    return 0
  }
  tell(`Dry run: nothing was changed. The service was asked by ${preview.method} ${preview.path}:`)
  const { body: answer } = await keymgr.request(methodOf(preview), preview.path, requestOf(call, preview))
  await show(answer, { ...wish, columns: preview.columns })
  return 0
}
