import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import type { Fields } from '../../../../base/json.ts'
import { bodyOf, readFields } from '../../../../serving/json-body.ts'
import { Quota } from '../../../../serving/key-use/quota.ts'
import { serve, type DataRequest } from '../../../../serving/pipeline.ts'
import { NAME } from '../../name.ts'
import { XKS_ACCESS_LOG } from './access-log.ts'
import { parsePath, type XksAddress } from './address.ts'
import { authenticate, useToTell } from './authenticate.ts'
import { assertMetadata, recordMetadata } from './body.ts'
import { errors, XksRefusal } from './errors.ts'
import { hostedKey } from './hosted-key.ts'
import { servedStore, storeNow, type ServedStore } from './key-store.ts'
import { VERBS, type XksCall, type XksVerb } from './verbs.ts'

type XksRequest = DataRequest<XksAddress, typeof XKS_ACCESS_LOG.fields>

/** A store, and a signed request to it: its body, or the error in the body. */
interface Signed {
  readonly store: ServedStore
  readonly body: Fields | string
}

/** Calls per second to one store that the protocol requires a proxy to support. */
const CALLS_PER_SECOND = 1_800
const quota = new Quota('KEYMGR_XKS_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** Ours: a signature in the query is ignored, and any other query makes the path unknown. */
function refuseQuery(query: string): void {
  if (query === '') return
  throw new XksRefusal(/(?:^|&)X-Amz-/i.test(query) ? 'AuthenticationFailedException' : 'InvalidUriPathException')
}

/**
 * Verifies the signature against the credentials of the store. The access log gets the metadata of every signed
 * request.
 */
function authenticated({ event, address, now, record }: XksRequest): MaybePromise<Signed> {
  const reading = servedStore(address.storeId, now)
  return after(reading, (store) => {
    if (store === undefined) throw new XksRefusal('InvalidUriPathException')
    record.domain = store.domain
    record.keyStore = store.id
    record.audit = store.audited || undefined
    // A cold instance reads the key while it opens the credential; in sequence the two would take one and a half times
    // as long.
    if (reading instanceof Promise && address.key !== '')
      Promise.resolve(hostedKey(store, address.key, now)).catch(() => undefined)
    refuseQuery(event.rawQueryString)
    const received = bodyOf(event)
    return after(authenticate(store, event, received, now), (signatory) => {
      record.used = useToTell(signatory.store, signatory.accessKeyId, now)
      const body = readFields(event.headers['content-type'] ?? '', received.toString())
      if (typeof body !== 'string') recordMetadata(body, record)
      return { store, body }
    })
  })
}

/** Checks that the store is within its quota and not blocked. */
function served({ now }: XksRequest, signed: Signed): MaybePromise<Signed> {
  quota.count(signed.store.id, now)
  if (!signed.store.blocked) return signed
  return storeNow(signed.store, now).then((fresh) => {
    if (fresh?.blocked === false) return signed
    throw new XksRefusal('InvalidStateException')
  })
}

function readCall({ address, now, record }: XksRequest, { store, body }: Signed, { requires }: XksVerb): XksCall {
  if (typeof body === 'string') throw new XksRefusal('ValidationException', body)
  assertMetadata(body, requires)
  return { store, keyId: address.key, body, now, record }
}

/** The data plane of external key stores: POST …/xks-proxy-endpoints/{id}/kms/xks/v1/…, signed by the cloud. */
export const handler = serve({
  accessLog: XKS_ACCESS_LOG,
  errors,
  answerWithinMs: 200, // the cloud's limit is 250 ms
  headers: () => ({ 'content-type': 'application/json', 'cache-control': 'no-store' }),
  parsePath,
  authenticate: authenticated,
  resource: served,
  clouds: ['xks', NAME],
  blockedBy: ({ store }, { key }) => [store.id, store.container, key],
  verb: ({ operation }) => VERBS[operation],
  read: readCall,
})
