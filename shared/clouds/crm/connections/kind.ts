import { ruleBroken } from '../../../base/errors.ts'
import { defined, patched, picked, without } from '../../../base/fields.ts'
import {
  assertRules,
  type ConnectionKind,
  type Own,
  type Secrets,
  type Taken,
} from '../../../cloud/connections/kind.ts'
import { asksForNew, certified, keepsCertificate } from '../../../cloud/connections/certificate-proof.ts'
import { crm } from '../adapter.ts'
import type { CrmConnection } from '../adapter/types.ts'
import {
  CRM_BODIES,
  CRM_RULES,
  CrmConnection as CrmConnectionShown,
  CrmConnectionFields,
  type UnsavedCrmConnection,
  type UpdateCrmConnection,
} from './model.ts'

type Application = Pick<
  CrmConnectionFields,
  'cloud_name' | 'client_id' | 'username' | 'login_host' | 'api_version' | 'wrap_hash'
>
const APPLICATION = ['cloud_name', 'client_id', 'username', 'login_host', 'api_version', 'wrap_hash'] as const
const applicationOf = (fields: Application): Application => defined(picked(fields, ...APPLICATION))

/** The credentials of a connection, as in a body. */
type Proof = Pick<
  UnsavedCrmConnection,
  'client_secret' | 'password' | 'is_certificate_used' | 'certificate' | 'cert_duration'
>
type Made = Own<CrmConnectionFields>

const bySecrets = (application: Application, secrets: Secrets): Made => ({
  fields: { ...application, is_certificate_used: false, external_certificate_used: false },
  secrets,
})

/** @throws Refusal RULE_BROKEN */
async function proven(taken: Taken, application: Application, proof: Proof): Promise<Made> {
  const { client_secret, password } = proof
  if (client_secret !== undefined && password !== undefined) return bySecrets(application, { client_secret, password })
  const made = await certified(taken, `keymgr ${application.username}`, proof)
  return { ...made, fields: { ...application, ...made.fields } }
}

/** Fields that decide to which host, and for which app, the secrets are sent. */
const SENT_BY = ['cloud_name', 'login_host', 'client_id'] as const

/**
 * Refuses to send saved secrets to another host or for another app: a user who may change a connection must not learn
 * its secrets.
 * @throws Refusal RULE_BROKEN
 */
function assertSentAsBefore(before: CrmConnectionFields, after: Application): void {
  const changedField = before.is_certificate_used ? undefined : SENT_BY.find((name) => before[name] !== after[name])
  if (changedField !== undefined)
    throw ruleBroken(
      'client_secret',
      `must be given again when ${changedField} changes: no saved secret is sent elsewhere`,
    )
}

/** Ours: the two secrets are replaced together. */
function changed(taken: Taken, before: CrmConnectionFields, body: UpdateCrmConnection): Made | Promise<Made> {
  const { client_secret, password, is_certificate_used, certificate, cert_duration, ...own } = body
  const application = applicationOf(patched<Application>(before, picked(own, ...APPLICATION)))
  const proof = { client_secret, password, is_certificate_used, certificate, cert_duration }
  if (client_secret === undefined && password === undefined && keepsCertificate(before, proof)) {
    assertSentAsBefore(before, application)
    return { fields: { ...without(before, 'login_host'), ...application } }
  }
  assertRules(CRM_RULES, { ...proof, is_certificate_used: asksForNew(before, proof) })
  return proven(taken, application, proof)
}

/** A connection as the adapter uses it. @param key unique cache key */
export function entryOf(fields: CrmConnectionFields, secrets: Secrets, key: string): CrmConnection {
  const { client_secret = '', password = '', private_key = '' } = secrets
  const credential = fields.is_certificate_used ? { private_key } : { client_secret, password }
  return { key, ...applicationOf(fields), credential }
}

/** Connections to crm: a user of an organization, through an app of it. */
export const crmConnections: ConnectionKind<CrmConnectionFields, UnsavedCrmConnection, UpdateCrmConnection> = {
  bodies: CRM_BODIES,
  shown: CrmConnectionShown,
  rules: CRM_RULES,
  fieldsOf: (record) => CrmConnectionFields.parse(record),
  made: (taken, body) => proven(taken, applicationOf(body), body),
  changed,
  entryOf: ({ certificate_thumbprint, ...fields }) => ({ ...applicationOf(fields), certificate_thumbprint }),
  test: async (fields, secrets, key, budget) => crm.test(entryOf(fields, secrets, key), budget),
  audited: [...APPLICATION, 'certificate_thumbprint'],
}
