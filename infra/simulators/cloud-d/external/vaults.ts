import type { ExternalManager } from '../state/held.ts'
import { requiredObject, requiredText } from '../wire/body.ts'
import type { Call } from '../wire/call.ts'
import { incorrectState, invalid, relatedNotFound } from '../wire/errors.ts'

/**
 * An address without a slash at its end. @throws ApiError InvalidParameter for an address that the cloud does not call
 */
function addressIn(text: string): string {
  const url = URL.parse(text)
  const isLocal = url?.protocol === 'http:' && url.hostname === '127.0.0.1'
  if (url === null || (url.protocol !== 'https:' && !isLocal) || url.search !== '' || url.hash !== '')
    throw invalid('externalVaultEndpointUrl must be an https address.')
  return text.replace(/\/+$/, '')
}

/**
 * The key manager of a new external vault, which must answer the cloud's first call.
 * @throws ApiError MissingParameter, InvalidParameter, RelatedResource…, IncorrectState, ServiceUnavailable
 */
export async function externalManagerIn(call: Call): Promise<ExternalManager> {
  const metadata = requiredObject(call.body, 'externalKeyManagerMetadata')
  const oauth = requiredObject(metadata, 'oauthMetadata')
  const manager = {
    endpointUrl: addressIn(requiredText(metadata, 'externalVaultEndpointUrl')),
    privateEndpointId: requiredText(metadata, 'privateEndpointId'),
    domainUrl: requiredText(oauth, 'idcsAccountNameUrl').replace(/\/+$/, ''),
    clientId: requiredText(oauth, 'clientAppId'),
    clientSecret: requiredText(oauth, 'clientAppSecret'),
    vendor: '',
  }
  const { tenancy } = call.caller
  if (!tenancy.privateEndpoints.includes(manager.privateEndpointId)) throw relatedNotFound('The private endpoint')
  requireClient(call, manager)
  const { state, vendor } = await call.managers.ask(manager, { method: 'GET', path: '/metadata' })
  if (state !== 'ACTIVE') throw incorrectState(`The vault at the external key manager is ${String(state)}.`)
  return { ...manager, vendor: typeof vendor === 'string' ? vendor : '' }
}

/** @throws ApiError InvalidParameter unless the application belongs to the tenancy's domain */
function requireClient({ caller, domains }: Call, { domainUrl, clientId, clientSecret }: ExternalManager): void {
  const domain = domains.all().find(({ url }) => url === domainUrl)
  const isOwn = domain?.tenancy.id === caller.tenancy.id
  const isKnown = caller.tenancy.applications.some(
    (each) => each.clientId === clientId && each.clientSecret === clientSecret,
  )
  if (!isOwn || !isKnown) throw invalid('oauthMetadata names no application of an identity domain.')
}
