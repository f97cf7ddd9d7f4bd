import { entity } from '../../../store/entity.ts'
import { CloudBSubscription } from '../vaults/model.ts'

/** The family of all subscriptions, by the cloud's ids. */
export const SUBSCRIPTIONS = 'subscriptions'

/** Reads served: a subscription by id; by the cloud's id, unique in a domain; all of them. */
export const cloudBSubscriptions = entity({
  name: 'cloud-b-subscription',
  schema: CloudBSubscription,
  id: ({ id }) => id,
  sets: () => ['all'],
  families: ({ subscription_id }) => [{ name: SUBSCRIPTIONS, key: subscription_id, exclusive: true }],
  row: (subscription) => subscription,
})
