import { hash } from 'node:crypto'
import { resourceUri } from '../../base/ids.ts'

export const uriOfEndpoint = (domain: string, id: string): string => resourceUri(domain, 'keymgr', 'dke-endpoint', id)

/** Path of the data plane, in front of an endpoint's id. */
export const DATA_PLANE = '/api/v1/keymgr/docsuite/dke-data-plane/endpoints/'

/** Path of an endpoint's public key: the path of its `key_uri`. */
export const keyPathOf = ({ id, kek_name }: { readonly id: string; readonly kek_name: string }): string =>
  `${DATA_PLANE}${id}/keys/${encodeURIComponent(kek_name)}`

const PREFIX_DIGITS = 20
const NUMBER_DIGITS = 12

/**
 * The UUID of a version of an endpoint's key, which documents contain permanently. Ours: version 8 (RFC 9562 §5.8),
 * derived from the endpoint's id and the number of the version. So a document identifies its version without a stored
 * list.
 */
export function versionUuid(endpointId: string, version: number): string {
  const prefix = hash('sha256', `dke ${endpointId}`).slice(0, PREFIX_DIGITS)
  const digits = prefix + version.toString(16).padStart(NUMBER_DIGITS, '0')
  const marked = `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17)}`
  return marked.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The version that a UUID identifies; `undefined` for any other text, and for a UUID of another endpoint. */
export function versionIn(endpointId: string, uuid: string): number | undefined {
  const number = Number.parseInt(uuid.slice(-NUMBER_DIGITS), 16)
  return Number.isSafeInteger(number) && versionUuid(endpointId, number) === uuid ? number : undefined
}
