import { ruleBroken } from '../../../base/errors.ts'
import { without } from '../../../base/fields.ts'
import {
  assertRules,
  type ConnectionKind,
  type Own,
  type Secrets,
  type Taken,
} from '../../../cloud/connections/kind.ts'
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

const NOT_OFFERED = 'Certificates signed elsewhere and the private edition are not offered yet.'

const bySecret = (application: Application, client_secret?: string): Own<CloudBConnectionFields> => ({
  fields: { ...application, is_certificate_used: false, external_certificate_used: false },
  ...(client_secret !== undefined && { secrets: { client_secret } }),
})

/**
 * Creates a certificate for the connection. The cloud accepts it only after it was registered there.
 * @throws Refusal RULE_BROKEN for a test, since the certificate would be new
 */
async function byCertificate(
  { now, isTest }: Taken,
  application: Application,
  cert_duration = DAYS_DEFAULT,
): Promise<Own<CloudBConnectionFields>> {
  if (isTest) throw ruleBroken('is_certificate_used', 'makes a certificate only for a connection that is stored')
  const { certificate, private_key } = await selfSigned(`keymgr ${application.client_id}`, now, cert_duration)
  const certificate_thumbprint = thumbprintOf(certificate)
  const made = { is_certificate_used: true, cert_duration, certificate, certificate_thumbprint }
  return {
    fields: { ...application, ...made, external_certificate_used: false },
    secrets: { private_key },
  }
}

/** @throws Refusal NOT_SUPPORTED, RULE_BROKEN */
function changed(
  taken: Taken,
  before: CloudBConnectionFields,
  body: UpdateCloudBConnection,
): Own<CloudBConnectionFields> | Promise<Own<CloudBConnectionFields>> {
  assertOffered(body, CLOUD_B_NOT_OFFERED, NOT_OFFERED)
  const { client_secret: secret, cert_duration: days, ...own } = body
  const { is_certificate_used: byOwn = secret === undefined && before.is_certificate_used } = own
  const { cloud_name = before.cloud_name, tenant_id = before.tenant_id, client_id = before.client_id } = own
  const keepsSecret = !byOwn && !before.is_certificate_used
  assertRules(CLOUD_B_RULES, {
    client_secret: secret ?? (keepsSecret ? true : undefined),
    is_certificate_used: byOwn,
    cert_duration: days,
  })
  const application = { cloud_name, tenant_id, client_id }
  if (!byOwn) return bySecret(application, secret)
  if (before.is_certificate_used && days === undefined) return { fields: { ...before, ...application } }
  return byCertificate(taken, application, days)
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
    const { cloud_name, tenant_id, client_id, client_secret, cert_duration } = body
    const application = { cloud_name, tenant_id, client_id }
    return client_secret === undefined
      ? byCertificate(taken, application, cert_duration)
      : bySecret(application, client_secret)
  },
  changed,
  entryOf: (fields) => without(fields, 'certificate', 'cert_duration'),
  test: async (fields, secrets, key, budget) => cloudB.test(entryOf(fields, secrets, key), budget),
  audited: ['cloud_name', 'tenant_id', 'client_id', 'certificate_thumbprint'],
}
