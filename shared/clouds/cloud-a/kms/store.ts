import * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { storedContainer } from '../../../cloud/containers/model.ts'
import { CloudAKms } from './model.ts'
import { Time } from '../../../http/common-fields.ts'
import { extended } from '../../../base/lazy-fields.ts'

const StoredCloudAKms = extended(CloudAKms.omit({ last_synchronized_at: true }), () => ({
  ...storedContainer,
  /** when each region was last read completely */
  synchronized: z.record(z.string(), Time),
}))
export type StoredCloudAKms = z.infer<typeof StoredCloudAKms>

/** Entries, unique in a domain by name. */
export const cloudAKms = containerEntity({
  name: 'cloud-a-kms',
  schema: StoredCloudAKms,
  unique: ({ name }) => ({ name: [name] }),
  row: ({ account_id, status }) => ({ account_id, status }),
})
export type CloudAKmsRow = ReturnType<typeof cloudAKms.row>
