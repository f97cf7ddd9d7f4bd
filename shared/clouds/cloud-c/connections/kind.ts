import type { ConnectionKind } from '../../../cloud/connections/kind.ts'
import { cloudC } from '../adapter.ts'
import { serviceAccountOf } from '../adapter/service-account.ts'
import {
  CLOUD_C_BODIES,
  CloudCConnection,
  type CloudCConnectionFields,
  type UnsavedCloudCConnection,
  type UpdateCloudCConnection,
} from './model.ts'

/** Fields of a key file that a record shows. @throws Refusal RULE_BROKEN for an invalid file */
function shownOf(keyFile: string): Pick<CloudCConnectionFields, 'client_email' | 'private_key_id'> {
  const { client_email, private_key_id } = serviceAccountOf(keyFile)
  return { client_email, private_key_id }
}

const fieldsOf = ({ cloud_name, client_email, private_key_id }: CloudCConnectionFields): CloudCConnectionFields => ({
  cloud_name,
  client_email,
  private_key_id,
})

/** Connections to cloud-c: a service account, with the key file that its owner downloaded. */
export const cloudCConnections: ConnectionKind<
  CloudCConnectionFields,
  UnsavedCloudCConnection,
  UpdateCloudCConnection
> = {
  bodies: CLOUD_C_BODIES,
  shown: CloudCConnection,
  rules: [],
  fieldsOf,
  made: (_taken, { key_file, cloud_name }) => ({
    fields: { cloud_name, ...shownOf(key_file) },
    secrets: { key_file },
  }),
  changed: (_taken, before, { key_file, cloud_name = before.cloud_name }) =>
    key_file === undefined
      ? { fields: { ...fieldsOf(before), cloud_name } }
      : { fields: { cloud_name, ...shownOf(key_file) }, secrets: { key_file } },
  entryOf: fieldsOf,
  test: async (_fields, { key_file = '' }, key, budget) => cloudC.test({ key, key_file }, budget),
  audited: ['cloud_name', 'client_email', 'private_key_id'],
}
