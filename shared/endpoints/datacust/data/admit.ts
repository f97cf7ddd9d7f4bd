import { isObject, type Fields } from '../../../base/json.ts'
import type { Moment } from '../../../base/moment.ts'
import { shortText } from '../../../base/short-text.ts'
import { validFingerprint } from '../../../crypto/x509/client-certificate.ts'
import { bodyOf, readFields } from '../../../serving/json-body.ts'
import { Quota } from '../../../serving/key-use/quota.ts'
import type { DataRequest } from '../../../serving/pipeline.ts'
import type { DATACUST_ACCESS_LOG } from '../access-log.ts'
import type { StoredExternalKey } from '../keys/store.ts'
import type { DatacustAddress } from './address.ts'
import { badRequest, DatacustRefusal } from './errors.ts'
import { textIn } from './fields.ts'
import { servedNow, type Served, type ServedVersion } from './served.ts'

export type DatacustRequest = DataRequest<DatacustAddress, typeof DATACUST_ACCESS_LOG.fields>

const BODY_BYTES = 131_072
/** Ours: texts of the platform are logged to this length. */
const LOGGED_CHARACTERS = 256

const CALLS_PER_SECOND = 500
const quota = new Quota('KEYMGR_DATACUST_CALLS_PER_SECOND', CALLS_PER_SECOND)

/** A caller with the certificate of an existing key store. */
export interface DatacustCaller {
  readonly served: Served
  /** the members of the body, or its refusal, which later checks precede */
  readonly body: Fields | DatacustRefusal
}

/** A call that the key store serves. */
export interface DatacustCall {
  readonly domain: string
  readonly keystore: Served['keystore']
  readonly fields: Fields
  readonly now: Moment
  readonly record: DatacustRequest['record']
}

/** A call on a key of the key store. */
export interface KeyedCall extends DatacustCall {
  readonly key: StoredExternalKey
  readonly version: ServedVersion
}

function bodyIn({ event }: DatacustRequest): Fields | DatacustRefusal {
  const body = bodyOf(event).toString()
  if (Buffer.byteLength(body) > BODY_BYTES) return new DatacustRefusal('TOO_LARGE')
  const fields = readFields(event.headers['content-type'] ?? 'application/json', body)
  return typeof fields === 'string' ? badRequest(fields) : fields
}

/** Calls that use the newest version, whatever the body names. */
const NEWEST: readonly DatacustAddress['operation'][] = [
  'get-keystore-metadata',
  'get-metadata',
  'generate-random-bytes',
]

function askedVersion({ operation }: DatacustAddress, body: DatacustCaller['body']): string | undefined {
  const asked = body instanceof DatacustRefusal || NEWEST.includes(operation) ? undefined : body.key_version_id
  return typeof asked === 'string' ? asked : undefined
}

/**
 * The key store that the certificate of the connection opens. Only the front door provides it: headers have no effect.
 * Ours: it must be the very certificate of the key store, so that its issuer needs no check here.
 * @throws DatacustRefusal UNAUTHENTICATED, NOT_FOUND; Refusal UNAVAILABLE
 */
export async function authenticate(request: DatacustRequest): Promise<DatacustCaller> {
  const { event, address, now, record } = request
  const pem = event.requestContext.authentication?.clientCert.clientCertPem
  if (pem === undefined) throw new DatacustRefusal('UNAUTHENTICATED')
  const body = bodyIn(request)
  const served = await servedNow(address, askedVersion(address, body), now)
  if (served === undefined) throw new DatacustRefusal('NOT_FOUND')
  const { domain, keystore } = served
  record.domain = domain
  record.keystore = keystore.id
  record.audit = keystore.enable_success_audit_event || undefined
  record.certificate = validFingerprint(pem, new Date(now.epochMs))
  if (record.certificate !== keystore.certificate_sha256) throw new DatacustRefusal('UNAUTHENTICATED')
  return { served, body }
}

const told = (text: string | undefined): string | undefined => text && shortText(text, LOGGED_CHARACTERS)

/** The tenant that the body names; its other texts are only recorded. @throws DatacustRefusal BAD_REQUEST */
function tenantIn({ request_metadata: given }: Fields, record: DatacustRequest['record']): string {
  if (!isObject(given)) throw badRequest('request_metadata is required and must be an object.')
  record.requestId = told(textIn(given, 'sap_request_id'))
  record.group = told(textIn(given, 'sap_group_id'))
  record.userType = told(textIn(given, 'sap_user_type'))
  const tenant = textIn(given, 'sap_tenant_id')
  if (tenant === undefined || tenant === '') throw badRequest('request_metadata.sap_tenant_id is required.')
  record.tenant = told(tenant)
  return tenant
}

function refuse(record: DatacustRequest['record'], rule: string): never {
  record.rule = rule
  throw new DatacustRefusal('FORBIDDEN')
}

/** @throws DatacustRefusal TOO_LARGE, BAD_REQUEST, FORBIDDEN; Refusal TOO_MANY_REQUESTS */
function servedBy({ record, now }: DatacustRequest, { served, body }: DatacustCaller): DatacustCall {
  const { domain, keystore } = served
  quota.count(keystore.id, now)
  if (body instanceof DatacustRefusal) throw body
  if (tenantIn(body, record).toLowerCase() !== keystore.sap_tenant_id.toLowerCase()) refuse(record, 'tenant')
  if (keystore.blocked) refuse(record, 'keystore blocked')
  if (keystore.state === 'ARCHIVED') refuse(record, 'keystore archived')
  return { domain, keystore, fields: body, now, record }
}

/** Calls that are answered whatever the state of the key. */
const METADATA: readonly DatacustAddress['operation'][] = ['get-metadata', 'get-versions-metadata']

/**
 * A call in the order of the protocol: its body, tenant and key store, then its key, state and version.
 * @throws DatacustRefusal TOO_LARGE, BAD_REQUEST, FORBIDDEN, NOT_FOUND; Refusal TOO_MANY_REQUESTS
 */
export function admit(request: DatacustRequest, caller: DatacustCaller): DatacustCall | KeyedCall {
  const { address, record } = request
  const call = servedBy(request, caller)
  if (address.key === undefined) return call
  const { key, version } = caller.served
  if (key === undefined) throw new DatacustRefusal('NOT_FOUND')
  if (!METADATA.includes(address.operation)) {
    if (key.blocked) refuse(record, 'key blocked')
    if (key.state !== 'Enabled') refuse(record, `key ${key.state.toLowerCase()}`)
  }
  if (!NEWEST.includes(address.operation)) textIn(call.fields, 'key_version_id')
  if (version === undefined) throw new DatacustRefusal('NOT_FOUND')
  record.keyVersion = version.id
  return { ...call, key, version }
}
