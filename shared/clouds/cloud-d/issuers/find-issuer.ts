import { ruleBroken } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { fieldsOf, isObject, jsonOf, type Fields } from '../../../base/json.ts'
import { errorFields, log } from '../../../base/log.ts'
import { AddressRefused, sendGuarded, type GuardedRequest } from '../../../base/network/guarded-fetch.ts'
import { allowsLoopback, faultOf } from './addresses.ts'
import { tokenIn, tokenRequest } from './client-token.ts'
import { IssuerName } from './model.ts'

/** Ours: for the document, a token and the key set together, while a person waits. */
const WITHIN_MS = 10_000

/** The issuer that a body describes, alone or as a change of a record. */
export interface WantedIssuer {
  readonly jwks_uri_protected: boolean
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
  readonly issuer?: string | undefined
  readonly jwks_uri?: string | undefined
  readonly openid_config_url?: string | undefined
}
export interface FoundIssuer {
  readonly issuer: string
  readonly jwks_uri: string
  /** where a client of the provider gets a token, if the key set is protected */
  readonly token_endpoint?: string
}

/** An address, and the field of the body that it comes from. */
interface Source {
  readonly field: 'openid_config_url' | 'jwks_uri'
  readonly address: string
  readonly deadline: number
}

/** A JSON object at an address. @throws Refusal RULE_BROKEN naming the field; it reveals only the status of the reply */
async function read({ field, address, deadline }: Source, request: GuardedRequest): Promise<Fields> {
  let reply
  try {
    const withinMs = Math.max(0, deadline - performance.now())
    reply = await sendGuarded(new URL(address), request, { allowsLoopback: allowsLoopback(), withinMs })
  } catch (error) {
    log('warn', 'an identity provider could not be read', { address: new URL(address).host, ...errorFields(error) })
    throw ruleBroken(
      field,
      error instanceof AddressRefused ? error.message : 'must be the address of a server that answers',
    )
  }
  if (reply.status !== 200) throw ruleBroken(field, `must answer 200, but answers ${reply.status}`)
  const json = jsonOf(reply.body)
  if (isObject(json)) return json
  throw ruleBroken(field, 'must lead to a JSON object')
}

const GET = { method: 'GET', headers: { accept: 'application/json' } } as const
const DOCUMENT = 'openid_config_url'

/** An address that a document names. @throws Refusal RULE_BROKEN */
function addressIn(document: Fields, name: string): string {
  const { [name]: address } = document
  if (typeof address !== 'string') throw ruleBroken(DOCUMENT, `must lead to a document that names ${name}`)
  const fault = faultOf(address)
  if (fault !== undefined) throw ruleBroken(DOCUMENT, `must name a ${name} that may be called: it ${fault}`)
  return address
}

/**
 * Issuer, key set and token endpoint in a document. The cloud has two forms of the document. Both contain an issuer on
 * another host, the same for all customers, so the issuer is used unchecked.
 * @throws Refusal RULE_BROKEN
 */
async function readDocument(address: string, deadline: number): Promise<FoundIssuer & { readonly document: Fields }> {
  const whole = await read({ field: DOCUMENT, address, deadline }, GET)
  const nested = fieldsOf(whole['openid-configuration'])
  const document = Object.keys(nested).length > 0 ? nested : whole
  const { success, data: issuer } = IssuerName.safeParse(document.issuer)
  if (!success) throw ruleBroken(DOCUMENT, 'must lead to a document that names issuer')
  return { issuer, jwks_uri: addressIn(document, 'jwks_uri'), document }
}

/** A token of the provider that allows reading its own key set. @throws Refusal RULE_BROKEN */
async function tokenOf(
  address: string,
  { client_id = '', client_secret = '' }: WantedIssuer,
  deadline: number,
): Promise<string> {
  const token = tokenIn(await read({ field: DOCUMENT, address, deadline }, tokenRequest(client_id, client_secret)))
  if (token === undefined) throw ruleBroken('client_id', 'must get a token of the identity provider')
  return token
}

/** @throws Refusal RULE_BROKEN unless the source has a key set */
async function assertKeys(source: Source, token: string | undefined): Promise<void> {
  const headers = { ...GET.headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const { keys } = await read(source, { method: 'GET', headers })
  if (!Array.isArray(keys) || keys.length === 0) throw ruleBroken(source.field, 'must lead to a key set with keys')
}

/**
 * The provider's present issuer and key set, which is read once. @throws Refusal RULE_BROKEN, naming the field that
 * failed
 */
export async function findIssuer(wanted: WantedIssuer): Promise<FoundIssuer> {
  const { issuer = '', jwks_uri = '', openid_config_url: address, jwks_uri_protected: isProtected } = wanted
  const deadline = performance.now() + WITHIN_MS
  if (address === undefined) {
    await assertKeys({ field: 'jwks_uri', address: jwks_uri, deadline }, undefined)
    return { issuer, jwks_uri }
  }
  const { document, ...found } = await readDocument(address, deadline)
  const token_endpoint = isProtected ? addressIn(document, 'token_endpoint') : undefined
  const token = token_endpoint === undefined ? undefined : await tokenOf(token_endpoint, wanted, deadline)
  await assertKeys({ field: DOCUMENT, address: found.jwks_uri, deadline }, token)
  return { ...found, ...defined({ token_endpoint }) }
}
