import { shortText } from '../../../base/short-text.ts'
import type { Moment } from '../../../base/moment.ts'
import { Quota } from '../../../serving/key-use/quota.ts'
import { versionOf } from '../../../serving/key-use/key-version.ts'
import { after, type MaybePromise } from '../../../serving/maybe-promise.ts'
import type { DataRequest } from '../../../serving/pipeline.ts'
import type { StoredLocalKey } from '../../../vault/keys/store.ts'
import type { DKE_ACCESS_LOG } from '../access-log.ts'
import { versionIn } from '../identifiers.ts'
import type { DkeAddress } from './address.ts'
import { addressOf, authorize } from './authorize.ts'
import { badRequest, DkeRefusal } from './errors.ts'
import { identityOf, type Identity } from './identity.ts'
import { dkeServed, type ServedEndpoint } from './served-endpoint.ts'

export type DkeRequest = DataRequest<DkeAddress, typeof DKE_ACCESS_LOG.fields>

/** The caller of an endpoint. `identity` is undefined for the public key, which anyone may read. */
export interface DkeCaller {
  readonly endpoint: ServedEndpoint
  readonly identity: Identity | undefined
}

/** Ours: calls per second of one person, or of one address without a token, to one endpoint. */
const CALLS_PER_SECOND = 100
const quota = new Quota('KEYMGR_DKE_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** Ours: claims are logged to this length; no mail address is longer. */
const CLAIM_CHARACTERS = 320
const told = (claim: string | undefined): string | undefined => claim && shortText(claim, CLAIM_CHARACTERS)

function found(request: DkeRequest, endpoint: ServedEndpoint | undefined): ServedEndpoint {
  if (endpoint === undefined) throw new DkeRefusal('NOT_FOUND')
  request.record.domain = endpoint.domain
  request.record.endpoint = endpoint.id
  request.record.audit = endpoint.recordsSuccesses || undefined
  return endpoint
}

/**
 * The endpoint of the address, and for a decryption the person named in the token. Ours: an unknown endpoint is
 * answered with NOT_FOUND whatever the token, because there is no audience to announce.
 * @throws DkeRefusal NOT_FOUND, UNAUTHENTICATED; Refusal UNAVAILABLE
 */
export function authenticate(request: DkeRequest): MaybePromise<DkeCaller> {
  const { address, event, now, record } = request
  return after(dkeServed.get(address.endpoint, now), (known) => {
    const endpoint = found(request, known)
    if (address.operation === 'publicKey') return { endpoint, identity: undefined }
    return after(identityOf(event, endpoint, now), (identity) => {
      const { tid, oid } = identity
      Object.assign(record, { tid, oid: told(oid), email: told(addressOf(identity)) })
      return { endpoint, identity }
    })
  })
}

/** Reads a disabled endpoint again, so that enabling takes effect at once. */
async function enabledNow(request: DkeRequest): Promise<ServedEndpoint> {
  const fresh = found(request, await dkeServed.now(request.address.endpoint, request.now))
  if (fresh.isEnabled) return fresh
  request.record.rule = 'status'
  throw new DkeRefusal('FORBIDDEN')
}

/** The version that a path names. @throws DkeRefusal BAD_REQUEST for an unknown one; Refusal UNAVAILABLE */
function versionAt(
  endpoint: ServedEndpoint,
  { key, version: uuid, operation }: DkeAddress,
  now: Moment,
): MaybePromise<StoredLocalKey> {
  const { id, latest, latestUuid } = endpoint
  if (key !== latest.name) throw badRequest('The endpoint has no key of this name.')
  if (operation === 'publicKey' || uuid === latestUuid) return latest
  const unknown = (): DkeRefusal => badRequest('The key has no such version.')
  const number = versionIn(id, uuid)
  if (number === undefined) throw unknown()
  return after(versionOf(endpoint, number, now), (version) => {
    if (version === undefined) throw unknown()
    return version
  })
}

/** An endpoint that serves the caller, and the requested version. */
export interface Serving {
  readonly endpoint: ServedEndpoint
  readonly version: StoredLocalKey
}

/** @throws DkeRefusal FORBIDDEN, BAD_REQUEST; Refusal TOO_MANY_REQUESTS, UNAVAILABLE */
export function admit(request: DkeRequest, { endpoint: known, identity }: DkeCaller): MaybePromise<Serving> {
  const { address, event, now, record } = request
  quota.count(`${known.id} ${identity?.oid ?? event.requestContext.http.sourceIp}`, now)
  return after(known.isEnabled ? known : enabledNow(request), (endpoint) =>
    after(versionAt(endpoint, address, now), (version) => {
      record.version = version.version
      const permission = identity && authorize(endpoint, identity, record, now)
      return after(permission, () => ({ endpoint, version }))
    }),
  )
}
