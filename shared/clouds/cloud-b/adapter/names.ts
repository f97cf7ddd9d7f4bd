import { Refusal } from '../../../base/errors.ts'

/** Only characters that the cloud allows pass, because names become parts of addresses. */
const NAME = /^[A-Za-z0-9-]{1,127}$/
const VERSION = /^[0-9a-f]{32}$/

/** A version, with the name of its key, secret or certificate. */
export interface RefParts {
  readonly name: string
  readonly version: string
}

/** The cloud compares names without regard to case and keeps the first spelling, so refs are in lower case. */
export const refOf = (name: string, version: string): string => `${name.toLowerCase()}/${version}`

/** `undefined` for a text that is not a ref, which the cloud cannot have. */
export function partsOf(ref: string): RefParts | undefined {
  const [name = '', version = '', ...rest] = ref.split('/')
  return rest.length === 0 && NAME.test(name) && VERSION.test(version) ? { name, version } : undefined
}

/** @throws Refusal CLOUD_NOT_FOUND */
export function knownParts(ref: string): RefParts {
  const parts = partsOf(ref)
  if (parts !== undefined) return parts
  throw new Refusal('CLOUD_NOT_FOUND', `Cloud-b has no ${JSON.stringify(ref.slice(0, 200))}.`)
}

/** @throws Refusal RULE_BROKEN */
export function checkedName(name: string): string {
  if (NAME.test(name)) return name
  throw new Refusal(
    'RULE_BROKEN',
    `${JSON.stringify(name.slice(0, 200))} is not a name: 1 to 127 letters, digits and -.`,
  )
}

/** Ref of the version that an identifier names: `https://<vault>/<kind>/<name>/<version>`. */
export function refIn(id: string): string {
  const [, , , version = ''] = new URL(id).pathname.split('/')
  return refOf(nameInId(id), version)
}

/** Whether a text is an identifier with a name. */
export const isItemId = (id: string): boolean => (URL.parse(id)?.pathname.split('/')[2] ?? '') !== ''

/** The name in an identifier, in the cloud's spelling. */
export const nameInId = (id: string): string => new URL(id).pathname.split('/')[2] ?? ''

export const nameOf = (ref: string): string => ref.slice(0, ref.indexOf('/'))

/**
 * A link to the next page, from the cloud or from a caller.
 * @throws Refusal CLOUD_INVALID for a link to another host: the request would send our token there
 */
export function checkedLink(link: string, origin: string): string {
  const url = URL.parse(link)
  if (url?.origin === origin && url.username === '' && url.password === '') return link
  throw new Refusal('CLOUD_INVALID', `The list cannot be continued: its link does not lead to ${origin}.`)
}
