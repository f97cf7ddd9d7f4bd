import { isObject } from '../../shared/base/json.ts'

const ENTRIES_MOST = 2
const TEXT_MOST = 400

/** Members with secret values. */
const SECRET =
  /^(?:.*password|.*secret|.*secret_access_key|jwt|token|.*_token|private_?key|material|blob|seed|key_file|pfx|value|authorization)$/i

/**
 * Values that differ at a reader's service (addresses, tokens, long keys and certificates), with their replacements.
 */
const REPLACED: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/(?:127\.0\.0\.1|localhost)(?:(?::|%3A)\d+)?/g, 'https://keymgr.example.com'],
  [/(?<![\d.])(?:127\.0\.0\.1|localhost)(?:(?::|%3A)\d+)?/g, 'keymgr.example.com'],
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhZG1pbiJ9.c2lnbmF0dXJl'],
  [/(-----BEGIN [A-Z ]+-----)[\s\S]+?(-----END [A-Z ]+-----)/g, '$1\nMIIB...\n$2'],
]

const isBase64 = (value: string): boolean =>
  value.length >= 8 && /^(?:[\w+/-]{4})+$|^[\w+/-]+={1,2}$/.test(value) && value.length % 4 === 0

const text = (value: string): string => {
  const replaced = REPLACED.reduce((whole, [pattern, by]) => whole.replaceAll(pattern, by), value)
  if (replaced.length <= TEXT_MOST) return replaced
  return isBase64(value) ? value.slice(0, TEXT_MOST) : `${replaced.slice(0, TEXT_MOST - 3)}...`
}

/** Replacements of a secret, in the form of its field. */
export const HIDDEN = '********'
export const HIDDEN_BASE64 = Buffer.from('secret').toString('base64')
const hidden = (value: string): string => (isBase64(value) ? HIDDEN_BASE64 : HIDDEN)

/** A recorded value as an example shows it: without secrets, without addresses of the recording, and shortened. */
export function shown(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return SECRET.test(name) ? hidden(value) : text(value)
  if (Array.isArray(value)) return value.slice(0, ENTRIES_MOST).map((entry) => shown(entry, name))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([member, below]) => [member, shown(below, member)]))
}
