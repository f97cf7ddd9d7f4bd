import { ruleBroken } from '../../../base/errors.ts'
import { defined } from '../../../base/fields.ts'
import { fieldsOf, type Fields } from '../../../base/json.ts'
import { faultOfFetched, ISSUER } from '../../../endpoint/issuers/address.ts'
import { assertKeySet, PROVIDER_MS, readProvider, type Source } from '../../../endpoint/issuers/provider.ts'
import { tokenIn, tokenRequest } from './client-token.ts'
import { allowsLoopback } from './loopback.ts'

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

const DOCUMENT = 'openid_config_url'

/** An address that a document names. @throws Refusal RULE_BROKEN */
function addressIn(document: Fields, name: string): string {
  const { [name]: address } = document
  if (typeof address !== 'string') throw ruleBroken(DOCUMENT, `must lead to a document that names ${name}`)
  const fault = faultOfFetched(address, allowsLoopback())
  if (fault !== undefined) throw ruleBroken(DOCUMENT, `must name a ${name} that may be called: it ${fault}`)
  return address
}

/**
 * Issuer, key set and token endpoint in a document. The cloud has two forms of the document. Both contain an issuer on
 * another host, the same for all customers, so the issuer is used unchecked.
 * @throws Refusal RULE_BROKEN
 */
async function readDocument(source: Source): Promise<FoundIssuer & { readonly document: Fields }> {
  const whole = await readProvider(source)
  const nested = fieldsOf(whole['openid-configuration'])
  const document = Object.keys(nested).length > 0 ? nested : whole
  const { success, data: issuer } = ISSUER.safeParse(document.issuer)
  if (!success) throw ruleBroken(DOCUMENT, 'must lead to a document that names issuer')
  return { issuer, jwks_uri: addressIn(document, 'jwks_uri'), document }
}

/** A token of the provider that allows reading its own key set. @throws Refusal RULE_BROKEN */
async function tokenOf(source: Source, { client_id = '', client_secret = '' }: WantedIssuer): Promise<string> {
  const token = tokenIn(await readProvider(source, tokenRequest(client_id, client_secret)))
  if (token === undefined) throw ruleBroken('client_id', 'must get a token of the identity provider')
  return token
}

/**
 * Refuses to send a saved client secret to another token endpoint than the one it was given for: a user who may change
 * an issuer must not learn its secret. An unknown endpoint counts as another one.
 * @throws Refusal RULE_BROKEN
 */
function assertSentAsBefore(before: string | undefined, token_endpoint: string | undefined): void {
  if (token_endpoint === undefined || token_endpoint !== before)
    throw ruleBroken(
      'client_secret',
      'must be given again when openid_config_url changes: no saved secret is sent elsewhere',
    )
}

/**
 * The provider's present issuer and key set, which is read once.
 * @param savedFor the issuer whose saved client secret is used with another document
 * @throws Refusal RULE_BROKEN, naming the field that failed
 */
export async function findIssuer(
  wanted: WantedIssuer,
  savedFor?: { readonly token_endpoint?: string | undefined },
): Promise<FoundIssuer> {
  const { issuer = '', jwks_uri = '', openid_config_url: address, jwks_uri_protected: isProtected } = wanted
  const within = { deadline: performance.now() + PROVIDER_MS, allowsLoopback: allowsLoopback() }
  if (address === undefined) {
    await assertKeySet({ field: 'jwks_uri', address: jwks_uri, ...within })
    return { issuer, jwks_uri }
  }
  const ofDocument = (of: string): Source => ({ field: DOCUMENT, address: of, ...within })
  const { document, ...found } = await readDocument(ofDocument(address))
  const token_endpoint = isProtected ? addressIn(document, 'token_endpoint') : undefined
  if (savedFor !== undefined) assertSentAsBefore(savedFor.token_endpoint, token_endpoint)
  const token = token_endpoint === undefined ? undefined : await tokenOf(ofDocument(token_endpoint), wanted)
  await assertKeySet(ofDocument(found.jwks_uri), token)
  return { ...found, ...defined({ token_endpoint }) }
}
