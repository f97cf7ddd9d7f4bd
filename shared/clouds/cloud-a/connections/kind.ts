import { isGiven, type Fields } from '../../../base/json.ts'
import { PARTITIONS } from '../adapter/partitions.ts'
import type { CloudAConnection } from '../adapter/types.ts'
import { cloudA } from '../adapter.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { ROOT_DOMAIN_ID } from '../../../base/ids.ts'
import { CLOUD_A_NAMES, type CloudAName } from '../keys/model.ts'
import {
  CLOUD_A_BODIES,
  CLOUD_A_FIELD_RULES,
  CloudAConnection as CloudAConnectionShown,
  CloudAConnectionFields,
  type GivenRoleAnywhere,
  type UnsavedCloudAConnection,
  type UpdateCloudAConnection,
} from './model.ts'
import { noRuntimeRole, runtimeRole } from '../runtime-role.ts'
import type { Rule } from '../../../http/rules.ts'
import { defined, patched, without } from '../../../base/fields.ts'
import {
  assertRules,
  type ConnectionKind,
  type Own,
  type Secrets,
  type Taken,
} from '../../../cloud/connections/kind.ts'
import { anywhereRules, checkedRoleAnywhere, WHOLE_ROLE_ANYWHERE } from './role-anywhere.ts'

/** The edition that a body names; `undefined` for an unknown one, which another rule refuses. */
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
  ...anywhereRules((body, { partition, region }) => {
    const edition = editionOf(body)
    if (edition === undefined) return true
    const { name, regions } = PARTITIONS[edition]
    return partition === name && (region === '' || regions.test(region))
  }),
]

/**
 * Refuses a connection that uses the deployment's role if the deployment has none, or outside the root domain: there,
 * it would give the administrators of any domain access to the deployment's own account.
 * @throws Refusal RULE_BROKEN
 */
function assertOpen(
  domain: string,
  fields: Pick<CloudAConnectionFields, 'cloud_name' | 'access_key_id' | 'role_anywhere'>,
) {
  if (fields.access_key_id !== undefined || fields.role_anywhere !== undefined) return
  if (domain !== ROOT_DOMAIN_ID) throw ruleBroken('access_key_id', 'is required outside the root domain')
  if (runtimeRole(fields.cloud_name) !== undefined) return
  const errors = [{ pointer: '#/access_key_id', detail: 'is required: the deployment has no role of its own' }]
  throw new Refusal('RULE_BROKEN', noRuntimeRole(fields.cloud_name), { errors })
}

const secretsOf = (secret_access_key: string | undefined): Secrets | null =>
  secret_access_key === undefined ? null : { secret_access_key }

async function made({ domain, now }: Taken, body: UnsavedCloudAConnection): Promise<Own<CloudAConnectionFields>> {
  const { secret_access_key, role_anywhere, is_role_anywhere: _, ...fields } = body
  if (role_anywhere !== undefined) {
    const { fields: shown, ...secret } = await checkedRoleAnywhere(role_anywhere, undefined, now)
    const own = CloudAConnectionFields.parse({ ...fields, is_role_anywhere: true, role_anywhere: shown })
    return { fields: own, ...secret }
  }
  const own = CloudAConnectionFields.parse(fields)
  assertOpen(domain, own)
  return { fields: own, secrets: secretsOf(secret_access_key) }
}

/** The credential fields that a change makes obsolete: a connection has one kind of credentials. */
function leftBehind(body: UpdateCloudAConnection): readonly (keyof CloudAConnectionFields)[] {
  const { is_role_anywhere: isAnywhere, role_anywhere: anywhere, access_key_id, secret_access_key } = body
  if (isGiven(anywhere) || isAnywhere === true) return ['access_key_id']
  const leaves = anywhere === null || isAnywhere === false || isGiven(access_key_id) || isGiven(secret_access_key)
  return leaves ? ['is_role_anywhere', 'role_anywhere'] : []
}

async function changed(
  { domain, now }: Taken,
  before: CloudAConnectionFields,
  body: UpdateCloudAConnection,
  hasSecrets: boolean,
): Promise<Own<CloudAConnectionFields>> {
  const { secret_access_key: secret, role_anywhere: given, is_role_anywhere: isAnywhere, ...own } = body
  const endpoints = own.sts_regional_endpoints === null ? 'legacy' : own.sts_regional_endpoints
  const kept: CloudAConnectionFields = CloudAConnectionFields.parse(without(before, ...leftBehind(body)))
  const plain = patched<object>(kept, { ...own, sts_regional_endpoints: endpoints })
  const anywhere = given ? { ...kept.role_anywhere, ...given } : kept.role_anywhere
  const staysPair = before.role_anywhere === undefined && anywhere === undefined
  const hasSecret = secret === undefined ? hasSecrets && staysPair : secret !== null
  assertRules([...CLOUD_A_RULES, ...WHOLE_ROLE_ANYWHERE], {
    ...plain,
    is_role_anywhere: isAnywhere ?? kept.is_role_anywhere,
    role_anywhere: anywhere,
    secret_access_key: hasSecret ? true : undefined,
  })
  if (anywhere !== undefined) {
    const whole = anywhere as GivenRoleAnywhere // complete, by the rules
    const { fields: shown, ...secret } = await checkedRoleAnywhere(whole, kept.role_anywhere, now)
    const fields = CloudAConnectionFields.parse({ ...plain, is_role_anywhere: true, role_anywhere: shown })
    return { fields, ...secret }
  }
  const fields = CloudAConnectionFields.parse(plain)
  assertOpen(domain, fields)
  if (secret === undefined && staysPair) return { fields }
  return { fields, secrets: secretsOf(secret ?? undefined) }
}

/** The fields that decide how the cloud is accessed, without secrets. */
export const cloudAEntryOf = (connection: CloudAConnectionFields) => ({
  cloud_name: connection.cloud_name,
  access_key_id: connection.access_key_id,
  role_anywhere: connection.role_anywhere,
  region: connection.region,
  sts_regional_endpoints: connection.sts_regional_endpoints,
  assume_role_arn: connection.assume_role_arn,
  assume_role_external_id: connection.assume_role_external_id,
})

/** A connection as the adapter uses it. @param key unique cache key */
export function opened(
  fields: CloudAConnectionFields,
  { secret_access_key, private_key = '' }: Secrets,
  key: string,
): CloudAConnection {
  const { role_anywhere: anywhere, ...entry } = cloudAEntryOf(fields)
  return {
    ...{ key, ...entry },
    ...defined({ secret_access_key }),
    ...(anywhere && { role_anywhere: { ...anywhere, private_key } }),
  }
}

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
  made,
  changed,
  entryOf: cloudAEntryOf,
  test: async (fields, secrets, key, budget) => cloudA.test(opened(fields, secrets, key), budget),
  audited: [
    'cloud_name',
    'access_key_id',
    'region',
    'sts_regional_endpoints',
    'assume_role_arn',
    'assume_role_external_id',
    'is_role_anywhere',
    'role_anywhere',
  ],
}
