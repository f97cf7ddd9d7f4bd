import { expiringKeys } from '../../cloud/keys/expiring.ts'
import { cloudAKeys } from './keys/store.ts'

export const cloudAExpiring = expiringKeys(cloudAKeys, ({ valid_to }) => valid_to)
