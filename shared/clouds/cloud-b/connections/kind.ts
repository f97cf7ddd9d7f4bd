import { patched, picked, without } from '../../../base/fields.ts'
import {
  assertRules,
  type ConnectionKind,
  type Own,
  type Secrets,
  type Taken,
} from '../../../cloud/connections/kind.ts'
import { asksForNew, certified, keepsCertificate } from '../../../cloud/connections/certificate-proof.ts'
import { cloudB } from '../adapter.ts'
import type { CloudBConnection } from '../adapter/types.ts'
import { assertOffered } from '../not-offered.ts'
import {
  CLOUD_B_BODIES,
  CLOUD_B_NOT_OFFERED,
  CLOUD_B_RULES,
  CloudBConnection as CloudBConnectionShown,
  CloudBConnectionFields,
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

/** Exactly one proof is given. @throws Refusal RULE_BROKEN */
async function proven(taken: Taken, application: Application, proof: Proof): Promise<Made> {
  if (proof.client_secret !== undefined) return bySecret(application, proof.client_secret)
  const made = await certified(taken, `keymgr ${application.client_id}`, proof)
  return { ...made, fields: { ...application, ...made.fields } }
}

/** @throws Refusal NOT_SUPPORTED, RULE_BROKEN */
function changed(taken: Taken, before: CloudBConnectionFields, body: UpdateCloudBConnection): Made | Promise<Made> {
  assertOffered(body, CLOUD_B_NOT_OFFERED, NOT_OFFERED)
  const { client_secret, is_certificate_used, certificate, cert_duration, ...own } = body
  const application = patched<Application>(picked(before, ...APPLICATION), picked(own, ...APPLICATION))
  const proof = { client_secret, is_certificate_used, certificate, cert_duration }
  if (client_secret === undefined && keepsCertificate(before, proof)) return { fields: { ...before, ...application } }
  assertRules(CLOUD_B_RULES, { ...proof, is_certificate_used: asksForNew(before, proof) })
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
