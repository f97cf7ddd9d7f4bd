import type { Fields } from '../../../base/json.ts'
import { PARTITIONS } from '../adapter/partitions.ts'
import type { CloudAConnection } from '../adapter/types.ts'
import { adapter } from '../adapter.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { CLOUD_A_NAMES, type CloudAName } from '../keys/model.ts'
import {
  CLOUD_A_BODIES,
  CLOUD_A_FIELD_RULES,
  CloudAConnection as CloudAConnectionShown,
  CloudAConnectionFields,
  type UnsavedCloudAConnection,
  type UpdateCloudAConnection,
} from './model.ts'
import { noRuntimeRole, runtimeRole } from '../runtime-role.ts'
import type { Rule } from '../../../http/rules.ts'
import { patched } from '../../../base/fields.ts'
import { assertRules, type ConnectionKind, type Secrets } from '../../../cloud/connections/kind.ts'

/** The edition a body names; none when it names one that there is not, which is a fault of its own. */
const editionOf = ({ cloud_name: name = 'cloud-a' }: Fields): CloudAName | undefined =>
  CLOUD_A_NAMES.find((one) => one === name)

const isElsewhere = (
  body: Fields,
  value: unknown,
  belongs: (edition: CloudAName, value: string) => boolean,
): boolean => {
  const edition = editionOf(body)
  return edition !== undefined && typeof value === 'string' && !belongs(edition, value)
}

/** Rules between the fields of a connection to cloud-a. */
export const CLOUD_A_RULES: readonly Rule[] = [
  ...CLOUD_A_FIELD_RULES,
  {
    message: 'assume_role_arn must be a role of the edition that cloud_name names',
    field: 'assume_role_arn',
    broken: (body) =>
      isElsewhere(body, body.assume_role_arn, (edition, arn) => arn.split(':')[1] === PARTITIONS[edition].name),
  },
  {
    message: 'region must be one of the edition that cloud_name names',
    field: 'region',
    broken: (body) => isElsewhere(body, body.region, (edition, region) => PARTITIONS[edition].regions.test(region)),
  },
]

/**
 * Refuses ways into a cloud that are not open: certificates, which are not offered yet; the deployment's own role where
 * it has none, and outside the root domain, where it would let every domain's administrators into the deployment's own
 * account.
 * @throws Refusal NOT_SUPPORTED, RULE_BROKEN
 */
function assertOpen(
  domain: string,
  fields: {
    cloud_name: CloudAName
    is_role_anywhere?: boolean | undefined
    role_anywhere?: object | undefined
    access_key_id?: unknown
  },
): void {
  const certificate = fields.role_anywhere ? 'role_anywhere' : fields.is_role_anywhere === true && 'is_role_anywhere'
  if (certificate !== false)
    throw new Refusal(
      'NOT_SUPPORTED',
      'Credentials in exchange for a certificate (role_anywhere) are not offered yet.',
      {
        errors: [{ pointer: `#/${certificate}`, detail: 'is not offered yet' }],
      },
    )
  if (typeof fields.access_key_id === 'string') return
  if (domain !== ROOT_DOMAIN_ID) throw ruleBroken('access_key_id', 'is required outside the root domain')
  if (runtimeRole(fields.cloud_name) !== undefined) return
  const errors = [{ pointer: '#/access_key_id', detail: 'is required: the deployment has no role of its own' }]
  throw new Refusal('RULE_BROKEN', noRuntimeRole(fields.cloud_name), { errors })
}

const secretsOf = (secret_access_key: string | undefined): Secrets | null =>
  secret_access_key === undefined ? null : { secret_access_key }

/** The fields by which the cloud is entered, without secrets. */
export const cloudAEntryOf = (
  connection: Omit<CloudAConnection, 'key'>,
): Omit<CloudAConnection, 'key' | 'secret_access_key'> => ({
  cloud_name: connection.cloud_name,
  access_key_id: connection.access_key_id,
  region: connection.region,
  sts_regional_endpoints: connection.sts_regional_endpoints,
  assume_role_arn: connection.assume_role_arn,
  assume_role_external_id: connection.assume_role_external_id,
})

/** Connections to cloud-a. */
export const cloudAConnections: ConnectionKind<
  CloudAConnectionFields,
  UnsavedCloudAConnection,
  UpdateCloudAConnection
> = {
  bodies: CLOUD_A_BODIES,
  shown: CloudAConnectionShown,
  rules: CLOUD_A_RULES,
  fieldsOf: (record) => CloudAConnectionFields.parse(record),
  made: ({ domain }, { secret_access_key, ...body }) => {
    assertOpen(domain, body)
    return { fields: CloudAConnectionFields.parse(body), secrets: secretsOf(secret_access_key) }
  },
  changed: ({ domain }, before, body, hasSecrets) => {
    const { secret_access_key: secret, is_role_anywhere, role_anywhere, ...own } = body
    const endpoints = own.sts_regional_endpoints === null ? 'legacy' : own.sts_regional_endpoints
    const fields = CloudAConnectionFields.parse(patched<object>(before, { ...own, sts_regional_endpoints: endpoints }))
    const { cloud_name, access_key_id } = fields
    assertOpen(domain, { cloud_name, is_role_anywhere, role_anywhere, access_key_id })
    const hasSecret = secret === undefined ? hasSecrets : secret !== null
    assertRules(CLOUD_A_RULES, { ...fields, is_role_anywhere, secret_access_key: hasSecret ? true : undefined })
    return { fields, ...(secret !== undefined && { secrets: secretsOf(secret ?? undefined) }) }
  },
  entryOf: cloudAEntryOf,
  test: async (fields, { secret_access_key }, key, budget) =>
    (await adapter()).test({ key, ...cloudAEntryOf(fields), secret_access_key }, budget),
  audited: [
    'cloud_name',
    'access_key_id',
    'region',
    'sts_regional_endpoints',
    'assume_role_arn',
    'assume_role_external_id',
  ],
}
