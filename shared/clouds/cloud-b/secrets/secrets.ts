import { getKey } from '../../../cloud/keys/find-key.ts'
import type { Context } from '../../../http/context.ts'
import type { ResourceList } from '../../../resource/listed.ts'
import type { Stored } from '../../../store/entity.ts'
import { carryOut } from '../../../work/sagas/saga.ts'
import type { CloudBRead, CloudBSecrets, CloudBSecretSpec } from '../adapter/types.ts'
import { carrier, making } from '../items/carried.ts'
import { itemActions } from '../items/item-actions.ts'
import { itemKind, type Items, type ItemTypes, type Seen } from '../items/kind.ts'
import { listItems } from '../items/list-items.ts'
import { makingItems, planned, vaultBeyondKeys, workOn } from '../items/making.ts'
import type { CloudBSecretParam } from '../param.ts'
import { cloudB } from '../place.ts'
import type {
  CloudBSecret,
  CloudBSecretQuery,
  CreateCloudBSecret,
  StoredCloudBSecret,
  UpdateCloudBSecret,
} from './model.ts'
import { cloudBSecrets, type CloudBSecretRow } from './store.ts'

/** The types of cloud-b's secrets. The value is not part of what is written down to make one. */
interface SecretTypes extends ItemTypes {
  readonly key: StoredCloudBSecret
  readonly row: CloudBSecretRow
  readonly shown: CloudBSecret
  readonly spec: Omit<CloudBSecretSpec, 'value'>
  readonly read: CloudBRead<CloudBSecretParam>
  readonly whole: Seen<CloudBSecretParam>
  readonly own: Omit<CloudBSecrets, 'create' | 'read' | 'refs' | 'survey'>
}

export const secrets: Items<SecretTypes> = {
  noun: 'secret',
  entity: cloudBSecrets,
  cloud: (cloud) => cloud.secrets,
  nameOf: ({ secret_name }) => secret_name,
  idOf: ({ id }) => id,
  hidden: ['key_material_origin'],
  own: (secret_name) => ({ secret_name }),
}
export const secretKind = itemKind(secrets)
export const SECRET_ACTIONS = itemActions(secrets, secretKind)

const secretValue = carrier<string>('value of a secret')
/** Makes a secret, or a version of one. */
export const creatingCloudBSecret = making<SecretTypes, string>(
  'create-cloud-b-secret',
  makingItems(secrets, secretKind),
  secretValue,
  async (place, spec, value, journal) => (await cloudB()).secrets.create(place, { ...spec, value }, journal),
)

/** @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN, STATE_CONFLICT, and the cloud's own */
export async function createSecret(context: Context, body: CreateCloudBSecret): Promise<Stored<CloudBSecret>> {
  const { value, ...settings } = body.cloud_b_param
  await secretValue.carry(context, () => Promise.resolve(value))
  return carryOut(context, creatingCloudBSecret, async () => {
    const vault = await vaultBeyondKeys(context, body.key_vault, 'secretcreate')
    const input = planned<SecretTypes>(context, vault, { name: body.secret_name, ...settings })
    return workOn(secrets, input)
  })
}

/** @throws Refusal NOT_FOUND, ACTION_DENIED, VERSION_STALE, STATE_CONFLICT, and the cloud's own */
export const updateSecret = (context: Context, id: string, body: UpdateCloudBSecret): Promise<Stored<CloudBSecret>> =>
  SECRET_ACTIONS.act(context, 'edit', id, body)

/** @throws Refusal NOT_FOUND */
export const getSecret = (context: Context, id: string): Promise<Stored<CloudBSecret>> =>
  getKey<SecretTypes>(secretKind, context, id)

/** Versions the caller may see. */
export const listSecrets = (context: Context, query: CloudBSecretQuery): Promise<ResourceList<CloudBSecret>> =>
  listItems(secretKind, context, query, { secret_name: query.secret_name }, { own: [], tests: [] })
