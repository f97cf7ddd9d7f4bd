import type { X509Certificate } from 'node:crypto'
import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import { BoundedCache } from '../../../../base/bounded-cache.ts'
import { setting } from '../../../../base/environment.ts'
import { PARTITIONS } from '../../adapter/partitions.ts'
import { certificatesOf, isCertified } from '../../../../crypto/x509/client-certificate.ts'
import { storeNow, type ServedStore } from './key-store.ts'
import { PROXY_SERVICE, signingKey } from './signing-key.ts'
import { after, type MaybePromise } from '../../../../serving/maybe-promise.ts'
import { isSigned, readClaim, type Claim, type SignedRequest } from '../../../../serving/sigv4.ts'
import type { Moment } from '../../../../base/moment.ts'
import { XksRefusal } from './errors.ts'

/** CA certificates that may issue the cloud's certificates: PEM, or the name of a PEM file. */
const TRUST_ANCHORS = 'KEYMGR_XKS_TRUST_ANCHORS'

/** Loaded on demand: a cold start waits for each module. */
const fileOf = (name: string): string => process.getBuiltinModule('node:fs').readFileSync(name, 'utf8')

let anchors: { readonly list: readonly X509Certificate[] | undefined } | undefined

/**
 * Without the variable, the front door has a trust store and has verified the chain. An empty variable trusts no
 * certificate.
 */
function trustAnchors(): readonly X509Certificate[] | undefined {
  if (anchors === undefined) {
    const given = setting(TRUST_ANCHORS)
    const pem = given === undefined || given === '' || given.includes('-----BEGIN') ? given : fileOf(given)
    anchors = { list: pem === undefined ? undefined : certificatesOf(pem) }
  }
  return anchors.list
}

/** The name in the certificate of the cloud's key service, by region. */
function clientNameOf(region: string): string {
  const partition = Object.values(PARTITIONS).find(({ regions }) => regions.test(region))
  return `cks.kms.${region}.${partition?.domain ?? 'amazonaws.com'}`
}

/**
 * Whether the store accepts the caller's certificate. Ours: a refusal is an HTTP answer, although the protocol prefers
 * to abort the handshake: a function sees only requests, and a front door with a trust store verifies the chain but not
 * the name.
 */
function isCertifiedCaller({ mtls, region }: ServedStore, event: APIGatewayProxyEventV2, { epochMs }: Moment): boolean {
  if (!mtls) return true
  const pem = event.requestContext.authentication?.clientCert.clientCertPem
  return pem !== undefined && isCertified(pem, clientNameOf(region), new Date(epochMs), trustAnchors())
}

/** Ours: how often an instance reports that a credential is in use. */
const TELL_EVERY_MS = 15 * 60_000
const told = new BoundedCache<number>(4_096)

/**
 * The credential's id if its use should be reported now: no call waits for the report, and few log lines contain it.
 */
export function useToTell({ credentials }: ServedStore, accessKeyId: string, { epochMs }: Moment): string | undefined {
  const id = credentials.get(accessKeyId)?.id
  if (id === undefined || epochMs - (told.get(id) ?? -Infinity) < TELL_EVERY_MS) return undefined
  told.set(id, epochMs)
  return id
}

interface Signatory {
  /** as last read */
  readonly store: ServedStore
  readonly accessKeyId: string
}

/** `undefined` for a credential that the store does not have. */
function keyOf(store: ServedStore, { accessKeyId, day }: Claim, now: Moment): ReturnType<typeof signingKey> {
  const credential = store.credentials.get(accessKeyId)
  return credential && signingKey(store, credential, day, now)
}

/**
 * Reads the store again after a failed signature, because the cloud uses a new credential at once. Runs for every
 * failure, so that callers cannot distinguish the reasons. An outage of the table does not change the answer to a wrong
 * signature.
 */
async function lookAgain(store: ServedStore, request: SignedRequest, claim: Claim, now: Moment): Promise<Signatory> {
  const fresh = await storeNow(store, now).catch(() => undefined)
  const key = fresh && (await keyOf(fresh, claim, now))
  if (fresh === undefined || !isSigned(request, claim, key)) throw new XksRefusal('AuthenticationFailedException')
  return { store: fresh, accessKeyId: claim.accessKeyId }
}

/**
 * Verifies the certificate, if the store requires one, and the signature of the request.
 * @param body as received
 * @returns the credential that signed it
 * @throws XksRefusal AuthenticationFailedException, the same for every reason; Refusal UNAVAILABLE
 */
export function authenticate(
  store: ServedStore,
  event: APIGatewayProxyEventV2,
  body: string | Buffer,
  now: Moment,
): MaybePromise<Signatory> {
  const { region } = store
  const { headers, rawPath: path, requestContext } = event
  const claim = readClaim(headers, { service: PROXY_SERVICE, region }, now.epochMs)
  if (claim === undefined || !isCertifiedCaller(store, event, now))
    throw new XksRefusal('AuthenticationFailedException')
  const request = { method: requestContext.http.method, path, headers, body }
  return after(keyOf(store, claim, now), (key) =>
    isSigned(request, claim, key) ? { store, accessKeyId: claim.accessKeyId } : lookAgain(store, request, claim, now),
  )
}
