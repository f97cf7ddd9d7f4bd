import { itemEntity } from '../items/item-entity.ts'
import { StoredCloudBSecret } from './model.ts'

export const cloudBSecrets = itemEntity('cloud-b-secret', StoredCloudBSecret, 'secret_name')
export type CloudBSecretRow = ReturnType<typeof cloudBSecrets.row>
