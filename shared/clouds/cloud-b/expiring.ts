import { expiringKeys } from '../../cloud/keys/expiring.ts'
import { cloudBKeys } from './keys/store.ts'

export const cloudBExpiring = expiringKeys(cloudBKeys, ({ expires }) => expires)
