import { ruleBroken } from '../../../base/errors.ts'
import { defined, picked, without } from '../../../base/fields.ts'
import type { ConnectionKind, Secrets } from '../../../cloud/connections/kind.ts'
import { fingerprintOf, signingKeyOf } from '../../../crypto/signing/http-signature.ts'
import { cloudD } from '../adapter.ts'
import { domainOf } from '../adapter/endpoints.ts'
import {
  CLOUD_D_BODIES,
  CloudDConnection,
  type CloudDConnectionFields,
  type UnsavedCloudDConnection,
  type UpdateCloudDConnection,
} from './model.ts'

const FIELDS = ['cloud_name', 'tenancy_id', 'cloud_user_id', 'fingerprint', 'region'] as const
const fieldsOf = (record: CloudDConnectionFields): CloudDConnectionFields => picked(record, ...FIELDS)

/**
 * The secrets of a connection: the key of the fingerprint. @throws Refusal RULE_BROKEN, which shows nothing of the key
 */
function secretsOf({ key_file, pass_phrase }: UnsavedCloudDConnection['credentials'], fingerprint: string): Secrets {
  const key = signingKeyOf(key_file, pass_phrase)
  if (key === undefined) {
    const detail = 'must be the PEM of an RSA key of 2048 bits or more, and pass_phrase must open it'
    throw ruleBroken('key_file', detail, '#/credentials/key_file')
  }
  if (fingerprintOf(key) !== fingerprint) throw ruleBroken('fingerprint', 'must be that of the key in key_file')
  return { key_file, ...defined({ pass_phrase }) }
}

/** Connections to cloud-d: a user with the API key that signs requests. */
export const cloudDConnections: ConnectionKind<
  CloudDConnectionFields,
  UnsavedCloudDConnection,
  UpdateCloudDConnection
> = {
  bodies: CLOUD_D_BODIES,
  shown: CloudDConnection,
  rules: [],
  fieldsOf,
  made: (_taken, { credentials, ...body }) => {
    domainOf(body.tenancy_id) // refuses a realm with unknown hosts
    return { fields: fieldsOf(body), secrets: secretsOf(credentials, body.fingerprint) }
  },
  changed: (_taken, before, { credentials, ...body }) => {
    const fields = fieldsOf({ ...before, ...defined(without(body, 'description', 'products', 'labels', 'meta')) })
    domainOf(fields.tenancy_id)
    if (credentials !== undefined) return { fields, secrets: secretsOf(credentials, fields.fingerprint) }
    if (fields.fingerprint !== before.fingerprint)
      throw ruleBroken('fingerprint', 'needs the credentials that it names')
    return { fields }
  },
  entryOf: fieldsOf,
  test: (fields, { key_file = '', pass_phrase }, _key, budget) =>
    cloudD.test({ ...fieldsOf(fields), key_file, pass_phrase }, budget),
  audited: FIELDS,
}
