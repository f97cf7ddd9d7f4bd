import { createPrivateKey, generateKeyPair, X509Certificate, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { resourceUri, ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { DAY_MS } from '../../../base/time.ts'
import { issueCertificate, newSerial } from '../../../crypto/x509/certificate.ts'
import { sequence } from '../../../crypto/x509/encoding.ts'
import { readChain } from '../../../crypto/x509/chain.ts'
import type { Context } from '../../../http/context.ts'
import { sealFor } from '../../../keyring/domain-key.ts'
import type { Kind } from '../../../resource/kind.ts'
import { changeRecord, findRecord, getRecord } from '../../../resource/records.ts'
import type { Stored } from '../../../store/entity.ts'
import { ekmEndpointKind } from '../records.ts'
import type { ReplaceSessionCertificate, SessionCertificate } from './model.ts'
import { CERTIFICATE_KIND, certificatePurpose, type StoredSessionCertificate } from './record.ts'
import { sessionCertificates } from './store.ts'

/** Ours: ten years. The certificate is trusted by itself, so that its end would only stop sessions. */
const VALID_DAYS = 3_652
/** For clients whose clocks lag. */
const EARLIER_MS = DAY_MS
/** @see RFC 5280 §A.1, ub-common-name */
const COMMON_NAME_CHARACTERS = 64
const CURVE = 'prime256v1'

const keys = promisify(generateKeyPair)

/** PKCS #8, sealed. The clear bytes are zeroed. */
async function sealedKey(host: string, key: KeyObject): Promise<string> {
  const pkcs8 = key.export({ format: 'der', type: 'pkcs8' })
  try {
    return await sealFor(ROOT_DOMAIN_ID, certificatePurpose(host), pkcs8)
  } finally {
    pkcs8.fill(0)
  }
}

/** A self-signed certificate for a host. */
async function newCertificate(host: string, now: Date): Promise<StoredSessionCertificate> {
  const { privateKey, publicKey } = await keys('ec', { namedCurve: CURVE })
  const from = now.getTime() - EARLIER_MS
  const certificate = await issueCertificate({
    issuer: { key: privateKey },
    subject: host.length > COMMON_NAME_CHARACTERS ? sequence() : { cn: host },
    altNames: { dns: [host], email: [], ip: [], uri: [], upn: [] },
    publicKey,
    purpose: 'server',
    serial: newSerial(),
    notBefore: new Date(from),
    notAfter: new Date(from + VALID_DAYS * DAY_MS),
  })
  return { id: host, certificate, sealed: await sealedKey(host, privateKey) }
}

/**
 * Stages a certificate for sessions at a host that has none yet. Sessions name a host but no endpoint, so that the
 * certificate belongs to the deployment.
 */
export async function ensureCertificate({ changes, now, once }: Context, hostname: string): Promise<void> {
  const host = hostname.toLowerCase()
  if ((await sessionCertificates.get(ROOT_DOMAIN_ID, host)) !== undefined) return
  const made = await once(`session certificate of ${host}`, () => newCertificate(host, now))
  changes.create(sessionCertificates, ROOT_DOMAIN_ID, made)
}

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()

const kind: Kind<StoredSessionCertificate, object, SessionCertificate> = {
  entity: sessionCertificates,
  noun: 'session certificate',
  domain: ROOT_DOMAIN_ID,
  uri: (domain, host) => resourceUri(domain, 'keymgr', CERTIFICATE_KIND, host),
  nameOf: ({ id }) => id,
  audited: ({ certificate }) => ({ sha256Fingerprint: fingerprintOf(certificate) }),
  present: ({ id, certificate, updatedAt }) => ({
    host: id,
    certificate,
    notAfter: new X509Certificate(certificate).validToDate.toISOString(),
    sha256Fingerprint: fingerprintOf(certificate),
    ...(updatedAt !== undefined && { updatedAt }),
  }),
}

/** The host of an endpoint with sessions. @throws Refusal NOT_FOUND, STATE_CONFLICT */
async function hostOf(context: Context, id: string): Promise<string> {
  const { item } = await findRecord(ekmEndpointKind, context, id)
  if (item.endpoint_type === 'ekm-ude') return item.keyURIHostname.toLowerCase()
  throw new Refusal('STATE_CONFLICT', `The EKM endpoint ${item.name} has no sessions: its endpoint_type is ekm.`)
}

/** @throws Refusal NOT_FOUND, STATE_CONFLICT for an endpoint without sessions */
export const getSessionCertificate = async (context: Context, id: string): Promise<Stored<SessionCertificate>> =>
  getRecord(kind, context, await hostOf(context, id))

function privateKeyIn(pem: string): KeyObject {
  try {
    return createPrivateKey(pem)
  } catch {
    throw ruleBroken('private_key', 'must be a private key in PEM that is not encrypted')
  }
}

/** @throws Refusal RULE_BROKEN */
function assertServes({ certificate, private_key }: ReplaceSessionCertificate, host: string, now: Date): KeyObject {
  const key = privateKeyIn(private_key)
  if (key.asymmetricKeyType !== 'ec' || key.asymmetricKeyDetails?.namedCurve !== CURVE)
    throw ruleBroken('private_key', 'must be a key on the curve P-256')
  const broken = (detail: string): Refusal => ruleBroken('certificate', detail)
  try {
    readChain(certificate)
  } catch (error) {
    throw error instanceof Refusal ? broken(error.message) : error
  }
  const first = new X509Certificate(certificate)
  if (!first.checkPrivateKey(key)) throw broken('must be the certificate of private_key')
  if (first.checkHost(host) === undefined) throw broken(`must be valid for ${host}`)
  if (first.validFromDate > now || first.validToDate <= now) throw broken('must be valid now')
  return key
}

/**
 * Replaces the certificate of a host, for every endpoint there. Ours: only by the root domain, since endpoints of
 * other domains may have the same host. Takes effect within a minute.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, VERSION_STALE
 */
export async function replaceSessionCertificate(
  context: Context,
  id: string,
  body: ReplaceSessionCertificate,
): Promise<Stored<SessionCertificate>> {
  const host = await hostOf(context, id)
  if (context.caller.domain.id !== ROOT_DOMAIN_ID)
    throw new Refusal('ACTION_DENIED', 'Certificates of hosts belong to the deployment: the root domain changes them.')
  const sealed = await sealedKey(host, assertServes(body, host, context.now))
  return changeRecord(kind, context, host, (record) => ({ ...record, certificate: body.certificate, sealed }))
}
