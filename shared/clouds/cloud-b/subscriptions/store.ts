import { entity } from '../../../store/entity.ts'
import { CloudBSubscription } from '../vaults/model.ts'

/** The family of all subscriptions, by their ids in the cloud. */
export const SUBSCRIPTIONS = 'subscriptions'

/** Supported reads: a subscription by id; by its id in the cloud, unique in a domain; all of them. */
export const cloudBSubscriptions = entity({
  name: 'cloud-b-subscription',
  schema: CloudBSubscription,
  id: ({ id }) => id,
  sets: () => ['all'],
  families: ({ subscription_id }) => [{ name: SUBSCRIPTIONS, key: subscription_id, exclusive: true }],
  row: (subscription) => subscription,
})
