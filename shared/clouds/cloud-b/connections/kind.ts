import { ruleBroken } from '../../../base/errors.ts'
import { patched, picked, without } from '../../../base/fields.ts'
import {
  assertRules,
  type ConnectionKind,
  type Own,
  type Secrets,
  type Taken,
} from '../../../cloud/connections/kind.ts'
import { signedCertificate } from '../../../cloud/connections/requests/signed-certificate.ts'
import { selfSigned, thumbprintOf } from '../../../crypto/self-signed.ts'
import { cloudB } from '../adapter.ts'
import type { CloudBConnection } from '../adapter/types.ts'
import { assertOffered } from '../not-offered.ts'
import {
  CLOUD_B_BODIES,
  CLOUD_B_NOT_OFFERED,
  CLOUD_B_RULES,
  CloudBConnection as CloudBConnectionShown,
  CloudBConnectionFields,
  DAYS_DEFAULT,
  type UnsavedCloudBConnection,
  type UpdateCloudBConnection,
} from './model.ts'

/** The fields that identify the application and its tenant. */
type Application = Pick<CloudBConnectionFields, 'cloud_name' | 'tenant_id' | 'client_id'>

const APPLICATION = ['cloud_name', 'tenant_id', 'client_id'] as const

/** The credentials of a connection, as in a body. */
type Proof = Pick<UnsavedCloudBConnection, 'client_secret' | 'is_certificate_used' | 'certificate' | 'cert_duration'>
type Made = Own<CloudBConnectionFields>

const NOT_OFFERED = 'The private edition is not offered yet.'

const bySecret = (application: Application, client_secret: string): Made => ({
  fields: { ...application, is_certificate_used: false, external_certificate_used: false },
  secrets: { client_secret },
})

/**
 * Creates a certificate for the connection. The cloud accepts it only after it was registered there.
 * @throws Refusal RULE_BROKEN for a test, since the certificate would be new
 */
async function byOwnCertificate(
  { now, isTest }: Taken,
  application: Application,
  cert_duration = DAYS_DEFAULT,
): Promise<Made> {
  if (isTest) throw ruleBroken('is_certificate_used', 'makes a certificate only for a connection that is stored')
  const { certificate, private_key } = await selfSigned(`keymgr ${application.client_id}`, now, cert_duration)
  const certificate_thumbprint = thumbprintOf(certificate)
  const made = { is_certificate_used: true, cert_duration, certificate, certificate_thumbprint }
  return {
    fields: { ...application, ...made, external_certificate_used: false },
    secrets: { private_key },
  }
}

/** A certificate of a request of this service, whose private key is here. @throws Refusal RULE_BROKEN */
async function bySignedCertificate({ now }: Taken, application: Application, certificate: string): Promise<Made> {
  const { fields, requested } = await signedCertificate(certificate, now)
  return { fields: { ...application, ...fields }, requested }
}

/** Exactly one proof is given. */
function proven(taken: Taken, application: Application, proof: Proof): Made | Promise<Made> {
  const { client_secret, certificate, cert_duration } = proof
  if (client_secret !== undefined) return bySecret(application, client_secret)
  if (certificate !== undefined) return bySignedCertificate(taken, application, certificate)
  return byOwnCertificate(taken, application, cert_duration)
}

/** Whether a change leaves the credentials as they are. */
const keepsProof = (before: CloudBConnectionFields, proof: Proof): boolean =>
  proof.client_secret === undefined &&
  proof.cert_duration === undefined &&
  (proof.certificate === undefined || proof.certificate === before.certificate) &&
  (proof.is_certificate_used ?? before.is_certificate_used) === before.is_certificate_used

/** @throws Refusal NOT_SUPPORTED, RULE_BROKEN */
function changed(taken: Taken, before: CloudBConnectionFields, body: UpdateCloudBConnection): Made | Promise<Made> {
  assertOffered(body, CLOUD_B_NOT_OFFERED, NOT_OFFERED)
  const { client_secret, is_certificate_used, certificate, cert_duration, ...own } = body
  const application = patched<Application>(picked(before, ...APPLICATION), picked(own, ...APPLICATION))
  const proof = { client_secret, is_certificate_used, certificate, cert_duration }
  if (keepsProof(before, proof)) return { fields: { ...before, ...application } }
  const renews = cert_duration !== undefined && before.is_certificate_used && !before.external_certificate_used
  assertRules(CLOUD_B_RULES, { ...proof, is_certificate_used: is_certificate_used ?? (renews || undefined) })
  return proven(taken, application, proof)
}

/** A connection as the adapter uses it. @param key unique cache key */
export function entryOf(fields: CloudBConnectionFields, secrets: Secrets, key: string): CloudBConnection {
  const { cloud_name, tenant_id, client_id, certificate } = fields
  const { client_secret = '', private_key = '' } = secrets
  const credential = certificate === undefined ? { client_secret } : { certificate, private_key }
  return { key, cloud_name, tenant_id, client_id, credential }
}

/** Connections to cloud-b: an application of a tenant, authenticated with a secret or a certificate. */
export const cloudBConnections: ConnectionKind<
  CloudBConnectionFields,
  UnsavedCloudBConnection,
  UpdateCloudBConnection
> = {
  bodies: CLOUD_B_BODIES,
  shown: CloudBConnectionShown,
  rules: CLOUD_B_RULES,
  fieldsOf: (record) => CloudBConnectionFields.parse(record),
  made: (taken, body) => {
    assertOffered(body, CLOUD_B_NOT_OFFERED, NOT_OFFERED)
    return proven(taken, picked(body, ...APPLICATION), body)
  },
  changed,
  entryOf: (fields) => without(fields, 'certificate', 'cert_duration'),
  test: async (fields, secrets, key, budget) => cloudB.test(entryOf(fields, secrets, key), budget),
  audited: ['cloud_name', 'tenant_id', 'client_id', 'certificate_thumbprint'],
}
