import { defined } from '../../../base/fields.ts'
import { Refusal, ruleBroken } from '../../../base/errors.ts'
import { getKey } from '../../../cloud/keys/find-key.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import type { CloudBKeyChange, CloudBKeys, CloudBKeySpec, CloudBRead } from '../adapter/types.ts'
import { itemActions } from '../items/item-actions.ts'
import type { ItemTypes, Seen } from '../items/item.ts'
import { itemKind } from '../items/kind.ts'
import { listItems } from '../items/list-items.ts'
import { recordsOf } from '../items/one-name.ts'
import type { CloudBKeyParam } from '../param.ts'
import { keysAdapter } from '../adapter.ts'
import type { StoredCloudBVault } from '../vaults/store.ts'
import type { CloudBKey, CloudBKeyQuery, UpdateCloudBKey } from './model.ts'
import { jobOf } from './job-of.ts'
import { cloudBKeys, type CloudBKeyRow, type StoredCloudBKey } from './store.ts'

/** The types of cloud-b's keys. */
export interface KeyTypes extends ItemTypes {
  readonly key: StoredCloudBKey
  readonly row: CloudBKeyRow
  readonly shown: CloudBKey
  readonly spec: CloudBKeySpec
  readonly read: CloudBRead<CloudBKeyParam>
  readonly whole: Seen<CloudBKeyParam>
  readonly own: Omit<CloudBKeys, 'create' | 'upload' | 'read' | 'refs' | 'survey'>
}

/** Refuses here what the cloud would refuse with a misleading reason: that the application lacks a role. */
function assertPolicyChangeable({ cloud_b_param: param }: StoredCloudBKey, { release_policy }: CloudBKeyChange): void {
  if (release_policy !== undefined && param.release_policy?.immutable === true)
    throw new Refusal('STATE_CONFLICT', 'The release policy is immutable: create another version with another policy.')
}

/** Bits of an RSA key, from its modulus. */
const sizeOf = ({ key: { n } }: CloudBKeyParam): number | undefined =>
  n === undefined ? undefined : Buffer.from(n, 'base64url').length * 8

export const keyKind = itemKind<KeyTypes>({
  noun: 'key',
  entity: cloudBKeys,
  cloud: keysAdapter,
  nameOf: ({ key_name }) => key_name,
  idOf: ({ key }) => key.kid,
  hidden: ['kek_kid'],
  assertChangeable: assertPolicyChangeable,
  withJob: (vault, item) => {
    const labels = jobOf(vault, item)
    return labels === undefined ? item : { ...item, labels }
  },
  own: (key_name, param) => {
    const key_size = sizeOf(param)
    const { exportable } = param.attributes
    return { key_name, ...defined({ key_size, exportable, release_policy: param.release_policy }) }
  },
})
export const KEY_ACTIONS = itemActions(keyKind)

/** @throws Refusal RULE_BROKEN for a key that this kind of vault does not support */
export function assertVaultHolds(
  { name, sku, managed_hsm }: Pick<StoredCloudBVault, 'name' | 'sku' | 'managed_hsm'>,
  isInHardware: boolean,
  field: string,
): void {
  if (isInHardware && sku === 'standard')
    throw ruleBroken(field, `needs a premium vault or a managed HSM pool, and ${name} is a standard vault`)
  if (!isInHardware && managed_hsm) throw ruleBroken(field, `must be of hardware: ${name} is a managed HSM pool`)
}

/** A version, with the number of versions of its name. */
export async function getCloudBKey(context: Context, id: string): Promise<Stored<CloudBKey>> {
  const { item, rev } = await getKey(keyKind, context, id)
  const { length } = await recordsOf(cloudBKeys, context.caller.domain.id, item.key_vault_id, item.key_name)
  return { item: { ...item, version_count: length }, rev }
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, and refusals of the cloud */
export const updateCloudBKey = (context: Context, id: string, body: UpdateCloudBKey): Promise<Stored<CloudBKey>> =>
  KEY_ACTIONS.act(context, 'edit', id, body)

/** Versions that the caller may see. */
export function listCloudBKeys(context: Context, query: CloudBKeyQuery): Promise<ResourceList<CloudBKey>> {
  const { key_ops: ops, backup, expires_before: end, job_config_id: jobs } = query
  const tests: ((row: CloudBKeyRow) => boolean)[] = []
  if (ops !== undefined) tests.push((row) => ops.every((op) => row.ops.includes(op)))
  if (backup !== undefined) tests.push((row) => row.has_backup === backup)
  if (jobs !== undefined)
    tests.push((row) => [row.job_config_id, row.backup_job_config_id].some((job) => job && jobs.includes(job)))
  if (end !== undefined) tests.push(({ expires }) => expires !== undefined && Date.parse(expires) < Date.parse(end))
  const own = ['key_ops', 'backup', 'expires_before', 'job_config_id']
  return listItems(keyKind, context, query, { key_name: query.key_name }, { own, tests })
}
