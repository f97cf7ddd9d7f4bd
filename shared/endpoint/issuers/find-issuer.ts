import { byName, defined } from '../../base/fields.ts'
import { ruleBroken } from '../../base/errors.ts'
import { fieldsOf } from '../../base/json.ts'
import { keysAmong } from '../../serving/key-set.ts'
import { faultOfFetched, ISSUER } from './address.ts'
import type { FoundIssuer, FoundKey, NewIssuer } from './model.ts'
import { PROVIDER_MS, readProvider, type Source } from './provider.ts'

/** As many keys as the data plane reads from a set. */
const KEYS_MOST = 100
const TEXT_CHARACTERS = 255

const DOCUMENT = '/.well-known/openid-configuration'
const DOCUMENTS = [DOCUMENT, '/.well-known/oauth-authorization-server']

/**
 * Whether a document's address belongs to the issuer that it names: after the issuer's whole address, or between its
 * host and its path.
 * @see OpenID Connect Discovery 1.0 §4.3, RFC 8414 §3
 */
function isDocumentOf(issuer: string, address: string): boolean {
  if (!URL.canParse(issuer)) return false
  const bare = issuer.replace(/\/$/, '')
  const { origin } = new URL(issuer)
  if (!bare.startsWith(origin)) return false
  const within = DOCUMENTS.map((document) => origin + document + bare.slice(origin.length))
  return [bare + DOCUMENT, ...within].includes(address)
}

const FIELD = 'openidConfigurationURL'

/** Issuer and key set in a document. @throws Refusal RULE_BROKEN */
async function readDocument(source: Source): Promise<{ iss: string; jwksURL: string }> {
  const { address, allowsLoopback } = source
  const { issuer, jwks_uri: jwksURL } = await readProvider(source)
  const { success: isIssuer, data: iss } = ISSUER.safeParse(issuer)
  if (!isIssuer || typeof jwksURL !== 'string')
    throw ruleBroken(FIELD, 'must answer with a document that names issuer and jwks_uri')
  if (!isDocumentOf(iss, address))
    throw ruleBroken(FIELD, 'must be the address that the issuer in its document is asked at')
  const fault = faultOfFetched(jwksURL, allowsLoopback)
  if (fault !== undefined) throw ruleBroken(FIELD, `must name a jwks_uri that may be called: it ${fault}`)
  return { iss, jwksURL }
}

/** A text of a key set, checked for display; omitted if it is not text. */
const shown = <N extends string>(name: N, value: unknown): { readonly [M in N]?: string } =>
  typeof value === 'string' ? byName([name], () => value.slice(0, TEXT_CHARACTERS)) : {}

/** Ours: a key without a name is usable only if no other key signs, so that it is clear which tokens it signs. */
function foundKeys(members: readonly unknown[]): FoundKey[] {
  const isAlone = keysAmong(members).length === 1
  return members.map((member) => {
    const [key] = keysAmong([member])
    const { kid, alg, kty } = fieldsOf(member)
    const usable = key !== undefined && (isAlone || key.kid !== undefined)
    return { ...shown('kid', kid), ...shown('alg', alg), ...shown('kty', kty), usable }
  })
}

/** @throws Refusal RULE_BROKEN for no key set, and for one without a usable key */
async function readKeys(source: Source): Promise<FoundKey[]> {
  const { keys } = await readProvider(source)
  if (!Array.isArray(keys)) throw ruleBroken(source.field, 'must be the address of a key set, with a list of keys')
  const found = foundKeys(keys.slice(0, KEYS_MOST))
  if (!found.some(({ usable }) => usable))
    throw ruleBroken(
      source.field,
      'must lead to a key set with a key that signs tokens, named by kid unless it is the only one',
    )
  return found
}

/** The provider that a body describes, as found now. @throws Refusal RULE_BROKEN, naming the field that failed */
export async function findIssuer(body: NewIssuer, allowsLoopback: boolean): Promise<FoundIssuer> {
  const { iss = '', jwksURL = '', openidConfigurationURL: document } = body // exactly one of the two ways, by the rules
  const within = { deadline: performance.now() + PROVIDER_MS, allowsLoopback }
  const named =
    document === undefined ? { iss, jwksURL } : await readDocument({ field: FIELD, address: document, ...within })
  const field = document === undefined ? 'jwksURL' : FIELD
  const keys = await readKeys({ field, address: named.jwksURL, ...within })
  return {
    ...named,
    ...defined({ openidConfigurationURL: document }),
    keys,
    usable_keys: keys.filter(({ usable }) => usable).length,
  }
}
